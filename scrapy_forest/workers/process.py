"""What runs in a worker process: read a task, do it, answer, until there are no more.

The process must end with its parent, however that ends, and whatever keeps it busy: at the end of its input, and while
it works by a watchdog that needs no Python to run (a regular expression that hangs holds the interpreter's lock).
"""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, BinaryIO, Final, TextIO

from scrapy_forest.errors import FrameError
from scrapy_forest.workers.frames import Message, encode_frame, read_frame, write_frame

Task = Callable[[dict[str, Any], list[bytes]], Message]

WATCHDOG_GRACE = 1.0  # seconds that the parent has to kill a task in time, before the process does it itself
NICENESS = 5  # the crawl goes first: its event loop must answer while all workers are busy
MAX_REASON = 2_000  # characters; an error may quote all of a page

READY: Final[dict[str, Any]] = {"ready": True}


def main(tasks_module: str, memory_limit: int) -> None:
    """Work through the tasks that come in; ``memory_limit`` is in bytes, 0 means none."""
    questions, answers = claim_streams()
    step_back()
    tasks: Mapping[str, Task] = import_module(tasks_module).TASKS
    limit_memory(memory_limit)
    # A question that breaks off or an answer that nobody takes: the parent is gone, and nobody is there to be told.
    with suppress(FrameError, BrokenPipeError), open(os.devnull, "w") as nowhere:
        write_frame(answers, encode_frame(READY))
        while (question := read_frame(questions)) is not None:
            write_frame(answers, answer(tasks, question, nowhere))


def claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """Input and output for messages alone: libraries that read find nothing, what they print goes to stderr."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return questions, answers


def step_back() -> None:
    """Be quiet, leave signals to the parent and the processor to the crawl."""
    # A service manager sends SIGTERM to all processes at once, but a crawl that ends in order still needs its workers.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    logging.disable()
    warnings.simplefilter("ignore")


def limit_memory(size: int) -> None:
    """Make allocations beyond that many bytes of address space fail, on systems that can."""
    try:
        import resource
    except ImportError:  # Windows has none
        return
    if not size:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    soft = size if hard == resource.RLIM_INFINITY else min(size, hard)
    with suppress(ValueError, OSError):  # macOS names the limit, and refuses to set it
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def answer(tasks: Mapping[str, Task], question: Message, nowhere: TextIO) -> list[bytes]:
    """What came of a task, as a frame: its result, or why there is none."""
    order, blobs = question
    try:
        faulthandler.dump_traceback_later(order["limit"] + WATCHDOG_GRACE, exit=True, file=nowhere)
        if order["task"] not in tasks:
            raise LookupError(f"no task is called {order['task']!r}")
        header, results = tasks[order["task"]](order["header"], blobs)
        return encode_frame({"done": header}, results)
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent is told, and raises it
        return encode_frame({"failed": {"kind": type(error).__name__, "message": str(error)[:MAX_REASON]}})
    finally:
        faulthandler.cancel_dump_traceback_later()
