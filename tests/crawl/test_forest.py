import asyncio
from dataclasses import replace

import pytest

from scrapy_forest.crawl.extraction import SINGLE_PAGE

FEED = "https://a.example/feed"
HOST = "a.example"


# Two templates that differ in one box, with nothing around it but the body.
BARE = (
    '<html lang="en"><head><title>{title}</title></head><body><header id="top"><nav class="menu">Home</nav></header>'
    '{content}<aside class="side"><form id="find"></form></aside><footer id="end">All rights reserved</footer></body>'
)
STORY, OPINION = '<div class="story">{body}</div>', '<section class="opinion">{body}</section>'


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


def test_one_page_is_taken_by_itself(crawling, document, text_of):
    async def use(crawl):
        [extraction] = await read_all(crawl, FEED, [document(1)])
        assert extraction.flags == (SINGLE_PAGE,)
        assert extraction.article.text == text_of(1)
        assert extraction.wrapper.version == 0
        assert extraction.agreement == 1.0
        assert await wrappers_in(crawl) == []
        assert len(await crawl.forest.store.call("samples", HOST, "t1")) == 1  # the next crawl may have a second one
        assert len(crawl.forest.buffer) == 0

    assert in_a_crawl(crawling, use).counts["wrappers/induced"] == 0


def test_one_page_and_one_of_an_earlier_crawl_are_two(crawling, document):
    async def first(crawl):
        await read_all(crawl, FEED, [document(1)])

    async def second(crawl):
        [extraction] = await read_all(crawl, FEED, [document(2)])
        assert extraction.flags == ()
        assert extraction.wrapper.version == 1
        assert extraction.wrapper.evidence["samples"] == 2

    in_a_crawl(crawling, first)
    assert in_a_crawl(crawling, second).counts["wrappers/induced"] == 1


def test_pages_that_come_one_by_one_are_learned_together(crawling, document):
    async def use(crawl):
        flags = []
        for number in range(2):
            await crawl.take_up(FEED, [document(number)])
            await crawl.bring(document(number), FEED)
            crawl.forest.release_some()
            [extraction] = await crawl.extract_released()
            flags.append(extraction.flags)
        assert flags == [(SINGLE_PAGE,), ()]

    in_a_crawl(crawling, use)


def test_the_same_page_twice_is_one_page(crawling, document):
    async def use(crawl):
        first, second = document(1), document(2, body=document(1).body)
        extractions = await read_all(crawl, FEED, [first, second])
        assert [extraction.flags for extraction in extractions] == [(SINGLE_PAGE,)] * 2
        assert await wrappers_in(crawl) == []

    in_a_crawl(crawling, use)


@pytest.mark.parametrize("settings", [{}, {"FOREST_INLINE_BYTES": 0}], ids=["here", "in a worker"])
def test_p26_one_page_under_two_links_is_one_article(crawling, document, settings):
    """Those of other spiders are theirs to compare."""

    def under(link, number=1):
        page, head = document(number), b"</head>"
        address = b'<link rel="canonical" href="https://www.a.example/1">'
        entry = replace(page.entry, id="", link=link)
        return replace(page, url=link, entry=entry, body=page.body.replace(head, address + head))

    async def use(crawl):
        links = [f"https://a.example/1?from={name}" for name in "abc"]
        await crawl.read(FEED, [*map(under, links), under("https://a.example/2", 2)])
        await crawl.bring(under("https://a.example/1?from=d"))
        assert crawl.counts["skipped/duplicate"] == 2
        assert len(crawl.forest.groups) + sum(len(batch.offers) for batch in crawl.batches) == 3

    in_a_crawl(crawling, use, **settings)


def test_ten_pages_are_learned_once_and_later_ones_stream(crawling, document, text_of):
    async def use(crawl):
        extractions = await read_all(crawl, FEED, [document(number) for number in range(10)])
        assert [each.article.text for each in extractions] == [text_of(n) for n in range(10)]
        assert {each.flags for each in extractions} == {()}
        assert len({id(each.wrapper) for each in extractions}) == 1
        [(offer, can_go_on)] = await crawl.read(FEED, [document(10)])
        assert can_go_on
        assert offer.ticket is None
        assert crawl.batches == []
        extraction = await crawl.forest.extract(offer)
        assert (extraction.flags, extraction.wrapper.version) == ((), 1)
        assert extraction.article.text == text_of(10)
        assert len(await crawl.forest.store.call("wrapper_versions", HOST, "t1")) == 1
        assert len(crawl.forest.buffer) == 0

    assert in_a_crawl(crawling, use).counts["wrappers/induced"] == 1


def test_offers_of_a_batch_share_one_induction(crawling, document):
    async def use(crawl):
        await crawl.read(FEED, [document(number) for number in range(4)])
        [batch] = crawl.batches
        extractions = await asyncio.gather(*map(crawl.forest.extract, batch.offers))
        assert all(extractions)

    crawl = in_a_crawl(crawling, use, FOREST_SAMPLES=4)
    assert crawl.counts["wrappers/induced"] == 1


def test_the_next_crawl_knows_the_wrapper(crawling, document):
    async def first(crawl):
        await read_all(crawl, FEED, [document(number) for number in range(3)])

    async def second(crawl):
        [(offer, can_go_on)] = await crawl.read(FEED, [document(9)])
        assert can_go_on
        assert (await crawl.forest.extract(offer)).wrapper.version == 1

    in_a_crawl(crawling, first)
    assert in_a_crawl(crawling, second).counts["wrappers/induced"] == 0


@pytest.mark.parametrize("damaged", ["{", '{"format": 1, "content": "//[", "method": "x"}'], ids=["JSON", "XPath"])
def test_a_damaged_wrapper_is_learned_anew(crawling, document, damaged, caplog):
    async def first(crawl):
        await read_all(crawl, FEED, [document(number) for number in range(3)])
        await crawl.forest.store.call("save_wrapper", HOST, "t1", damaged)

    async def second(crawl):
        extractions = await read_all(crawl, FEED, [document(number) for number in range(3, 6)])
        assert [(each.flags, each.wrapper.version) for each in extractions] == [((), 3)] * 3

    async def third(crawl):
        assert (await crawl.read(FEED, [document(9)]))[0][1]

    in_a_crawl(crawling, first)
    assert in_a_crawl(crawling, second).counts["wrappers/induced"] == 1
    assert "is damaged, and will be learned anew" in caplog.text
    in_a_crawl(crawling, third)


def test_a_small_site(crawling, site):
    async def use(crawl):
        documents = site("wordpress-blog")
        extractions = await read_all(crawl, FEED, documents)
        assert {each.wrapper.content for each in extractions} == {
            "//div[contains(concat(' ', normalize-space(@class), ' '), ' entry-content ')]"
        }
        assert [each.article.headline for each in extractions] == [document.entry.title for document in documents]

    in_a_crawl(crawling, use)


def test_two_templates_of_one_host(crawling, document, layouts, text_of):
    post, review = layouts

    async def use(crawl):
        documents = [document(number, layout=review if number % 2 else post) for number in range(10)]
        await crawl.read(FEED, documents)
        batches = crawl.batches[:]
        offers = [offer for batch in batches for offer in batch.offers]
        texts = {each.article.url: each.article.text for each in await crawl.extract_released()}
        assert {batch.group.name for batch in batches} == {"t1", "t2"}
        assert len(offers) == 10
        assert texts == {each.url: text_of(number) for number, each in enumerate(documents)}
        assert len(await wrappers_in(crawl)) == 2

    assert in_a_crawl(crawling, use).counts["wrappers/induced"] == 2


def test_templates_that_only_learning_tells_apart(crawling, document, text_of):
    async def use(crawl):
        documents = [document(number, frame=BARE, layout=OPINION if number % 2 else STORY) for number in range(10)]
        await crawl.take_up(FEED, documents)
        for each in documents[:6]:
            await crawl.bring(each, FEED)
        [batch] = crawl.batches
        learning = asyncio.gather(*map(crawl.forest.extract, batch.offers))
        await asyncio.sleep(0)  # it begins
        for each in documents[6:]:
            await crawl.bring(each, FEED)
        extractions = await learning
        crawl.batches.remove(batch)
        extractions += await crawl.extract_released()
        texts = {each.article.url: each.article.text for each in extractions}
        assert texts == {each.url: text_of(number) for number, each in enumerate(documents)}
        assert {each.flags for each in extractions} == {()}
        assert [wrapper.template for wrapper in await wrappers_in(crawl)] == ["t1", "t2"]

    assert in_a_crawl(crawling, use, FOREST_SAMPLES=6).counts["wrappers/induced"] == 2


def test_a_feed_that_leads_to_two_hosts(crawling, document):
    async def use(crawl):
        documents = [document(number, host=host) for host in (HOST, "b.example") for number in range(2)]
        extractions = await read_all(crawl, FEED, documents)
        assert len(extractions) == 4
        assert len(await wrappers_in(crawl, "b.example")) == len(await wrappers_in(crawl)) == 1

    in_a_crawl(crawling, use)


def test_two_feeds_of_one_host_wait_for_each_other(crawling, document):
    async def use(crawl):
        one, two = [document(1), document(2)], [document(3), document(4)]
        await crawl.take_up("one", one)
        await crawl.take_up("two", two)
        await crawl.bring(one[0], "one")
        await crawl.bring(two[0], "two")
        await crawl.bring(one[1], "one")
        assert crawl.batches == []
        await crawl.bring(two[1], "two")
        [batch] = crawl.batches
        assert len(batch.offers) == 4

    in_a_crawl(crawling, use)


def test_pages_of_other_spiders_wait_until_nothing_else_is_left(crawling, document, text_of):
    async def use(crawl):
        for number in range(3):
            _, can_go_on = await crawl.bring(document(number))
            assert not can_go_on
        assert crawl.batches == []
        crawl.forest.release_overdue()
        assert crawl.batches == []
        crawl.forest.release_some()
        extractions = await crawl.extract_released()
        assert [each.article.text for each in extractions] == [text_of(n) for n in range(3)]
        assert {each.agreement for each in extractions} == {None}

    in_a_crawl(crawling, use)


def test_pages_do_not_wait_for_longer_than_that(crawling, document):
    async def use(crawl):
        await crawl.bring(document(1))
        crawl.forest.release_overdue()
        assert len(crawl.batches) == 1

    in_a_crawl(crawling, use, FOREST_HOLD_SECONDS=0)


def test_what_comes_while_its_template_is_learned_follows(crawling, document):
    async def use(crawl):
        documents = [document(number) for number in range(4)]
        await crawl.take_up(FEED, documents)
        for each in documents[:2]:
            await crawl.bring(each, FEED)
        [batch] = crawl.batches
        learning = asyncio.gather(*map(crawl.forest.extract, batch.offers))
        await asyncio.sleep(0)  # it begins
        assert [await crawl.bring(each, FEED) for each in documents[2:]][1][1] is False
        crawl.forest.release_some()
        assert len(crawl.batches) == 1
        await learning
        late = crawl.batches[1]
        assert len(late.offers) == 2
        assert [(await crawl.forest.extract(offer)).wrapper.version for offer in late.offers] == [1, 1]

    assert in_a_crawl(crawling, use, FOREST_SAMPLES=2).counts["wrappers/induced"] == 1


def test_pages_too_large_for_the_loop_go_the_same_way(crawling, document, text_of):
    async def use(crawl):
        await read_all(crawl, FEED, [document(number) for number in range(3)])
        [(offer, can_go_on)] = await crawl.read(FEED, [document(9)])
        assert can_go_on
        assert offer.page is None
        extraction = await crawl.forest.extract(offer)
        assert extraction.article.text == text_of(9)

    in_a_crawl(crawling, use, FOREST_INLINE_BYTES=0)


def test_a_feed_is_read_in_a_worker(crawling):
    body = b"<rss version='2.0'><channel><title>T</title><item><link>/1</link></item></channel></rss>"

    async def use(crawl):
        feed = await crawl.forest.read_feed(FEED, body, "text/xml")
        assert (feed.title, feed.entries[0].link) == ("T", "https://a.example/1")

    in_a_crawl(crawling, use)
