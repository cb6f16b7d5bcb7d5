import asyncio
import json
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial

import pytest

from scrapy_forest.crawl.buffer import SampleBuffer
from scrapy_forest.crawl.extraction import (
    FROM_FEED,
    NO_WRAPPER,
    WRAPPER_MISSED,
    ExtractionOptions,
    Extractor,
)
from scrapy_forest.crawl.groups import Batch, Group, Groups
from scrapy_forest.crawl.learning import Learner, LearningOptions
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.errors import EmptyPage, NoArticle, TaskFailed
from scrapy_forest.induction.templates import Template, signature_of
from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.wrapper import Wrapper
from scrapy_forest.store import StoredTemplate, StoreThread, open_store
from scrapy_forest.workers.pool import WorkerOptions, WorkerPool

HOST = "a.example"
NOON = datetime(2024, 5, 1, 12, tzinfo=timezone.utc)
LEARNING = LearningOptions("forest-tfidf", samples=10, keep_samples=2, seconds=20.0)
BODY = Wrapper("//div[@class='post-body']", "by hand", version=7)
NOWHERE = Wrapper("//video", "by hand")


class Bench:
    """An extractor with all that it needs."""

    def __init__(self, directory, *, inline_bytes=10_000, **learning):
        self.counts, self.learned = Counter(), []
        self.store = StoreThread(partial(open_store, directory / "forest.sqlite"))
        self.workers = WorkerPool(WorkerOptions(processes=1))
        self.buffer = SampleBuffer(1_000_000)
        self.groups = Groups(10)
        shared = {"workers": self.workers, "buffer": self.buffer, "groups": self.groups}
        self.learner = Learner(
            replace(LEARNING, **learning), store=self.store, count=self._count, on_learned=self.learned.append, **shared
        )
        self.extractor = Extractor(ExtractionOptions("forest-tfidf", inline_bytes), learner=self.learner, **shared)

    def _count(self, name):
        self.counts[name] += 1

    def offer(self, document, group=None, **values):
        return Offer("key", document.url, None, NOON, entry=document.entry, group=group, document=document, **values)

    async def hold(self, group, documents):
        """Offers that were released together."""
        tickets = [await self.buffer.put(HOST, document) for document in documents]
        pages = zip(documents, tickets, strict=True)
        offers = [
            Offer("key", page.url, None, NOON, entry=page.entry, group=group, ticket=ticket) for page, ticket in pages
        ]
        batch = Batch(group, offers)
        for offer in offers:
            offer.batch = batch
        return offers


@asynccontextmanager
async def bench_in(directory, **options):
    bench = Bench(directory, **options)
    await bench.store.open()
    try:
        yield bench
    finally:
        await bench.workers.close()
        await bench.store.close(10)
        bench.buffer.close()


@pytest.fixture
def work(tmp_path):
    """Run an async function with a bench."""

    def run(use, **options):
        async def main():
            async with bench_in(tmp_path, **options) as bench:
                await use(bench)

        asyncio.run(main())

    return run


@pytest.fixture
def group(document):
    """The group of a template, with a wrapper or without."""

    def make(wrapper=None, **values):
        return Group(HOST, "t1", Template(signature_of(document(1).page())), wrapper, **values)

    return make


@pytest.mark.parametrize(
    ("body", "is_light"),
    [
        (b"", True),
        (b"x" * 200_000, True),
        (b"x" * 200_001, False),
        (b"<p>x</p>" * 10_000, True),
        (b"<br>" * 20_001, False),
        (b"<p " + b"a " * 2_000 + b">" + b"x" * 100_000, False),
    ],
    ids=["nothing", "at the limit", "above it", "tags", "too many", "a crowd of attributes"],
)
def test_light_pages(work, body, is_light):
    async def use(bench):
        assert bench.extractor.is_light(body) is is_light

    work(use, inline_bytes=200_000)


def test_a_worker_sees_the_same_template(work, document):
    async def use(bench):
        small = document(1)
        large = document(1, body=small.body + b"<!-- " + b"-" * 10_000 + b" -->")
        here = await bench.extractor.examine(small)
        assert signature_of(here.page) == here.signature
        assert await bench.extractor.examine(large) == replace(here, page=None)

    work(use)


@pytest.mark.parametrize(
    ("body", "error"), [(b"", EmptyPage), (b"<!-- " + b"-" * 10_000 + b" -->", TaskFailed)], ids=["here", "worker"]
)
def test_a_page_that_cannot_be_read(work, body, error):
    async def use(bench):
        with pytest.raises(error):
            await bench.extractor.examine(Document("https://a.example/", body))

    work(use)


def test_a_host_that_nobody_knows(work):
    async def use(bench):
        assert await bench.learner.known_groups(HOST) == []

    work(use)


@pytest.mark.parametrize(
    ("signature", "wrappers", "known"),
    [
        (None, [], [("t1", None)]),
        (None, [BODY.to_json()], [("t1", 1)]),
        (None, [NOWHERE.to_json(), BODY.to_json()], [("t1", 2)]),
        (None, ["{}"], []),
        (None, ["no JSON"], []),
        (None, [json.dumps({"format": 1, "content": "///", "method": ""})], []),
        ("{}", [BODY.to_json()], []),
        ("no JSON", [BODY.to_json()], []),
    ],
    ids=["no wrapper", "wrapper", "two versions", "empty", "no JSON", "no XPath", "no features", "no signature"],
)
def test_what_the_store_knows_of_a_host(work, group, signature, wrappers, known):
    async def use(bench):
        text = signature or group().template.signature.to_json()
        await bench.store.call("save_template", StoredTemplate(HOST, "t1", text, 4, NOON))
        for wrapper in wrappers:
            await bench.store.call("save_wrapper", HOST, "t1", wrapper)
        groups = await bench.learner.known_groups(HOST)
        assert [(each.name, each.wrapper and each.wrapper.version) for each in groups] == known
        assert {each.template.count for each in groups} <= {4}

    work(use)


def test_a_pinned_wrapper_wins(work, group):
    async def use(bench):
        template = StoredTemplate(HOST, "t1", group().template.signature.to_json(), 4, NOON)
        await bench.store.call("save_template", template)
        for wrapper in (BODY, NOWHERE):
            await bench.store.call("save_wrapper", HOST, "t1", wrapper.to_json())
        await bench.store.call("pin_wrapper", HOST, "t1", 1)
        [known] = await bench.learner.known_groups(HOST)
        assert (known.wrapper.content, known.wrapper.version) == (BODY.content, 1)

    work(use)


def test_a_known_wrapper_is_applied(work, group, document, text_of):
    async def use(bench):
        page = document(1)
        for offer in (bench.offer(page, group(BODY)), bench.offer(page, group(BODY), page=page.page())):
            extraction = await bench.extractor.extract(offer)
            assert extraction.article.text == text_of(1)
            assert (extraction.wrapper, extraction.flags, extraction.agreement) == (BODY, (), 1.0)

    work(use)


@pytest.mark.parametrize("inline", [10_000, 0], ids=["here", "worker"])
def test_a_wrapper_that_finds_nothing(work, group, document, text_of, inline):
    async def use(bench):
        extraction = await bench.extractor.extract(bench.offer(document(1), group(NOWHERE)))
        assert extraction.article.text == text_of(1)
        assert (extraction.flags, extraction.wrapper.version) == ((WRAPPER_MISSED,), 0)
        assert bench.counts == {}

    work(use, inline_bytes=inline)


def test_a_wrapper_of_another_template_of_the_host(work, group, document, text_of):
    async def use(bench):
        own, other, unknown = group(NOWHERE), group(BODY), group()
        bench.groups.set_host(HOST, [own, unknown, other])
        offer = bench.offer(document(1), own)
        extraction = await bench.extractor.extract(offer)
        assert extraction.article.text == text_of(1)
        assert (extraction.flags, extraction.wrapper) == ((), BODY)
        assert offer.group is other

    work(use)


def test_learning(work, group, document):
    async def use(bench):
        learned = group()
        learned.is_inducing = True
        offers = await bench.hold(learned, [document(number) for number in range(4)])
        extractions = await asyncio.gather(*map(bench.extractor.extract, offers))
        assert {each.wrapper.version for each in extractions} == {1}
        assert bench.counts == {"wrappers/induced": 1}
        assert bench.learned == [learned]
        assert (learned.is_inducing, learned.wrapper.evidence["samples"]) == (False, 4)
        assert len(await bench.store.call("samples", HOST, "t1")) == LEARNING.keep_samples
        [known] = await bench.learner.known_groups(HOST)
        assert known.wrapper == learned.wrapper

    work(use)


def test_no_more_samples_than_asked_for(work, group, document):
    async def use(bench):
        learned = group()
        offers = await bench.hold(learned, [document(number) for number in range(5)])
        await bench.extractor.extract(offers[4])  # which is not one of them
        assert learned.wrapper.evidence["samples"] == 3

    work(use, samples=3)


def test_samples_of_earlier_crawls(work, group, document):
    async def use(bench):
        first = group()
        [offer] = await bench.hold(first, [document(1)])
        await bench.extractor.extract(offer)
        [known] = await bench.learner.known_groups(HOST)
        assert (known.wrapper, known.samples) == (None, 1)
        offers = await bench.hold(known, [document(1), document(2)])  # one of them again
        extraction = await bench.extractor.extract(offers[1])
        assert extraction.wrapper.evidence["samples"] == 2

    work(use)


def test_a_template_that_cannot_be_learned(work, group, document):
    async def use(bench):
        learned = group()
        learned.is_inducing = True
        bodies = [b"<html><body><div>nothing of it</div></body></html>", b"<html><body><p>nor here</p></body></html>"]
        pages = [document(number, body=body) for number, body in enumerate(bodies)]
        offers = await bench.hold(learned, pages)
        with pytest.raises(TaskFailed):
            await bench.extractor.extract(offers[0])
        assert bench.counts == {"wrappers/failed": 1}
        assert (learned.wrapper, learned.is_inducing, bench.learned) == (None, False, [learned])

    work(use, method="forest-feeds")


def test_a_wrapper_that_could_not_be_stored_is_used_all_the_same(work, group, document):
    def break_store(store):
        store._db.change("DROP TABLE wrappers")

    async def use(bench):
        await bench.store.call(break_store)
        learned = group()
        offers = await bench.hold(learned, [document(number) for number in range(2)])
        extraction = await bench.extractor.extract(offers[0])
        assert (extraction.flags, extraction.wrapper.version) == ((), 1)

    work(use)


def test_where_learning_takes_too_long_each_page_is_taken_by_itself(work, group, document):
    async def use(bench):
        more = b"<i>x</i> " * 50_000  # some 50 ms
        offers = await bench.hold(group(), [document(number, body=document(number).body + more) for number in range(2)])
        extraction = await bench.extractor.extract(offers[0])
        assert extraction.flags == (NO_WRAPPER,)

    work(use, seconds=0.005)


LONG = " ".join(f"word{number}" for number in range(100))
HALF = " ".join(f"word{number}" for number in range(50))


@pytest.mark.parametrize(
    ("content", "page", "flags"),
    [
        ("", HALF, ()),
        (f"<p>{LONG}</p>", LONG, ()),
        (f"<p>{LONG}</p>", "Subscribe to read more", (FROM_FEED,)),
        (f"<p>{LONG}</p>", HALF[:300], (FROM_FEED,)),
        (f"<p>{LONG}</p>", LONG[: len(LONG) * 2 // 3], ()),
        (f"<p>{HALF}</p>", LONG, ()),  # the page has more
        (f"<p>{HALF}</p>", "something else that is longer " * 20, ()),
        ("<img src='/a.png'>", "Subscribe to read more", ()),
    ],
    ids=["no content", "same", "wall", "less than half", "most", "excerpt", "other text", "picture"],
)
def test_a_page_and_its_feed(work, group, content, page, flags):
    async def use(bench):
        entry = FeedEntry(link="https://a.example/1", summary=page[:20], content=content)
        body = f"<html><body><div class='post-body'>{page}</div></body></html>".encode()
        document = Document("https://a.example/1", body, entry=entry)
        extraction = await bench.extractor.extract(bench.offer(document, group(BODY)))
        assert extraction.flags == flags
        assert extraction.wrapper is (None if flags else BODY)
        assert (extraction.agreement is None) is bool(flags)

    work(use)


@pytest.mark.parametrize("entry", [None, FeedEntry(), FeedEntry(content="<img src='/a.png'>")])
def test_neither_page_nor_feed(work, entry):
    async def use(bench):
        with pytest.raises(NoArticle):
            await bench.extractor.extract(Offer("key", "https://a.example/", None, NOON, entry=entry))

    work(use)
