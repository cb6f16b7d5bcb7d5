"""What is remembered between crawls: feeds, the ledger of entries, templates, wrappers and samples."""

from scrapy_forest.store.protocol import Store
from scrapy_forest.store.sqlite import SqliteStore, open_store
from scrapy_forest.store.thread import StoreThread
from scrapy_forest.store.values import (
    FeedState,
    LedgerRow,
    LedgerState,
    OutboxLine,
    Receipt,
    Removed,
    Retention,
    StoredSample,
    StoredTemplate,
    StoredWrapper,
)

__all__ = [
    "FeedState",
    "LedgerRow",
    "LedgerState",
    "OutboxLine",
    "Receipt",
    "Removed",
    "Retention",
    "SqliteStore",
    "Store",
    "StoreThread",
    "StoredSample",
    "StoredTemplate",
    "StoredWrapper",
    "open_store",
]
