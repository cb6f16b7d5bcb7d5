import asyncio
import os
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from scrapy_forest.workers.pool import WorkerOptions, WorkerPool

HERE = Path(__file__).parent


def state_of(pid):
    """The letter that Linux gives a process: None when it is gone, Z when nobody has asked how it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def is_gone(pid):
    return state_of(pid) in (None, "Z")


def wait_until(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def children():
    return {pid for thread in Path("/proc/self/task").glob("*/children") for pid in read_numbers(thread)}


def read_numbers(path):
    try:
        return [int(word) for word in path.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):  # the thread has ended since
        return []


@pytest.fixture(autouse=True)
def no_process_is_left():
    """Not even one that has ended and that nobody has waited for."""
    before = children()
    yield
    wait_until(lambda: children() <= before, 5.0)


@pytest.fixture(autouse=True)
def _chores_are_found(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(HERE)])


@asynccontextmanager
async def working(**options):
    pool = WorkerPool(WorkerOptions(**{"processes": 1, **options}), tasks="chores")
    try:
        yield pool
    finally:
        await pool.close()


def run_with(use, **options):
    """Run an async function with a pool of the chores, closed afterwards."""

    async def main():
        async with working(**options) as pool:
            return await use(pool)

    return asyncio.run(main())


@pytest.fixture
def with_pool():
    return run_with


@pytest.fixture
def processes():
    """Questions about processes."""

    class Processes:
        is_gone = staticmethod(is_gone)
        wait_until = staticmethod(wait_until)
        kill = staticmethod(os.kill)

    return Processes
