"""Data sets of sites: a feed, pages, and the known text of each article.

The layout is ``DIR/sites/ID/{feed.xml, gold.jsonl, extra.jsonl, pages/*.html.gz}``.  Each line of ``gold.jsonl`` has
``url``, ``page`` (a file name), ``in_feed`` and ``text``; ``extra.jsonl`` has pages beyond the feed, some with text.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from scrapy_forest.errors import DatasetError
from scrapy_forest.model.feed import Feed, FeedEntry, read_feed
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page whose article is known."""

    url: str
    html: bytes
    text: str
    entry: FeedEntry | None  # None for a page that no feed entry links to


@dataclass(frozen=True)
class Site:
    """A site with its pages, those of the feed first and in the feed's order."""

    id: str
    feed: Feed
    pages: tuple[GoldPage, ...]

    def sample(self, page: GoldPage) -> Sample:
        """The page parsed anew, as a crawl would keep it."""
        return Sample(Page.from_html(page.url, page.html, language=self.feed.language), page.entry)


class SharedSite(Site):
    """A site whose pages are parsed once, for studies that compare many methods and no costs."""

    @cached_property
    def _samples(self) -> dict[GoldPage, Sample]:
        return {}

    def sample(self, page: GoldPage) -> Sample:
        """The page, parsed at most once."""
        if page not in self._samples:
            self._samples[page] = super().sample(page)
        return self._samples[page]


def site_folders(directory: Path) -> list[Path]:
    """The folders of all sites, sorted."""
    if not directory.is_dir():
        raise DatasetError(f"{directory} is no directory")
    folders = sorted(path.parent for path in directory.glob("sites/*/gold.jsonl"))
    if not folders:
        raise DatasetError(f"{directory} is no data set: it holds no sites/*/gold.jsonl, see docs/evaluation.md")
    return folders


def read_site(folder: Path, kind: type[Site] = Site) -> Site:
    """Read one site; pages without gold text are left out."""
    try:
        feed = read_feed("", (folder / "feed.xml").read_bytes())
        entries = {entry.link: entry for entry in feed.entries if entry.link}
        pages = tuple(_read_page(folder, record, entries) for record in _records(folder) if record.get("text"))
    except (OSError, EOFError, zlib.error, KeyError, TypeError, ValueError) as error:
        raise DatasetError(f"cannot read {folder}: {type(error).__name__}: {error}") from error
    if not pages:
        raise DatasetError(f"{folder} has no page with gold text")
    return kind(folder.name, feed, pages)


def _records(folder: Path) -> Iterator[dict[str, Any]]:
    for name in ("gold.jsonl", "extra.jsonl"):
        path = folder / name
        if path.exists():
            with path.open(encoding="utf-8") as lines:
                yield from map(_record, lines)


def _record(line: str) -> dict[str, Any]:
    record = json.loads(line)
    if not isinstance(record, dict):
        raise TypeError(f"a line that is no JSON object: {line[:80]!r}")
    return record


def _read_page(folder: Path, record: dict[str, Any], entries: dict[str, FeedEntry]) -> GoldPage:
    path = folder / "pages" / Path(record["page"]).name
    html = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return GoldPage(record["url"], html, record["text"], entries.get(record["url"]) if record["in_feed"] else None)
