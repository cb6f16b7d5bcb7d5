"""Pages that wait must never hold up the crawl: the three deadlocks that waiting inside of Scrapy leads to."""

import time

import pytest
from website import Answer, page, text

HEAVY = 200_000  # bytes; small pages hide the first deadlock


def test_more_bytes_than_scrapy_takes_at_a_time(project, site):
    """60 pages of 200 kB are more than twice SCRAPER_SLOT_MAX_ACTIVE_SIZE."""
    feed = site.add_feed("/feed", site.add_articles(60, weight=HEAVY))
    crawl = project.crawl(feeds=feed, settings={"FOREST_SAMPLES": 50})
    assert len(crawl.items) == 60
    assert crawl.stats["forest/wrappers/induced"] == 1


def test_fewer_pages_than_wanted(project, site):
    """The spider would never be idle if an item waited in a pipeline."""
    urls = [entry["link"] for entry in site.add_articles(10, weight=HEAVY)]
    crawl = project.crawl("user_code.MetaSpider", urls=",".join(urls), settings={"FOREST_SAMPLES": 50})
    assert len(crawl.items) == 10


def test_more_items_than_scrapy_takes_from_a_response(project, site):
    """The request behind 150 items must be scheduled although none of them can be filled yet."""
    url, last = site.add("/one", page(1, weight=HEAVY)), site.add("/two", page(2, weight=HEAVY))
    crawl = project.crawl("user_code.ManySpider", url=url, last=last, settings={"FOREST_SAMPLES": 1000})
    assert len(crawl.items) == 151
    assert site.hits["/two"] == 1


def test_a_feed_with_more_entries_than_scrapy_takes_items(project, site):
    feed = site.add_feed("/feed", site.add_articles(150))
    assert len(project.crawl(feeds=feed, settings={"FOREST_SAMPLES": 200}).items) == 150


def test_a_page_does_not_wait_for_ever(project, site):
    entries = site.add_articles(3)
    slow = {"title": "slow", "link": site.origin + "/slow"}
    site.answers["/slow"] = Answer(page(9).encode(), stall=6)
    feed = site.add_feed("/feed", [*entries, slow])
    process = project.start(feeds=feed, settings={"FOREST_HOLD_SECONDS": 1})
    deadline = time.monotonic() + 5
    while len(project.items()) < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    waiting = process.poll() is None
    assert process.wait(30) == 0
    assert waiting
    assert len(project.items()) == 4


def test_memory_is_bounded_by_spilling(project, site):
    feed = site.add_feed("/feed", site.add_articles(20, weight=HEAVY))
    crawl = project.crawl(feeds=feed, settings={"FOREST_SAMPLES": 50, "FOREST_BUFFER_MB": 0})
    assert {item["articleBody"] for item in crawl.items} == {text(n) for n in range(20)}


@pytest.mark.parametrize(
    "bomb",
    [b"<p " + b"a " * 100_000 + b">", b"<p" + b" a='<>'" * 100_000 + b">", b"<div>" * 5000],
    ids=["attributes", "quoted attributes", "depth"],
)
def test_a_bomb_costs_its_page(project, site, bomb):
    entries = site.add_articles(4)
    entries.insert(1, {"title": "bomb", "link": site.add("/bomb", b"<html><body>" + bomb)})
    crawl = project.crawl(feeds=site.add_feed("/feed", entries))
    assert len(crawl.items) == 4
    assert sum(crawl.counts("skipped").values()) == 1


def test_a_page_that_takes_too_long_costs_itself(project, site):
    """Large, and more than a worker can do in the time it has: it is killed, and another one goes on."""
    entries = site.add_articles(4)
    rows = b"<p a b c d e f g h i j k l m n o p q r s t>" * 140_000
    entries.insert(1, {"title": "large", "link": site.add("/large", b"<html><body>" + rows + b"</body></html>")})
    crawl = project.crawl(feeds=site.add_feed("/feed", entries), settings={"FOREST_TASK_SECONDS": 0.3})
    assert len(crawl.items) == 4
    assert crawl.counts("errors") == {"page_timeout": 1}


def test_large_pages_go_to_a_worker(project, site):
    large = {"title": "large", "link": site.add("/large", page(9, weight=1_200_000))}
    entries = [*site.add_articles(3), large]
    crawl = project.crawl(feeds=site.add_feed("/feed", entries))
    assert text(9) in {item["articleBody"] for item in crawl.items}
    assert len(crawl.items) == 4
