"""From the pages of a group to the wrapper of its template, learned once and kept in the store."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Final

from scrapy_forest.crawl.buffer import SampleBuffer
from scrapy_forest.crawl.entitlement import is_entitled
from scrapy_forest.crawl.groups import MIN_SAMPLES, OWN, Batch, Group, Groups
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.errors import ForestError, InvalidTemplate, InvalidWrapper, StoreError
from scrapy_forest.induction.divide import Learned
from scrapy_forest.induction.templates import Signature, Template
from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.wrapper import Wrapper
from scrapy_forest.store.thread import StoreThread
from scrapy_forest.store.values import StoredSample, StoredTemplate, StoredWrapper
from scrapy_forest.workers.pool import WorkerPool

AT_ONCE: Final = 4  # templates that are learned at a time: as many as there are workers at most

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """How wrappers are learned."""

    method: str
    samples: int  # pages to learn from, at most
    keep_samples: int  # of them in the store
    seconds: float  # for one template


@dataclass(frozen=True, slots=True)
class Lesson:
    """A page to learn from; the offer is that of a page of this crawl."""

    document: Document
    offer: Offer | None = None

    @property
    def is_own(self) -> bool:
        """Whether it is entitled to teach."""
        return is_entitled(self.document.feed, self.document.url)


class Learner:
    """Learns the templates of a crawl, and knows those of earlier ones."""

    def __init__(
        self,
        options: LearningOptions,
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
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def known_groups(self, host: str) -> list[Group]:
        """The templates of a host from earlier crawls, with their wrappers; none if the store cannot tell."""
        try:
            wrappers = {each.template: each for each in await self._store.call("wrappers", host)}
            templates = await self._store.call("templates", host)
            found = [await self._known_group(stored, wrappers.get(stored.name)) for stored in templates]
        except StoreError as error:
            logger.error("What was learned of %r cannot be read, and will be learned anew: %s", host, error)
            return []
        return [group for group in found if group]

    async def _known_group(self, stored: StoredTemplate, known: StoredWrapper | None) -> Group | None:
        try:
            template = Template(Signature.from_json(stored.signature), stored.pages)
            wrapper = replace(Wrapper.from_json(known.wrapper), version=known.version) if known else None
        except (InvalidTemplate, InvalidWrapper) as error:
            told = "A template of %r in the store is damaged, and will be learned anew: %s"
            logger.warning(told, stored.host, error)
            return None
        group = Group(stored.host, stored.name, template, wrapper, is_pinned=bool(known and known.pinned))
        if not group.is_taught:
            lessons = await self._stored_lessons(group)
            own = sum(lesson.is_own for lesson in lessons)
            group.samples = own if wrapper else len(lessons)
            group.is_foreign = not own
        return group

    def learn(self, batch: Batch) -> asyncio.Task[None]:
        """The one induction that all offers of a batch wait for; begun when first asked for."""
        if batch.induction is None:
            batch.induction = asyncio.get_running_loop().create_task(self._induce(batch))
        return batch.induction

    async def _induce(self, batch: Batch) -> None:
        """Give a group its wrapper, from the pages that it held and those that the store has."""
        group = batch.group
        if group.is_taught:
            return
        try:
            async with self._turns:  # the pages of all templates that are to be learned would fill the memory
                lessons = await self._lessons(batch)
                if group.wrapper is not None and len(lessons) < MIN_SAMPLES:  # what it has is better than nothing new
                    await self._remember(group, [lesson.document for lesson in lessons])
                    return
                learned = await self._learn([lesson.document for lesson in lessons])
            await self._settle_groups(batch, lessons, learned)
        except ForestError as error:
            self._count("wrappers/failed")
            logger.warning("No wrapper for %s of %r: %s", group.name, group.host, error)
        finally:
            group.is_inducing = False
            self._on_learned(group)

    async def _lessons(self, batch: Batch) -> list[Lesson]:
        """What to learn from: pages that are entitled to teach, and others only as long as there is nothing else."""
        offers = sorted(batch.offers, key=lambda offer: not offer.is_entitled)
        held = [offer for offer in offers if offer.ticket and offer.ticket in self._buffer][: self._options.samples]
        lessons = [Lesson(await self._buffer.get(offer.ticket), offer) for offer in held if offer.ticket]
        if batch.group.samples:
            urls = {lesson.document.url for lesson in lessons}
            lessons += [each for each in await self._stored_lessons(batch.group) if each.document.url not in urls]
        own = [lesson for lesson in lessons if lesson.is_own]
        is_enough = batch.group.wrapper is not None or len(own) >= MIN_SAMPLES
        return (own if is_enough else lessons)[: self._options.samples]

    async def _stored_lessons(self, group: Group) -> list[Lesson]:
        return [Lesson(_restored(sample)) for sample in await self._store.call("samples", group.host, group.name)]

    async def _learn(self, documents: Sequence[Document]) -> list[Learned]:
        header = {"method": self._options.method, "documents": [document.label() for document in documents]}
        bodies = [document.body for document in documents]
        answer, _ = await self._workers.run("learn", header, bodies, time_limit=self._options.seconds)
        return [Learned(Wrapper.from_json(each["wrapper"]), tuple(each["members"])) for each in answer["learned"]]

    async def _settle_groups(self, batch: Batch, lessons: Sequence[Lesson], learned: Sequence[Learned]) -> None:
        """Keep what was learned, for each template that the pages turned out to be of."""
        groups = [batch.group]
        if len(learned) > 1:
            # Pages of earlier crawls shape no template.
            parts = [[offer for n in each.members if (offer := lessons[n].offer)] for each in learned]
            if all(parts):
                groups = self._groups.divide(batch, parts)
            else:  # one of them is of earlier crawls only: take that of these pages
                learned = [learned[parts.index(max(parts, key=len))]]
        for group, each in zip(groups, learned, strict=True):
            await self._settle_group(batch, group, [lessons[n] for n in each.members], each.wrapper)

    async def _settle_group(self, batch: Batch, group: Group, lessons: Sequence[Lesson], wrapper: Wrapper) -> None:
        documents = [lesson.document for lesson in lessons]
        if wrapper.evidence["samples"] < MIN_SAMPLES:
            batch.alone = replace(wrapper, version=0)
            await self._remember(group, documents)
            return
        own = sum(lesson.is_own for lesson in lessons)
        wrapper = replace(wrapper, evidence={**wrapper.evidence, OWN: own})
        group.wrapper = replace(wrapper, version=await self._remember(group, documents, wrapper))
        self._count("wrappers/induced")

    async def _remember(self, group: Group, documents: Sequence[Document], wrapper: Wrapper | None = None) -> int:
        """Keep what was learned for later crawls; gives the wrapper's version.  A broken store ends no crawl."""
        now = datetime.now(timezone.utc)
        template = StoredTemplate(group.host, group.name, group.template.signature.to_json(), group.template.count, now)
        samples = [_stored(group, document, now) for document in documents[: self._options.keep_samples]]
        await self._store.write("save_template", template)
        version = await self._save_wrapper(group, wrapper) if wrapper else 0
        await self._store.write("save_samples", samples, self._options.keep_samples)  # last: they can be done without
        if wrapper is None:
            group.samples = len(samples)
        return version

    async def _save_wrapper(self, group: Group, wrapper: Wrapper) -> int:
        try:
            return int(await self._store.call("save_wrapper", group.host, group.name, wrapper.to_json()))
        except StoreError as error:
            logger.error("The wrapper of %r was not stored: %s", group.host, error)
            return 1


def _restored(sample: StoredSample) -> Document:
    entry = FeedEntry.from_json(sample.entry) if sample.entry else None
    return Document(sample.url, sample.body, sample.content_type, entry=entry, feed=sample.feed)


def _stored(group: Group, document: Document, now: datetime) -> StoredSample:
    entry = json.dumps(document.entry.to_dict(), ensure_ascii=False) if document.entry else None
    body, content_type = document.body, document.content_type
    return StoredSample(group.host, group.name, document.url, body, content_type, entry, now, document.feed)
