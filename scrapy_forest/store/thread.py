"""A store on a thread of its own, for code that runs on an event loop and must never wait for the disk.

What is asked for is done in the order it was asked for, so a call sees all writes before it.  Writes that stand next to
each other in the queue share one transaction: when the disk is slow, the queue grows, and so do the transactions.  If
one of them fails, all of them are done again one by one, so only the bad one is lost; a function given to ``write``
must therefore do nothing but use the store.

While another process holds the store, the thread tries again until it is free or ``close`` runs out of time.  Nothing
is lost meanwhile: when the queue is full, ``write`` waits, and the loop goes on.

The thread is no daemon: that would be killed in the middle of its work.  If nobody closes it, it finishes what is in
the queue once the main thread has ended.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, overload

from scrapy_forest.errors import StoreBusy
from scrapy_forest.store.jobs import Job, JobQueue, Outcome, settle, tell
from scrapy_forest.store.protocol import Store

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

QUEUE: Final = 1000  # writes that may wait; if all are pages of 175 KB, the mean of 100 real ones, 175 MB
GROUP: Final = 100  # writes a transaction, which other processes have to wait for
CLOSE_SECONDS: Final = 30.0
BUSY_SECONDS: Final = 0.1  # between two attempts; SQLite has waited by itself before
LOOK_SECONDS: Final = 0.01  # between two looks whether the thread has ended


class StoreThread:
    """Owns one store, which ``open_store`` makes on the thread.

    ``errors`` counts the writes that failed.  ``on_error`` is called for each error, also that of a call, on the loop
    that ran ``open``.
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        *,
        size: int = QUEUE,
        on_error: Callable[[Exception], object] | None = None,
    ) -> None:
        self.errors = 0
        self._open_store = open_store
        self._on_error = on_error
        self._queue = JobQueue(size)
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._last_error: str | None = None
        self._deadline: float | None = None

    async def open(self) -> None:
        """Start the thread and open the store, once; raises what opening raises, ``StoreError`` as a rule."""
        if self._thread is not None:
            raise RuntimeError("a store thread is opened once")
        self._loop = asyncio.get_running_loop()
        opened: asyncio.Future[Outcome] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, args=(opened,), name="forest-store", daemon=False)
        self._thread.start()
        await _outcome(opened)

    @overload
    async def call(self, method: str, /, *args: Any, **kwargs: Any) -> Any: ...
    @overload
    async def call(self, method: Callable[Concatenate[Store, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T: ...
    async def call(self, method: str | Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """The result of a method, as ``"ledger"`` or ``Store.ledger``, or of a function that takes the store first."""
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._put(_make_job(method, args, kwargs, future))
        return await _outcome(future)

    async def write(self, method: str | Callable[..., object], /, *args: Any, **kwargs: Any) -> None:
        """Queue a method or function for its effect; waits only while the queue is full (and is done if cancelled)."""
        has_place = self._put(_make_job(method, args, kwargs))
        if has_place is not None:
            await has_place

    async def drain(self) -> None:
        """Wait until all that is queued now is done."""
        await self.call(lambda _: None)

    async def close(self, timeout: float = CLOSE_SECONDS) -> bool:
        """Finish the queue, close the store, end the thread; false if any of it could not be done in time."""
        self._queue.close()
        if self._thread is None:
            return True
        if self._deadline is None:
            self._deadline = time.monotonic() + timeout
        errors = self.errors
        # Not by a thread that joins it: where memory is short, no thread can be started.
        while self._thread.is_alive() and time.monotonic() < self._deadline:
            await asyncio.sleep(LOOK_SECONDS)
        if self._thread.is_alive():
            logger.error("The store is not closed after %g s, %d jobs are left", timeout, len(self._queue))
        return not self._thread.is_alive() and self.errors == errors

    def _put(self, job: Job) -> asyncio.Future[None] | None:
        if self._thread is None:
            raise RuntimeError(f"the store is not open: {job.name!r} is not done")
        return self._queue.put(job)

    # From here on, all runs on the thread.

    def _run(self, opened: asyncio.Future[Outcome]) -> None:
        try:
            store = self._open_store()
        except Exception as error:  # noqa: BLE001 - whatever it is, open() raises it
            self._queue.close()
            settle(opened, (None, error))
            return
        settle(opened, (None, None))
        while jobs := self._queue.take(GROUP):
            if jobs[0].future is None:
                self._write(store, jobs)
            else:
                settle(jobs[0].future, self._answer(store, jobs[0]))
        self._close(store)

    def _answer(self, store: Store, job: Job) -> Outcome:
        try:
            return self._insist(job.run, store), None
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets it
            self._tell(error)
            return None, error

    def _write(self, store: Store, jobs: Sequence[Job]) -> None:
        try:
            self._insist(_run_together, store, jobs)
        except Exception as error:  # noqa: BLE001 - a bad write must not end the thread
            if len(jobs) == 1:
                self._note(jobs[0], error)
                return
            for job in jobs:
                self._write(store, [job])

    def _insist(self, function: Callable[..., T], *args: object) -> T:
        """Run; and again while other processes hold the store, until it is too late."""
        attempts = 0
        while not self._is_too_late():
            try:
                return function(*args)
            except StoreBusy as busy:  # noqa: PERF203 - waiting is the point
                attempts += 1
                if attempts == 1:
                    logger.warning("Waiting, nothing is lost so far: %s", busy)
                time.sleep(BUSY_SECONDS)
        raise TimeoutError("no time was left to do it")

    def _is_too_late(self) -> bool:
        if self._deadline is None and not threading.main_thread().is_alive():
            self._deadline = time.monotonic() + CLOSE_SECONDS
        return self._deadline is not None and time.monotonic() > self._deadline

    def _note(self, job: Job, error: Exception) -> None:
        self.errors += 1
        if repr(error) != self._last_error:  # a disk that is full stays so: once is enough
            logger.error("The store could not do %r: %r", job.name, error)
        self._last_error = repr(error)
        self._tell(error)

    def _tell(self, error: Exception) -> None:
        if self._on_error is not None and self._loop is not None:
            tell(self._loop, self._on_error, error)

    def _close(self, store: Store) -> None:
        self._queue.close()
        try:
            store.close()
        except Exception as error:  # noqa: BLE001 - there is nobody left to raise it to
            logger.error("The store could not be closed: %r", error)


async def _outcome(future: asyncio.Future[Outcome]) -> Any:
    value, error = await future
    if error is not None:
        raise error
    return value


def _run_together(store: Store, jobs: Sequence[Job]) -> None:
    with store.transaction():
        for job in jobs:
            job.run(store)


def _make_job(
    method: str | Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    future: asyncio.Future[Outcome] | None = None,
) -> Job:
    function = getattr(Store, method) if isinstance(method, str) else method
    name = getattr(function, "__name__", repr(function))
    if vars(Store).get(name) is function:  # the protocol's own has no body: the store's is meant
        return Job(name, lambda store: getattr(store, name)(*args, **kwargs), future)
    return Job(name, lambda store: function(store, *args, **kwargs), future)
