"""A damaged store does not end a crawl: it is set aside, and a new one takes its place.

What it knew is learned anew; entries that feeds still list are fetched and exported again.  The damaged file stays
beside the new one, for whoever wants to look what can be saved of it.
"""

from __future__ import annotations

import logging
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

from scrapy_forest.errors import StoreDamaged
from scrapy_forest.store.connection import connect
from scrapy_forest.store.sqlite import PATIENCE, SqliteStore, open_store

logger = logging.getLogger(__name__)

PARTS: Final = ("", "-wal", "-shm")  # the files of one database


def open_sound_store(path: Path, *, patience: float = PATIENCE) -> SqliteStore:
    """Open a store as ``open_store`` does; one that is damaged makes room for a new one."""
    try:
        return _open_checked(path, patience)
    except StoreDamaged:
        # Alone, so that of two crawls that find the damage the second one does not set the new store aside.
        with closing(connect(path.with_name(f"{path.name}.mending"), patience)) as lock, lock.transaction():
            return _replace(path, patience)


def _replace(path: Path, patience: float) -> SqliteStore:
    try:
        return _open_checked(path, patience)
    except StoreDamaged as damage:
        aside = _set_aside(path)
        told = "%s. It is now %r; what it knew is learned anew, and what feeds still list is exported again"
        logger.warning(told, damage, aside)
        return open_store(path, patience=patience)


def _open_checked(path: Path, patience: float) -> SqliteStore:
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
    return str(path.with_name(aside))
