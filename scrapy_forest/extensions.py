"""The extension: owns the crawl's store, workers and waiting pages, and lets go of these in time.

Pages wait in the buffer, never in a pipeline or a middleware: Scrapy counts a response until its items have left the
pipelines, and above 5 MB of them, or a hundred items, it would wait for us while we wait for it.  Released pages enter
the pipelines by themselves, without their response.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import DontCloseSpider, NotConfigured
from scrapy.utils.asyncio import is_asyncio_available
from w3lib.url import canonicalize_url

from scrapy_forest.configuration import check_exports, check_setup, count_exports, setup_warnings
from scrapy_forest.crawl.forest import Forest
from scrapy_forest.crawl.groups import Batch
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.crawl.sinks import Line
from scrapy_forest.engine import check_closing, is_closing, refuse_queued, wake
from scrapy_forest.errors import IncompleteSetup
from scrapy_forest.items import ArticleItem
from scrapy_forest.model.web_link import without_password
from scrapy_forest.network.handlers import STOPPING
from scrapy_forest.responses import FEED, KEY
from scrapy_forest.settings import ForestSettings, is_enabled

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)

AT_ONCE: Final = 16  # released items in the pipelines: as many as Scrapy downloads at a time
LEAST: Final = 1.0  # seconds for pages that wait, however long the downloads took to stop
TICK: Final = 0.5  # seconds between two looks at the clock
LISTED: Final = 20  # hosts named in the summary
ENDING: Final = "forest/ending"  # the stat that says why a crawl could not go on


class ForestExtension:
    """Translates between Scrapy and :class:`scrapy_forest.crawl.forest.Forest`."""

    def __init__(self, crawler: Crawler, settings: ForestSettings) -> None:
        self.settings = settings
        self.forest = Forest(settings.crawl, count=self.count, release=self.deliver, stop=self.stop)
        self._crawler = crawler
        self._deliveries: set[asyncio.Task[None]] = set()
        self._gate = asyncio.Semaphore(AT_ONCE)
        self._clock: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None  # of a crawl that cannot go on
        self._deadline: float | None = None  # of a crawl that is being stopped
        self._made: dict[str, Offer] = {}  # by URL: items on their way to the exporters
        self._staged: dict[str, list[Line]] = {}  # by key: what exporters have made of these
        self._refused: set[str] = set()  # keys of items that an exporter could not write
        self._exports = 0  # in which each item should stand
        self._exported: Counter[str] = Counter()  # by key: in how many it does

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Check the configuration; what is missing is told now, not after an hour of crawling."""
        if not is_enabled(crawler.settings):
            raise NotConfigured("FOREST_ENABLED is false")
        settings = ForestSettings.from_settings(crawler.settings)
        check_setup(crawler.settings, has_guard=settings.has_guard)
        check_exports(crawler.settings)
        if not is_asyncio_available():
            raise IncompleteSetup(["TWISTED_REACTOR = 'twisted.internet.asyncioreactor.AsyncioSelectorReactor'"])
        extension = cls(crawler, settings)
        for handler, signal in extension._handlers():
            crawler.signals.connect(handler, signal)
        return extension

    def _handlers(self) -> Iterator[tuple[Any, Any]]:
        yield self._spider_opened, signals.spider_opened
        yield self._spider_idle, signals.spider_idle
        yield self._spider_closed, signals.spider_closed
        yield self._request_dropped, signals.request_dropped
        yield self._item_scraped, signals.item_scraped
        yield self._item_dropped, signals.item_dropped
        yield self._item_error, signals.item_error

    def count(self, name: str, number: int = 1) -> None:
        """Count under ``forest/``."""
        self._crawler.stats.inc_value(f"forest/{name}", number)

    def deliver(self, batch: Batch) -> None:
        """Send released pages into the pipelines."""
        task = asyncio.get_running_loop().create_task(self._deliver(batch))
        self._deliveries.add(task)
        task.add_done_callback(self._delivered)

    async def open(self) -> None:
        """Open the store; spiders that use the ledger say so by ``forest_job``."""
        await self.forest.open(getattr(self._crawler.spider, "forest_job", None))

    async def flush(self) -> None:
        """Let go of all that waits, when no more responses come; what takes too long is left for the next crawl."""
        self.forest.release_some()
        deadline = max(self._deadline or monotonic() + self.settings.close_seconds, monotonic() + LEAST)
        while self._deliveries and (left := deadline - monotonic()) > 0:
            await asyncio.wait(self._deliveries, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            self.forest.release_some()
        for task in self._deliveries:
            task.cancel()

    def sent(self, offer: Offer) -> None:
        """An item has been filled, and is on its way to the exporters."""
        self._made[offer.item.url] = offer

    def stop(self, reason: str) -> None:
        """End the crawl in order; the first reason counts, also where the crawl is about to end anyway."""
        engine = self._crawler.engine
        if self._crawler.stats.get_value(ENDING) is None:
            self._crawler.stats.set_value(ENDING, reason)
        if self._ending is None and not is_closing(engine):
            self._ending = asyncio.get_running_loop().create_task(engine.close_spider_async(reason=reason))

    def stage(self, item: Any, line: Line) -> bool:
        """Whether a line is of an item of ours, and will be written when all exporters have made theirs."""
        offer = self._offer_of(item)
        if offer is not None:
            self._staged.setdefault(offer.key, []).append(line)
            self._exported[offer.key] += 1
        return offer is not None

    def written(self, item: Any) -> None:
        """An exporter has written an item by itself."""
        if (offer := self._offer_of(item)) is not None:
            self._exported[offer.key] += 1

    def refuse(self, item: Any, error: Exception) -> None:
        """An exporter could not write an item: it is not done."""
        self.forest.is_ending(error)
        offer = self._offer_of(item)
        if offer is not None:
            self._refused.add(offer.key)

    async def _deliver(self, batch: Batch) -> None:
        await asyncio.gather(*(self._deliver_item(offer) for offer in batch.offers))

    async def _deliver_item(self, offer: Offer) -> None:
        async with self._gate:
            await self._crawler.engine.scraper.start_itemproc_async(offer.item, response=None)

    def _delivered(self, task: asyncio.Task[None]) -> None:
        self._deliveries.discard(task)
        if not task.cancelled() and (error := task.exception()):
            logger.error("Released pages were lost; the next crawl fetches them again", exc_info=error)
        if not self._deliveries:
            wake(self._crawler.engine)
            check_closing(self._crawler.engine)

    def _spider_opened(self) -> None:
        self._exports = count_exports(self._crawler.settings)
        self._clock = asyncio.get_running_loop().create_task(self._watch())
        for warning in setup_warnings(self._crawler.settings):
            logger.warning(warning)

    async def _watch(self) -> None:
        """Look at the clock; once the crawl is being stopped, do not wait for downloads for long."""
        while not is_closing(self._crawler.engine):
            await asyncio.sleep(TICK)
            self.forest.release_overdue()
        self._deadline = monotonic() + self.settings.close_seconds
        await asyncio.sleep(self.settings.close_seconds / 2)
        self._crawler.signals.send_catch_log(STOPPING)
        while True:
            refuse_queued(self._crawler.engine)  # again and again: what waited for robots.txt comes only now
            if monotonic() > self._deadline:
                for task in tuple(self._deliveries):
                    task.cancel()
            await asyncio.sleep(TICK)

    def _spider_idle(self) -> None:
        self.forest.release_some()  # and the next ones when the spider is idle again
        if self._deliveries or len(self.forest.groups):  # pages may wait for a template that is being learned
            raise DontCloseSpider

    async def _spider_closed(self) -> None:
        if self._clock:
            self._clock.cancel()
            await asyncio.wait([self._clock])
            if not self._clock.cancelled() and (error := self._clock.exception()):
                logger.error("The clock has stopped", exc_info=error)
        await self.forest.close()
        self._summarise()

    def _request_dropped(self, request: Request) -> None:
        """Scrapy's filter has seen the URL before: two links redirect to one page, or a page redirects to itself."""
        before = map(canonicalize_url, request.meta.get("redirect_urls", ()))
        is_loop = canonicalize_url(request.url) in before
        if key := request.meta.get(KEY):
            if is_loop:
                self.forest.ledger.fail(key, "redirects")
            else:
                self.forest.ledger.skip(key, "duplicate")
            self.forest.arrive(key)
        elif "redirect_urls" in request.meta and (url := request.meta.get(FEED)):
            reason = "redirects" if is_loop else "duplicate"
            self.count("feeds")
            self.count(f"feeds/failed/{reason}")
            there = without_password(request.url)
            logger.warning("No feed at %r: %s, by a redirect to %r", without_password(url), reason, there)

    async def _item_scraped(self, item: Any) -> None:
        await asyncio.sleep(0)  # exporters listen to the same signal, and make their lines before this goes on
        offer = self._offer_of(item)
        if offer is None:
            return
        self._forget(offer)
        lines = self._staged.pop(offer.key, [])
        is_lacking = self._exported.pop(offer.key, 0) < self._exports  # Scrapy could not open the file, for instance
        if is_lacking or offer.key in self._refused:  # by one exporter: a later crawl tries again, for all of them
            self.forest.refuse(offer.key, lines)
        else:
            await self.forest.finish(offer.key, lines)

    def _item_dropped(self, item: Any) -> None:
        self._end_item(item, "dropped", is_error=False)

    def _item_error(self, item: Any) -> None:
        self._end_item(item, "pipeline", is_error=True)

    def _end_item(self, item: Any, reason: str, *, is_error: bool) -> None:
        # These two signals bring the item as it came in: what another one with its URL meets is none of its business.
        offer = item.offer if isinstance(item, ArticleItem) else None
        if offer is not None:
            self._forget(offer)
            self.forest.forget(offer)
            (self.forest.ledger.fail if is_error else self.forest.ledger.skip)(offer.key, reason)

    def _forget(self, offer: Offer) -> None:
        self._made.pop(offer.item.url, None)
        offer.item.offer = None

    def _offer_of(self, item: Any) -> Offer | None:
        """The offer of an item, also of one that a pipeline has turned into something else, if it kept the URL."""
        if isinstance(item, ArticleItem) and item.offer is not None:
            return item.offer
        if not self._made or not ItemAdapter.is_item(item):
            return None
        return self._made.get(str(ItemAdapter(item).get("url")))

    def _summarise(self) -> None:
        """The books, in a line."""
        stats = self._crawler.stats.get_stats()
        skips, errors = _reasons(stats, "skipped"), _reasons(stats, "errors")
        read = stats.get("forest/entries", 0) + stats.get("forest/pages", 0)
        items = stats.get("forest/items", 0)
        kinds = [kind for kind in ("entries", "pages") if stats.get(f"forest/{kind}")] or ["entries"]
        if feeds := stats.get("forest/feeds", 0):
            failed = sum(_reasons(stats, "feeds/failed").values())
            logger.info("%d feeds: %d unchanged, %d failed", feeds, stats.get("forest/feeds/not_modified", 0), failed)
        told = _told("skipped", skips), _told("errors", errors)
        logger.info("%d %s = %d items + %s + %s", read, " and ".join(kinds), items, *told)
        ended = items + sum(skips.values()) + sum(errors.values())
        if read != ended:
            logger.error("The books do not balance: %d entries were read, %d have ended", read, ended)
        if silent := self.forest.ledger.silent_hosts():
            named = ", ".join(map(repr, silent[:LISTED]))
            logger.warning("Hosts that gave no article (%d): %s", len(silent), named)


def forest_of(crawler: Crawler) -> ForestExtension:
    """The extension, for the other components; NotConfigured if the plugin is switched off."""
    if not is_enabled(crawler.settings):
        raise NotConfigured("FOREST_ENABLED is false")
    extension = crawler.get_extension(ForestExtension)
    if extension is None:
        raise IncompleteSetup(["EXTENSIONS: 'scrapy_forest.extensions.ForestExtension': 10"])
    return extension


def _reasons(stats: dict[str, Any], kind: str) -> dict[str, int]:
    prefix = f"forest/{kind}/"
    return {name.removeprefix(prefix): value for name, value in sorted(stats.items()) if name.startswith(prefix)}


def _told(kind: str, reasons: dict[str, int]) -> str:
    told = ", ".join(f"{value} {reason}" for reason, value in reasons.items())
    return f"{sum(reasons.values())} {kind}" + (f" ({told})" if told else "")
