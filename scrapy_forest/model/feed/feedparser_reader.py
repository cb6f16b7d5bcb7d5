"""Feeds read by feedparser, which knows the dialects and their usual mistakes.

It must never be handed the body itself: it takes bytes for a file name and text for a URL, and opens both.  It gets a
stream.  Three of its services are not used: resolving links turns one that cannot be parsed into an empty one and a
guid such as ``123`` into a URL that changes with the feed's; resolving and sanitising markup cost a second a megabyte
and hang on unclosed comments.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, TypeAlias

import feedparser

from scrapy_forest.model.feed.dates import date_from_utc
from scrapy_forest.model.feed.raw import RawEntry, RawFeed, RawLink, RawText

_Fields: TypeAlias = Mapping[str, Any]


def read_with_feedparser(text: str) -> RawFeed:
    """Read a whole, mended feed.

    Raises anything: what feedparser raises itself, and what comes of elements with the names of its own keys, such as
    ``<authors>``, which replace a list by a text.
    """
    result = feedparser.parse(
        io.BytesIO(text.encode()),
        response_headers={"content-type": "application/xml; charset=utf-8"},
        sanitize_html=False,
        resolve_relative_uris=False,
    )
    head = result["feed"]
    return RawFeed(
        dialect=result["version"],
        title=_text(head.get("title_detail")),
        language=_string(head.get("language")),
        authors=_authors(head),
        # Plain dictionaries: feedparser's own warn when asked for a date that is not there.
        entries=tuple(_entry(dict(entry)) for entry in result["entries"]),
        problems=frozenset(["bad_markup"] if result["bozo"] else []),
    )


def _entry(entry: _Fields) -> RawEntry:
    return RawEntry(
        id=_string(entry.get("id")),
        is_permalink=bool(entry.get("guidislink", True)),
        links=tuple(_link(link) for link in entry.get("links") or ()),
        title=_text(entry.get("title_detail")),
        summary=_text(entry.get("summary_detail")),
        contents=tuple(_text(content) for content in entry.get("content") or ()),
        authors=_authors(entry),
        tags=tuple(_string(tag.get("label") or tag.get("term")) for tag in entry.get("tags") or ()),
        published=date_from_utc(entry.get("published_parsed")),
        updated=date_from_utc(entry.get("updated_parsed")),
    )


def _link(link: _Fields) -> RawLink:
    return RawLink(_string(link.get("href")), _string(link.get("rel")), _string(link.get("type")))


def _text(detail: _Fields | None) -> RawText:
    if detail is None:
        return RawText()
    return RawText(_string(detail.get("value")), _string(detail.get("type")), _string(detail.get("base")))


def _authors(fields: _Fields) -> tuple[str, ...]:
    return tuple(_string(author.get("name")) for author in fields.get("authors") or ())


def _string(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"feedparser gave {type(value).__name__} for a text")
    return value
