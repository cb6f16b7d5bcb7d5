"""The pipeline: fills article items by the wrapper of their template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from scrapy_forest.extensions import ForestExtension, forest_of
from scrapy_forest.filling import fill
from scrapy_forest.items import ArticleItem

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class ArticlePipeline:
    """Learns the wrapper of a template when its first pages come, applies it to all, fills the items."""

    def __init__(self, extension: ForestExtension) -> None:
        self._extension = extension

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make one for a crawl."""
        return cls(forest_of(crawler))

    async def open_spider(self) -> None:
        """Open the store; here and not in the extension, because what a pipeline raises ends the crawl."""
        await self._extension.open()

    async def process_item(self, item: Any) -> Any:
        """Fill an item of ours; all others pass."""
        if not isinstance(item, ArticleItem) or item.offer is None:
            return item
        try:
            extraction = await self._extension.forest.extract(item.offer)
        except (MemoryError, OSError) as error:
            if not self._extension.forest.is_ending(error):
                raise
            item.offer = None  # it stays open, for the next crawl
            raise DropItem(f"the crawl ends: {item.url!r}") from error
        if extraction is None:
            raise DropItem(f"no article found: {item.url!r}")
        fill(item, item.offer, extraction)
        self._extension.sent(item.offer)
        return item

    async def close_spider(self) -> None:
        """Let go of the pages that still wait."""
        await self._extension.flush()
