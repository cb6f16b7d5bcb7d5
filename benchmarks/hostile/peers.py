"""Hostile pages for other extractors, each page in a process of its own.

The extractor is loaded and has read a healthy page before it forks, so that only the page counts.  The process may
open no connection, may take so much memory, and is killed when its time is over.
"""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final, NoReturn

from processes import megabytes, reset_peak

from hostile.catalogue import BY_ID
from hostile.inputs import page
from scrapy_forest.model.charset import decode

LIMIT: Final = 20.0  # seconds
ADDRESS_SPACE: Final = 4 * 1024**3
TEXT, NOTHING, IS_KILLED, NO_MEMORY, RAISED, CRASHED = "text", "nothing", "killed", "out of memory", "raised", "crashed"
URL: Final = "https://example.com/article"
TAG: Final = re.compile(r"<[^<>]*>")


def trafilatura(body: bytes) -> str | None:
    from trafilatura import extract

    return extract(body, url=URL, include_comments=False)


def readability(body: bytes) -> str:
    from readability import Document

    return TAG.sub("", Document(decode(body)).summary())


def newspaper(body: bytes) -> str:
    from newspaper import Article

    article = Article(URL, fetch_images=False)
    article.download(input_html=decode(body))
    article.parse()
    return str(article.text)


PEERS: Final[Mapping[str, Callable[[bytes], str | None]]] = {
    "trafilatura": trafilatura,
    "readability-lxml": readability,
    "newspaper4k": newspaper,
}


class Guard:
    """Lets nobody connect, and counts who tries."""

    def __init__(self) -> None:
        self.attempts = 0

    def refuse(self, *_: object, **__: object) -> NoReturn:
        self.attempts += 1
        raise OSError("no connections from here")

    def set_up(self) -> None:
        for name in ("connect", "connect_ex", "sendto"):
            setattr(socket.socket, name, self.refuse)
        for name in ("create_connection", "getaddrinfo", "gethostbyname"):
            setattr(socket, name, self.refuse)


def serve(name: str) -> None:
    """Answer for each name of an input that comes in."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    extractor = PEERS[name]
    extractor(page().encode())
    gc.freeze()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(take(extractor, json.loads(line))), file=answers, flush=True)


def take(extractor: Callable[[bytes], str | None], name: str) -> dict[str, Any]:
    """What an extractor makes of an input."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        _read_and_tell(extractor, name, theirs)
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as pipe:
        base = json.loads(_line(pipe, None) or "0")
        start = monotonic()
        told = _line(pipe, LIMIT)
        seconds = monotonic() - start
        if told is None:
            os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
    report = json.loads(told) if told else {"outcome": IS_KILLED if told is None else CRASHED, "connections": 0}
    cpu = max(0.0, usage.ru_utime + usage.ru_stime - report.pop("made", 0.0))
    taken = {"seconds": seconds, "cpu": cpu, "megabytes": max(0.0, usage.ru_maxrss / 1024 - base)}
    return {**report, **taken, "status": status}


def _line(pipe: Any, seconds: float | None) -> str | None:
    """A line; empty if the other end has closed, None if the time is over."""
    return pipe.readline().decode() if select.select([pipe], [], [], seconds)[0] else None


def _read_and_tell(extractor: Callable[[bytes], str | None], name: str, pipe: int) -> NoReturn:
    """The process of one input."""
    guard = Guard()
    guard.set_up()
    body = BY_ID[name].make()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    reset_peak(os.getpid())
    usage = resource.getrusage(resource.RUSAGE_SELF)
    os.write(pipe, f"{megabytes(os.getpid())}\n".encode())
    problem = ""
    try:
        text = extractor(body)
        outcome = TEXT if text and text.strip() else NOTHING
    except MemoryError:
        outcome = NO_MEMORY
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the result
        outcome, problem = RAISED, type(error).__name__
    report = {"outcome": outcome, "problem": problem, "connections": guard.attempts}
    os.write(pipe, f"{json.dumps({**report, 'made': usage.ru_utime + usage.ru_stime})}\n".encode())
    os._exit(0)
