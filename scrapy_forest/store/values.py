"""What a store keeps, as values.

All times carry a zone; they come back in UTC, to the microsecond.  Texts may hold anything that a ``str`` can: what
cannot be stored as UTF-8 (lone surrogates) comes back as U+FFFD.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

LedgerState = Literal["open", "done", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class FeedState:
    """What has to be known about a feed to ask for it again: its validators, and how it went so far."""

    url: str
    final_url: str | None = None  # where redirects led
    etag: str | None = None
    last_modified: str | None = None
    title: str = ""
    failures: int = 0  # answers in a row that it is gone
    retired: bool = False
    checked: datetime | None = None


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What became of one feed entry.

    ``open`` is to be fetched or in work, ``done`` is exported, ``skipped`` is final (``reason`` says why), ``failed``
    is to be tried again, as often as the caller thinks right.
    """

    key: str
    feed: str
    entry_id: str
    link: str
    state: LedgerState
    reason: str | None
    revision: int
    digest: str
    tries: int
    updated: datetime
    entry: str | None = None  # JSON; kept while it may be needed, also where an open or failed row is saved without


@dataclass(frozen=True, slots=True)
class OutboxLine:
    """A line of the entry ``key`` on its way into the file ``sink``; ``ended`` is where it ends there, once written."""

    number: int
    sink: str
    key: str
    line: bytes
    ended: int | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """A line of the outbox is in its file, where it ends at that many bytes."""

    number: int
    ended: int


@dataclass(frozen=True, slots=True)
class StoredTemplate:
    """A template of a host; ``name`` is unique within the host, ``signature`` is JSON."""

    host: str
    name: str
    signature: str
    pages: int
    updated: datetime


@dataclass(frozen=True, slots=True)
class StoredWrapper:
    """One version of the wrapper of a template; ``wrapper`` is JSON, a ``pinned`` one wins over newer versions."""

    host: str
    template: str
    version: int
    wrapper: str
    pinned: bool
    created: datetime


@dataclass(frozen=True, slots=True)
class StoredSample:
    """A page kept for induction: its bytes as they came, its feed entry as JSON, and where that feed was served."""

    host: str
    template: str
    url: str
    body: bytes
    content_type: str | None
    entry: str | None
    created: datetime
    feed: str | None = None


@dataclass(frozen=True, slots=True)
class Retention:
    """How much a store keeps.

    ``ledger_days`` counts days on which the feed was read, not days of the calendar (see ``Store.touch_ledger``).
    """

    ledger_days: int = 90  # feeds list an entry for hours to weeks; one that comes back later is as good as new
    ledger_entries: int = 10_000  # of each feed; ten times what is read of a feed at a time
    sample_bytes: int = 256 * 1024 * 1024  # 1,000 hosts with 5 pages each take 183 MB compressed
    wrapper_versions: int = 10  # of each template, besides pinned ones


@dataclass(frozen=True, slots=True)
class Removed:
    """How many rows a clean-up removed."""

    ledger: int
    samples: int
    wrappers: int
