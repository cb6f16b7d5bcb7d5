"""A document: the bytes of a page before it is parsed, and what came with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample


@dataclass(frozen=True, slots=True)
class Document:
    """What is buffered, stored and sent to workers: trees take four times the room and cannot be sent."""

    url: str
    body: bytes
    content_type: str | None = None
    language: str | None = None  # to assume when the page names none: the feed's
    entry: FeedEntry | None = None
    feed: str | None = None  # where the feed was served that led to it

    def page(self) -> Page:
        """Parse it; raises :class:`scrapy_forest.errors.PageError`."""
        return Page.from_html(self.url, self.body, content_type=self.content_type, language=self.language)

    def sample(self) -> Sample:
        """Parse it, for induction."""
        return Sample(self.page(), self.entry)

    def label(self) -> dict[str, Any]:
        """All but the bytes, as plain JSON values."""
        entry = self.entry.to_dict() if self.entry else None
        texts = {"url": self.url, "content_type": self.content_type, "language": self.language, "feed": self.feed}
        return {**texts, "entry": entry}

    @classmethod
    def from_label(cls, label: Mapping[str, Any], body: bytes) -> Document:
        """The document of a label that :meth:`label` made."""
        entry = FeedEntry.from_dict(label["entry"]) if label["entry"] else None
        return cls(label["url"], body, label["content_type"], label["language"], entry, label["feed"])
