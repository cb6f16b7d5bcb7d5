"""Takes hostile inputs the way a crawl does: the same forest, the same workers, one event loop that is watched.

Each page comes among healthy pages of its template, from one feed of its own host.  All are taken up by the ledger,
sorted, learned from and extracted; then the page comes once more, when its template is known.  Whatever the page is,
the healthy ones must all become articles.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from time import monotonic, thread_time
from typing import Final

from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import Settings

from hostile.feeds import GOOD, LAST, rss
from hostile.inputs import APPLIED, HOSTILE, LATE, READ, REFUSED, SUBJECTS, TOO_LARGE, Input, Outcome, fault_of, page
from scrapy_forest import errors
from scrapy_forest.configuration import LIMITS
from scrapy_forest.crawl.forest import Forest
from scrapy_forest.crawl.groups import Batch
from scrapy_forest.crawl.ledger import Ledger, LedgerOptions, Task
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.errors import InvalidWrapper, TaskFailed, WorkerTimeout
from scrapy_forest.exporters import mended
from scrapy_forest.items import ArticleItem
from scrapy_forest.model.article import extract
from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.wrapper import Wrapper
from scrapy_forest.network.addresses import Permits, check_url
from scrapy_forest.responses import is_html, now
from scrapy_forest.settings import ForestSettings

TICK: Final = 0.005  # seconds between two looks at the clock
RAISED: Final = "raised"
SPOILED: Final = "spoiled"  # a healthy page has got no article, or not its own
FOLLOWED: Final = "followed"
FEED: Final = "https://example.com/feed"
LARGE: Final = page(inside="<div><p class=a>word</p></div>" * 4_500)
OURS: Final = frozenset(errors.__all__)


class Watch:
    """By how much the event loop was late at worst, and the most CPU time that its thread took in between."""

    def __init__(self) -> None:
        self.stall = self.busy = 0.0

    async def run(self) -> None:
        while True:
            start, cpu = monotonic(), thread_time()
            await asyncio.sleep(TICK)
            self.stall = max(self.stall, monotonic() - start - TICK)
            self.busy = max(self.busy, thread_time() - cpu)


class Alarm(logging.Handler):
    """Hears of exceptions that nobody expected, wherever they were caught."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        told = record.args if isinstance(record.args, tuple) else ()
        strange = [each for each in told if isinstance(each, TaskFailed) and each.kind not in OURS]
        if strange or record.exc_info or record.levelno >= logging.ERROR:
            self.heard.append(record.getMessage())


@dataclass(frozen=True, slots=True)
class Report:
    """What became of an input, and how long the event loop was away for it."""

    word: str
    fault: str | None
    seconds: float
    stall: float
    busy: float


class Crawl:
    """One crawl that takes hostile inputs one after the other."""

    def __init__(self, directory: Path) -> None:
        own = {"FOREST_STORE": str(directory / "forest.sqlite"), "FOREST_SAMPLES": len(SUBJECTS), "FOREST_WORKERS": 1}
        self.counts: Counter[str] = Counter()
        self._alarm = Alarm()
        self._batches: list[Batch] = []
        self._hosts = 0
        options = ForestSettings.from_settings(Settings(own)).crawl
        self._forest = Forest(options, count=self._count, release=self._batches.append, stop=self._alarm.heard.append)

    def _count(self, name: str) -> None:
        self.counts[name] += 1

    async def open(self) -> None:
        """Begin, and let all that loads at first use be loaded."""
        logger = logging.getLogger("scrapy_forest")
        logger.addHandler(self._alarm)
        logger.propagate = False
        asyncio.get_running_loop().set_exception_handler(lambda _, context: self._alarm.heard.append(str(context)))
        await self._forest.open()
        healthy = Input("", "a healthy page", "page", "", bytes, ())
        for body in (page().encode(), page(inside="x" * 1_100_000).encode()):
            await self.take(healthy, body)
        await self._forest.read_feed(FEED, b"<rss><channel><item><title>a</title></item></channel></rss>", None)

    async def close(self) -> None:
        """End the workers."""
        await self._forest.close()

    async def take(self, item: Input, body: bytes) -> Report:
        """Handle one input, with an eye on the clock."""
        self.counts.clear()
        self._alarm.heard.clear()
        watch, start = Watch(), monotonic()
        watching = asyncio.create_task(watch.run())
        try:
            outcome = await getattr(self, f"_take_{item.kind}")(item, body)
        except Exception as error:  # noqa: BLE001 - exactly what must not happen, and is told
            outcome = Outcome(RAISED, repr(error)[:2_000])
        seconds = monotonic() - start
        await asyncio.sleep(2 * TICK)  # for a last look
        watching.cancel()
        if self._alarm.heard:
            outcome = Outcome(RAISED, "; ".join(self._alarm.heard)[:2_000])
        return Report(outcome.word, fault_of(item, outcome), seconds, watch.stall, watch.busy)

    async def _take_page(self, item: Input, body: bytes) -> Outcome:
        if len(body) > LIMITS["DOWNLOAD_MAXSIZE"] and not item.is_lifted:
            return Outcome(TOO_LARGE)  # Scrapy would not have taken it
        self._hosts += 1
        site = f"https://h{self._hosts}.example"
        samples = item.samples or page
        healthy = [_response(f"{site}/{number}", samples(number).encode()) for number in range(HOSTILE)]
        hostile = _response(f"{site}/{HOSTILE}", body, item.content_type)
        outcome = await self._take_together(f"{site}/feed", [*healthy, hostile])
        if outcome.word in LATE or fault_of(item, outcome):
            return outcome
        return await self._take_together(f"{site}/feed", [_response(f"{site}/again", body, item.content_type)])

    async def _take_together(self, feed: str, responses: Sequence[Response]) -> Outcome:
        """What becomes of the last of these pages, if all others become the articles that they are."""
        self.counts.clear()
        tasks = await self._forest.ledger.take_up(feed, list(map(_entry, responses)))
        offers = [await self._receive(task, feed, each) for task, each in zip(tasks, responses, strict=True)]
        ready, texts = [offer for offer, can_go_on in offers if can_go_on], dict[str, str]()
        while ready or self._batches:  # learning may let go of more
            released = [offer for batch in self._batches for offer in batch.offers]
            self._batches.clear()
            texts |= dict(await asyncio.gather(*map(self._extract, [*released, *ready])))
            ready = []
        *others, last = (offer for offer, _ in offers)
        for number, offer in enumerate(others):
            words = SUBJECTS[number].split()
            if not all(f"About the {word}" in texts.get(offer.key, "") for word in words):
                return Outcome(SPOILED, f"{offer.url}: {texts.get(offer.key)!r}, {dict(self.counts)}")
        if last.key in texts:
            return Outcome("article", texts[last.key])
        reasons = [name for name in self.counts if name.startswith(("skipped/", "errors/"))]
        return Outcome(reasons[0].partition("/")[2] if len(reasons) == 1 else RAISED, str(dict(self.counts)))

    async def _receive(self, task: Task, feed: str, response: Response) -> tuple[Offer, bool]:
        """As the middlewares do."""
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1") or None
        document = Document(response.url, response.body, content_type, None, task.entry, feed)
        offer = Offer(task.key, response.url, None, now(), feed, task.entry)
        offer.item = ArticleItem(url=response.url)
        if not is_html(response):
            can_go_on = self._forest.end(offer, "not_html", is_error=False)
            self._forest.arrive(task.key)
            return offer, can_go_on
        ticket = None if await self._forest.knows(response.url) else await self._forest.keep(document)
        return offer, await self._forest.receive(offer, document, ticket)

    async def _extract(self, offer: Offer) -> tuple[str, str]:
        """As the pipeline and the exporter do."""
        extraction = await self._forest.extract(offer)
        if extraction is None:
            return "", ""
        json.dumps(mended(extraction.article.to_dict()), ensure_ascii=False).encode()  # else it could not be written
        self._forest.ledger.finish(offer.key)
        return offer.key, extraction.article.text

    async def _take_feed(self, item: Input, body: bytes) -> Outcome:
        if len(body) > LIMITS["DOWNLOAD_MAXSIZE"] and not item.is_lifted:
            return Outcome(TOO_LARGE)
        try:
            feed = await self._forest.read_feed(FEED, body, item.content_type)
        except WorkerTimeout:
            return Outcome("feed_timeout")
        ledger = Ledger(self._forest.store, self._count, LedgerOptions())  # its own: others have the same entries
        await ledger.take_up(FEED, feed.entries)
        skips = [f"{name}: {count}" for name, count in sorted(self.counts.items()) if name.startswith("skipped/")]
        await ledger.close()
        lines = [f"{entry.title} | {entry.link or entry.problem}" for entry in feed.entries]
        return Outcome(",".join(feed.problems) or READ, "\n".join([*skips, *lines]))

    async def _take_link(self, _: Input, body: bytes) -> Outcome:
        """Both in a feed, between good ones, and where a redirect leads."""
        link = body.decode()
        feed = await self._forest.read_feed(FEED, rss(GOOD, f"<item><link>{escape(link)}</link></item>", LAST), None)
        good, entry, last = feed.entries
        if not (good.link and last.link):
            return Outcome(SPOILED, repr(feed))
        reason, other = entry.problem or _refusal(str(entry.link)), _refusal(link)
        return Outcome(reason if reason and other else FOLLOWED, f"{reason}, of a redirect {other}")

    async def _take_wrapper(self, _: Input, body: bytes) -> Outcome:
        """As one that the store has, on a page with as many elements as are handled on the event loop."""
        try:
            wrapper = Wrapper.from_json(body.decode("utf-8", "surrogatepass"))
        except InvalidWrapper as error:
            return Outcome(REFUSED, str(error)[:200])
        large = Document(FEED, LARGE.encode())
        if wrapper.is_quick:
            extract(wrapper, large.page())
            return Outcome(APPLIED)
        header = {**large.label(), "wrapper": wrapper.to_json()}
        try:
            await self._forest._workers.run("extract", header, [large.body])
        except WorkerTimeout:
            return Outcome("page_timeout")
        return Outcome(APPLIED)


def _response(url: str, body: bytes, content_type: str | None = "text/html; charset=utf-8") -> Response:
    """As the download handler makes it."""
    headers = Headers({"Content-Type": content_type} if content_type is not None else {})
    return responsetypes.from_args(headers=headers, url=url, body=body)(url, body=body, headers=headers)


def _entry(response: Response) -> FeedEntry:
    """What the feed says: of the hostile page the same as if it were healthy."""
    number = response.url.rpartition("/")[2]
    first, *_ = SUBJECTS[int(number) if number.isdecimal() else HOSTILE].split()
    return FeedEntry(response.url, response.url, f"The {first}", f"About the {first} there is much to tell")


def _refusal(link: str) -> str | None:
    """Why a link is not followed."""
    try:
        return check_url(Request(link).url, Permits())
    except ValueError:
        return "bad_link"
