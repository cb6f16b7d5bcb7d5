"""The page that an entry is about."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

from scrapy_forest.model.feed.raw import HTML_TYPES, RawEntry

MAX_LINK = 2_083  # Scrapy's URLLENGTH_LIMIT, beyond which it drops requests without a word

_HTTP: Final = re.compile(r"https?://", re.I)
_NOT_IN_HOST: Final = re.compile(r"[\s<>\"'\\^`{|}]")


def entry_link(entry: RawEntry, url: str) -> tuple[str | None, str | None]:
    """The entry's link, absolute by the feed's ``url``, and None; or None and why there is none.

    >>> from scrapy_forest.model.feed.raw import RawLink
    >>> entry_link(RawEntry(links=(RawLink("/1"),)), "https://a.com/feed")
    ('https://a.com/1', None)
    >>> entry_link(RawEntry(links=(RawLink("javascript:alert(1)"),)), "https://a.com/feed")
    (None, 'bad_scheme')
    """
    link = _stated_link(entry)
    if not link:
        return None, "media_link" if any(each.rel == "enclosure" for each in entry.links) else "no_link"
    try:
        link = join_link(url, link)
        parts = urlsplit(link)
        is_usable = parts.hostname and parts.port != 0
    except ValueError:
        return None, "bad_link"
    if parts.scheme not in ("", "http", "https"):
        return None, "bad_scheme"
    if not parts.scheme or not is_usable or _NOT_IN_HOST.search(parts.netloc):
        return None, "bad_link"
    return (link, None) if len(link) <= MAX_LINK else (None, "url_too_long")


def join_link(base: str, link: str) -> str:
    """The link made absolute; one that is absolute stays as it is written.  Raises ValueError if it cannot be parsed.

    >>> join_link("https://a.com/b/", "c"), join_link("https://a.com", "https://")
    ('https://a.com/b/c', 'https://')
    """
    return link if _HTTP.match(link) else urljoin(base, link)


def _stated_link(entry: RawEntry) -> str:
    """The first link to the page itself, else an id that is one: a permalink guid, rdf:about, an Atom id."""
    pages = [link for link in entry.links if link.rel == "alternate" and link.href]
    if pages:
        page = min(pages, key=lambda link: link.type not in HTML_TYPES)
        return "".join(page.href.strip().splitlines())
    id_ = entry.id.strip()
    return id_ if entry.is_permalink and _HTTP.match(id_) else ""
