"""A job: what one crawl at a time may work on."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from scrapy_forest.errors import JobBusy, StoreBusy, StoreError
from scrapy_forest.store.connection import Connection, connect


def lock_job(store: Path, job: str) -> Connection:
    """Claim a job until the connection is closed, or the process ends in any way; raises :class:`JobBusy`.

    SQLite locks files in a way that works on all systems, and gives the lock up with the process.
    """
    path = store.with_name(f"{store.name}.{quote(job, safe='')}.lock")
    lock = connect(path, patience=0)
    try:
        lock.change("BEGIN EXCLUSIVE")
    except StoreError as error:
        lock.close()
        raise (JobBusy(str(store), job) if isinstance(error, StoreBusy) else error) from error
    return lock
