"""The queue between an event loop and the thread that works for it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from scrapy_forest.store.protocol import Store

logger = logging.getLogger(__name__)

IDLE_SECONDS: Final = 1.0  # how often an idle thread looks whether the program has ended

Outcome = tuple[Any, Exception | None]


@dataclass(frozen=True, slots=True)
class Job:
    """Something to do with the store; a call has a future for its outcome, a write has none."""

    name: str
    run: Callable[[Store], Any]
    future: asyncio.Future[Outcome] | None = None

    @property
    def is_write(self) -> bool:
        """Whether nobody waits for the outcome."""
        return self.future is None


class JobQueue:
    """Jobs in the order they came; the loop puts, the thread takes."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._changed = threading.Condition()  # guards all that follows
        self._jobs: deque[Job] = deque()
        self._added = self._taken = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()  # for so many to be taken
        self._closed = False

    def __len__(self) -> int:
        return len(self._jobs)

    def put(self, job: Job) -> asyncio.Future[None] | None:
        """Add a job; if it is a write and more than ``size`` jobs wait, the future is done once they no longer do."""
        with self._changed:
            if self._closed:
                raise RuntimeError(f"the store is not open: {job.name!r} is not done")
            self._jobs.append(job)
            self._added += 1
            self._changed.notify()
            if not job.is_write or len(self._jobs) <= self._size:
                return None
            has_place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((self._added - self._size, has_place))
            return has_place

    def take(self, most: int) -> list[Job]:
        """The next call, or up to ``most`` writes before the next call; nothing once closed and empty.

        When the main thread has ended, nobody will close the queue any more, and the program waits for this thread.
        """
        with self._changed:
            while not self._jobs and not self._closed and threading.main_thread().is_alive():
                self._changed.wait(IDLE_SECONDS)
            jobs = self._pop(most)
            self._taken += len(jobs)
            while self._waiting and self._waiting[0][0] <= self._taken:
                settle(self._waiting.popleft()[1], None)
        return jobs

    def close(self) -> None:
        """Take no more jobs; those inside can still be taken out."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _pop(self, most: int) -> list[Job]:
        jobs = [self._jobs.popleft()] if self._jobs else []
        if jobs and jobs[0].is_write:
            while self._jobs and self._jobs[0].is_write and len(jobs) < most:
                jobs.append(self._jobs.popleft())
        return jobs


def settle(future: asyncio.Future[Any], value: object) -> None:
    """Give a future its result, from any thread; it may have been cancelled."""
    tell(future.get_loop(), lambda: None if future.done() else future.set_result(value))


def tell(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *args: object) -> None:
    """Run a function on a loop, from any thread; on a closed loop nobody waits for it."""
    try:
        loop.call_soon_threadsafe(function, *args)
    except RuntimeError as error:
        logger.debug("Nobody to tell: %s", error)
