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

Entries and feeds cross process boundaries as plain JSON values: ``to_dict`` writes moments in ISO 8601, ``from_dict``
reads what ``to_dict`` wrote.  A key that is missing takes its default; one that nobody knows is a ``TypeError``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry; ``problem`` says why it has no link: ``no_link``, ``bad_link``, ``bad_scheme``, ``url_too_long`` or
    ``media_link``.

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

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values.

        >>> FeedEntry.from_dict(FeedEntry(title="A", tags=("b",)).to_dict()).tags
        ('b',)
        """
        return {
            **_values(self),
            "authors": list(self.authors),
            "published": self.published and self.published.isoformat(),
            "updated": self.updated and self.updated.isoformat(),
            "tags": list(self.tags),
        }

    @classmethod
    def from_json(cls, text: str) -> FeedEntry | None:
        """The entry of what ``to_dict`` gave, as JSON from a store; None if somebody else has written that.

        >>> FeedEntry.from_json('{"title": "A"}'), FeedEntry.from_json('{"a": 1}'), FeedEntry.from_json("[")
        (FeedEntry(id='', link=None, title='A', summary='', content='', authors=(), published=None, updated=None, \
tags=(), problem=None), None, None)
        """
        try:
            return cls.from_dict(json.loads(text))
        except (TypeError, ValueError, AttributeError, RecursionError):
            return None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FeedEntry:
        """The entry that ``to_dict`` wrote."""
        return cls(
            **{
                **data,
                "authors": tuple(data.get("authors", ())),
                "published": _moment(data.get("published")),
                "updated": _moment(data.get("updated")),
                "tags": tuple(data.get("tags", ())),
            }
        )


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed as read from ``url``; ``dialect`` is feedparser's name for it, such as ``rss20``."""

    url: str
    title: str = ""
    language: str | None = None
    dialect: str = ""
    entries: tuple[FeedEntry, ...] = ()
    problems: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            **_values(self),
            "entries": [entry.to_dict() for entry in self.entries],
            "problems": list(self.problems),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Feed:
        """The feed that ``to_dict`` wrote."""
        entries = tuple(map(FeedEntry.from_dict, data.get("entries", ())))
        return cls(**{**data, "entries": entries, "problems": tuple(data.get("problems", ()))})


def _values(value: FeedEntry | Feed) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
