"""What we have to ask of Scrapy's engine that it offers no public way for.  All of it is here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from twisted.python.failure import Failure

from scrapy_forest.network.blocked import Interrupted


def wake(engine: Any) -> None:
    """Let the engine see now whether anything is left to do: by itself it looks every five seconds."""
    nextcall = getattr(getattr(engine, "_slot", None), "nextcall", None)
    if nextcall is not None:
        nextcall.schedule()


def check_closing(engine: Any) -> None:
    """Let the scraper see that no item is in the pipelines any more.

    When it closes it waits for them, but looks again only when a response is done with: items that came without one
    would have it wait for ever.
    """
    scraper = engine.scraper
    closing = getattr(scraper.slot, "closing", None)
    if closing is not None and not closing.called:
        scraper._check_if_closing()


def is_closing(engine: Any) -> bool:
    """Whether the crawl is being stopped: the engine now waits for all downloads that it has begun."""
    slot = getattr(engine, "_slot", None)
    return slot is None or getattr(slot, "closing", None) is not None


def refuse_queued(engine: Any) -> None:
    """End downloads that wait for their turn: with a delay of seconds between two, they would hold up the end."""
    for slot in engine.downloader.slots.values():
        refuse_queue(slot, Interrupted)


def hold_slot(engine: Any, slot: Any, seconds: float) -> None:
    """Send nothing more from one slot for a while; not by its delay, which AutoThrottle makes shorter again."""
    if slot.latercall:
        slot.latercall.cancel()
    slot.latercall = asyncio.get_running_loop().call_later(seconds, engine.downloader._latercall, slot)


def refuse_queue(slot: Any, error: Callable[[str], Exception]) -> None:
    """End the downloads that wait in one slot; the error gets their URL."""
    while slot.queue:
        request, waiting = slot.queue.popleft()
        waiting.errback(Failure(error(request.url)))  # type: ignore[no-untyped-call]
