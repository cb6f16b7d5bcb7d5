"""DESCRIPTION: the feed entry itself, title and description, taken for the article."""

from __future__ import annotations

from scrapy_forest.model.feed import FeedEntry


def describe(entry: FeedEntry | None) -> str:
    """Title and description of the entry as text; empty without an entry."""
    return f"{entry.title}\n{entry.summary}" if entry else ""
