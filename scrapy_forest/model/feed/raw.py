"""A feed as it is written, before links are resolved and texts cleaned: the same values from either reader."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

HTML_TYPES = frozenset(["text/html", "application/xhtml+xml"])


@dataclass(frozen=True, slots=True)
class RawText:
    """Text or markup of a field; ``type`` is a media type, ``base`` the URL that its links are relative to."""

    value: str = ""
    type: str = "text/plain"
    base: str = ""


@dataclass(frozen=True, slots=True)
class RawLink:
    """A link with its ``xml:base`` applied, which may itself be relative to the feed's URL."""

    href: str
    rel: str = "alternate"
    type: str = "text/html"


@dataclass(frozen=True, slots=True)
class RawEntry:
    """An item or entry."""

    id: str = ""
    is_permalink: bool = True  # whether the id may stand for a missing link
    links: tuple[RawLink, ...] = ()
    title: RawText = RawText()
    summary: RawText = RawText()
    contents: tuple[RawText, ...] = ()
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    published: datetime | None = None
    updated: datetime | None = None


@dataclass(frozen=True, slots=True)
class RawFeed:
    """A feed; ``dialect`` is empty when the root element promised a feed and there was none."""

    dialect: str = ""
    title: RawText = RawText()
    language: str = ""
    authors: tuple[str, ...] = ()
    entries: tuple[RawEntry, ...] = ()
    problems: frozenset[str] = frozenset()
