"""Scrapy's side of the benchmarks: spiders over a list of URLs, and an extension that watches the crawl from inside."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from time import monotonic, thread_time
from typing import Any, Final

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from scrapy.statscollectors import StatsCollector

from scrapy_forest.extensions import ForestExtension
from scrapy_forest.items import ArticleItem
from scrapy_forest.responses import FOREST
from scrapy_forest.spiders.feeds import FeedsSpider

TICK: Final = 0.01  # seconds between two looks at the clock


class PagesSpider(Spider):
    """Asks for all URLs of a file, one a line; what becomes of them others tell."""

    name = "pages"
    meta: dict[str, Any] = {}  # noqa: RUF012 - never changed

    def __init__(self, urls: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.urls = Path(urls).read_text(encoding="utf-8").splitlines()

    async def start(self) -> AsyncIterator[Request]:
        for url in self.urls:
            yield Request(url, self.parse, meta=dict(self.meta), dont_filter=True)


class TitlesSpider(PagesSpider):
    """The least that a spider does."""

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url, "title": response.css("title::text").get()}


class TunedTitlesSpider(TitlesSpider):
    """The same, with the setting that our own spider has."""

    custom_settings = FeedsSpider.custom_settings


class ArticlesSpider(PagesSpider):
    """Leaves the work to the plugin, as our own spider does."""

    custom_settings = FeedsSpider.custom_settings
    meta = {FOREST: True}  # noqa: RUF012

    def parse(self, response: Response) -> Iterator[Any]:
        yield ArticleItem(url=response.url)


class TrafilaturaSpider(PagesSpider):
    """An extractor that takes each page by itself, in the callback, as people use it."""

    def parse(self, response: Response) -> Iterator[Any]:
        from trafilatura import bare_extraction  # heavy, and not installed everywhere

        assert isinstance(response, TextResponse)
        found: Any = bare_extraction(response.text, url=response.url, with_metadata=True)
        fields = found.as_dict() if found else {}
        yield {**fields, "url": response.url, "body": None, "commentsbody": None}  # the bodies are trees


class Watch:
    """Tells by how much the event loop was late at worst, and how many pages waited when nothing was left to do.

    It is to come before the plugin in EXTENSIONS: both hear that the spider is idle, and the plugin then lets go of the
    pages.  On a busy machine the loop is also late because others have the processor, so there is a second figure: the
    most CPU time that the loop's own thread took between two looks.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Watch:
        watch = cls(crawler)
        crawler.signals.connect(watch._spider_opened, signals.spider_opened)
        crawler.signals.connect(watch._spider_idle, signals.spider_idle)
        crawler.signals.connect(watch._spider_closed, signals.spider_closed)
        return watch

    def _spider_opened(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._watch())

    def _spider_idle(self) -> None:
        extension = self._crawler.get_extension(ForestExtension)
        if extension:
            self._stats.max_value("benchmark/waiting", len(extension.forest.groups))

    def _spider_closed(self) -> None:
        assert self._task
        self._task.cancel()

    async def _watch(self) -> None:
        while True:
            start, cpu = monotonic(), thread_time()
            await asyncio.sleep(TICK)
            self._stats.max_value("benchmark/lag", monotonic() - start - TICK)
            self._stats.max_value("benchmark/busy", thread_time() - cpu)

    @property
    def _stats(self) -> StatsCollector:
        assert self._crawler.stats
        return self._crawler.stats
