"""``FOREST_…`` settings as frozen values.  Nothing else reads them, and each default stands here only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Final

from scrapy.settings import BaseSettings
from scrapy.utils.project import data_path

from scrapy_forest.crawl.extraction import ExtractionOptions
from scrapy_forest.crawl.learning import LearningOptions
from scrapy_forest.crawl.ledger import LedgerOptions
from scrapy_forest.crawl.options import CrawlOptions
from scrapy_forest.errors import InvalidSetting
from scrapy_forest.methods.catalogue import METHODS
from scrapy_forest.model.subscriptions import read_subscription_file, split_urls
from scrapy_forest.store.values import Retention
from scrapy_forest.workers.pool import WorkerOptions

MEGABYTE: Final = 1024 * 1024

DEFAULTS: Final[Mapping[str, Any]] = {
    "FOREST_ENABLED": True,
    "FOREST_STORE": "forest.sqlite",  # below the project's .scrapy, unless absolute
    "FOREST_FEEDS": [],  # URLs for ``scrapy crawl feeds`` without arguments
    "FOREST_FEEDS_FILE": "",  # or a file of them: one a line, or OPML
    "FOREST_METHOD": "forest-tfidf",
    "FOREST_SAMPLES": 10,  # pages to learn a template from; five do nearly as well, more than ten no better
    "FOREST_HOLD_SECONDS": 60.0,  # how long a page waits for others of its template
    "FOREST_BUFFER_MB": 64,  # of waiting pages in memory, compressed; more go to a temporary file
    "FOREST_KEEP_SAMPLES": 5,  # pages of each template that the store keeps
    "FOREST_KEEP_SAMPLES_MB": 256,  # of them in all
    "FOREST_KEEP_VERSIONS": 10,  # wrappers of each template
    "FOREST_KEEP_DAYS": 90,  # that an entry is remembered after its feed has dropped it
    "FOREST_REVISIONS": False,  # whether an entry that has changed is fetched again
    "FOREST_TRIES": 3,  # crawls that may fail on an entry
    "FOREST_WORKERS": max(1, min(4, (os.cpu_count() or 1) - 1)),
    "FOREST_TASK_SECONDS": 5.0,  # for a feed, or a page that is too large to handle between two downloads
    "FOREST_INDUCE_SECONDS": 30.0,  # for learning a template
    "FOREST_INLINE_BYTES": 1_000_000,  # up to this size a page is handled on the event loop
    "FOREST_CLOSE_SECONDS": 5.0,  # for what is still waiting, or downloading, when the crawl is stopped
    "FOREST_RETRY_AFTER_SECONDS": 60.0,  # the longest pause that a server may ask for
    "FOREST_ALLOW_PRIVATE": [],  # "host:port" entries that may be reached although they are not public
    "FOREST_GUARD": True,  # false if you replace our download handlers by your own
}


@dataclass(frozen=True, slots=True)
class ForestSettings:
    """All settings of a crawl."""

    crawl: CrawlOptions
    close_seconds: float
    retry_after_seconds: float
    has_guard: bool

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> ForestSettings:
        """Read and check; raises :class:`InvalidSetting`, which names the setting."""
        read = _Reader(settings)
        return cls(
            crawl=read.crawl_options(),
            close_seconds=read.number("FOREST_CLOSE_SECONDS"),
            retry_after_seconds=read.number("FOREST_RETRY_AFTER_SECONDS"),
            has_guard=has_guard(settings),
        )


def is_enabled(settings: BaseSettings) -> bool:
    """Whether the plugin is switched on."""
    return _Reader(settings).flag("FOREST_ENABLED")


def has_guard(settings: BaseSettings) -> bool:
    """Whether connections are checked by our download handlers."""
    return _Reader(settings).flag("FOREST_GUARD")


class _Reader:
    """Values with our defaults, checked."""

    def __init__(self, settings: BaseSettings) -> None:
        self._settings = settings

    def crawl_options(self) -> CrawlOptions:
        return CrawlOptions(
            store=Path(data_path(str(self._value("FOREST_STORE") or DEFAULTS["FOREST_STORE"]))),
            hold_seconds=self.number("FOREST_HOLD_SECONDS"),
            buffer_bytes=self.whole("FOREST_BUFFER_MB") * MEGABYTE,
            learning=LearningOptions(
                method=self.choice("FOREST_METHOD", METHODS),
                samples=self.whole("FOREST_SAMPLES", at_least=2),
                keep_samples=self.whole("FOREST_KEEP_SAMPLES"),
                seconds=self.number("FOREST_INDUCE_SECONDS"),
            ),
            extraction=ExtractionOptions(
                method=self.choice("FOREST_METHOD", METHODS), inline_bytes=self.whole("FOREST_INLINE_BYTES")
            ),
            ledger=LedgerOptions(revisions=self.flag("FOREST_REVISIONS"), tries=self.whole("FOREST_TRIES", at_least=1)),
            retention=Retention(
                ledger_days=self.whole("FOREST_KEEP_DAYS"),
                sample_bytes=self.whole("FOREST_KEEP_SAMPLES_MB") * MEGABYTE,
                wrapper_versions=self.whole("FOREST_KEEP_VERSIONS", at_least=1),
            ),
            workers=WorkerOptions(
                processes=self.whole("FOREST_WORKERS", at_least=1), time_limit=self.number("FOREST_TASK_SECONDS")
            ),
        )

    def flag(self, name: str) -> bool:
        try:
            return self._settings.getbool(name, bool(DEFAULTS[name]))
        except (TypeError, ValueError) as error:
            raise InvalidSetting(name, f"is {self._value(name)!r}, but should be true or false") from error

    def number(self, name: str, at_least: float = 0) -> float:
        value = self._value(name)
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidSetting(name, f"is {value!r}, but should be a number") from error
        if not number >= at_least:
            raise InvalidSetting(name, f"is {value!r}, but should be {at_least:g} or more")
        return number

    def whole(self, name: str, at_least: int = 0) -> int:
        number = self.number(name, at_least)
        if number in (inf, -inf) or not number.is_integer():
            raise InvalidSetting(name, f"is {number!r}, but should be a whole number")
        return int(number)

    def choice(self, name: str, known: Iterable[str]) -> str:
        value = self._value(name)
        if value not in tuple(known):
            raise InvalidSetting(name, f"is {value!r}, but should be one of {', '.join(known)}")
        return str(value)

    def _value(self, name: str) -> Any:
        value = self._settings.get(name)
        return DEFAULTS[name] if value is None else value


def feeds_of(settings: BaseSettings) -> list[str]:
    """The feeds that the settings name."""
    feeds = [url for text in settings.getlist("FOREST_FEEDS") for url in split_urls(text)]
    file = settings.get("FOREST_FEEDS_FILE")
    return feeds + read_subscription_file(file) if file else feeds
