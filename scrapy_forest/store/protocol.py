"""What every store can do.

A store is synchronous and is called from one thread only, the one that opened it; ``StoreThread`` brings it to an event
loop.  Whatever goes wrong inside is raised as ``StoreError``; ``StoreBusy`` means that trying again may help.

A template must be saved before its wrappers and samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

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


class Store(Protocol):
    """Feeds, ledger, templates, wrappers and samples."""

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing of what is written inside.

        Inner ones join the outer one, so an error must not be swallowed between them.
        """
        ...

    def feed_state(self, url: str) -> FeedState | None:
        """What is known about a feed."""
        ...

    def save_feed_state(self, state: FeedState) -> None:
        """Keep what is known about a feed in place of what was known before."""
        ...

    def ledger(self, keys: Sequence[str]) -> dict[str, LedgerRow]:
        """The rows that exist, by the keys asked for."""
        ...

    def ledger_by_entry(self, feed: str, entry_ids: Sequence[str]) -> dict[str, LedgerRow]:
        """The rows of a feed that exist, by the ids asked for; the one updated last if an id has several."""
        ...

    def unfinished(self, feed: str) -> list[LedgerRow]:
        """Rows of a feed that are open or failed, oldest first: the feed may list them no longer."""
        ...

    def save_ledger(self, entries: Sequence[LedgerRow], receipts: Sequence[Receipt] = ()) -> None:
        """Add or replace rows by key; this counts as having seen them listed.

        An open or failed row whose entry is None keeps the one that is stored; all others lose it.
        ``receipts`` are for lines of these entries, which leave the outbox in the same transaction.
        """
        ...

    def touch_ledger(self, keys: Sequence[str], when: datetime) -> None:
        """Say that the feed was read and still lists these entries, so that they are not forgotten.

        The store counts the days on which each feed was read, and a row's age is how many of them have passed since
        its feed last listed it.  So a clock that jumps a year ahead or back makes nothing more than a day older, and
        nothing grows old while its feed cannot be reached.
        """
        ...

    def add_to_outbox(self, job: str, key: str, lines: Sequence[tuple[str, bytes]]) -> list[int]:
        """Keep the lines of an entry, each with the path of its file, until they are there; gives their numbers."""
        ...

    def outbox(self, job: str) -> list[OutboxLine]:
        """Lines that may not be in their files yet, oldest first, and the last one of each file that is."""
        ...

    def templates(self, host: str) -> list[StoredTemplate]:
        """The templates of a host, oldest first."""
        ...

    def save_template(self, template: StoredTemplate) -> None:
        """Add or replace a template by host and name."""
        ...

    def wrappers(self, host: str) -> list[StoredWrapper]:
        """The wrapper to use for each template of a host: the pinned version, or the newest."""
        ...

    def wrapper_versions(self, host: str, template: str) -> list[StoredWrapper]:
        """All versions that are kept, oldest first."""
        ...

    def save_wrapper(self, host: str, template: str, wrapper: str) -> int:
        """Add a version and return its number; the newest one's if that has the same text."""
        ...

    def pin_wrapper(self, host: str, template: str, version: int | None) -> bool:
        """Use this version until told otherwise, or the newest again (``None``); false if there is no such version."""
        ...

    def samples(self, host: str, template: str) -> list[StoredSample]:
        """The samples of a template, oldest first."""
        ...

    def save_samples(self, samples: Sequence[StoredSample], keep: int) -> None:
        """Add or replace samples by URL, and keep the newest ``keep`` of each template they belong to."""
        ...

    def forget_samples(self, host: str, template: str) -> None:
        """Remove the samples of a template."""
        ...

    def apply_retention(self, retention: Retention) -> Removed:
        """Remove what is too old or too much; open rows, and wrappers that are pinned or newest, always stay."""
        ...

    def close(self) -> None:
        """Close; a closed store cannot be used again."""
        ...
