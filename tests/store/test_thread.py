import asyncio
import inspect
import subprocess
import sys
import threading
import time
from contextlib import asynccontextmanager, closing
from functools import partial

import pytest

from scrapy_forest.errors import StoreBusy, StoreError
from scrapy_forest.store import FeedState, SqliteStore, Store, StoreThread, open_store

HOLD_LOCK = """
import sqlite3, sys, time

database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
database.execute("COMMIT")
database.close()
"""

NEVER_CLOSED = """
import asyncio, sys
from scrapy_forest.store import FeedState, StoreThread, open_store

async def main():
    thread = StoreThread(lambda: open_store(sys.argv[1]))
    await thread.open()
    for number in range(500):
        await thread.write("save_feed_state", FeedState(str(number)))

asyncio.run(main())
"""


@asynccontextmanager
async def running(path, *, patience=5.0, **options):
    thread = StoreThread(partial(open_store, path, patience=patience), **options)
    await thread.open()
    try:
        yield thread
    finally:
        await thread.close(10)


def read_all(path, urls):
    with closing(open_store(path)) as store:
        return [store.feed_state(url) for url in urls]


def count_transactions(thread, counter):
    """Let the thread's store count what it commits."""

    def replace(store):
        original = store.transaction
        store.transaction = lambda: (counter.append(1), original())[1]

    return thread.call(replace)


def fail(store):
    store.save_feed_state(FeedState("of a failing write"))
    raise ZeroDivisionError("on purpose")


def block(started, go_on, _store):
    started.set()
    go_on.wait(10)


def test_results(path):
    async def main():
        async with running(path) as thread:
            await thread.write("save_feed_state", FeedState("u", title="x"))
            assert await thread.call("feed_state", "u") == FeedState("u", title="x")
            assert await thread.call(Store.feed_state, url="u") == FeedState("u", title="x")
            assert await thread.call(lambda store, url: store.feed_state(url).title, "u") == "x"
            assert await thread.call(lambda _: threading.current_thread().name) == "forest-store"
            assert thread.errors == 0

    asyncio.run(main())


@pytest.mark.parametrize("error", [ValueError("x"), StopIteration(), StoreError("path", "problem"), KeyError()])
def test_errors_of_calls_reach_the_caller(path, error):
    def complain(_):
        raise error

    async def main():
        async with running(path) as thread:
            # A coroutine cannot raise StopIteration; Python makes it a RuntimeError.
            with pytest.raises(RuntimeError if isinstance(error, StopIteration) else type(error)):
                await thread.call(complain)
            assert await thread.call("feed_state", "u") is None
            assert thread.errors == 0

    asyncio.run(main())


def test_an_unknown_method_is_told_at_once(path):
    async def main():
        async with running(path) as thread:
            with pytest.raises(AttributeError):
                await thread.write("no_such_method")

    asyncio.run(main())


def test_writes_are_grouped(path):
    async def main():
        async with running(path) as thread:
            began = []
            await count_transactions(thread, began)
            started, go_on = threading.Event(), threading.Event()
            blocked = asyncio.create_task(thread.call(partial(block, started, go_on)))
            await asyncio.to_thread(started.wait)
            for number in range(250):
                await thread.write("save_feed_state", FeedState(str(number)))
            go_on.set()
            await blocked
            await thread.drain()
            assert len(began) == 3 + 250  # groups of 100, 100, 50, and what joins them

    asyncio.run(main())
    assert all(read_all(path, map(str, range(250))))


def test_a_failing_write_takes_no_other_with_it(path, caplog):
    seen = []

    async def main():
        loop_thread = threading.get_ident()
        on_error = lambda error: seen.append((type(error), threading.get_ident() == loop_thread))  # noqa: E731
        async with running(path, on_error=on_error) as thread:
            for number in range(20):
                await thread.write("save_feed_state", FeedState(str(number)))
                if number % 10 == 5:
                    await thread.write(fail)
            await thread.drain()
            assert thread.errors == 2
            await asyncio.sleep(0)

    asyncio.run(main())
    assert seen == [(ZeroDivisionError, True)] * 2
    # The same error again and again is told once.
    assert caplog.text.count("The store could not do 'fail': ZeroDivisionError('on purpose')") == 1
    assert all(read_all(path, map(str, range(20))))
    assert read_all(path, ["of a failing write"]) == [None]


def test_a_full_disk_costs_only_what_has_no_room(path):
    async def main():
        async with running(path) as thread:
            await thread.call(lambda store: store._db.query("PRAGMA max_page_count = 60"))
            started, go_on = threading.Event(), threading.Event()
            blocked = asyncio.create_task(thread.call(partial(block, started, go_on)))
            await asyncio.to_thread(started.wait)
            for url in ("before", "large", "after"):  # one group, which SQLite rolls back
                title = "x" * 10**6 if url == "large" else ""
                await thread.write("save_feed_state", FeedState(url, title=title))
            go_on.set()
            await blocked
            await thread.drain()
            assert thread.errors == 1

    asyncio.run(main())
    assert read_all(path, ["before", "large", "after"]) == [FeedState("before"), None, FeedState("after")]


def test_a_full_queue_lets_writers_wait_and_keeps_their_order(path):
    order = []

    async def main():
        async with running(path, size=5) as thread:
            started, go_on = threading.Event(), threading.Event()
            blocked = asyncio.create_task(thread.call(partial(block, started, go_on)))
            await asyncio.to_thread(started.wait)
            tasks = [asyncio.create_task(thread.write(lambda _, n: order.append(n), n)) for n in range(20)]
            await asyncio.sleep(0.05)
            assert [task.done() for task in tasks] == [True] * 5 + [False] * 15
            tasks[10].cancel()  # it is done all the same: nothing is lost
            go_on.set()
            await asyncio.gather(*tasks, blocked, return_exceptions=True)
            await thread.drain()

    asyncio.run(main())
    assert order == [*range(20)]


def test_cancelled_calls_harm_nobody(path):
    async def main():
        async with running(path) as thread:
            task = asyncio.create_task(thread.call(lambda _: time.sleep(0.05)))
            await asyncio.sleep(0.01)
            task.cancel()
            assert await thread.call("feed_state", "u") is None

    asyncio.run(main())


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.write_text("no database" * 100)])
def test_errors_of_opening_reach_open(path, make):
    make(path)

    async def main():
        thread = StoreThread(lambda: open_store(path))
        with pytest.raises(StoreError, match=r"forest\.db"):
            await thread.open()
        with pytest.raises(RuntimeError, match="not open"):
            await thread.call("feed_state", "u")
        assert await thread.close()

    asyncio.run(main())


def test_before_and_after(path):
    async def main():
        thread = StoreThread(lambda: open_store(path))
        with pytest.raises(RuntimeError, match="not open: 'feed_state'"):
            await thread.call("feed_state", "u")
        assert await thread.close()
        thread = StoreThread(lambda: open_store(path))
        await thread.open()
        with pytest.raises(RuntimeError, match="once"):
            await thread.open()
        for number in range(300):
            await thread.write("save_feed_state", FeedState(str(number)))
        assert await thread.close()
        assert await thread.close()
        with pytest.raises(RuntimeError, match="not open"):
            await thread.write("save_feed_state", FeedState("u"))

    asyncio.run(main())
    assert all(read_all(path, map(str, range(300))))
    assert not [thread for thread in threading.enumerate() if thread.name == "forest-store"]


def test_one_thread_serves_one_loop_after_another(path):
    thread = StoreThread(lambda: open_store(path))  # no loop is needed for that
    asyncio.run(thread.open())
    asyncio.run(thread.write("save_feed_state", FeedState("u")))
    assert asyncio.run(thread.call("feed_state", "u")) == FeedState("u")
    assert asyncio.run(thread.close())


def start_holding(path, seconds):
    holder = subprocess.Popen([sys.executable, "-c", HOLD_LOCK, path, str(seconds)], stdout=subprocess.PIPE)
    holder.stdout.readline()
    return holder


async def longest_gap(done):
    longest, last = 0.0, time.monotonic()
    while not done.is_set():
        await asyncio.sleep(0.005)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    return longest


@pytest.mark.parametrize("patience", [5.0, 0.1], ids=["SQLite waits", "we try again"])
def test_a_lock_of_another_process_is_waited_for(path, patience, caplog):
    async def main():
        async with running(path, patience=patience, size=10) as thread:
            holder = start_holding(path, 0.7)
            done = asyncio.Event()
            watch = asyncio.create_task(longest_gap(done))
            began = time.monotonic()
            for number in range(300):
                await thread.write("save_feed_state", FeedState(str(number)))
            await thread.drain()
            assert time.monotonic() - began > 0.5
            done.set()
            assert await watch < 0.25
            holder.communicate(timeout=10)
            assert thread.errors == 0

    asyncio.run(main())
    assert all(read_all(path, map(str, range(300))))
    assert caplog.text.count("Waiting, nothing is lost so far") == (patience < 0.7)


def test_closing_gives_up_in_time(path, caplog):
    async def main():
        thread = StoreThread(partial(open_store, path, patience=0.1))
        await thread.open()
        with closing(open_store(path)) as holder, holder.transaction():
            for number in range(3):
                await thread.write("save_feed_state", FeedState(str(number)))
            began = time.monotonic()
            assert not await thread.close(0.3)
            assert time.monotonic() - began < 1.5
            await asyncio.to_thread(thread._thread.join, 5)
        assert thread.errors == 3

    asyncio.run(main())
    assert "no time was left" in caplog.text


def test_what_is_never_closed_still_writes_and_ends(path):
    subprocess.run([sys.executable, "-c", NEVER_CLOSED, path], check=True, timeout=30)
    assert all(read_all(path, map(str, range(500))))


def test_a_store_that_breaks_while_closing(path, caplog):
    class Breaking(SqliteStore):
        def close(self):
            super().close()
            raise StoreBusy("path", "is broken")

    async def main():
        thread = StoreThread(lambda: Breaking(open_store(path)._db))
        await thread.open()
        assert await thread.close()

    asyncio.run(main())
    assert "could not be closed: StoreBusy" in caplog.text


def test_the_sqlite_store_is_a_store():
    expected = {name for name in vars(Store) if not name.startswith("_")}
    assert expected <= {name for name in vars(SqliteStore) if not name.startswith("_")}
    for name in expected:
        assert inspect.signature(getattr(Store, name)) == inspect.signature(getattr(SqliteStore, name)), name
