"""The options of a crawl."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scrapy_forest.crawl.extraction import ExtractionOptions
from scrapy_forest.crawl.learning import LearningOptions
from scrapy_forest.crawl.ledger import LedgerOptions
from scrapy_forest.store.values import Retention
from scrapy_forest.workers.pool import WorkerOptions


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """All that a crawl must be told; the defaults stand in ``scrapy_forest.settings``."""

    store: Path
    hold_seconds: float  # how long a page waits for others of its template
    buffer_bytes: int  # of waiting pages in memory
    learning: LearningOptions
    extraction: ExtractionOptions
    ledger: LedgerOptions
    retention: Retention
    workers: WorkerOptions
