"""Tasks and what becomes of them."""

import asyncio
import os
import signal
import time

import pytest

from scrapy_forest.errors import FrameError, TaskFailed, WorkerDied, WorkerTimeout
from scrapy_forest.model.feed import Feed
from scrapy_forest.workers.pool import WorkerOptions, WorkerPool

FEED = b"<rss version='2.0'><channel><title>T</title><item><title>A</title><link>https://a.example/1</link></item>"


async def pid_of(pool):
    return (await pool.run("tell_process", {}))[0]["pid"]


@pytest.mark.parametrize(
    ("header", "blobs"),
    [
        ({}, []),
        ({"text": "日本 \ud800", "list": [1, None, 2.5]}, [b"", b"\0\xff"]),
        ({}, [b"x" * 5_000_000, b"y" * 100_000]),
    ],
    ids=["empty", "small", "large"],
)
def test_round_trip(with_pool, header, blobs):
    assert with_pool(lambda pool: pool.run("echo", header, blobs)) == (header, blobs)


def test_a_feed_is_read():
    async def main():
        pool = WorkerPool(WorkerOptions(processes=1))
        try:
            return await pool.run("read_feed", {"url": "https://a.example/feed", "content_type": None}, [FEED])
        finally:
            await pool.close()

    header, blobs = asyncio.run(main())
    feed = Feed.from_dict(header["feed"])
    assert (feed.title, feed.entries[0].link, blobs) == ("T", "https://a.example/1", [])


def test_a_worker_stays_and_is_polite(with_pool):
    async def use(pool):
        return [(await pool.run("tell_process", {}))[0] for _ in range(3)]

    first, *others = with_pool(use)
    assert others == [first, first]
    assert first["pid"] == first["session"] != os.getpid()
    assert first["nice"] == min(os.nice(0) + 5, 19)


def test_nothing_starts_before_it_is_needed(with_pool):
    async def use(pool):
        return pool._idle, pool._busy

    assert with_pool(use) == ([], set())


@pytest.mark.parametrize("task", ["hang", "hang_in_c"])
def test_k06_a_task_that_hangs_is_killed_in_time(with_pool, processes, task):
    async def use(pool):
        before = await pid_of(pool)
        start = time.monotonic()
        with pytest.raises(WorkerTimeout, match=f"{task} took longer than 0.3 s"):
            await pool.run(task, {}, time_limit=0.3)
        took = time.monotonic() - start
        return before, took, await pid_of(pool)

    before, took, after = with_pool(use)
    assert 0.3 <= took < 1.2  # its own watchdog would take 1.3
    assert before != after
    processes.wait_until(lambda: processes.is_gone(before))


def test_the_start_does_not_count(tmp_path, monkeypatch):
    (tmp_path / "slow_chores.py").write_text("import time\ntime.sleep(0.8)\nfrom chores import TASKS\n")
    monkeypatch.syspath_prepend(tmp_path)

    async def main():
        pool = WorkerPool(WorkerOptions(processes=1, time_limit=0.5), tasks="slow_chores")
        try:
            return await pool.run("echo", {"a": 1})
        finally:
            await pool.close()

    assert asyncio.run(main()) == ({"a": 1}, [])


def test_a_start_that_takes_too_long(with_pool, monkeypatch):
    monkeypatch.setattr("scrapy_forest.workers.pool.START_LIMIT", 0.0)

    async def use(pool):
        with pytest.raises(WorkerDied, match="during start-up"):
            await pool.run("echo", {})

    with_pool(use)


def test_without_an_interpreter(with_pool, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))

    async def use(pool):
        with pytest.raises(WorkerDied, match="during start-up"):
            await pool.run("echo", {})

    with_pool(use)


def test_an_answer_that_came_during_a_stall_counts(with_pool):
    async def use(pool):
        await pid_of(pool)
        task = asyncio.ensure_future(pool.run("echo", {"a": 1}, time_limit=0.3))
        await asyncio.sleep(0.01)
        time.sleep(0.6)  # somebody blocks the event loop
        return await task

    assert with_pool(use) == ({"a": 1}, [])


def test_a_task_that_its_watchdog_ended_took_too_long(with_pool):
    async def use(pool):
        await pid_of(pool)
        task = asyncio.ensure_future(pool.run("hang", {}, time_limit=0.2))
        await asyncio.sleep(0.05)
        time.sleep(1.5)  # somebody blocks the event loop
        with pytest.raises(WorkerTimeout):
            await task
        await pid_of(pool)

    with_pool(use)


def test_waiting_does_not_count(with_pool):
    async def use(pool):
        await pid_of(pool)
        return await asyncio.gather(*(pool.run("sleep", {"seconds": 0.3}, time_limit=1) for _ in range(4)))

    assert len(with_pool(use)) == 4


@pytest.mark.parametrize(
    ("task", "header", "exit_code"),
    [
        ("die", {"signal": signal.SIGKILL}, -signal.SIGKILL),
        ("die", {"signal": signal.SIGSEGV}, -signal.SIGSEGV),
        ("exit_code", {"code": 0}, 0),
        ("exit_code", {"code": 3}, 3),
    ],
)
def test_k06_a_worker_that_dies(with_pool, task, header, exit_code):
    async def use(pool):
        with pytest.raises(WorkerDied) as caught:
            await pool.run(task, header)
        return caught.value, await pid_of(pool)

    error, _ = with_pool(use)
    assert (error.task, error.exit_code) == (task, exit_code)


def test_a_worker_killed_from_outside_in_the_middle_of_a_task(with_pool, processes):
    async def use(pool):
        pid = await pid_of(pool)
        task = asyncio.ensure_future(pool.run("hang", {}))
        await asyncio.sleep(0.05)
        processes.kill(pid, signal.SIGKILL)
        with pytest.raises(WorkerDied, match="exit code -9"):
            await task
        return pid, await pid_of(pool)

    before, after = with_pool(use)
    assert before != after


def test_an_idle_worker_killed_from_outside_costs_no_task(with_pool, processes):
    async def use(pool):
        pid = await pid_of(pool)
        processes.kill(pid, signal.SIGKILL)
        processes.wait_until(lambda: processes.is_gone(pid))
        return pid, await pid_of(pool)

    before, after = with_pool(use)
    assert before != after


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_to_all_processes_are_for_the_crawl(with_pool, processes, number):
    async def use(pool):
        pid = await pid_of(pool)
        processes.kill(pid, number)
        return pid, await pid_of(pool)

    before, after = with_pool(use)
    assert before == after


def test_k06_memory_is_limited(with_pool):
    async def use(pool):
        before = await pid_of(pool)
        with pytest.raises(TaskFailed) as caught:
            await pool.run("allocate", {"size": 400 * 1024 * 1024})
        return caught.value.kind, before == await pid_of(pool), await pool.run("allocate", {"size": 1000})

    assert with_pool(use, memory_limit=300 * 1024 * 1024) == ("MemoryError", True, ({"size": 1000}, []))


def test_memory_without_a_limit(with_pool):
    size = 1_200 * 1024 * 1024  # never touched, so it takes no real memory
    assert with_pool(lambda pool: pool.run("allocate", {"size": size}), memory_limit=None) == ({"size": size}, [])


@pytest.mark.parametrize(
    ("task", "header", "kind", "message"),
    [
        ("fail", {"error": "NoCandidate"}, "NoCandidate", "r4 found no node"),
        ("fail", {"error": "ValueError"}, "ValueError", "x" * 100),
        ("fail", {"error": "Surrogate"}, "KeyError", "ud800"),
        ("no_json", {}, "TypeError", "not JSON serializable"),
        ("answer_much", {"size": 1, "times": 2_000}, "FrameError", "2000 blobs"),
        ("os.system", {}, "LookupError", "no task is called 'os.system'"),
    ],
)
def test_a_task_that_raises_leaves_its_worker(with_pool, task, header, kind, message):
    async def use(pool):
        before = await pid_of(pool)
        with pytest.raises(TaskFailed, match=message) as caught:
            await pool.run(task, header)
        return caught.value, before == await pid_of(pool)

    error, is_same = with_pool(use)
    assert error.kind == kind
    assert len(error.message) <= 2_000
    assert is_same


def test_what_cannot_be_sent_costs_no_worker(with_pool):
    async def use(pool):
        with pytest.raises(TypeError):
            await pool.run("echo", {"value": object()})
        with pytest.raises(FrameError):
            await pool.run("echo", {}, [b""] * 2_000)
        return pool._idle, pool._busy

    assert with_pool(use) == ([], set())


def test_a_worker_is_renewed(with_pool):
    async def use(pool):
        return [await pid_of(pool) for _ in range(5)]

    pids = with_pool(use, tasks_per_worker=2)
    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4] != pids[0]


def test_many_tasks_at_once(with_pool):
    async def one(pool, number):
        answer = await pool.run("echo", {"number": number}, [b"%d" % number])
        assert answer == ({"number": number}, [b"%d" % number])
        return await pid_of(pool)

    async def use(pool):
        return await asyncio.gather(*(one(pool, number) for number in range(50)))

    assert len(set(with_pool(use, processes=2))) == 2


def test_first_come_first_served(with_pool):
    order = []

    async def one(pool, number):
        await pool.run("echo", {})
        order.append(number)

    async def use(pool):
        await asyncio.gather(*(one(pool, number) for number in range(20)))

    with_pool(use)
    assert order == list(range(20))


def test_an_unknown_module_of_tasks(capfd):
    async def main():
        pool = WorkerPool(WorkerOptions(processes=1), tasks="no_such_module")
        try:
            with pytest.raises(WorkerDied, match="during start-up, exit code 1"):
                await pool.run("echo", {})
        finally:
            await pool.close()

    asyncio.run(main())
    assert "no_such_module" in capfd.readouterr().err


def test_stray_output_goes_to_stderr(with_pool, capfd):
    assert with_pool(lambda pool: pool.run("chatter", {})) == ({"read": ""}, [])
    out, err = capfd.readouterr()
    assert out == ""
    assert sorted(err.splitlines()) == ["printed by a library", "written to stdout"]


def lag_while_burning(with_pool):
    async def use(pool):
        await asyncio.gather(*(pool.run("sleep", {"seconds": 0.05}) for _ in range(4)))
        burning = asyncio.gather(*(pool.run("burn", {"seconds": 0.5}, [b"x" * 1_000_000]) for _ in range(4)))
        worst = 0.0
        while not burning.done():
            start = time.monotonic()
            await asyncio.sleep(0.005)
            worst = max(worst, time.monotonic() - start - 0.005)
        await burning
        return worst

    return with_pool(use, processes=4)


def test_the_event_loop_does_not_stall(with_pool):
    # The best of three: other programs may take the processors at any time, a loop that is blocked is so each time.
    lags = (lag_while_burning(with_pool) for _ in range(3))
    assert any(lag < 0.1 for lag in lags)
