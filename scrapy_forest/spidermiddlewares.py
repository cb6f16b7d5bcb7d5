"""The spider's side: pages that a spider calls articles are sorted by template, and wait where it is not yet known."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_forest.crawl.offers import Offer
from scrapy_forest.extensions import ForestExtension, forest_of
from scrapy_forest.items import ArticleItem
from scrapy_forest.responses import FEED, FOREST, KEY, REVISION, TICKET, document_of, entry_of, is_html, now

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self


class TemplateMiddleware:
    """Takes in each article item together with its response.

    A page whose template has a wrapper goes on to the pipeline at once.  Any other is swallowed: its bytes are in the
    buffer, and its item comes out when the template is known.
    """

    def __init__(self, extension: ForestExtension) -> None:
        self._forest = extension.forest
        self._count = extension.count

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make one for a crawl."""
        return cls(forest_of(crawler))

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on what a callback yields, article items only if they can be filled now."""
        is_wanted = bool(response.meta.get(FOREST)) and response.status == 200
        try:
            async for each in result:
                if not isinstance(each, ArticleItem) or each.offer is not None:
                    yield each
                    continue
                is_wanted = False
                if await self._receive(each, response):
                    yield each
            if is_wanted:
                item = ArticleItem(url=response.url)
                if await self._receive(item, response):
                    yield item
        finally:
            self._drop(response)

    def process_spider_exception(self, response: Response, exception: Exception) -> Sequence[Any] | None:
        """A callback that raised offers nothing; what it was called for has failed, unless the crawl ends now."""
        self._drop(response)
        if self._forest.is_ending(exception):
            return ()
        if key := response.meta.get(KEY):
            self._forest.ledger.fail(key, "callback")
            self._forest.arrive(key)
        elif FOREST not in response.meta and response.meta.pop(FEED, None):  # older versions call this several times
            self._count("feeds/failed/callback")
        return None

    async def _receive(self, item: ArticleItem, response: Response) -> bool:
        """Whether an item can be filled now."""
        key = response.meta.pop(KEY, None)
        if key is None or not self._forest.ledger.is_open(key):  # a page of another spider, or a second item of one
            key = self._forest.ledger.take_up_page()
        item.offer = offer = Offer(
            key=key,
            url=response.url,
            item=item,
            downloaded=now(),
            feed=response.meta.get(FEED),
            entry=entry_of(response),
            revision=response.meta.get(REVISION, 1),
        )
        if not is_html(response):
            can_go_on = self._forest.end(offer, "not_html", is_error=False)
            self._forest.arrive(key)
            return can_go_on
        try:
            return await self._forest.receive(offer, document_of(response), response.meta.pop(TICKET, None))
        except Exception as error:
            # Scrapy would tell every middleware but this one.
            if self._forest.is_ending(error):
                logger.error("Cannot take in %r: %r", response.url, error)
            else:
                logger.exception("Cannot take in %r", response.url)
                self._forest.ledger.fail(key, "page_crash")
            return False

    def _drop(self, response: Response) -> None:
        """Forget a copy that nobody asked for."""
        if ticket := response.meta.pop(TICKET, None):
            self._forest.buffer.drop(ticket)
