"""Every statement the store runs, as plain text: nothing from outside is ever part of one.

``{keys}`` stands for as many question marks as there are keys, always as the last parameters.
"""

from __future__ import annotations

from typing import Final

FIND_FEED: Final = """
SELECT url, final_url, etag, last_modified, title, failures, retired, checked FROM feeds WHERE url = ?
"""
SAVE_FEED: Final = """
INSERT OR REPLACE INTO feeds (url, final_url, etag, last_modified, title, failures, retired, checked)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""

FIND_LEDGER: Final = """
SELECT key, feed, entry_id, link, state, reason, revision, digest, tries, updated, entry
FROM ledger WHERE key IN ({keys})
"""
FIND_LEDGER_BY_ENTRY: Final = """
SELECT key, feed, entry_id, link, state, reason, revision, digest, tries, updated, entry FROM ledger
WHERE feed = ? AND entry_id IN ({keys}) ORDER BY updated
"""
FIND_UNFINISHED: Final = """
SELECT key, feed, entry_id, link, state, reason, revision, digest, tries, updated, entry FROM ledger
WHERE feed = ? AND state IN ('open', 'failed') ORDER BY updated
"""
# The entry stays where it may be needed again and none is given: whoever saves a row need not have it in memory.
SAVE_LEDGER: Final = """
INSERT INTO ledger (key, feed, entry_id, link, state, reason, revision, digest, tries, updated, entry, seen)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce((SELECT days FROM reading_days WHERE feed = ?), 0))
ON CONFLICT (key) DO UPDATE SET feed = excluded.feed, entry_id = excluded.entry_id, link = excluded.link,
state = excluded.state, reason = excluded.reason, revision = excluded.revision, digest = excluded.digest,
tries = excluded.tries, updated = excluded.updated, seen = excluded.seen,
entry = CASE WHEN excluded.state IN ('open', 'failed') THEN nullif(coalesce(excluded.entry, entry), '') END
"""
FIND_FEEDS_OF: Final = "SELECT DISTINCT feed FROM ledger WHERE key IN ({keys})"
# Clocks that differ a little, and readings that pass midnight, must not count a day twice.
COUNT_DAY: Final = """
INSERT INTO reading_days (feed, days, last) VALUES (?, 1, ?) ON CONFLICT (feed) DO UPDATE
SET days = days + 1, last = excluded.last WHERE excluded.last > last OR excluded.last < last - 1
"""
# Feeds are read many times a day: rows that are up to date are not written again.
TOUCH_LEDGER: Final = """
UPDATE ledger SET seen = (SELECT days FROM reading_days WHERE reading_days.feed = ledger.feed)
WHERE seen != (SELECT days FROM reading_days WHERE reading_days.feed = ledger.feed) AND key IN ({keys})
"""
FORGET_LEDGER: Final = """
DELETE FROM ledger WHERE state != 'open'
AND (SELECT days FROM reading_days WHERE reading_days.feed = ledger.feed) - seen > ?
"""
# A feed that makes up its entries makes up new ones each time.  The index finds such feeds without a look at the rows.
FORGET_EXCESS: Final = """
DELETE FROM ledger WHERE state != 'open' AND rowid IN
(SELECT id FROM (SELECT rowid AS id, row_number() OVER (PARTITION BY feed ORDER BY seen DESC, rowid DESC) AS place
FROM ledger WHERE feed IN (SELECT feed FROM ledger GROUP BY feed HAVING count(*) > ?)) WHERE place > ?)
"""

FIND_TEMPLATES: Final = "SELECT host, name, signature, pages, updated FROM templates WHERE host = ? ORDER BY rowid"
SAVE_TEMPLATE: Final = """
INSERT INTO templates (host, name, signature, pages, updated) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (host, name) DO UPDATE
SET signature = excluded.signature, pages = excluded.pages, updated = excluded.updated
"""

FIND_WRAPPERS: Final = """
SELECT host, template, version, wrapper, pinned, created FROM wrappers
WHERE host = ? ORDER BY template, pinned, version
"""
FIND_VERSIONS: Final = """
SELECT host, template, version, wrapper, pinned, created FROM wrappers
WHERE host = ? AND template = ? ORDER BY version
"""
FIND_NEWEST: Final = """
SELECT version, wrapper = ? FROM wrappers WHERE host = ? AND template = ? ORDER BY version DESC LIMIT 1
"""
ADD_VERSION: Final = """
INSERT INTO wrappers (host, template, version, wrapper, pinned, created) VALUES (?, ?, ?, ?, 0, ?)
"""
PIN: Final = "UPDATE wrappers SET pinned = (version IS ?) WHERE host = ? AND template = ?"
FORGET_WRAPPERS: Final = """
DELETE FROM wrappers WHERE NOT pinned AND rowid IN
(SELECT id FROM (SELECT rowid AS id, row_number() OVER (PARTITION BY host, template ORDER BY version DESC) AS place
FROM wrappers) WHERE place > max(?, 1))
"""

FIND_SAMPLES: Final = """
SELECT host, template, url, body, content_type, entry, feed, created FROM samples
WHERE host = ? AND template = ? ORDER BY id
"""
SAVE_SAMPLE: Final = """
INSERT OR REPLACE INTO samples (host, template, url, body, content_type, entry, feed, created, size)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
KEEP_SAMPLES: Final = """
DELETE FROM samples WHERE id IN
(SELECT id FROM samples WHERE host = ? AND template = ? ORDER BY id DESC LIMIT -1 OFFSET ?)
"""
DROP_SAMPLES: Final = "DELETE FROM samples WHERE host = ? AND template = ?"
FORGET_SAMPLES: Final = """
DELETE FROM samples WHERE id IN
(SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY id DESC) AS total FROM samples) WHERE total > ?)
"""

ADD_TO_OUTBOX: Final = "INSERT INTO outbox (job, sink, key, line) VALUES (?, ?, ?, ?)"
LAST_NUMBER: Final = "SELECT last_insert_rowid()"
FIND_OUTBOX: Final = "SELECT number, sink, key, line, ended FROM outbox WHERE job = ? ORDER BY number"
ACKNOWLEDGE: Final = "UPDATE outbox SET ended = ? WHERE number = ?"
FIND_SINK: Final = "SELECT job, sink FROM outbox WHERE number = ?"
# The last line that is in the file stays: where it ends is where the next crawl begins to look.
FORGET_WRITTEN: Final = """
DELETE FROM outbox WHERE job = ? AND sink = ? AND ended IS NOT NULL
AND number < (SELECT max(number) FROM outbox WHERE job = ? AND sink = ? AND ended IS NOT NULL)
"""
