"""The outbox: every article once in every export file, wherever the process is killed.

An article that is ready takes three steps:

1. its lines are kept in the store, in the **outbox**;
2. they are written to their files;
3. one transaction marks its entry as done and takes the lines out of the outbox.

A crawl that finds lines in the outbox when it starts was killed between 1 and 3.  It looks for them in their files,
after the last line that is known to be there, writes those that are missing, and does the third step.  If it is killed
itself, the next one does the same.  Whatever was killed before 1 is still open in the ledger, and is fetched again.

The lines are given to the system, not forced to the disk: a power failure may lose the last ones of them.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from itertools import groupby
from operator import attrgetter

from scrapy_forest.crawl.sinks import Line, Sink
from scrapy_forest.errors import ExportError
from scrapy_forest.store.protocol import Store
from scrapy_forest.store.thread import StoreThread
from scrapy_forest.store.values import OutboxLine, Receipt

logger = logging.getLogger(__name__)


class Outbox:
    """The outbox of one job; one crawl at a time works on a job."""

    def __init__(self, store: StoreThread, job: str) -> None:
        self._store = store
        self._job = job

    async def settle(self) -> None:
        """Finish what an earlier crawl was killed in; raises :class:`ExportError`."""
        await self._store.call(settle, self._job)

    async def send(self, key: str, lines: Sequence[Line]) -> list[Receipt]:
        """Write the lines of an entry; raises StoreError or OSError, and then the next crawl writes them."""
        if not lines:
            return []
        texts = [(line.sink.path, line.text) for line in lines]
        numbers: list[int] = await self._store.call("add_to_outbox", self._job, key, texts)
        return [Receipt(number, line.write()) for number, line in zip(numbers, lines, strict=True)]


def settle(store: Store, job: str) -> None:
    """Bring files and ledger together, for all lines of a job."""
    lines = sorted(store.outbox(job), key=attrgetter("sink", "number"))
    receipts = [
        receipt for path, own in groupby(lines, key=attrgetter("sink")) for receipt in _settle_file(path, list(own))
    ]
    if receipts:
        _finish(store, {line.key for line in lines if line.ended is None}, receipts)


def _settle_file(path: str, lines: Sequence[OutboxLine]) -> list[Receipt]:
    """Write what one file lacks."""
    waiting = [line for line in lines if line.ended is None]
    if not waiting and not os.path.isfile(path):
        return []  # somebody has moved it away
    try:
        sink = Sink(path)
        try:
            return _complete(sink, lines, waiting)
        finally:
            sink.close()
    except OSError as error:
        raise ExportError(path, len(waiting), str(error)) from error


def _complete(sink: Sink, lines: Sequence[OutboxLine], waiting: Sequence[OutboxLine]) -> list[Receipt]:
    last = next((line for line in lines if line.ended is not None), None)
    is_torn = last is not None and bool(sink.torn) and last.line.startswith(sink.torn)
    there = _find(sink, waiting, last.ended or 0 if last else 0)
    missing = [line for line in waiting if not _take(there, line.line)]
    resent = [last, *missing] if last and is_torn else missing
    for line in resent:
        sink.append(line.line)
    if resent or waiting or sink.torn:
        told = "The last crawl was cut off: %d bytes of half a line cut from %r, %d lines were there, %d written now"
        logger.warning(told, len(sink.torn), sink.path, len(waiting) - len(missing), len(resent))
    return [Receipt(line.number, sink.size) for line in {*resent, *waiting}]


def _find(sink: Sink, waiting: Sequence[OutboxLine], start: int) -> Counter[bytes]:
    """How often each of the lines stands in a file, after that many bytes."""
    texts = {line.line for line in waiting}
    return Counter(line for line in sink.lines(start) if line in texts) if texts else Counter()


def _take(there: Counter[bytes], text: bytes) -> bool:
    is_there = there[text] > 0
    there[text] -= is_there
    return is_there


def _finish(store: Store, keys: Collection[str], receipts: Sequence[Receipt]) -> None:
    """The entries are done, as they would have been had the crawl lived on."""
    now = datetime.now(timezone.utc)
    rows = store.ledger(sorted(keys)).values()
    done = [replace(row, state="done", reason=None, entry=None, updated=now) for row in rows]
    store.save_ledger(done, receipts)
