"""An extension that kills its own crawl, as kill -9 does, at a chosen call of a chosen function."""

import inspect
import os
import signal
from functools import wraps

from scrapy.utils.misc import load_object

from scrapy_forest.crawl.sinks import Sink


class Killer:
    """Setting ``KILL``: ``point`` is Class.method with its module, ``when`` before, after or halfway, ``nth`` call."""

    def __init__(self, point, when, nth):
        self.left = nth
        owner, _, name = point.rpartition(".")
        cls = load_object(owner)
        setattr(cls, name, self.wrap(getattr(cls, name), when))

    @classmethod
    def from_crawler(cls, crawler):
        return cls(**crawler.settings.getdict("KILL"))

    def wrap(self, function, when):
        @wraps(function)
        def plain(*args, **kwargs):
            self.strike(when == "before")
            if when == "halfway" and self.left == 1:
                halfway(*args)
            result = function(*args, **kwargs)
            self.strike(when != "before")
            return result

        @wraps(function)
        async def waiting(*args, **kwargs):
            self.strike(when == "before")
            result = await function(*args, **kwargs)
            self.strike(when != "before")
            return result

        return waiting if inspect.iscoroutinefunction(function) else plain

    def strike(self, is_time):
        self.left -= is_time
        if is_time and self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def halfway(sink: Sink, line: bytes):
    """In the middle of a line."""
    os.write(sink._descriptor, line[: len(line) // 2])
    os.kill(os.getpid(), signal.SIGKILL)
