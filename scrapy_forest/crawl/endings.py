"""How crawls end: the words of Scrapy's ``finish_reason``, and which errors no crawl survives."""

from __future__ import annotations

from typing import Final

from scrapy_forest.crawl.sinks import is_full
from scrapy_forest.errors import StoreDamaged, StoreFull

DISK_FULL: Final = "disk_full"
STORE_LOST: Final = "store_lost"
OUT_OF_MEMORY: Final = "out_of_memory"


def ending_of(error: BaseException) -> str | None:
    """The reason to stop for, if there is no use in going on: everything else would fail as well.

    >>> ending_of(MemoryError()), ending_of(ValueError())
    ('out_of_memory', None)
    """
    if isinstance(error, MemoryError):
        return OUT_OF_MEMORY
    if isinstance(error, StoreFull) or is_full(error):
        return DISK_FULL
    return STORE_LOST if isinstance(error, StoreDamaged) else None
