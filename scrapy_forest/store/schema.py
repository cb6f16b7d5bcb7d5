"""The tables, as a row of migrations; ``PRAGMA user_version`` says how many of them a file has seen.

Each migration runs in one transaction together with the new number, so a crash leaves a file of the older schema, and
of two processes that open an old file at once, one migrates and the other finds the work done.  A migration that has
been released is never edited; a change is a new one at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scrapy_forest.errors import StoreError
from scrapy_forest.store.connection import Connection

APPLICATION_ID: Final = 0x466F7274  # "Fort"; tells our files from other programs' databases

Migration = tuple[str, ...]  # statements; sqlite3's executescript would commit the transaction around it

MIGRATIONS: Final[tuple[Migration, ...]] = (
    (
        f"PRAGMA application_id = {APPLICATION_ID}",
        """CREATE TABLE feeds (
            url TEXT PRIMARY KEY, final_url TEXT, etag TEXT, last_modified TEXT, title TEXT NOT NULL,
            failures INTEGER NOT NULL, retired INTEGER NOT NULL, checked INTEGER
        ) WITHOUT ROWID""",
        # How many days each feed was read on, and the last of them as a day number: what ages are measured by.
        "CREATE TABLE reading_days (feed TEXT PRIMARY KEY, days INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID",
        """CREATE TABLE ledger (
            key TEXT PRIMARY KEY, feed TEXT NOT NULL, entry_id TEXT NOT NULL, link TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('open', 'done', 'skipped', 'failed')), reason TEXT,
            revision INTEGER NOT NULL, digest TEXT NOT NULL, tries INTEGER NOT NULL, updated INTEGER NOT NULL,
            entry TEXT, seen INTEGER NOT NULL
        )""",
        "CREATE INDEX ledger_by_entry ON ledger (feed, entry_id)",
        """CREATE TABLE templates (
            host TEXT NOT NULL, name TEXT NOT NULL, signature TEXT NOT NULL, pages INTEGER NOT NULL,
            updated INTEGER NOT NULL, PRIMARY KEY (host, name)
        )""",
        """CREATE TABLE wrappers (
            host TEXT NOT NULL, template TEXT NOT NULL, version INTEGER NOT NULL, wrapper TEXT NOT NULL,
            pinned INTEGER NOT NULL, created INTEGER NOT NULL, PRIMARY KEY (host, template, version),
            FOREIGN KEY (host, template) REFERENCES templates (host, name)
        )""",
        # The id counts up and is never used again: "newest" must not depend on a clock.
        """CREATE TABLE samples (
            id INTEGER PRIMARY KEY AUTOINCREMENT, host TEXT NOT NULL, template TEXT NOT NULL, url TEXT NOT NULL,
            body BLOB NOT NULL, content_type TEXT, entry TEXT, created INTEGER NOT NULL, size INTEGER NOT NULL,
            UNIQUE (host, template, url), FOREIGN KEY (host, template) REFERENCES templates (host, name)
        )""",
    ),
    (
        # Lines on their way into export files; ``ended`` is where in the file a line ends, once it is there.
        """CREATE TABLE outbox (
            number INTEGER PRIMARY KEY AUTOINCREMENT, job TEXT NOT NULL, sink TEXT NOT NULL, key TEXT NOT NULL,
            line BLOB NOT NULL, ended INTEGER
        )""",
        "CREATE INDEX outbox_by_sink ON outbox (job, sink)",
    ),
    # Where the feed was served that led to a sample: whether the page is entitled to teach.
    ("ALTER TABLE samples ADD COLUMN feed TEXT",),
)


def check_origin(connection: Connection, known: int = len(MIGRATIONS)) -> None:
    """Refuse a database of another program, or of a newer version of this one, before anything in it is changed."""
    [(tables,)] = connection.query("SELECT count(*) FROM sqlite_master")
    version = _version(connection)
    [(application,)] = connection.query("PRAGMA application_id")  # last: another process may just be creating the file
    if (version or tables or application) and application != APPLICATION_ID:
        raise StoreError(connection.path, "is a database of another program: name another file")
    if version > known:
        raise StoreError(
            connection.path,
            f"was written by a newer version (its schema is {version}, this one knows {known}):"
            " upgrade scrapy-forest, or name another file",
        )


def migrate(connection: Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring a file to the newest schema, one transaction each step."""
    for number, statements in enumerate(migrations, 1):
        if _version(connection) >= number:
            continue
        with connection.transaction():
            if _version(connection) >= number:  # another process was quicker
                continue
            for statement in statements:
                connection.change(statement)
            connection.change(f"PRAGMA user_version = {number}")


def _version(connection: Connection) -> int:
    [(version,)] = connection.query("PRAGMA user_version")
    return int(version)
