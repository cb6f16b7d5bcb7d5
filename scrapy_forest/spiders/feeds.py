"""``scrapy crawl feeds``: reads feeds and fetches what is new in them."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from scrapy import Request, Spider
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

from scrapy_forest.crawl.ledger import Task
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.errors import InvalidSubscriptions, PageError, WorkerError
from scrapy_forest.extensions import ForestExtension, forest_of
from scrapy_forest.failures import INTERRUPTED, UNKNOWN, reason_of
from scrapy_forest.items import ArticleItem
from scrapy_forest.model.discovery import find_feeds, usual_places
from scrapy_forest.model.feed import Feed
from scrapy_forest.model.subscriptions import read_subscription_file, split_urls
from scrapy_forest.model.web_link import without_password
from scrapy_forest.responses import FEED, FOREST, KEY, LANGUAGE, REVISION, SERVED, document_of, now
from scrapy_forest.settings import feeds_of
from scrapy_forest.store.values import FeedState

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)

GONE: Final = "http_410"
RETIRED_AFTER: Final = 3  # answers in a row that a feed is gone
MOST_FEEDS: Final = 20  # of one page
HINTS: Final = {"private_address": "; FOREST_ALLOW_PRIVATE = ['host:port'] allows it"}
AGAIN: Final = "again"  # in the meta of a feed that is asked for a second time
CONDITIONS: Final = ("If-None-Match", "If-Modified-Since")
NO_FEED: Final = frozenset(["not_a_feed", "json_feed"])  # problems of what is no feed, or none that we read
# A feed may lead anywhere, its own URL may be a secret, and the sites it leads to need not know who reads what.
FEED_META: Final = {"referrer_policy": "no-referrer"}
ARTICLE_META: Final = {FOREST: True, **FEED_META}


class FeedsSpider(Spider):
    """Reads feeds, then the pages that their new entries link to.

    ``-a feeds=URL,URL``, ``-a file=FILE`` (one URL a line, or OPML), ``-a sites=URL,URL`` (finds their feeds); without
    any of them, the settings FOREST_FEEDS and FOREST_FEEDS_FILE.
    """

    name = "feeds"
    # A page gives one item.  Scrapy starts as many tasks for each response as it may give items at a time.
    custom_settings = {"CONCURRENT_ITEMS": 8}  # noqa: RUF012 - Scrapy's way

    def __init__(
        self, feeds: str | Iterable[str] = "", file: str = "", sites: str | Iterable[str] = "", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        for name in kwargs.keys() - {"name"}:
            if not name.startswith("_"):  # as those of Scrapyd do
                logger.warning("This spider has no argument %r; it takes feeds, file and sites", name)
        self.feeds = split_urls(feeds)
        self.sites = split_urls(sites)
        if file:
            self.feeds += read_subscription_file(file)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Scrapy's way, with the settings' feeds where no argument names any."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        if not spider.feeds and not spider.sites:
            spider.feeds = feeds_of(crawler.settings)
        if not spider.feeds and not spider.sites:
            raise InvalidSubscriptions(
                "name the feeds: -a feeds=URL,URL or -a file=FILE or -a sites=URL, or set FOREST_FEEDS"
            )
        spider.feeds = list(dict.fromkeys(spider.feeds))
        return spider

    @property
    def forest_job(self) -> str:
        """What only one crawl at a time may do on a store: two would fetch and export the same entries."""
        return self.name

    @property
    def extension(self) -> ForestExtension:
        """The plugin, without which this spider could not do anything."""
        return forest_of(self.crawler)

    async def start(self) -> AsyncIterator[Any]:
        """Ask for all feeds, and for the sites whose feeds are to be found."""
        for url in self.feeds:
            if request := await self.feed_request(url):
                yield request
        for url in self.sites:
            yield Request(url, self.parse_site, errback=self.site_failed)

    async def feed_request(self, url: str) -> Request | None:
        """Ask for a feed if it has changed since the last time; None for one that is gone for good."""
        state = await self._state(url)
        if state.retired:
            self.extension.count("feeds/retired")
            logger.warning("Not asked for, as it was gone the last %d times: %r", RETIRED_AFTER, without_password(url))
            return None
        headers = dict(zip(CONDITIONS, (state.etag, state.last_modified), strict=True))
        return Request(
            url,
            self.parse_feed,
            errback=self.feed_failed,
            headers={name: value for name, value in headers.items() if value},
            meta={FEED: url, "handle_httpstatus_list": [304], **FEED_META},
            priority=1,  # pages wait: the sooner all feeds are read, the better hosts can be taken in turns
        )

    async def parse_feed(self, response: Response) -> AsyncIterator[Any]:
        """Fetch what is new in a feed, and what earlier crawls left unfinished."""
        is_unasked = response.status == 304 and not _is_conditional(response)
        if is_unasked and AGAIN not in response.meta:
            yield self._ask_again(response)
            return
        self.extension.count("feeds")
        feed = None
        if is_unasked:
            self.extension.count("feeds/failed/http_304")
            url = without_password(response.url)
            logger.warning("A feed that has not changed, though nothing is known of it: %r", url)
        elif response.status == 304:
            self.extension.count("feeds/not_modified")
            await self._note_answer(response.meta[FEED])
        else:
            feed = await self._read(response)
        async for request in self._article_requests(response, feed):
            yield request

    def _ask_again(self, response: Response) -> Request:
        """Ask for all of a feed that "has not changed" though nothing is known of it: some cache is mistaken."""
        headers, meta = {"Cache-Control": "no-cache"}, {**response.meta, AGAIN: True}
        again = Request(response.url, self.parse_feed, errback=self.feed_failed, headers=headers, meta=meta)
        return again.replace(dont_filter=True)

    def article_request(self, task: Task, origin: dict[str, Any]) -> Request | None:
        """Ask for the page of an entry; ``origin`` is what is known of its feed."""
        meta = {**ARTICLE_META, **origin, KEY: task.key, REVISION: task.revision}
        reason = "bad_link"
        try:
            request = Request(str(task.entry.link), self.parse_article, errback=self.article_failed, meta=meta)
            if len(request.url) <= self.settings.getint("URLLENGTH_LIMIT"):  # else it would vanish without a word
                return request
            reason = "url_too_long"
        except ValueError:  # whatever Scrapy finds wrong with it, the other entries go on
            logger.debug("No request for %r", without_password(str(task.entry.link)))
        self.extension.forest.ledger.skip(task.key, reason)
        self.extension.forest.arrive(task.key)
        return None

    def parse_article(self, response: Response) -> Iterator[Any]:
        """Say that the page is an article; the plugin does the rest."""
        yield ArticleItem(url=response.url)

    async def article_failed(self, failure: Failure) -> AsyncIterator[Any]:
        """A page that cannot be had may still be in the feed."""
        request: Request = failure.request  # type: ignore[attr-defined]
        reason, is_error = reason_of(failure)
        if reason == INTERRUPTED or self.extension.forest.is_ending(failure.value):
            return  # the entry stays open, for the next crawl
        if reason == UNKNOWN:
            logger.error("No page at %r", without_password(request.url), exc_info=failure.value)
        elif is_error:
            logger.info("No page at %r: %s", without_password(request.url), reason)
        item = ArticleItem(url=request.url)
        key, forest = request.meta[KEY], self.extension.forest
        entry = await forest.ledger.entry(key)
        item.offer = Offer(key, request.url, item, now(), request.meta[FEED], entry, request.meta[REVISION])
        can_go_on = forest.end(item.offer, reason, is_error=is_error)
        forest.arrive(key)
        if can_go_on:
            yield item

    async def feed_failed(self, failure: Failure) -> None:
        """Count a feed that cannot be had, and retire one that is gone."""
        request: Request = failure.request  # type: ignore[attr-defined]
        reason, _ = reason_of(failure)
        self.extension.count("feeds")
        self.extension.count(f"feeds/failed/{reason}")
        if reason == INTERRUPTED or self.extension.forest.is_ending(failure.value):
            return
        logger.warning("No feed at %r: %s%s", without_password(request.url), reason, HINTS.get(reason, ""))
        await self._note_answer(request.meta[FEED], is_gone=reason == GONE)

    async def parse_site(self, response: Response) -> AsyncIterator[Any]:
        """Ask for the feeds that a page names, or look in the usual places."""
        try:
            found = find_feeds(document_of(response).page()) if isinstance(response, TextResponse) else []
        except PageError:
            found = []
        if found:
            for url in found[:MOST_FEEDS]:
                if request := await self.feed_request(url):
                    yield request
        else:
            yield self._place_request(usual_places(response.url), response.url)

    def site_failed(self, failure: Failure) -> None:
        """Count a site that cannot be had."""
        reason, _ = reason_of(failure)
        self.extension.count(f"sites/failed/{reason}")
        url = without_password(failure.request.url)  # type: ignore[attr-defined]
        logger.warning("No page at %r: %s", url, reason)

    def _place_request(self, places: list[str], site: str) -> Request:
        meta = {FEED: places[0], "places": places[1:], "site": site, "handle_httpstatus_all": True}
        return Request(places[0], self._parse_place, errback=self._place_failed, meta=meta)

    async def _parse_place(self, response: Response) -> AsyncIterator[Any]:
        """Take the feed that is here, or look in the next place."""
        feed = await self._read(response, is_guess=True) if response.status == 200 else None
        if feed:
            self.extension.count("feeds")
            async for request in self._article_requests(response, feed):
                yield request
        elif next_place := self._next_place(response.meta):
            yield next_place

    def _place_failed(self, failure: Failure) -> Iterator[Request]:
        if request := self._next_place(failure.request.meta):  # type: ignore[attr-defined]
            yield request

    def _next_place(self, meta: dict[str, Any]) -> Request | None:
        if meta["places"]:
            return self._place_request(meta["places"], meta["site"])
        self.extension.count("sites/without_feed")
        logger.warning("No feed found for %r", meta["site"])
        return None

    async def _article_requests(self, response: Response, feed: Feed | None) -> AsyncIterator[Request]:
        """The pages of new entries, and of those that earlier crawls began and did not end."""
        url, ledger, tasks = response.meta[FEED], self.extension.forest.ledger, []
        if feed:
            tasks = await ledger.take_up(url, feed.entries)
            await self._save_state(url, response, feed)
        origin = {FEED: url, SERVED: response.url, LANGUAGE: feed.language if feed else None}
        for task in [*tasks, *await ledger.take_up_unfinished(url)]:
            if request := self.article_request(task, origin):
                yield request

    async def _read(self, response: Response, *, is_guess: bool = False) -> Feed | None:
        """The feed of a response; None for what is none, which is told unless it was only a guess."""
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1") or None
        try:
            feed = await self.extension.forest.read_feed(response.url, response.body, content_type)
        except WorkerError as error:
            self.extension.count("feeds/failed/unreadable")
            logger.warning("Cannot read the feed at %r: %s", response.url, error)
            return None
        is_none = bool(NO_FEED.intersection(feed.problems))
        if not (is_guess and is_none):
            for problem in feed.problems:
                self.extension.count(f"feeds/{problem}")
        if is_none and not is_guess:
            problems = ", ".join(feed.problems)
            logger.warning("Not a feed (%s): %r; -a sites=URL finds the feeds of a page", problems, response.url)
        return None if is_none else feed

    async def _state(self, url: str) -> FeedState:
        return await self.extension.forest.store.call("feed_state", url) or FeedState(url)

    async def _save_state(self, url: str, response: Response, feed: Feed) -> None:
        headers = response.headers
        state = FeedState(
            url=url,
            final_url=response.url,
            etag=(headers.get("ETag") or b"").decode("latin-1") or None,
            last_modified=(headers.get("Last-Modified") or b"").decode("latin-1") or None,
            title=feed.title,
            checked=now(),
        )
        await self._write(state)

    async def _note_answer(self, url: str, *, is_gone: bool = False) -> None:
        """Count the answers in a row that a feed is gone."""
        state = await self._state(url)
        failures = state.failures + 1 if is_gone else 0
        await self._write(replace(state, failures=failures, retired=failures >= RETIRED_AFTER, checked=now()))

    async def _write(self, state: FeedState) -> None:
        await self.extension.forest.store.write("save_feed_state", state)


def _is_conditional(response: Response) -> bool:
    """Whether we asked if the feed has changed."""
    return response.request is not None and any(name in response.request.headers for name in CONDITIONS)
