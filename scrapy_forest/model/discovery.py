"""Where a site keeps its feeds."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

from scrapy_forest.model.page import Page
from scrapy_forest.model.web_link import web_link

FEED_TYPES: Final = frozenset(["application/rss+xml", "application/atom+xml", "application/rdf+xml"])
# Where feeds are when no page says so, the most usual first.
USUAL_PLACES: Final = ("/feed", "/rss", "/rss.xml", "/atom.xml", "/feed.xml", "/index.xml", "/feeds/posts/default")

_COMMENTS: Final = re.compile(r"\bcomments?\b|kommentar|commentaire|comentario|コメント|评论", re.IGNORECASE)


def find_feeds(page: Page) -> list[str]:
    """Feeds that a page names, without those of comments; each once, in the page's order."""
    found = []
    stated = page.root.find("head/base[@href]")
    base = (web_link(page.url, stated.get("href", "")) if stated is not None else None) or page.url
    for link in page.root.iter("link"):
        rels = link.get("rel", "").lower().split()
        kind = link.get("type", "").lower().partition(";")[0].strip()
        href = link.get("href", "").strip()
        url = web_link(base, href) if href else None
        if "alternate" in rels and kind in FEED_TYPES and url and not _is_for_comments(link.get("title", ""), url):
            found.append(url)
    return list(dict.fromkeys(found))


def usual_places(url: str) -> list[str]:
    """Where to look when a page names no feed.

    >>> usual_places("https://a.com/blog/")[0]
    'https://a.com/feed'
    """
    return [urljoin(url, place) for place in USUAL_PLACES]


def _is_for_comments(title: str, url: str) -> bool:
    parts = urlsplit(url)  # a host may be called anything
    return bool(_COMMENTS.search(title) or _COMMENTS.search(f"{parts.path}?{parts.query}"))
