"""Tasks for the tests of the pool: what must not be in the product."""
# ruff: noqa: ARG001 - all tasks take the same arguments

import os
import re
import sys
import time
import warnings

from scrapy_forest.errors import NoCandidate


def echo(header, blobs):
    return header, blobs


def tell_process(header, blobs):
    nice = os.nice(0) if hasattr(os, "nice") else 0
    return {"pid": os.getpid(), "session": os.getsid(0), "nice": nice, "path": sys.path}, []


def sleep(header, blobs):
    time.sleep(header["seconds"])
    return {"pid": os.getpid()}, []


def burn(header, blobs):
    end = time.monotonic() + header["seconds"]
    while time.monotonic() < end:
        pass
    return {}, []


def hang_in_c(header, blobs):
    """Hold the interpreter's lock, so that no other thread of the process runs either."""
    leave_trace(header)
    re.match("(a+)+$", "a" * 60 + "b")
    return {}, []


def hang(header, blobs):
    leave_trace(header)
    time.sleep(600)
    return {}, []


def leave_trace(header):
    if "trace" in header:
        with open(header["trace"], "a") as file:
            file.write(f"{os.getpid()}\n")


def die(header, blobs):
    os.kill(os.getpid(), header["signal"])
    return {}, []


def exit_code(header, blobs):
    os._exit(header["code"])


def allocate(header, blobs):
    return {"size": len(bytes(header["size"]))}, []


def answer_much(header, blobs):
    return {}, [b"-" * header["size"]] * header["times"]


def chatter(header, blobs):
    print("printed by a library")
    os.write(1, b"written to stdout\n")
    warnings.warn("a warning", stacklevel=1)
    return {"read": sys.stdin.read()}, []


def fail(header, blobs):
    raise {"NoCandidate": NoCandidate("r4"), "ValueError": ValueError("x" * 10_000), "Surrogate": KeyError("\ud800")}[
        header["error"]
    ]


def no_json(header, blobs):
    return {"value": object()}, []


TASKS = {
    function.__name__: function
    for function in (
        echo,
        tell_process,
        sleep,
        burn,
        hang,
        hang_in_c,
        die,
        exit_code,
        allocate,
        answer_much,
        chatter,
        fail,
        no_json,
    )
}
