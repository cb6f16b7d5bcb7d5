"""The heart of a crawl: pages come in, wait for their template if they must, and go out as articles.

It knows no Scrapy.  Whoever runs the crawl gives it pages (:meth:`Forest.receive`), is told which pages may go on
(``release``), and asks for their articles (:meth:`Forest.extract`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import monotonic
from typing import Final

from scrapy_forest.crawl.buffer import SampleBuffer, Ticket
from scrapy_forest.crawl.endings import OUT_OF_MEMORY, ending_of
from scrapy_forest.crawl.entitlement import is_entitled, is_own_address
from scrapy_forest.crawl.extraction import Extraction, Extractor
from scrapy_forest.crawl.groups import Batch, Group, Groups, host_of
from scrapy_forest.crawl.job import lock_job
from scrapy_forest.crawl.learning import Learner
from scrapy_forest.crawl.ledger import Ledger, entry_key
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.crawl.options import CrawlOptions
from scrapy_forest.crawl.outbox import Outbox
from scrapy_forest.crawl.sinks import Line
from scrapy_forest.errors import (
    EmptyPage,
    ForestError,
    PageError,
    PageTooBig,
    PageTooDeep,
    PoolClosed,
    StoreDamaged,
    TagTooLarge,
    TaskFailed,
    WorkerDied,
    WorkerTimeout,
)
from scrapy_forest.model.article import from_entry
from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import Feed
from scrapy_forest.store.connection import Connection
from scrapy_forest.store.mending import mark_damaged, open_sound_store
from scrapy_forest.store.thread import StoreThread
from scrapy_forest.store.values import Receipt
from scrapy_forest.workers.pool import WorkerPool

logger = logging.getLogger(__name__)

# Pages that are no use to anybody are skipped; where we failed, it is an error, and a later crawl tries again.
SKIPS: Final[dict[type[ForestError], str]] = {
    EmptyPage: "empty_page",
    PageTooBig: "too_big",
    PageTooDeep: "too_deep",
    TagTooLarge: "tag_too_large",
}
ERRORS: Final[dict[type[ForestError], str]] = {WorkerTimeout: "page_timeout", WorkerDied: "page_crash"}
NO_ARTICLE: Final = "no_article"
AT_ONCE: Final = 32  # templates whose pages are let go together
END_SECONDS: Final = 1.0  # for workers to end a task that nobody waits for any more


class Forest:
    """One crawl."""

    def __init__(
        self,
        options: CrawlOptions,
        *,
        count: Callable[[str], None],
        release: Callable[[Batch], None],
        stop: Callable[[str], None],
    ) -> None:
        self._options = options
        self._release = release
        self._stop = stop
        self.store = StoreThread(partial(open_sound_store, options.store), on_error=self.is_ending)
        self._workers = WorkerPool(options.workers)
        self._lock: Connection | None = None  # on the job
        self._outbox: Outbox | None = None
        self._is_open = False
        self._is_ending = False  # as going on would be no use
        self.buffer = SampleBuffer(options.buffer_bytes, options.store.parent)
        self.groups = Groups(options.learning.samples)
        self.ledger = Ledger(self.store, count, options.ledger)
        self._learner = Learner(
            options.learning,
            workers=self._workers,
            store=self.store,
            buffer=self.buffer,
            groups=self.groups,
            count=count,
            on_learned=self._release_learned,
        )
        self._extractor = Extractor(
            options.extraction,
            workers=self._workers,
            buffer=self.buffer,
            groups=self.groups,
            learner=self._learner,
        )

    async def open(self, job: str | None = None) -> None:
        """Open the store; raises :class:`StoreError`.

        A crawl that uses the ledger has a ``job``, which no other crawl may have at the same time, and finishes what an
        earlier one was killed in; raises :class:`JobBusy` or :class:`ExportError`.
        """
        self._lock = lock_job(self._options.store, job) if job else None
        try:
            await self.store.open()
            self._is_open = True
            if job:
                self._outbox = Outbox(self.store, job)
                await self._outbox.settle()
        except BaseException:
            self._unlock()
            raise

    async def close(self) -> None:
        """Write everything, end everything; what is not done by now is left to the next crawl."""
        if not self._is_open:
            return
        self._is_open = False
        try:
            await self.ledger.close()
            await self.store.write("apply_retention", self._options.retention)
            await self._workers.close(END_SECONDS)
        finally:
            await self.store.close()
            self._unlock()
            self.buffer.close()

    def _unlock(self) -> None:
        if self._lock:
            self._lock.close()
            self._lock = None

    def is_ending(self, error: BaseException | None) -> bool:
        """Whether an error ends the crawl, which it does then; what it met stays open, for the next one."""
        reason = ending_of(error)
        if reason is None:
            return False
        if not self._is_ending:
            self._is_ending = True
            if isinstance(error, StoreDamaged):
                mark_damaged(self._options.store)
            logger.error("The crawl cannot go on: %s", error or repr(error))
            self._stop(reason)
        if reason == OUT_OF_MEMORY:
            self._shed()
        return True

    def _shed(self) -> None:
        """Make room: pages that wait are given up, and fetched again by the next crawl."""
        for offer in self.groups.drop():
            self.forget(offer)

    async def read_feed(self, url: str, body: bytes, content_type: str | None) -> Feed:
        """Read a feed in a worker; raises :class:`WorkerError`."""
        answer, _ = await self._workers.run("read_feed", {"url": url, "content_type": content_type}, [body])
        return Feed.from_dict(answer["feed"])

    async def knows(self, url: str) -> bool:
        """Whether the templates of a page's host are known, so that the page need not wait."""
        host = host_of(url)
        await self._look_up(host)
        return self.groups.is_settled(host)

    async def keep(self, document: Document) -> Ticket:
        """Put a page into the buffer."""
        return await self.buffer.put(host_of(document.url), document)

    async def receive(self, offer: Offer, document: Document, ticket: Ticket | None = None) -> bool:
        """Whether an offer may go on now; if not, it waits and is released later, or it has ended."""
        try:
            return await self._place(offer, document, ticket)
        finally:
            if offer.ticket is None and ticket is not None:
                self.buffer.drop(ticket)
            self.arrive(offer.key)

    def arrive(self, key: str) -> None:
        """The page of an entry has come, or will not come: groups that waited for it may be complete."""
        if self.ledger.arrive(key):
            self._release_all(self.groups.release_exhausted(self.ledger.in_work))

    def end(self, offer: Offer, reason: str, *, is_error: bool) -> bool:
        """End an offer without its page; true if it may go on nevertheless, because the feed has the full text."""
        offer.full = from_entry(offer.entry, offer.url) if offer.entry and offer.entry.content else None
        if offer.full is not None:
            return True
        (self.ledger.fail if is_error else self.ledger.skip)(offer.key, reason)
        return False

    async def extract(self, offer: Offer) -> Extraction | None:
        """The article of an offer; None if there is none, which ends the offer."""
        try:
            extraction: Extraction | None = await self._extractor.extract(offer)
        except PoolClosed:
            raise
        except ForestError as error:
            logger.warning("No article on %r: %s", offer.url, error)
            can_go_on = self.end(offer, ERRORS.get(type(error), NO_ARTICLE), is_error=True)
            extraction = await self._extractor.extract(offer) if can_go_on else None
        self.forget(offer)  # not when it is cancelled: an induction may still need the page
        return extraction

    async def finish(self, key: str, lines: Sequence[Line]) -> None:
        """An offer has become an item: write its lines, and then call it done."""
        if self._is_ending:
            _leave(lines)
            return
        receipts: list[Receipt] = []
        try:
            if self._outbox and self.ledger.is_entry(key):
                receipts = await self._outbox.send(key, lines)
            else:
                for line in lines:
                    line.write()
        except Exception as error:  # noqa: BLE001 - whatever it is, the books must balance
            if self.is_ending(error):
                _leave(lines)
            else:
                self.refuse(key, lines, error)
        else:
            self.ledger.finish(key, receipts)

    def refuse(self, key: str, lines: Iterable[Line], error: Exception | None = None) -> None:
        """An item could not be exported: write nothing more of it, a later crawl tries again."""
        if self._is_ending:
            _leave(lines)
            return
        logger.error("Not exported, a later crawl tries again: %r", key, exc_info=error)
        _leave(lines)
        self.ledger.fail(key, "export")

    def forget(self, offer: Offer) -> None:
        """Drop the page of an offer that has ended."""
        if offer.ticket is not None:
            self.buffer.drop(offer.ticket)
        offer.let_go()

    def release_overdue(self) -> None:
        """Let go of pages that have waited for too long."""
        self._release_all(self.groups.release_overdue(monotonic(), self._options.hold_seconds))

    def release_some(self) -> None:
        """Let go of pages that wait, of a few templates: thousands at a time would hold up the event loop."""
        self._release_all(self.groups.release_first(AT_ONCE))

    async def _place(self, offer: Offer, document: Document, ticket: Ticket | None) -> bool:
        try:
            examined = await self._extractor.examine(document)
        except ForestError as error:
            reason, is_error = _reason(error)
            return self.end(offer, reason, is_error=is_error)
        if await self.ledger.is_duplicate(offer.key, _address(document.url, examined.canonical)):
            return False
        host = host_of(document.url)
        await self._look_up(host)
        offer.signature = examined.signature
        offer.is_entitled = is_entitled(document.feed, document.url)
        offer.group = group = self.groups.place(host, offer.signature, is_entitled=offer.is_entitled)
        if group.serves(offer):
            offer.document, offer.page = document, examined.page
            return True
        offer.ticket = ticket or await self.buffer.put(host, document)
        self._release_all(self.groups.hold(group, offer, monotonic()))
        return False

    async def _look_up(self, host: str) -> None:
        if not self.groups.has_host(host):
            self.groups.set_host(host, await self._learner.known_groups(host))

    def _release_learned(self, group: Group) -> None:
        """Pages that came while their template was being learned, or while that failed."""
        if group.held and (group.wrapper is not None or self.groups.is_ready(group)):
            self._release_all(self.groups.release(group))
        self._release_all(self.groups.release_exhausted(self.ledger.in_work))

    def _release_all(self, batches: Iterable[Batch]) -> None:
        for batch in batches:
            if self._is_open:
                self._learner.learn(batch)  # now, and not when a pipeline asks: one before ours may drop them all
                self._release(batch)


def _leave(lines: Iterable[Line]) -> None:
    """Nobody writes these lines any more."""
    for line in lines:
        line.is_dropped = True


def _address(url: str, canonical: str | None) -> str | None:
    """What the page at a URL says its address is, as the key of an entry, if it may be believed."""
    return entry_key(canonical) if canonical and is_own_address(url, canonical) else None


def _reason(error: ForestError) -> tuple[str, bool]:
    """Why a page cannot be used, and whether that is an error."""
    if isinstance(error, PageError):
        return SKIPS.get(type(error), "unreadable"), False
    if isinstance(error, TaskFailed):  # a page error from a worker
        named = {kind.__name__: reason for kind, reason in SKIPS.items()}
        if error.kind in named:
            return named[error.kind], False
    return ERRORS.get(type(error), "page_crash"), True
