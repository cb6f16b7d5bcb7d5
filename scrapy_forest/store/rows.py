"""Between the values and the rows of the tables, in the order of columns that the statements have.

Times are whole microseconds since 1970 in UTC, so that they come back exactly and sort as numbers.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, Final

from scrapy_forest.store.values import FeedState, LedgerRow, OutboxLine, StoredSample, StoredTemplate, StoredWrapper

MAX_BODY: Final = 64 * 1024 * 1024  # bytes of a sample; pages have 10 MB at most, unless DOWNLOAD_MAXSIZE says more

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND: Final = timedelta(microseconds=1)
_DAY: Final = timedelta(days=1)


def to_number(time: datetime) -> int:
    """A time as the tables hold it.

    >>> to_number(datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))))
    0
    """
    return _since_epoch(time) // _MICROSECOND


def to_day(time: datetime) -> int:
    """The day of a time in UTC, as a number.

    >>> to_day(datetime(1970, 1, 2, 23, 59, tzinfo=timezone.utc))
    1
    """
    return _since_epoch(time) // _DAY


def _since_epoch(time: datetime) -> timedelta:
    if time.tzinfo is None:
        raise ValueError(f"{time!r} has no time zone")
    return time - _EPOCH


def _to_time(number: int) -> datetime:
    return _EPOCH + number * _MICROSECOND


def feed_columns(state: FeedState) -> tuple[object, ...]:
    """The row of a feed."""
    checked = None if state.checked is None else to_number(state.checked)
    texts = (state.url, state.final_url, state.etag, state.last_modified, state.title)
    return (*texts, state.failures, state.retired, checked)


def read_feed_state(row: Sequence[Any]) -> FeedState:
    """The state in the row of a feed."""
    url, final_url, etag, last_modified, title, failures, retired, checked = row
    when = None if checked is None else _to_time(checked)
    return FeedState(url, final_url, etag, last_modified, title, failures, bool(retired), when)


def ledger_columns(row: LedgerRow) -> tuple[object, ...]:
    """The row of an entry."""
    texts = (row.key, row.feed, row.entry_id, row.link, row.state, row.reason)
    return (*texts, row.revision, row.digest, row.tries, to_number(row.updated), row.entry)


def read_ledger_row(row: Sequence[Any]) -> LedgerRow:
    """What is in the row of an entry."""
    key, feed, entry_id, link, state, reason, revision, digest, tries, updated, entry = row
    return LedgerRow(key, feed, entry_id, link, state, reason, revision, digest, tries, _to_time(updated), entry)


def read_outbox_line(row: Sequence[Any]) -> OutboxLine:
    """What is in a row of the outbox."""
    number, sink, key, line, ended = row
    return OutboxLine(number, sink, key, line, ended)


def template_columns(template: StoredTemplate) -> tuple[object, ...]:
    """The row of a template."""
    return (template.host, template.name, template.signature, template.pages, to_number(template.updated))


def read_template(row: Sequence[Any]) -> StoredTemplate:
    """What is in the row of a template."""
    host, name, signature, pages, updated = row
    return StoredTemplate(host, name, str(signature), pages, _to_time(updated))


def read_wrapper(row: Sequence[Any]) -> StoredWrapper:
    """What is in the row of a wrapper."""
    host, template, version, wrapper, pinned, created = row
    return StoredWrapper(host, template, version, str(wrapper), bool(pinned), _to_time(created))


def sample_columns(sample: StoredSample) -> tuple[object, ...]:
    """The row of a sample: its body compressed, and about how many bytes the row takes."""
    body = zlib.compress(sample.body)
    size = len(body) + len(sample.url) + len(sample.entry or "")
    texts = (sample.content_type, sample.entry, sample.feed)
    return (sample.host, sample.template, sample.url, body, *texts, to_number(sample.created), size)


def read_sample(row: Sequence[Any]) -> StoredSample:
    """What is in the row of a sample; ``zlib.error`` if it is damaged."""
    host, template, url, body, content_type, entry, feed, created = row
    return StoredSample(host, template, url, _decompress(body), content_type, entry, _to_time(created), feed)


def _decompress(body: bytes) -> bytes:
    """The body, within a limit: a file that somebody else has written may hold a bomb."""
    decompressor = zlib.decompressobj()
    found = decompressor.decompress(body, MAX_BODY)
    if not decompressor.eof:
        raise zlib.error("it is cut off, or too large")
    return found
