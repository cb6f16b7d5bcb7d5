"""An extension that makes functions raise, each for one page: a mistake that only this page brings out."""

import inspect
from functools import wraps

from scrapy.utils.misc import load_object


class Faults:
    """Setting ``FAULTS``: Class.method with its module → the end of the URL of the page for which it raises, once."""

    def __init__(self, faults):
        for point, end in faults.items():
            owner, _, name = point.rpartition(".")
            cls = load_object(owner)
            setattr(cls, name, fault(getattr(cls, name), end, point))

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler.settings.getdict("FAULTS"))


def fault(function, end, point):
    struck = []

    def strike(args, kwargs):
        if not struck and any(concerns(arg, end) for arg in (*args, *kwargs.values())):
            struck.append(point)
            raise RuntimeError(f"on purpose: {point}")

    @wraps(function)
    def plain(*args, **kwargs):
        strike(args, kwargs)
        return function(*args, **kwargs)

    @wraps(function)
    async def waiting(*args, **kwargs):
        strike(args, kwargs)
        return await function(*args, **kwargs)

    @wraps(function)
    async def yielding(*args, **kwargs):
        strike(args, kwargs)
        async for each in function(*args, **kwargs):
            yield each

    if inspect.isasyncgenfunction(function):
        return yielding
    return waiting if inspect.iscoroutinefunction(function) else plain


def concerns(value, end):
    """Whether a page, its request, its entry, its key or its line is about that URL."""
    if isinstance(value, bytes):
        return f'{end}"'.encode() in value
    text = value if isinstance(value, str) else getattr(value, "url", None)
    return isinstance(text, str) and text.endswith(end)
