"""The downloader's side: copies pages into the sample buffer, and waits where servers ask for it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from scrapy.exceptions import IgnoreRequest

from scrapy_forest.engine import refuse_queue
from scrapy_forest.extensions import ForestExtension, forest_of
from scrapy_forest.responses import FOREST, TICKET, document_of, is_html, now

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class SampleMiddleware:
    """Copies pages that may be needed to learn their template, and passes the response on.

    Only the bytes: a response that is held would hold up the crawl.  Pages of hosts whose templates are known are not
    copied.
    """

    def __init__(self, extension: ForestExtension) -> None:
        self._forest = extension.forest

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make one for a crawl."""
        return cls(forest_of(crawler))

    async def process_response(self, request: Request, response: Response) -> Response:
        """Copy the page of a request that says it is an article."""
        is_wanted = request.meta.get(FOREST) and response.status == 200
        if is_wanted and not await self._forest.knows(response.url) and is_html(response):
            response.request = request  # Scrapy sets it later; what the page belongs to stands in its meta
            request.meta[TICKET] = await self._forest.keep(document_of(response))
        return response


PACE: Final = ("delay", "jitter", "randomize_delay")  # what a slot's pace is made of, in one version or another
CLOCK: Final = 0.01  # seconds that a timer may be early


@dataclass
class Pause:
    """A slot's pace before the pause, and when that ends."""

    pace: dict[str, Any]
    until: float = 0.0


class HostPaused(IgnoreRequest):
    """A server asked for a longer pause than we make in one crawl."""

    def __str__(self) -> str:
        return f"not asked for, because its server wants a longer pause: {self.args[0]!r}"


class RetryAfterMiddleware:
    """Honours ``Retry-After``: a short pause is made, after a longer one the next crawl asks again."""

    def __init__(self, crawler: Crawler, extension: ForestExtension) -> None:
        self._crawler = crawler
        self._longest = extension.settings.retry_after_seconds
        self._count = extension.count
        self._paused: set[str] = set()  # slots that are not asked again in this crawl
        self._pauses: dict[str, Pause] = {}  # slots that wait

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make one for a crawl."""
        return cls(crawler, forest_of(crawler))

    def process_request(self, request: Request) -> None:
        """Refuse what goes to a host that asked to be left alone."""
        if self._paused and self._slot_key(request) in self._paused:
            raise HostPaused(request.url)

    def process_response(self, request: Request, response: Response) -> Response:
        """Look for the header where it matters."""
        if response.status in (429, 503) and (seconds := retry_after(response)):
            key = self._slot_key(request)
            self._count("retry_after")
            if seconds > self._longest:
                self._paused.add(key)
                request.meta["dont_retry"] = True
                if slot := self._crawler.engine.downloader.slots.get(key):
                    refuse_queue(slot, HostPaused)
            else:
                self._delay(key, seconds)
        return response

    def _slot_key(self, request: Request) -> str:
        return str(self._crawler.engine.downloader.get_slot_key(request))

    def _delay(self, key: str, seconds: float) -> None:
        """Send nothing more to a host for a while: by the slot's delay, as AutoThrottle does."""
        slot = self._crawler.engine.downloader.slots.get(key)
        if slot is None or slot.delay >= seconds:
            return
        pause = self._pauses.setdefault(key, Pause({name: getattr(slot, name) for name in PACE if hasattr(slot, name)}))
        pause.until = monotonic() + seconds
        slot.delay = seconds
        for name in pause.pace.keys() - {"delay"}:
            setattr(slot, name, 0)  # a random half of a pause would be no pause
        asyncio.get_running_loop().call_later(seconds, self._restore, key, slot)

    def _restore(self, key: str, slot: Any) -> None:
        pause = self._pauses.get(key)
        if pause is not None and monotonic() >= pause.until - CLOCK:  # no longer pause was asked for since
            del self._pauses[key]
            for name, value in pause.pace.items():
                setattr(slot, name, value)


def retry_after(response: Response) -> float | None:
    """Seconds to wait, from a number or a date; None for anything else, or for a time that has passed."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isdecimal():
        return float(value[:9]) or None
    try:
        seconds = (parsedate_to_datetime(value) - now()).total_seconds()
    except (TypeError, ValueError, OverflowError):  # no date, one without a zone, or one of another age
        return None
    return seconds if seconds > 0 else None
