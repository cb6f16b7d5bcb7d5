"""Several processes on one file (S01)."""

import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone

import pytest

from scrapy_forest.errors import StoreBusy
from scrapy_forest.store import LedgerRow, StoredTemplate, open_store

NOW = datetime(2026, 3, 1, tzinfo=timezone.utc)
ROW = LedgerRow("k", "f", "e", "l", "open", None, 0, "", 0, NOW)

COUNT_UP = """
import sys
from dataclasses import replace
from scrapy_forest.store import open_store

store = open_store(sys.argv[1])
sys.stdin.readline()
for _ in range(250):
    with store.transaction():
        row = store.ledger(["k"])["k"]
        store.save_ledger([replace(row, revision=row.revision + 1)])
store.close()
"""

OPEN_AT_ONCE = """
import sys
from scrapy_forest.store import FeedState, open_store

print("ready", flush=True)
sys.stdin.readline()
store = open_store(sys.argv[1])
store.save_feed_state(FeedState(sys.argv[2]))
store.close()
"""

LEARN = """
import sys
from scrapy_forest.store import open_store

store = open_store(sys.argv[1])
sys.stdin.readline()
for number in range(50):
    store.save_wrapper("h", "t", f"{sys.argv[2]} {number}")
store.close()
"""


def start(code, *args):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def let_go(processes):
    for process in processes:
        process.stdin.write(b"go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
    assert [process.returncode for process in processes] == [0] * len(processes)


def test_eight_processes_read_then_write(path):
    with closing(open_store(path)) as store:
        store.save_ledger([ROW])
        let_go([start(COUNT_UP, path) for _ in range(8)])
        assert store.ledger(["k"]) == {"k": replace(ROW, revision=2000)}


def test_eight_processes_create_it_at_once(path):
    processes = [start(OPEN_AT_ONCE, path, number) for number in range(8)]
    for process in processes:
        process.stdout.readline()
    let_go(processes)
    with closing(open_store(path)) as store:
        assert all(store.feed_state(str(number)) for number in range(8))


def test_versions_of_a_wrapper_are_given_once(path):
    with closing(open_store(path)) as store:
        store.save_template(StoredTemplate("h", "t", "", 1, NOW))
        let_go([start(LEARN, path, name) for name in "ab"])
        wrappers = store.wrapper_versions("h", "t")
    assert [wrapper.version for wrapper in wrappers] == [*range(1, 101)]
    assert len({wrapper.wrapper for wrapper in wrappers}) == 100


def test_a_write_waits_as_long_as_it_is_told_to(path):
    with closing(open_store(path)) as holder, closing(open_store(path, patience=0.05)) as store:
        holder.save_ledger([ROW])
        with holder.transaction():
            assert store.ledger(["k"]) == {"k": ROW}  # readers do not wait
            with pytest.raises(StoreBusy, match="another process"):
                store.save_ledger([replace(ROW, revision=1)])
        store.save_ledger([replace(ROW, revision=2)])
        assert holder.ledger(["k"])["k"].revision == 2
