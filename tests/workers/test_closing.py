"""Tasks that nobody waits for any more, and the end of the pool."""

import asyncio
import time

import pytest

from scrapy_forest.errors import PoolClosed


async def pid_of(pool):
    return (await pool.run("tell_process", {}))[0]["pid"]


def test_cancelling_kills_the_worker_and_frees_its_place(with_pool, processes):
    async def use(pool):
        pid = await pid_of(pool)
        task = asyncio.ensure_future(pool.run("hang", {}))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return pid, await pid_of(pool)

    before, after = with_pool(use)
    assert before != after
    processes.wait_until(lambda: processes.is_gone(before))


@pytest.mark.parametrize("delay", [0, 0.001, 0.01, 0.03, 0.1])
def test_cancelling_while_it_starts(with_pool, delay):
    async def use(pool):
        task = asyncio.ensure_future(pool.run("echo", {}))
        await asyncio.sleep(delay)
        task.cancel()
        await asyncio.wait({task})
        return await pool.run("echo", {"a": 1})

    assert with_pool(use) == ({"a": 1}, [])


def test_cancelling_what_waits_costs_no_worker(with_pool):
    async def use(pool):
        pid = await pid_of(pool)
        first = asyncio.ensure_future(pool.run("sleep", {"seconds": 0.1}))
        second = asyncio.ensure_future(pool.run("echo", {}))
        await asyncio.sleep(0.02)
        second.cancel()
        await asyncio.wait({second})
        return pid, (await first)[0]["pid"], await pid_of(pool)

    assert len(set(with_pool(use))) == 1


def test_closing_waits_for_what_runs_and_refuses_what_waits(with_pool):
    async def use(pool):
        await pid_of(pool)
        running, waiting = (asyncio.ensure_future(pool.run("sleep", {"seconds": 0.2})) for _ in range(2))
        await asyncio.sleep(0.05)
        await pool.close()
        await asyncio.wait({running, waiting})
        with pytest.raises(PoolClosed):
            await pool.run("echo", {})
        return running.exception(), type(waiting.exception())

    assert with_pool(use) == (None, PoolClosed)


@pytest.mark.parametrize("task", ["hang", "hang_in_c"])
def test_closing_does_not_wait_for_ever(with_pool, task):
    async def use(pool):
        tasks = [asyncio.ensure_future(pool.run(task, {}, time_limit=60)) for _ in range(4)]
        await asyncio.sleep(0.5)
        start = time.monotonic()
        await asyncio.gather(pool.close(0.1), pool.close(0.1))
        took = time.monotonic() - start
        await asyncio.wait(tasks)
        await pool.close()
        return took, {type(task.exception()) for task in tasks}

    took, errors = with_pool(use, processes=2)
    assert took < 1.5
    assert errors == {PoolClosed}


def test_closing_while_a_worker_starts(with_pool):
    async def use(pool):
        task = asyncio.ensure_future(pool.run("echo", {}))
        await asyncio.sleep(0)
        await pool.close(0)
        await asyncio.wait({task})
        return type(task.exception())

    assert with_pool(use) is PoolClosed
