"""A sample: a page kept for induction, with what is known about it from outside."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.page import Page


@dataclass(frozen=True, slots=True)
class Sample:
    """A page, the feed entry that links to it, and other words about it."""

    page: Page
    entry: FeedEntry | None = None
    anchors: tuple[str, ...] = ()  # texts of links that point to the page
    keywords: tuple[str, ...] = ()  # search terms, terms of a submitted form: what the user asked for
