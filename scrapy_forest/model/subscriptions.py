"""Lists of feeds, as people have them: one URL a line, or OPML as feed readers export it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from lxml import etree

from scrapy_forest.errors import InvalidSubscriptions
from scrapy_forest.model.charset import decode
from scrapy_forest.model.web_link import without_password

logger = logging.getLogger(__name__)

_OPML: Final = re.compile(
    r"\s*(?:<\?xml[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\])?[^>]*>|\s)*<opml[\s>]", re.IGNORECASE | re.DOTALL
)
_URL: Final = re.compile(r"https?://[^\s/]+\S*\Z", re.IGNORECASE)


def read_subscriptions(body: bytes) -> list[str]:
    """The feeds of a list, each once; raises :class:`InvalidSubscriptions`.

    Lines that start with ``#`` are comments, as is what follows a URL after a space.

    >>> read_subscriptions(b"# news\\nhttps://a.com/feed  every day\\n\\nhttps://b.com/rss\\nhttps://a.com/feed")
    ['https://a.com/feed', 'https://b.com/rss']
    """
    text = decode(body)
    found = _read_opml(text) if _OPML.match(text[:10_000]) else _read_lines(text)
    if not found:
        raise InvalidSubscriptions("there is no feed in the list")
    return list(dict.fromkeys(found))


def read_subscription_file(path: str) -> list[str]:
    """The feeds of a file; raises :class:`InvalidSubscriptions`, which names the file."""
    try:
        return read_subscriptions(Path(path).read_bytes())
    except OSError as error:
        raise InvalidSubscriptions(f"cannot read {path!r}: {error.strerror}") from error
    except InvalidSubscriptions as error:
        raise InvalidSubscriptions(f"{path!r}: {error}") from error


def split_urls(text: str | Iterable[str]) -> list[str]:
    """URLs apart by commas or spaces, as they are given on a command line; a comma inside of a URL is written %2C.

    A script may give a list of them as well.

    >>> split_urls("https://a.com/feed, https://b.com/rss")
    ['https://a.com/feed', 'https://b.com/rss']
    """
    parts = re.split(r"[,\s]+", text) if isinstance(text, str) else text
    return [_checked(each) for each in parts if each]


def _read_lines(text: str) -> list[str]:
    lines = (line.split(None, 1)[0] for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    return [_checked(line) for line in lines]


def _read_opml(text: str) -> list[str]:
    # The encoding is known by now, whatever the declaration says.
    parser = etree.XMLParser(encoding="utf-8", recover=True, resolve_entities=False, no_network=True)
    root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    if root is None:
        raise InvalidSubscriptions("the OPML cannot be read")
    outlines = root.iter("outline")
    # Attribute names are case-sensitive in XML; writers of OPML disagree.
    urls = ({str(name).lower(): value for name, value in each.attrib.items()}.get("xmlurl", "") for each in outlines)
    found = [str(url).strip() for url in urls if url]
    for url in found:
        if not _URL.match(url):  # programs write what is not for us: feed:, local files
            logger.warning("Not read, as it is no http(s) URL: %r", without_password(url)[:200])
    return [url for url in found if _URL.match(url)]


def _checked(url: str) -> str:
    if not _URL.match(url):
        raise InvalidSubscriptions(f"{url[:200]!r} is no http(s) URL")
    return url
