"""Pages that cannot be had, read or learned from in time."""

import asyncio

import pytest

from scrapy_forest.crawl.extraction import FROM_FEED, NO_WRAPPER
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.model.feed import FeedEntry

FEED = "https://a.example/feed"
HOST = "a.example"
DEEP = b"<html><body>" + b"<div>" * 5000 + b"text"
BIG = b"<br>" * 200_000
BOMB = b"<html><body><p " + b"".join(b"a%d=1 " % number for number in range(20_000)) + b">text</body></html>"
SLOW = b"<html><body><div>" + b"<i>x</i> " * 100_000  # some 0.1 s to parse


def paragraphs(text):
    return "".join(f"<p>{line}</p>" for line in text.split("\n"))


def in_a_crawl(crawling, use, **settings):
    async def main():
        async with crawling(**settings) as crawl:
            await use(crawl)
        return crawl

    return asyncio.run(main())


async def read_all(crawl, feed, documents):
    """Entries are taken up, their pages come, and what is released becomes articles."""
    await crawl.read(feed, documents)
    return await crawl.extract_released()


async def wrappers_in(crawl, host=HOST):
    return await crawl.forest.store.call("wrappers", host)


@pytest.mark.parametrize(
    ("body", "reason"),
    [(b"", "empty_page"), (b"   ", "empty_page"), (DEEP, "too_deep"), (BOMB, "tag_too_large"), (BIG, "too_big")],
    ids=["nothing", "spaces", "deep", "bomb", "big"],
)
@pytest.mark.parametrize("inline", [1_000_000, 0], ids=["here", "worker"])
def test_a_page_that_cannot_be_read(crawling, document, body, reason, inline):
    async def use(crawl):
        bare, full = document(1, body=body), document(2, body=body, content="<p>All of it.</p>")
        (_, bare_can), (offer, full_can) = await crawl.read(FEED, [bare, full])
        assert (bare_can, full_can) == (False, True)
        extraction = await crawl.forest.extract(offer)
        assert (extraction.article.text, extraction.flags) == ("All of it.", (FROM_FEED,))
        assert (extraction.wrapper, extraction.agreement) == (None, None)
        assert len(crawl.forest.buffer) == 0

    crawl = in_a_crawl(crawling, use, FOREST_INLINE_BYTES=inline)
    assert crawl.counts[f"skipped/{reason}"] == 1
    assert crawl.total("errors/") == 0


def test_a_page_that_could_not_be_had_is_in_the_feed(crawling):
    async def use(crawl):
        entries = [
            FeedEntry(link="https://a.example/1", content="<p>Full text.</p>"),
            FeedEntry(link="https://a.example/2"),
        ]
        tasks = await crawl.forest.ledger.take_up(FEED, entries)
        offers = [Offer(task.key, str(task.entry.link), None, None, FEED, task.entry) for task in tasks]
        assert [crawl.forest.end(offer, "http_404", is_error=True) for offer in offers] == [True, False]
        extraction = await crawl.forest.extract(offers[0])
        assert (extraction.article.text, extraction.flags) == ("Full text.", (FROM_FEED,))

    assert in_a_crawl(crawling, use).counts["errors/http_404"] == 1


def test_neither_page_nor_feed_has_an_article(crawling, document):
    async def use(crawl):
        [(offer, can_go_on)] = await crawl.read(FEED, [document(1, body=b"", content='<img src="/a.png">')])
        assert not can_go_on  # a picture is no text
        assert not crawl.forest.ledger.is_open(offer.key)

    assert in_a_crawl(crawling, use).counts["skipped/empty_page"] == 1


def test_an_extraction_that_is_cancelled_leaves_the_pages_to_the_others(crawling, document):
    async def use(crawl):
        await crawl.read(FEED, [document(number) for number in range(3)])
        first, second, third = crawl.batches[0].offers
        cancelled = asyncio.ensure_future(crawl.forest.extract(first))
        others = asyncio.gather(crawl.forest.extract(second), crawl.forest.extract(third))
        await asyncio.sleep(0)
        cancelled.cancel()
        assert [each.flags for each in await others] == [(), ()]

    in_a_crawl(crawling, use, FOREST_BUFFER_MB=0)


def test_pages_that_come_while_learning_fails_do_not_wait_for_more(crawling, document):
    async def use(crawl):
        await crawl.read(FEED, [document(number) for number in range(3)])
        extractions = asyncio.ensure_future(crawl.extract_released())
        await asyncio.sleep(0.01)
        await crawl.read(FEED, [document(3)])
        assert not crawl.batches  # its template is being learned
        await extractions
        assert [len(batch.offers) for batch in crawl.batches] == [1]

    in_a_crawl(crawling, use, FOREST_INDUCE_SECONDS=0.0)


def test_a_walled_page_is_taken_from_the_feed(crawling, document, text_of):
    async def use(crawl):
        wall = (
            '<div class="post"><h2 class="post-title">{title}</h2><div class="post-body"><p>Subscribe.</p></div></div>'
        )
        documents = [document(number, content=paragraphs(text_of(number))) for number in range(3)]
        documents.append(document(3, layout=wall, content=paragraphs(text_of(3))))
        extractions = await read_all(crawl, FEED, documents)
        assert [each.flags for each in extractions] == [(), (), (), (FROM_FEED,)]
        assert extractions[3].article.text == text_of(3)
        assert extractions[3].wrapper is None

    in_a_crawl(crawling, use)


def test_a_page_that_takes_too_long_to_examine(crawling, document):
    async def use(crawl):
        bare, full = document(1, body=SLOW), document(2, body=SLOW, content="<p>All of it.</p>")
        (_, bare_can), (offer, full_can) = await crawl.read(FEED, [bare, full])
        assert (bare_can, full_can) == (False, True)
        assert (await crawl.forest.extract(offer)).flags == (FROM_FEED,)

    crawl = in_a_crawl(crawling, use, FOREST_INLINE_BYTES=0, FOREST_TASK_SECONDS=0.005)
    assert crawl.counts["errors/page_timeout"] == 1


def test_a_template_that_takes_too_long_to_learn(crawling, document, text_of):
    async def use(crawl):
        slow = [document(number, body=document(number).body + SLOW) for number in range(2)]
        extractions = await read_all(crawl, FEED, slow)
        assert [each.flags for each in extractions] == [(NO_WRAPPER,)] * 2
        assert all(text_of(number) in each.article.text for number, each in enumerate(extractions))
        assert await wrappers_in(crawl) == []

    assert in_a_crawl(crawling, use, FOREST_INDUCE_SECONDS=0.005).counts["wrappers/failed"] == 1


def test_a_page_that_takes_too_long_to_extract(crawling, document):
    settings = {"FOREST_INDUCE_SECONDS": 0.005, "FOREST_TASK_SECONDS": 0.005}

    async def use(crawl):
        light = b"<html><body><div>" + b"<i>x y z</i> " * 9_000  # few enough tags to be examined at once
        bare, full = document(1, body=light), document(2, body=light + b"y", content="<p>All of it.</p>")
        without, with_feed = await read_all(crawl, FEED, [bare, full])
        assert without is None
        assert with_feed.flags == (FROM_FEED,)
        assert len(crawl.forest.buffer) == 0

    assert in_a_crawl(crawling, use, **settings).counts["errors/page_timeout"] == 1
