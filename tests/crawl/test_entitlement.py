"""Feeds teach the hosts that are theirs, and no others (X04, X06)."""

import asyncio
from dataclasses import replace

import pytest

from scrapy_forest.crawl.entitlement import is_entitled, is_own_address
from scrapy_forest.crawl.groups import MOST_FOREIGN, Groups
from scrapy_forest.induction.templates import Signature

OWN, FOREIGN = "https://feeds.a.example/all", "https://evil.example/feed"
# Pages of a.example that somebody else has chosen, or written, so that they teach another wrapper.
FORGED = (
    '<div class="post"><h2 class="post-title">{title}</h2><div class="post-body"><p>Read on</p></div>'
    '<div class="trap">{body}</div></div>'
)


@pytest.mark.parametrize(
    ("feed", "page", "expected"),
    [
        (None, "https://a.example/1", True),
        ("https://example.com/feed", "https://example.com/1", True),
        ("https://example.com/feed", "http://www.example.com:80/1", True),
        ("https://feeds.example.com/", "https://blog.example.com/1", True),
        ("https://example.co.uk/", "https://news.example.co.uk/1", True),
        ("https://one.co.uk/", "https://two.co.uk/1", False),
        ("https://example.com/", "https://example.com.evil.net/1", False),
        ("https://example.com/", "https://evil-example.com/1", False),
        ("https://evil.net/example.com/", "https://example.com/1", False),
        ("https://evil.net?https://example.com/", "https://example.com/1", False),
        ("https://feeds.feedburner.com/x", "https://example.com/1", False),
        pytest.param("https://a.github.io/feed", "https://b.github.io/1", False, id="X06 github.io"),
        pytest.param("https://github.io/feed", "https://b.github.io/1", False, id="X06 suffix itself"),
        pytest.param("https://a.blogspot.com/feed", "https://b.blogspot.com/1", False, id="X06 blogspot.com"),
        ("https://a.intranet/feed", "https://www.a.intranet/1", True),
        ("http://127.0.0.1:8000/feed", "http://127.0.0.1:8000/1", True),
        ("http://127.0.0.1:8000/feed", "http://127.0.0.1:8001/1", False),
        ("http://127.0.0.1/feed", "http://128.0.0.1/1", False),
        ("http://[::1]:80/feed", "http://[::1]/1", True),
        ("http://localhost/feed", "http://localhost/1", True),
        ("http://localhost/feed", "http://other/1", False),
    ],
)
def test_x06_is_entitled(feed, page, expected):
    assert is_entitled(feed, page) is expected


def from_feed(feed, documents):
    return [replace(document, feed=feed) for document in documents]


async def crawl_pages(crawl, documents):
    """What becomes of pages that come one after the other, and of those that had to wait."""
    streamed = []
    for document in documents:
        offer, can_go_on = await crawl.bring(document)
        if can_go_on:
            streamed.append(await crawl.forest.extract(offer))
    crawl.forest.release_some()
    return [*streamed, *await crawl.extract_released()]


def pages_of(document, numbers):
    return [document(number) for number in numbers]


def contents(extractions):
    return {extraction.wrapper.content for extraction in extractions}


def forged(document, numbers):
    return from_feed(FOREIGN, [document(number, layout=FORGED) for number in numbers])


def test_x04_forged_pages_would_teach_another_wrapper(crawling, document):
    async def use():
        async with crawling(FOREST_SAMPLES=3) as crawl:
            [content] = contents(await crawl_pages(crawl, forged(document, range(5))))
            assert "trap" in content

    asyncio.run(use())


@pytest.mark.parametrize("order", ["own first", "forged first", "at once"])
def test_x04_a_hosts_wrapper_is_its_own(crawling, document, order):
    async def use():
        pages = {"own": from_feed(OWN, pages_of(document, range(3))), "forged": forged(document, range(10, 60))}
        if order == "at once":
            crawls = [pages["forged"][:7] + pages["own"]]
        else:
            crawls = [pages[name] for name in (["own", "forged"] if order == "own first" else ["forged", "own"])]
        for documents in crawls:
            async with crawling(FOREST_SAMPLES=10) as crawl:
                await crawl_pages(crawl, documents)
        async with crawling() as crawl:
            [group] = await crawl.forest._learner.known_groups("a.example")
            assert "post-body" in group.wrapper.content
            assert group.is_taught

    asyncio.run(use())


def test_what_others_taught_is_provisional(crawling, document):
    async def use():
        async with crawling(FOREST_SAMPLES=3) as crawl:
            first = await crawl_pages(crawl, from_feed(FOREIGN, pages_of(document, range(5))))
            assert {extraction.wrapper.evidence["own"] for extraction in first} == {0}
        async with crawling(FOREST_SAMPLES=3) as crawl:
            one = await crawl_pages(crawl, from_feed(OWN, pages_of(document, [10])))  # too few to teach
            assert contents(one) == contents(first)
            assert one[0].wrapper.version == 1
        async with crawling(FOREST_SAMPLES=3) as crawl:
            others = await crawl_pages(crawl, from_feed(FOREIGN, pages_of(document, [20, 21])))
            assert {extraction.wrapper.version for extraction in others} == {1}
            own = await crawl_pages(crawl, from_feed(OWN, pages_of(document, [11, 12])))
            assert {(each.wrapper.version, each.wrapper.evidence["own"]) for each in own} == {(2, 3)}
            versions = await crawl.forest.store.call("wrapper_versions", "a.example", "t1")
            assert [each.version for each in versions] == [1, 2]  # the old one stays, to go back to

    asyncio.run(use())


@pytest.mark.parametrize("order", ["own first", "own last"])
def test_a_hosts_own_pages_are_not_outvoted(crawling, document, order):
    async def use():
        own = from_feed(OWN, pages_of(document, range(2)))
        others = from_feed(FOREIGN, pages_of(document, range(10, 30)))
        async with crawling(FOREST_SAMPLES=22) as crawl:
            extractions = await crawl_pages(crawl, own + others if order == "own first" else others + own)
            assert {(each.wrapper.evidence["own"], each.wrapper.evidence["samples"]) for each in extractions} == {
                (2, 2)
            }

    asyncio.run(use())


def test_a_pinned_wrapper_is_not_taught_anew(crawling, document):
    async def use():
        async with crawling(FOREST_SAMPLES=3) as crawl:
            await crawl_pages(crawl, from_feed(FOREIGN, pages_of(document, range(3))))
            assert await crawl.forest.store.call("pin_wrapper", "a.example", "t1", 1)
        async with crawling(FOREST_SAMPLES=3) as crawl:
            own = await crawl_pages(crawl, from_feed(OWN, pages_of(document, range(10, 15))))
            assert {each.wrapper.version for each in own} == {1}
            assert crawl.counts["wrappers/induced"] == 0

    asyncio.run(use())


def test_others_do_not_use_up_a_hosts_templates():
    groups = Groups(99)
    kinds = [Signature({100 * kind + feature: 1000 for feature in range(10)}) for kind in range(50)]
    for signature in kinds:
        groups.place("a.example", signature, is_entitled=False)
    assert len(groups.of_host("a.example")) == MOST_FOREIGN
    own = groups.place("a.example", kinds[-1])
    assert own is groups.of_host("a.example")[-1]
    assert not own.is_foreign


def test_others_do_not_shape_a_hosts_template():
    groups = Groups(99)
    group = groups.place("a.example", Signature(dict.fromkeys(range(10), 1000)))
    before = group.template
    assert groups.place("a.example", Signature(dict.fromkeys(range(9), 1000)), is_entitled=False) is group
    assert group.template is before


@pytest.mark.parametrize(
    ("page", "address", "is_own"),
    [
        ("https://www.a.com/1?x=2", "https://a.com/1", True),
        ("https://m.a.co.uk/1", "http://www.a.co.uk/1", False),
        ("https://a.com/1", "https://a.com/?p=1", True),
        ("https://a.com/1", "https://a.com", False),
        ("https://a.com/1", "https://www.a.com//#top", False),
        ("https://a.com/1", "https://b.com/1", False),
        ("https://a.github.io/1", "https://b.github.io/1", False),
        ("http://127.0.0.1:8000/1", "http://127.0.0.1:8001/1", False),
        ("https://a.com/1", "https://a.com:99999/1", False),
    ],
)
def test_p26_what_a_page_may_call_its_address(page, address, is_own):
    assert is_own_address(page, address) == is_own
