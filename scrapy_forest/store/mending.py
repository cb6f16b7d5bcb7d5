"""A damaged store does not end a crawl: it is set aside, and a new one takes its place.

What it knew is learned anew; entries that feeds still list are fetched and exported again.  The damaged file stays
beside the new one, for whoever wants to look what can be saved of it.  Damage that shows only while a crawl works ends
that crawl, and is remembered for the next one.
"""

from __future__ import annotations

import logging
from contextlib import closing, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

from scrapy_forest.errors import StoreDamaged, StoreError
from scrapy_forest.store.connection import connect
from scrapy_forest.store.sqlite import PATIENCE, SqliteStore, open_store

logger = logging.getLogger(__name__)

PARTS: Final = ("", "-wal", "-shm")  # the files of one database
MAGIC: Final = b"SQLite format 3\0"
SUFFIXES: Final = (".sqlite", ".sqlite3", ".db")


def open_sound_store(path: Path, *, patience: float = PATIENCE) -> SqliteStore:
    """Open a store as ``open_store`` does; one that is damaged makes room for a new one."""
    try:
        return _open_checked(path, patience)
    except StoreDamaged:
        # Alone, so that of two crawls that find the damage the second one does not set the new store aside.
        with closing(connect(path.with_name(f"{path.name}.mending"), patience)) as lock, lock.transaction():
            return _replace(path, patience)


def mark_damaged(path: Path) -> None:
    """Have a store set aside when it is opened the next time."""
    with suppress(OSError):  # its disk may be what is damaged
        _mark_of(path).touch(mode=0o600)


def _replace(path: Path, patience: float) -> SqliteStore:
    try:
        return _open_checked(path, patience)
    except StoreDamaged as damage:
        if not _is_store(path):
            raise StoreError(str(path), "is no store: name another file") from damage
        aside = _set_aside(path)
        told = (
            "Store %r %s, and is set aside as %r: what it knew is learned anew, what feeds still list is exported again"
        )
        logger.warning(told, damage.path, damage.problem.partition(":")[0], aside)
        return open_store(path, patience=patience)


def _open_checked(path: Path, patience: float) -> SqliteStore:
    if _mark_of(path).exists():
        raise StoreDamaged(str(path), "was found to be damaged by an earlier crawl")
    store = open_store(path, patience=patience)
    try:
        store.check()
    except BaseException:
        store.close()
        raise
    return store


def _set_aside(path: Path) -> str:
    moment = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S-%f")
    aside = f"{path.name}.corrupt-{moment}"
    for part in PARTS:
        file = path.with_name(path.name + part)
        if file.exists():
            file.rename(path.with_name(aside + part))
    _mark_of(path).unlink(missing_ok=True)
    return str(path.with_name(aside))


def _is_store(path: Path) -> bool:
    """Whether a damaged file was a store, and not a file named by mistake: by its name or its head."""
    with path.open("rb") as file:
        return path.suffix in SUFFIXES or file.read(len(MAGIC)) == MAGIC


def _mark_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.damaged")
