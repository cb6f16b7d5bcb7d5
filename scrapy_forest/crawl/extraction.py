"""From an offer to an article: learn the wrapper of a template once, then apply it.

Light pages are handled where they are, which takes a few milliseconds; whatever may take long, or not end at all, runs
in a worker process.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Final

from scrapy_forest.crawl.buffer import SampleBuffer
from scrapy_forest.crawl.groups import Batch, Group, Groups
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.errors import ForestError, InvalidTemplate, InvalidWrapper, NoArticle, StoreError
from scrapy_forest.induction.divide import Learned
from scrapy_forest.induction.templates import Signature, Template, signature_of
from scrapy_forest.model.agreement import agreement, coverage
from scrapy_forest.model.article import Article, extract, from_entry
from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.page import Page
from scrapy_forest.model.wrapper import Wrapper
from scrapy_forest.store.thread import StoreThread
from scrapy_forest.store.values import StoredSample, StoredTemplate
from scrapy_forest.workers.pool import WorkerPool

SMALL: Final = 60_000  # bytes, in which there is no room for so many tags
AT_ONCE: Final = 4  # templates that are learned at a time: as many as there are workers at most
MOST_TAGS: Final = 20_000  # in a quarter of a second; real pages have some 2,000
MIN_SAMPLES: Final = 2  # one page cannot tell template from content
WALLED: Final = 0.5  # a page with less than this share of the feed's full text hides the rest

SINGLE_PAGE: Final = "single-page"  # the only page of its template so far: nothing to compare it with
NO_WRAPPER: Final = "no-wrapper"  # its template could not be learned, so it was taken by itself
WRAPPER_MISSED: Final = "wrapper-missed"  # its template's wrapper finds nothing on it, so it was taken by itself
FROM_FEED: Final = "from-feed"  # the page is walled or gone; the feed has the full text

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """How wrappers are learned and applied."""

    method: str
    samples: int  # pages to learn from, at most
    keep_samples: int  # of them in the store
    induce_seconds: float
    inline_bytes: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """What became of an offer: the article, by which wrapper, and what is to be known about it."""

    article: Article
    wrapper: Wrapper | None
    agreement: float | None  # share of the entry's summary that stands in the body
    flags: tuple[str, ...] = ()


class Extractor:
    """Learns and applies the wrappers of a crawl."""

    def __init__(
        self,
        options: ExtractionOptions,
        *,
        workers: WorkerPool,
        store: StoreThread,
        buffer: SampleBuffer,
        groups: Groups,
        count: Callable[[str], None],
        on_learned: Callable[[Group], None],
    ) -> None:
        self._options = options
        self._workers = workers
        self._store = store
        self._buffer = buffer
        self._groups = groups
        self._count = count
        self._on_learned = on_learned
        self._turn = asyncio.Lock()
        self._learning = asyncio.Semaphore(AT_ONCE)

    def is_light(self, body: bytes) -> bool:
        """Whether a page can be handled between two downloads; what hangs a parser is refused before parsing."""
        size = len(body)
        return size <= self._options.inline_bytes and (size < SMALL or body.count(b"<") <= MOST_TAGS)

    async def known_groups(self, host: str) -> list[Group]:
        """The templates of a host from earlier crawls, with their wrappers; none if the store cannot tell."""
        try:
            return await self._known_groups(host)
        except StoreError as error:
            logger.error("What was learned of %r cannot be read, and will be learned anew: %s", host, error)
            return []

    async def _known_groups(self, host: str) -> list[Group]:
        wrappers = {each.template: each for each in await self._store.call("wrappers", host)}
        groups = []
        for stored in await self._store.call("templates", host):
            try:
                template = Template(Signature.from_json(stored.signature), stored.pages)
                known = wrappers.get(stored.name)
                wrapper = replace(Wrapper.from_json(known.wrapper), version=known.version) if known else None
            except (InvalidTemplate, InvalidWrapper) as error:
                logger.warning("A template of %r in the store is damaged, and will be learned anew: %s", host, error)
                continue
            samples = 0 if wrapper else len(await self._store.call("samples", host, stored.name))
            groups.append(Group(host, stored.name, template, wrapper, samples=samples))
        return groups

    async def examine(self, document: Document) -> tuple[Page | None, Signature]:
        """The page, if it is light, and its signature; raises PageError or WorkerError."""
        if self.is_light(document.body):
            page = document.page()
            return page, signature_of(page)
        answer, _ = await self._workers.run("examine", document.label(), [document.body])
        return None, Signature.from_json(answer["signature"])

    def learn(self, batch: Batch) -> asyncio.Task[None]:
        """The one induction that all offers of a batch wait for; begun when first asked for."""
        if batch.induction is None:
            batch.induction = asyncio.get_running_loop().create_task(self._induce(batch))
        return batch.induction

    async def extract(self, offer: Offer) -> Extraction:
        """The article of an offer; raises ForestError where there is none."""
        if offer.full is not None:
            return Extraction(offer.full, None, None, (FROM_FEED,))
        if offer.group is None:
            raise NoArticle(offer.url)
        if offer.batch:
            await asyncio.shield(self.learn(offer.batch))
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
        if page is None:
            document = await self._document(offer)
            if not self.is_light(document.body):
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

    async def _induce(self, batch: Batch) -> None:
        """Give a group its wrapper, from the pages that it held and those that the store has."""
        group = batch.group
        if group.wrapper is not None:
            return
        try:
            async with self._learning:  # the pages of all templates that are to be learned would fill the memory
                documents = await self._samples(batch)
                learned = await self._learn(documents)
            await self._settle_groups(batch, documents, learned)
        except ForestError as error:
            self._count("wrappers/failed")
            logger.warning("No wrapper for %s of %r: %s", group.name, group.host, error)
        finally:
            group.is_inducing = False
            self._on_learned(group)

    async def _settle_groups(self, batch: Batch, documents: Sequence[Document], learned: Sequence[Learned]) -> None:
        """Keep what was learned, for each template that the pages turned out to be of."""
        groups = [batch.group]
        if len(learned) > 1:
            # Pages of earlier crawls come after those of the batch, and shape no template.
            parts = [[batch.offers[n] for n in each.members if n < len(batch.offers)] for each in learned]
            if all(parts):
                groups = self._groups.divide(batch, parts)
            else:  # one of them is of earlier crawls only: take that of these pages
                learned = [learned[parts.index(max(parts, key=len))]]
        for group, each in zip(groups, learned, strict=True):
            own = [documents[n] for n in each.members]
            if each.wrapper.evidence["samples"] < MIN_SAMPLES:
                batch.alone = replace(each.wrapper, version=0)
                await self._remember(group, own)
            else:
                group.wrapper = replace(each.wrapper, version=await self._remember(group, own, each.wrapper))
                self._count("wrappers/induced")

    async def _samples(self, batch: Batch) -> list[Document]:
        group = batch.group
        stored = await self._store.call("samples", group.host, group.name) if group.samples else []
        earlier = [_restored(sample) for sample in stored]
        tickets = [offer.ticket for offer in batch.offers if offer.ticket][: self._options.samples]
        held = [await self._buffer.get(ticket) for ticket in tickets if ticket in self._buffer]
        urls = {document.url for document in held}
        return [*held, *(each for each in earlier if each.url not in urls)][: self._options.samples]

    async def _learn(self, documents: Sequence[Document]) -> list[Learned]:
        header = {"method": self._options.method, "documents": [document.label() for document in documents]}
        bodies = [document.body for document in documents]
        answer, _ = await self._workers.run("learn", header, bodies, time_limit=self._options.induce_seconds)
        return [Learned(Wrapper.from_json(each["wrapper"]), tuple(each["members"])) for each in answer["learned"]]

    async def _remember(self, group: Group, documents: Sequence[Document], wrapper: Wrapper | None = None) -> int:
        """Keep what was learned for later crawls; gives the wrapper's version.  A broken store ends no crawl."""
        now = datetime.now(timezone.utc)
        template = StoredTemplate(group.host, group.name, group.template.signature.to_json(), group.template.count, now)
        samples = [_stored(group, document, now) for document in documents[: self._options.keep_samples]]
        await self._store.write("save_template", template)
        await self._store.write("save_samples", samples, self._options.keep_samples)
        if wrapper is None:
            group.samples = len(samples)
            return 0
        try:
            return int(await self._store.call("save_wrapper", group.host, group.name, wrapper.to_json()))
        except StoreError as error:
            logger.error("The wrapper of %r was not stored: %s", group.host, error)
            return 1


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


def _restored(sample: StoredSample) -> Document:
    entry = FeedEntry.from_dict(json.loads(sample.entry)) if sample.entry else None
    return Document(sample.url, sample.body, sample.content_type, entry=entry)


def _stored(group: Group, document: Document, now: datetime) -> StoredSample:
    entry = json.dumps(document.entry.to_dict(), ensure_ascii=False) if document.entry else None
    return StoredSample(group.host, group.name, document.url, document.body, document.content_type, entry, now)
