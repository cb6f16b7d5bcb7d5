"""Spiders and pipelines as users write them."""

import asyncio

from scrapy import Request, Spider
from scrapy.exceptions import DropItem
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from scrapy_forest import ArticleItem


class NewsSpider(CrawlSpider):
    """Follows links, and says which pages are articles."""

    name = "news"
    rules = (Rule(LinkExtractor(allow="/post/"), callback="parse_post"), Rule(LinkExtractor(allow="/list/")))

    def __init__(self, start="", **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]

    def parse_post(self, response):
        yield ArticleItem(url=response.url, headline="My own headline")
        yield {"kind": "something else", "url": response.url}


class MetaSpider(Spider):
    """Says so by the request."""

    name = "meta"

    def __init__(self, urls="", **kwargs):
        super().__init__(**kwargs)
        self.urls = urls.split(",")

    async def start(self):
        for url in self.urls:
            yield Request(url, meta={"forest": True})

    def parse(self, response):
        self.logger.debug("nothing to do for %s", response)


class ManySpider(Spider):
    """Yields many items from one response, and then a request."""

    name = "many"

    def __init__(self, url="", last="", **kwargs):
        super().__init__(**kwargs)
        self.url, self.last = url, last

    async def start(self):
        yield Request(self.url)

    def parse(self, response):
        for _ in range(150):
            yield ArticleItem(url=response.url)
        yield Request(self.last, callback=self.parse_last)

    def parse_last(self, response):
        yield ArticleItem(url=response.url)


class TwiceSpider(Spider):
    """Yields two items from one response."""

    name = "twice"

    def __init__(self, url="", **kwargs):
        super().__init__(**kwargs)
        self.url = url

    async def start(self):
        yield Request(self.url)

    def parse(self, response):
        yield ArticleItem(url=response.url)
        yield ArticleItem(url=response.url + "#again")


class BrokenSpider(MetaSpider):
    """Its callback raises."""

    name = "broken"

    def parse(self, response):
        raise ValueError(f"a mistake in a callback: {response}")


class DropEven:
    """Drops every other article."""

    def process_item(self, item):
        if int(item.url.rpartition("/")[2]) % 2 == 0:
            raise DropItem("even")
        return item


class ToDict:
    """Turns items into something else."""

    def process_item(self, item):
        return {"url": item.url, "words": len(item.articleBody.split())}


class DropFirst:
    """Drops the first articles before they are filled."""

    left = 10

    def process_item(self, item):
        self.left -= 1
        if self.left >= 0:
            raise DropItem("too early")
        return item


class Slow:
    """Takes its time, more for each item."""

    seconds = 0.0

    async def process_item(self, item):
        self.seconds += 0.2
        await asyncio.sleep(self.seconds)
        return item


class Fail:
    """Raises on one article."""

    def process_item(self, item):
        if item.url.endswith("/1"):
            raise RuntimeError("a mistake in a pipeline")
        return item
