"""The downloader's side: copies pages into the sample buffer, waits where servers ask for it, and not for slow ones."""

from __future__ import annotations

import logging
from collections import Counter
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import TYPE_CHECKING, Final

from scrapy import exceptions
from scrapy.exceptions import IgnoreRequest
from twisted.internet import error

from scrapy_forest.engine import hold_slot, refuse_queue
from scrapy_forest.extensions import ForestExtension, forest_of
from scrapy_forest.responses import ENTRY, FOREST, KEY, TICKET, document_of, is_html, now

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
        if is_wanted and (key := request.meta.get(KEY)):
            request.meta[ENTRY] = await self._forest.ledger.entry(key)
        if is_wanted and not await self._forest.knows(response.url) and is_html(response):
            response.request = request  # Scrapy sets it later; what the page belongs to stands in its meta
            request.meta[TICKET] = await self._forest.keep(document_of(response))
        return response


# Scrapy has a name of its own since 2.15; before, Twisted's came through.
TIMEOUTS: Final = (error.TimeoutError, getattr(exceptions, "DownloadTimeoutError", error.TimeoutError))
MOST_TIMEOUTS: Final = 3  # in a row: as often as Scrapy asks for one page


class HostPaused(IgnoreRequest):
    """A server asked for a longer pause than we make in one crawl."""

    def __str__(self) -> str:
        return f"not asked for, because its server wants a longer pause: {self.args[0]!r}"


class HostTooSlow(IgnoreRequest):
    """A host has let one download after the other time out."""

    def __str__(self) -> str:
        return f"not asked for, because its server is too slow: {self.args[0]!r}"


class RetryAfterMiddleware:
    """Honours ``Retry-After``: a short pause is made, after a longer one the next crawl asks again."""

    def __init__(self, crawler: Crawler, extension: ForestExtension) -> None:
        self._crawler = crawler
        self._longest = extension.settings.retry_after_seconds
        self._count = extension.count
        self._paused: set[str] = set()  # slots that are not asked again in this crawl
        self._pauses: dict[str, float] = {}  # slots that wait, and until when

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
                self._pause(key, seconds)
        return response

    def _slot_key(self, request: Request) -> str:
        return str(self._crawler.engine.downloader.get_slot_key(request))

    def _pause(self, key: str, seconds: float) -> None:
        """Send nothing more to a host for a while."""
        engine, until = self._crawler.engine, monotonic() + seconds
        slot = engine.downloader.slots.get(key)
        if slot is not None and until > self._pauses.get(key, 0.0):  # no longer pause was asked for before
            self._pauses[key] = until
            hold_slot(engine, slot, seconds)


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


class SlowHostMiddleware:
    """Gives up a host all downloads from which time out; the next crawl asks again.

    Each of them takes a place for half a minute, and a host may have hundreds: the others would wait for these.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._timeouts: Counter[str] = Counter()  # by slot, since its last answer

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make one for a crawl."""
        forest_of(crawler)
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Refuse what goes to a host that was given up."""
        if self._timeouts and self._timeouts[self._slot_key(request)] >= MOST_TIMEOUTS:
            raise HostTooSlow(request.url)

    def process_response(self, request: Request, response: Response) -> Response:
        """A host that answers is not too slow."""
        self._timeouts.pop(self._slot_key(request), None)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count time-outs, and let the last of them be the last."""
        if not isinstance(exception, TIMEOUTS):
            return
        key = self._slot_key(request)
        self._timeouts[key] += 1
        if self._timeouts[key] >= MOST_TIMEOUTS:
            request.meta["dont_retry"] = True
            if slot := self._crawler.engine.downloader.slots.get(key):
                refuse_queue(slot, HostTooSlow)

    def _slot_key(self, request: Request) -> str:
        return str(self._crawler.engine.downloader.get_slot_key(request))
