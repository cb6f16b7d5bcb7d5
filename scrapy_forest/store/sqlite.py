"""The store in one SQLite file, which any number of processes on one machine may share.

The ledger's ages are counted in days on which the feed was read (``reading_days``): a row remembers in ``seen`` what
the count was when its feed last listed it.  See ``Store.touch_ledger`` for what that is good for.
"""

from __future__ import annotations

import logging
import os
import zlib
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

from scrapy_forest.errors import StoreDamaged
from scrapy_forest.store import rows, statements
from scrapy_forest.store.connection import Connection, Row, configure, connect, storable
from scrapy_forest.store.schema import check_origin, migrate
from scrapy_forest.store.values import (
    FeedState,
    LedgerRow,
    OutboxLine,
    Receipt,
    Removed,
    Retention,
    StoredSample,
    StoredTemplate,
    StoredWrapper,
)

logger = logging.getLogger(__name__)

PATIENCE: Final = 5.0  # seconds that a write waits for other processes; transactions take milliseconds


def open_store(path: str | os.PathLike[str], *, patience: float = PATIENCE) -> SqliteStore:
    """Open a store, or make a new one where there is no file; ``patience`` is how long to wait for other processes."""
    file = Path(os.path.abspath(os.fspath(path)))  # nothing that SQLite takes for a URI or for ":memory:"
    connection = connect(file, patience)
    try:
        check_origin(connection)  # before the file is changed in any way
        configure(connection, patience)
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return SqliteStore(connection)


class SqliteStore:
    """A ``Store`` over an open connection; ``open_store`` makes one."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing of what is written inside; inner ones join the outer one."""
        return self._db.transaction()

    def check(self) -> None:
        """Read all of the file; raises :class:`StoreDamaged`.  A second for 300 MB, more from a cold disk."""
        [(problem,)] = self._db.query("PRAGMA quick_check(1)")
        if problem != "ok":
            raise StoreDamaged(self._db.path, f"is damaged ({problem})")

    def close(self) -> None:
        """Close; a closed store cannot be used again."""
        self._db.close()

    # Feeds

    def feed_state(self, url: str) -> FeedState | None:
        """What is known about a feed."""
        found = self._db.query(statements.FIND_FEED, url)
        return rows.read_feed_state(found[0]) if found else None

    def save_feed_state(self, state: FeedState) -> None:
        """Keep what is known about a feed in place of what was known before."""
        with self.transaction():
            self._db.change(statements.SAVE_FEED, *rows.feed_columns(state))

    # The ledger

    def ledger(self, keys: Sequence[str]) -> dict[str, LedgerRow]:
        """The rows that exist, by the keys asked for."""
        found = map(rows.read_ledger_row, self._db.query_in(statements.FIND_LEDGER, keys))
        return _by_asked(keys, {row.key: row for row in found})

    def ledger_by_entry(self, feed: str, entry_ids: Sequence[str]) -> dict[str, LedgerRow]:
        """The rows of a feed that exist, by the ids asked for; the one updated last if an id has several."""
        found = map(rows.read_ledger_row, self._db.query_in(statements.FIND_LEDGER_BY_ENTRY, entry_ids, feed))
        return _by_asked(entry_ids, {row.entry_id: row for row in found})

    def unfinished(self, feed: str) -> list[LedgerRow]:
        """Rows of a feed that are open or failed, oldest first: the feed may list them no longer."""
        return [*map(rows.read_ledger_row, self._db.query(statements.FIND_UNFINISHED, feed))]

    def save_ledger(self, entries: Sequence[LedgerRow], receipts: Sequence[Receipt] = ()) -> None:
        """Add or replace rows by key, and settle their lines; this counts as having seen them listed."""
        with self.transaction():
            known = self.ledger([row.key for row in entries])
            # Only for new rows: an old one may be saved again with the time it had.
            self._count_days({row.feed: row.updated for row in entries if row.key not in known}.items())
            for row in entries:
                self._db.change(statements.SAVE_LEDGER, *rows.ledger_columns(row), row.feed)
            self._acknowledge(receipts)

    def touch_ledger(self, keys: Sequence[str], when: datetime) -> None:
        """Say that the feed was read and still lists these entries, so that they are not forgotten."""
        with self.transaction():
            feeds = {feed for (feed,) in self._db.query_in(statements.FIND_FEEDS_OF, keys)}
            self._count_days((feed, when) for feed in feeds)
            self._db.change_in(statements.TOUCH_LEDGER, keys)

    def _count_days(self, readings: Iterable[tuple[str, datetime]]) -> None:
        for feed, when in readings:
            self._db.change(statements.COUNT_DAY, feed, rows.to_day(when))

    # The outbox

    def add_to_outbox(self, job: str, key: str, lines: Sequence[tuple[str, bytes]]) -> list[int]:
        """Keep the lines of an entry, each with the path of its file, until they are there; gives their numbers."""
        with self.transaction():
            return [self._add_line(job, sink, key, line) for sink, line in lines]

    def _add_line(self, job: str, sink: str, key: str, line: bytes) -> int:
        self._db.change(statements.ADD_TO_OUTBOX, job, sink, key, line)
        [(number,)] = self._db.query(statements.LAST_NUMBER)
        return int(number)

    def outbox(self, job: str) -> list[OutboxLine]:
        """Lines that may not be in their files yet, oldest first, and the last one of each file that is."""
        return [*map(rows.read_outbox_line, self._db.query(statements.FIND_OUTBOX, job))]

    def _acknowledge(self, receipts: Sequence[Receipt]) -> None:
        sinks: set[Row] = set()
        for receipt in receipts:
            self._db.change(statements.ACKNOWLEDGE, receipt.ended, receipt.number)
            sinks.update(self._db.query(statements.FIND_SINK, receipt.number))
        for job, sink in sinks:
            self._db.change(statements.FORGET_WRITTEN, job, sink, job, sink)

    # Templates and wrappers

    def templates(self, host: str) -> list[StoredTemplate]:
        """The templates of a host, oldest first."""
        return [*map(rows.read_template, self._db.query(statements.FIND_TEMPLATES, host))]

    def save_template(self, template: StoredTemplate) -> None:
        """Add or replace a template by host and name."""
        with self.transaction():
            self._db.change(statements.SAVE_TEMPLATE, *rows.template_columns(template))

    def wrappers(self, host: str) -> list[StoredWrapper]:
        """The wrapper to use for each template of a host: the pinned version, or the newest."""
        found = map(rows.read_wrapper, self._db.query(statements.FIND_WRAPPERS, host))
        return [*{wrapper.template: wrapper for wrapper in found}.values()]  # the last one of each is the best

    def wrapper_versions(self, host: str, template: str) -> list[StoredWrapper]:
        """All versions that are kept, oldest first."""
        return [*map(rows.read_wrapper, self._db.query(statements.FIND_VERSIONS, host, template))]

    def save_wrapper(self, host: str, template: str, wrapper: str) -> int:
        """Add a version and return its number; the newest one's if that has the same text."""
        with self.transaction():
            found = self._db.query(statements.FIND_NEWEST, wrapper, host, template)
            version, is_same = found[0] if found else (0, False)
            if not is_same:
                version += 1
                now = rows.to_number(datetime.now(timezone.utc))
                self._db.change(statements.ADD_VERSION, host, template, version, wrapper, now)
        return int(version)

    def pin_wrapper(self, host: str, template: str, version: int | None) -> bool:
        """Use this version until told otherwise, or the newest again (``None``); false if there is no such version."""
        with self.transaction():
            versions = [wrapper.version for wrapper in self.wrapper_versions(host, template)]
            if version is not None and version not in versions:
                return False
            self._db.change(statements.PIN, version, host, template)
            return True

    # Samples

    def samples(self, host: str, template: str) -> list[StoredSample]:
        """The samples of a template, oldest first, without those that cannot be read: one can learn from the others."""
        found = map(self._read_sample, self._db.query(statements.FIND_SAMPLES, host, template))
        return [sample for sample in found if sample]

    def _read_sample(self, row: Row) -> StoredSample | None:
        try:
            return rows.read_sample(row)
        except (zlib.error, TypeError, ValueError, OverflowError) as error:
            logger.warning("Store %r holds a damaged sample: %s", self._db.path, error)
            return None

    def save_samples(self, samples: Sequence[StoredSample], keep: int) -> None:
        """Add or replace samples by URL, and keep the newest ``keep`` of each template they belong to."""
        samples = [sample for sample in samples if len(sample.body) <= rows.MAX_BODY]
        columns = [*map(rows.sample_columns, samples)]  # compressed before others have to wait for us
        with self.transaction():
            for each in columns:
                self._db.change(statements.SAVE_SAMPLE, *each)
            for host, template in {(sample.host, sample.template) for sample in samples}:
                self._db.change(statements.KEEP_SAMPLES, host, template, max(keep, 0))

    def forget_samples(self, host: str, template: str) -> None:
        """Remove the samples of a template."""
        with self.transaction():
            self._db.change(statements.DROP_SAMPLES, host, template)

    # Keeping it small

    def apply_retention(self, retention: Retention) -> Removed:
        """Remove what is too old or too much; open rows, and wrappers that are pinned or newest, always stay.

        The file does not shrink: what becomes free in it is used again.
        """
        most = retention.ledger_entries
        with self.transaction():
            return Removed(
                ledger=self._db.change(statements.FORGET_LEDGER, retention.ledger_days)
                + self._db.change(statements.FORGET_EXCESS, most, most),
                samples=self._db.change(statements.FORGET_SAMPLES, retention.sample_bytes),
                wrappers=self._db.change(statements.FORGET_WRAPPERS, retention.wrapper_versions),
            )


def _by_asked(keys: Sequence[str], found: dict[str, LedgerRow]) -> dict[str, LedgerRow]:
    """The rows by the keys as the caller wrote them, which may hold surrogates that a row cannot."""
    return {key: found[storable(key)] for key in keys if storable(key) in found}
