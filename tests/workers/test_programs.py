"""The pool in programs of their own: how they are started, where they run, how they end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)

UNGUARDED = """
import asyncio
from scrapy_forest.workers.pool import WorkerOptions, WorkerPool

print("started")

async def main():
    pool = WorkerPool(WorkerOptions(processes=2))
    header = {"url": "https://a.example/feed", "content_type": None}
    answers = await asyncio.gather(*(pool.run("read_feed", header, [b"<rss/>"]) for _ in range(4)))
    print(sorted({answer["feed"]["url"] for answer, _ in answers}))
    await pool.close()

asyncio.run(main())
"""

CHANGES_DIRECTORY = """
import asyncio, os, sys
from scrapy_forest.workers.pool import WorkerOptions, WorkerPool

async def main():
    pool = WorkerPool(WorkerOptions(processes=1), tasks="chores")
    answer, _ = await pool.run("tell_process", {})
    await pool.close()
    print("answered", answer["path"].index(os.getcwd()) == len(answer["path"]) - 1)

sys.path.append(sys.argv[2])
os.chdir(sys.argv[1])
asyncio.run(main())
"""

IS_KILLED = """
import asyncio, sys
from scrapy_forest.workers.pool import WorkerOptions, WorkerPool

async def main():
    pool = WorkerPool(WorkerOptions(processes=1, time_limit=float(sys.argv[3])), tasks="chores")
    if sys.argv[2] == "idle":
        answer, _ = await pool.run("tell_process", {})
        with open(sys.argv[1], "w") as file:
            file.write(f"{answer['pid']}\\n")
        await asyncio.sleep(600)
    await pool.run(sys.argv[2], {"trace": sys.argv[1]})

sys.path.append(sys.argv[4])
asyncio.run(main())
"""

LIGHT = """
import sys
import scrapy_forest.workers.pool
print(sorted({name.partition(".")[0] for name in sys.modules} & {"lxml", "feedparser", "scrapy", "parsel", "w3lib"}))
"""

NEVER_CLOSED = """
import asyncio, sys
from scrapy_forest.workers.pool import WorkerOptions, WorkerPool

async def main():
    pool = WorkerPool(WorkerOptions(processes=1), tasks="chores")
    print((await pool.run("tell_process", {}))[0]["pid"])

sys.path.append(sys.argv[1])
asyncio.run(main())
"""


def run(*arguments, cwd=None):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_script_without_a_guard_runs_once(tmp_path):
    script = tmp_path / "crawl.py"
    script.write_text(UNGUARDED)
    assert run(str(script)) == "started\n['https://a.example/feed']\n"


def test_no_file_in_the_current_directory_is_imported(tmp_path):
    """Neither by a worker of a program that has its current directory in its path, as with ``python -c``."""
    for name in ("json", "struct", "faulthandler", "scrapy_forest", "chores", "site", "encodings"):
        (tmp_path / f"{name}.py").write_text("import os\nos._exit(99)\n")
    assert run("-c", CHANGES_DIRECTORY, str(tmp_path), HERE, cwd=HERE) == "answered True\n"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells of processes that are not ours")
@pytest.mark.parametrize(
    ("task", "limit", "gone_in"),
    [
        pytest.param("idle", 60, 5, id="idle: at the end of its input"),
        pytest.param("hang", 0.5, 5, id="busy: by its watchdog"),
        pytest.param("hang_in_c", 0.5, 5, id="busy without releasing the lock: by its watchdog"),
    ],
)
def test_workers_end_with_a_parent_that_is_killed(tmp_path, processes, task, limit, gone_in):
    trace = tmp_path / "pid"
    arguments = [str(trace), task, str(limit), HERE]
    with subprocess.Popen([sys.executable, "-c", IS_KILLED, *arguments], stderr=subprocess.DEVNULL) as parent:
        processes.wait_until(lambda: trace.exists() and trace.read_text().endswith("\n"))
        worker = int(trace.read_text())
        was_alive = not processes.is_gone(worker)
        os.kill(parent.pid, signal.SIGKILL)
    assert was_alive
    processes.wait_until(lambda: processes.is_gone(worker), gone_in)


def test_a_pool_that_nobody_closes_ends_with_its_program(processes):
    worker = int(run("-W", "ignore", "-c", NEVER_CLOSED, HERE))
    processes.wait_until(lambda: processes.is_gone(worker))


def test_the_crawl_imports_nothing_heavy():
    assert run("-c", LIGHT) == "[]\n"
