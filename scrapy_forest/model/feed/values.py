"""A feed and its entries, as the rest of the project sees them.

Nothing raises on a feed.  What is wrong with it is told in ``Feed.problems``:

==================  ===================================================================================
``bad_markup``      not well-formed, or a tag too large to parse; read as far as it goes
``empty``           no bytes, or a feed without entries
``field_truncated`` a field was longer than its limit
``json_feed``       a JSON Feed, which is not supported
``not_a_feed``      none of RSS, RDF, Atom
``partial``         cut off, or read by the lxml reader because feedparser failed
``too_deep``        nested deeper than the parser follows
``truncated``       more than the reader's limit of bytes or entries
==================  ===================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry; ``problem`` says why it has no link: ``no_link``, ``bad_link`` or ``url_too_long``.

    ``content`` is HTML that is safe to show, all other texts are plain.
    """

    id: str = ""
    link: str | None = None
    title: str = ""
    summary: str = ""
    content: str = ""
    authors: tuple[str, ...] = ()
    published: datetime | None = None
    updated: datetime | None = None
    tags: tuple[str, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed as read from ``url``; ``dialect`` is feedparser's name for it, such as ``rss20``."""

    url: str
    title: str = ""
    language: str | None = None
    dialect: str = ""
    entries: tuple[FeedEntry, ...] = ()
    problems: tuple[str, ...] = ()
