import asyncio
import random
from collections import Counter
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

import pytest
from scrapy.settings import Settings

from scrapy_forest.crawl.forest import Forest
from scrapy_forest.crawl.ledger import Ledger, LedgerOptions, entry_key
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import FeedEntry, read_feed
from scrapy_forest.settings import ForestSettings
from scrapy_forest.store import StoreThread, open_store

SITES = Path(__file__).parent.parent / "sites"
NOON = datetime(2024, 5, 1, 12, tzinfo=timezone.utc)
WORDS = (
    "apple barn candle dusk ember fern garden harbour island jar kettle lantern meadow needle orchard pebble quarry"
    " river saddle timber umbrella valley willow yard anchor bridge copper ditch engine fiddle gravel hammer ink jetty"
    " knot ladder marsh nettle oar plough"
).split()
POST = '<div class="post"><h2 class="post-title">{title}</h2><div class="post-body">{body}</div></div>'
REVIEW = (
    '<section class="review"><header class="verdict"><b>{title}</b></header>'
    '<article class="review-text">{body}</article></section>'
)
FRAME = (
    '<html lang="en"><head><title>{title}</title></head><body><div id="page"><header id="top"><nav class="menu">'
    '<a href="/">Home</a> <a href="/about">About this place</a></nav></header><main id="content">{content}</main>'
    '<aside class="side"><form id="find"><input name="q"></form><div class="links">Our friends and neighbours</div>'
    '</aside><footer id="end"><div class="legal">All rights reserved</div></footer></div></body></html>'
)


def prose(number):
    """Two paragraphs that no other number has."""
    words = random.Random(number).choices(WORDS, k=60)  # noqa: S311 - the same each time, no secret
    return " ".join(words[:30]) + "\n" + " ".join(words[30:])


def make_document(number, *, host="a.example", layout=POST, frame=FRAME, content="", body=None):
    url = f"https://{host}/{number}"
    text = prose(number)
    entry = FeedEntry(id=url, link=url, title=f"Number {number}", summary=text[:80], content=content)
    if body is None:
        paragraphs = "".join(f"<p>{line}</p>" for line in text.split("\n"))
        body = frame.format(title=entry.title, content=layout.format(title=entry.title, body=paragraphs)).encode()
    return Document(url, body, "text/html; charset=utf-8", "en", entry)


def read_site(name):
    """A small site of the tests: what its feed links to."""
    feed = read_feed("https://feeds.example/", (SITES / name / "feed.xml").read_bytes())
    files = sorted((SITES / name / "pages").glob("0*.html"))
    entries = zip(feed.entries, files, strict=True)
    return [Document(str(entry.link), file.read_bytes(), entry=entry) for entry, file in entries]


class Crawl:
    """A forest, what it counts, and the batches that it releases."""

    def __init__(self, directory, settings):
        own = {"FOREST_STORE": str(directory / "forest.sqlite"), "FOREST_WORKERS": 1, **settings}
        options = ForestSettings.from_settings(Settings(own)).crawl
        self.counts = Counter()
        self.batches = []
        self.endings = []
        self.forest = Forest(options, count=self._count, release=self.batches.append, stop=self.endings.append)

    def _count(self, name):
        self.counts[name] += 1

    async def take_up(self, feed, documents):
        return await self.forest.ledger.take_up(feed, [document.entry for document in documents])

    async def bring(self, document, feed=None):
        """A page comes, of an entry that was taken up, or else of another spider; what became of it."""
        ledger = self.forest.ledger
        key = entry_key(document.url) if feed else ledger.take_up_page()
        offer = Offer(key, document.url, None, NOON, feed, document.entry if feed else None)
        can_go_on = await self.forest.receive(offer, document, await self._keep(document))
        return offer, can_go_on

    async def _keep(self, document):
        return None if await self.forest.knows(document.url) else await self.forest.keep(document)

    async def read(self, feed, documents):
        """Entries are taken up, then their pages come."""
        await self.take_up(feed, documents)
        return [await self.bring(document, feed) for document in documents]

    async def extract_released(self):
        """What becomes of the offers that were released so far."""
        batches = self.batches[:]
        self.batches.clear()
        return [await self.forest.extract(offer) for batch in batches for offer in batch.offers]

    def total(self, kind):
        return sum(number for name, number in self.counts.items() if name.startswith(kind))


class Books:
    """A ledger and what it counts."""

    def __init__(self, store, options):
        self.counts = Counter()
        self.ledger = Ledger(store, self._count, LedgerOptions(**options))

    def _count(self, name):
        self.counts[name] += 1

    def total(self, kind):
        return sum(number for name, number in self.counts.items() if name.startswith(kind))

    def is_balanced(self):
        return self.counts["entries"] + self.counts["pages"] == (
            self.counts["items"] + self.total("skipped/") + self.total("errors/")
        )


class Office:
    """Crawls one after the other on the same store."""

    def __init__(self, store):
        self.store = store

    @asynccontextmanager
    async def open_books(self, **options):
        books = Books(self.store, options)
        yield books
        await books.ledger.close()
        assert books.is_balanced(), books.counts

    async def row(self, key):
        return (await self.store.call("ledger", [key])).get(key)


def keep_books(directory, use):
    """Run an async function with an office."""

    async def main():
        store = StoreThread(partial(open_store, directory / "forest.sqlite"))
        await store.open()
        try:
            await use(Office(store))
        finally:
            assert await store.close(10)

    asyncio.run(main())


@asynccontextmanager
async def crawl_in(directory, **settings):
    crawl = Crawl(directory, settings)
    await crawl.forest.open()
    try:
        yield crawl
    finally:
        await crawl.forest.close()


@pytest.fixture
def crawling(tmp_path):
    """``async with crawling(FOREST_SAMPLES=2) as crawl``: one crawl after the other on the same store."""
    return partial(crawl_in, tmp_path)


@pytest.fixture
def document():
    return make_document


@pytest.fixture
def site():
    return read_site


@pytest.fixture
def layouts():
    return POST, REVIEW


@pytest.fixture
def text_of():
    return prose


@pytest.fixture(scope="session")  # it keeps nothing, so that examples of Hypothesis may share it
def bookkeeping():
    return keep_books
