"""Worker processes as the crawl sees them: ``await pool.run(name, header, blobs)``.

A worker is started when it is first needed and stays for the next task.  Threads do the blocking reads and writes,
because asyncio's own subprocesses need an event loop of the right kind (not the selector loop on Windows) and child
watchers.  The crawl imports this module, so it imports nothing heavy.

A pool belongs to one event loop.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any, BinaryIO, Final, TypeVar, cast

from scrapy_forest.errors import FrameError, PoolClosed, TaskFailed, WorkerDied, WorkerTimeout
from scrapy_forest.workers.frames import Message, encode_frame, read_frame, write_frame

TASKS = "scrapy_forest.workers.tasks"  # a name, not an import: only workers import it

START_LIMIT = 30.0  # seconds; a busy machine with cold disks takes several to import lxml and feedparser
END_LIMIT = 2.0  # seconds for an idle interpreter to end, some 50 ms when nothing else runs
KILL_LIMIT = 2.0  # seconds to wait for a killed process, which the system may hold in a call

# The search path comes first: with -c, Python looks in the current directory before it looks anywhere else.
_BOOT: Final = (
    "import sys; sys.path[:] = sys.argv[3:]; "
    "from scrapy_forest.workers.process import main; main(sys.argv[1], int(sys.argv[2]))"
)
_FLAGS: Final = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)

T = TypeVar("T")


def _spare_processors() -> int:
    return max(1, min(4, (os.cpu_count() or 1) - 1))


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How many workers, and what each may use."""

    processes: int = field(default_factory=_spare_processors)  # one processor is left to the crawl
    time_limit: float = 5.0  # seconds for a task
    memory_limit: int | None = 1024 * 1024 * 1024  # bytes of address space, where the system can limit it
    tasks_per_worker: int = 500  # then a fresh process takes over: parsers leak, and memory gets fragmented


@dataclass(frozen=True, slots=True)
class _Order:
    """A task as it is sent."""

    task: str
    limit: float
    frame: list[bytes]


class WorkerPool:
    """Does tasks in worker processes; ``tasks`` is the dotted name of a module with the table ``TASKS``."""

    def __init__(self, options: WorkerOptions | None = None, *, tasks: str = TASKS) -> None:
        self._options = options or WorkerOptions()
        self._tasks = tasks
        self._slots = asyncio.Semaphore(self._options.processes)  # first come, first served
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._runs: set[asyncio.Future[None]] = set()
        self._endings: set[Future[None]] = set()
        # For each process its task, a killed one before it that is about to end, and somebody to wait for that.
        self._threads = ThreadPoolExecutor(3 * self._options.processes, thread_name_prefix="forest-worker")
        self._is_closed = False

    async def run(
        self, name: str, header: dict[str, Any], blobs: Sequence[bytes] = (), *, time_limit: float | None = None
    ) -> Message:
        """The answer to a task.  Its time counts from when a worker has it, not from when it queues.

        Raises ``WorkerTimeout``, ``WorkerDied``, ``TaskFailed`` or ``PoolClosed``; ``FrameError`` when it is too large
        to send.  Nothing is tried again.  Cancelling it kills the worker that is busy with it.
        """
        limit = self._options.time_limit if time_limit is None else time_limit
        frame = encode_frame({"task": name, "limit": limit, "header": header}, blobs)
        with self._counted():
            async with self._slots:
                if self._is_closed:
                    raise PoolClosed(name)
                return _result(await self._ask(self._take(), _Order(name, limit, frame)))

    async def close(self, timeout: float = 5.0) -> None:
        """End all workers; tasks that run have ``timeout`` seconds to finish, those that wait are refused."""
        self._is_closed = True
        while self._idle:
            self._dismiss(self._idle.pop())
        try:
            await self._settle(timeout)
        finally:  # also when nobody waits for us any more
            for worker in tuple(self._busy):
                worker.kill()
        await self._settle(KILL_LIMIT + END_LIMIT)
        if not self._runs:
            self._threads.shutdown(wait=False)

    async def _ask(self, worker: _Worker, order: _Order) -> Message:
        answer = None
        try:
            if not worker.is_started and await self._in_thread(worker.start, limit=START_LIMIT) is None:
                raise WorkerDied("start-up", None)
            answer = await self._in_thread(worker.ask, order, limit=order.limit)
            if answer is None:
                raise WorkerTimeout(order.task, order.limit)
            return answer
        except WorkerDied as error:
            if self._is_closed:
                raise PoolClosed(order.task) from error
            raise
        finally:
            self._put_back(worker, is_sound=answer is not None)

    async def _in_thread(self, job: Callable[..., T], *arguments: object, limit: float) -> T | None:
        """What the job returns, or None when the time is over; the job goes on until its worker is killed."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, job, *arguments)
        try:
            # Not wait_for: after a stall of the event loop it gives up answers that have long been there.
            await asyncio.wait({future}, timeout=limit)
            return future.result() if future.done() else None
        finally:
            future.cancel()

    def _take(self) -> _Worker:
        worker = None
        while self._idle and worker is None:
            worker = self._idle.pop()  # the last one in: the others may stay swapped out
            if not worker.is_alive():  # somebody else killed it
                self._dismiss(worker)
                worker = None
        worker = worker or _Worker(self._tasks, self._options.memory_limit)
        self._busy.add(worker)
        return worker

    def _put_back(self, worker: _Worker, *, is_sound: bool) -> None:
        self._busy.discard(worker)
        if not is_sound:
            worker.kill()
            self._dismiss(worker)
        elif self._is_closed or worker.answered >= self._options.tasks_per_worker:
            self._dismiss(worker)
        else:
            self._idle.append(worker)

    def _dismiss(self, worker: _Worker) -> None:
        ending = self._threads.submit(worker.end)
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        finished = asyncio.get_running_loop().create_future()
        self._runs.add(finished)
        try:
            yield
        finally:
            self._runs.discard(finished)
            finished.set_result(None)

    async def _settle(self, timeout: float) -> None:
        """Wait until no task runs and no process is about to end, but not longer than that."""
        pending = {*self._runs, *map(asyncio.wrap_future, tuple(self._endings))}
        if pending:
            await asyncio.wait(pending, timeout=timeout)


class _Worker:
    """One process.  ``start``, ``ask`` and ``end`` block and run in threads, one at a time; ``kill`` never waits."""

    def __init__(self, tasks: str, memory_limit: int | None) -> None:
        self.answered = 0
        self.is_started = False
        self._command = [sys.executable, "-c", _BOOT, tasks, str(memory_limit or 0), *_search_path()]
        self._process: subprocess.Popen[bytes] | None = None
        self._is_killed = False
        self._lock = Lock()

    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        self._is_killed = True  # before the look at the process: it may be about to start in another thread
        if self._process is not None:
            self._process.kill()

    def start(self) -> bool:
        """Start the process and wait until it is ready."""
        with self._lock:
            if self._is_killed:
                raise WorkerDied("start-up", None)
            try:
                self._process = _open_process(self._command)
            except OSError as error:
                raise WorkerDied("start-up", None) from error
            if self._is_killed:
                self._process.kill()
            self._receive("start-up")
            self.is_started = True
            return True

    def ask(self, order: _Order) -> Message:
        """Send a task and wait for the answer."""
        with self._lock:
            began = monotonic()
            try:
                with suppress(OSError):  # a broken pipe: reading tells how it died
                    write_frame(self._pipe("stdin"), order.frame)
                answer = self._receive(order.task)
            except WorkerDied as error:
                if monotonic() - began < order.limit:
                    raise
                # Its watchdog was faster than an event loop that stalled.
                raise WorkerTimeout(order.task, order.limit) from error
            self.answered += 1
            return answer

    def end(self) -> None:
        """Let the process end, or make it; returns when it is gone."""
        with self._lock:
            if self._process is None:
                return
            with suppress(OSError):  # what a killed process has not read cannot be flushed
                self._pipe("stdin").close()
            try:
                self._process.wait(END_LIMIT)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(KILL_LIMIT)
            finally:
                self._pipe("stdout").close()

    def _receive(self, task: str) -> Message:
        try:
            answer = read_frame(self._pipe("stdout"))
        except (FrameError, OSError) as error:
            raise WorkerDied(task, self._exit_code()) from error
        if answer is None:
            raise WorkerDied(task, self._exit_code())
        return answer

    def _exit_code(self) -> int | None:
        """How the process ended, which it is about to when its output does."""
        process = cast("subprocess.Popen[bytes]", self._process)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(0.5)
        return None

    def _pipe(self, name: str) -> BinaryIO:
        return cast("BinaryIO", getattr(self._process, name))


def _search_path() -> list[str]:
    """Where the worker finds modules: where we do; but what is relative to the current directory comes last.

    Else a file ``json.py`` in a directory that the crawl has changed to would run in the worker.
    """
    path = [entry for entry in sys.path if isinstance(entry, str)]
    fixed = [entry for entry in path if os.path.isabs(entry)]
    return [*fixed, *(os.path.abspath(entry) for entry in path if not os.path.isabs(entry))]


def _open_process(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if sys.__stderr__ is None else None,
        start_new_session=True,  # Ctrl-C in a terminal is for the crawl, which then ends its workers in order
        creationflags=_FLAGS,
    )


def _result(answer: Message) -> Message:
    header, blobs = answer
    match header:
        case {"done": dict(done)}:
            return done, blobs
        case {"failed": {"kind": str(kind), "message": str(message)}}:
            raise TaskFailed(kind, message)
    raise FrameError("it is no answer")
