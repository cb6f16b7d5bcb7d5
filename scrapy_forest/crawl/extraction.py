"""From an offer to an article, by the wrapper of its template once that is learned.

Light pages are handled where they are, which takes a few milliseconds; whatever may take long, or not end at all, runs
in a worker process.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Final

from scrapy_forest.crawl.buffer import SampleBuffer
from scrapy_forest.crawl.groups import Groups
from scrapy_forest.crawl.learning import Learner
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.errors import NoArticle
from scrapy_forest.induction.templates import Signature, signature_of
from scrapy_forest.model.agreement import agreement, coverage
from scrapy_forest.model.article import Article, extract, from_entry
from scrapy_forest.model.canonical import canonical_link
from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.markup import is_crowded
from scrapy_forest.model.page import Page
from scrapy_forest.model.wrapper import Wrapper
from scrapy_forest.workers.pool import WorkerPool

SMALL: Final = 60_000  # bytes, in which there is no room for so many tags
MOST_TAGS: Final = 20_000  # in a quarter of a second; real pages have some 2,000
WALLED: Final = 0.5  # a page with less than this share of the feed's full text hides the rest

SINGLE_PAGE: Final = "single-page"  # the only page of its template so far: nothing to compare it with
NO_WRAPPER: Final = "no-wrapper"  # its template could not be learned, so it was taken by itself
WRAPPER_MISSED: Final = "wrapper-missed"  # its template's wrapper finds nothing on it, so it was taken by itself
FROM_FEED: Final = "from-feed"  # the page is walled or gone; the feed has the full text


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """How wrappers are applied."""

    method: str  # for pages that are taken by themselves
    inline_bytes: int  # up to this size a page is handled on the event loop


@dataclass(frozen=True, slots=True)
class Extraction:
    """What became of an offer: the article, by which wrapper, and what is to be known about it."""

    article: Article
    wrapper: Wrapper | None
    agreement: float | None  # share of the entry's summary that stands in the body
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Examined:
    """A page that was looked at: parsed, if it is light."""

    page: Page | None
    signature: Signature
    canonical: str | None  # what it says its address is


class Extractor:
    """Applies the wrappers of a crawl."""

    def __init__(
        self, options: ExtractionOptions, *, workers: WorkerPool, buffer: SampleBuffer, groups: Groups, learner: Learner
    ) -> None:
        self._options = options
        self._workers = workers
        self._buffer = buffer
        self._groups = groups
        self._learner = learner
        self._turn = asyncio.Lock()

    def is_light(self, body: bytes) -> bool:
        """Whether a page can be handled between two downloads; what hangs a parser is refused before parsing."""
        size = len(body)
        return size <= self._options.inline_bytes and (
            size < SMALL or (body.count(b"<") <= MOST_TAGS and not is_crowded(body))
        )

    async def examine(self, document: Document) -> Examined:
        """What there is to know of a page before it is extracted; raises PageError or WorkerError."""
        if self.is_light(document.body):
            page = document.page()
            return Examined(page, signature_of(page), canonical_link(page))
        answer, _ = await self._workers.run("examine", document.label(), [document.body])
        return Examined(None, Signature.from_json(answer["signature"]), answer["canonical"])

    async def extract(self, offer: Offer) -> Extraction:
        """The article of an offer; raises ForestError where there is none."""
        if offer.full is not None:
            return Extraction(offer.full, None, None, (FROM_FEED,))
        if offer.group is None:
            raise NoArticle(offer.url)
        if offer.batch:
            await asyncio.shield(self._learner.learn(offer.batch))
        wrapper, flags = offer.group.wrapper, []
        if wrapper is None:
            wrapper = offer.batch.alone if offer.batch else None
            flags = [SINGLE_PAGE if wrapper else NO_WRAPPER]
        article = await self._apply(wrapper, offer) if wrapper else None
        if article is None and offer.group.wrapper:
            article, wrapper = await self._apply_siblings(offer)
        if article is None:
            flags = flags or [WRAPPER_MISSED]
            article, wrapper = await self._extract_alone(offer)
        return _settle(Extraction(article, wrapper, None, tuple(flags)), offer.entry)

    async def _apply(self, wrapper: Wrapper, offer: Offer) -> Article | None:
        page = offer.page
        if page is None or not wrapper.is_quick:
            document = await self._document(offer)
            if not (self.is_light(document.body) and wrapper.is_quick):
                header = {**document.label(), "wrapper": wrapper.to_json()}
                answer, _ = await self._workers.run("extract", header, [document.body])
                return Article.from_dict(answer["article"]) if answer["article"] else None
            async with self._turn:  # released pages come many at a time, and downloads want their turn as well
                await asyncio.sleep(0)
                offer.page = page = document.page()
                return extract(wrapper, page, offer.entry)
        return extract(wrapper, page, offer.entry)

    async def _apply_siblings(self, offer: Offer) -> tuple[Article | None, Wrapper | None]:
        """By another template of the host: those in one frame look so alike that a page is easily misplaced."""
        if offer.group is None or offer.page is None:  # a heavy page would cost a worker's time for each
            return None, None
        for group in self._groups.of_host(offer.group.host):
            if group.wrapper and group is not offer.group and (article := await self._apply(group.wrapper, offer)):
                offer.group = group
                return article, group.wrapper
        return None, None

    async def _extract_alone(self, offer: Offer) -> tuple[Article, Wrapper]:
        """From a page by itself, with a wrapper made for it alone."""
        document = await self._document(offer)
        header = {**document.label(), "method": self._options.method}
        answer, _ = await self._workers.run("extract_alone", header, [document.body])
        return Article.from_dict(answer["article"]), replace(Wrapper.from_json(answer["wrapper"]), version=0)

    async def _document(self, offer: Offer) -> Document:
        if offer.document is not None:
            return offer.document
        if offer.ticket is None:
            raise RuntimeError(f"an offer without its page: {offer.url!r}")
        return await self._buffer.get(offer.ticket)


def _settle(extraction: Extraction, entry: FeedEntry | None) -> Extraction:
    """Compare with the feed: a page that hides most of what the feed has in full is walled."""
    if entry is None:
        return extraction
    article = extraction.article
    if entry.content and (full := from_entry(entry, article.url)) and len(full.text) > len(article.text):
        shown = coverage(full.text, article.text)
        if shown is not None and shown < WALLED:
            return Extraction(full, None, None, (*extraction.flags, FROM_FEED))
    return replace(extraction, agreement=agreement(entry.summary, article.text, article.language))
