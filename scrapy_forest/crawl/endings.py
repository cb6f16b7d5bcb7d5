"""How crawls end: the words of Scrapy's ``finish_reason``, which errors no crawl survives, and exit codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scrapy_forest.crawl.sinks import is_full
from scrapy_forest.errors import StoreDamaged, StoreFull, StoreLost

NOT_STARTED: Final = "not_started"
DISK_FULL: Final = "disk_full"
STORE_LOST: Final = "store_lost"
OUT_OF_MEMORY: Final = "out_of_memory"

# Whatever else a reason says, the user or his settings wanted it.  2 is for wrong arguments, as everywhere.
EXIT_CODES: Final[Mapping[str, int]] = {
    "finished": 0,
    NOT_STARTED: 1,
    "shutdown": 3,  # SIGTERM or Ctrl-C
    DISK_FULL: 4,
    STORE_LOST: 5,
    OUT_OF_MEMORY: 6,
    "memusage_exceeded": 6,  # Scrapy's own limit
}


def exit_code(reason: str | None) -> int:
    """What a process says of a crawl that ended for that reason.

    >>> exit_code("finished"), exit_code("closespider_itemcount"), exit_code("disk_full"), exit_code(None)
    (0, 0, 4, 1)
    """
    return EXIT_CODES.get(reason or NOT_STARTED, 0)


def ending_of(error: BaseException | None) -> str | None:
    """The reason to stop for, if there is no use in going on: everything else would fail as well.

    >>> ending_of(MemoryError()), ending_of(ValueError())
    ('out_of_memory', None)
    """
    if isinstance(error, MemoryError):
        return OUT_OF_MEMORY
    if isinstance(error, StoreFull) or is_full(error):
        return DISK_FULL
    return STORE_LOST if isinstance(error, StoreDamaged | StoreLost) else None
