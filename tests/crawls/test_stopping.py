"""Crawls that are stopped, and what the next one makes of it."""

import signal
import time

import pytest
from website import Answer, page


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def stop(project, process, number=signal.SIGTERM):
    began = time.monotonic()
    process.send_signal(number)
    return project.finish(process, began, 0, timeout=30)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stalled_download_does_not_hold_up_the_end(project, site, number):
    entries = site.add_articles(6, weight=200_000)
    stalled = {"title": "stalled", "link": site.origin + "/stalled"}
    site.answers["/stalled"] = Answer(page(9).encode(), stall=60)
    feed = site.add_feed("/feed", [stalled, *entries])
    process = project.start(feeds=feed)
    wait_for(lambda: all(site.hits[f"/post/{n}"] for n in range(6)) and site.hits["/stalled"])
    first = stop(project, process, number)
    assert first.seconds < 10
    site.answers["/stalled"] = Answer(page(9).encode())
    second = project.crawl(feeds=feed)
    assert sorted(item["url"] for item in project.items()) == sorted(entry["link"] for entry in [stalled, *entries])
    assert first.counts("skipped")["interrupted"] >= 1
    assert second.stats["forest/items"] == first.counts("skipped")["interrupted"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_k03_two_signals_end_it_at_once(project, site, number):
    """The second one lets Scrapy drop everything; the next crawl makes up for it."""
    entries = site.add_articles(6)
    stalled = {"title": "stalled", "link": site.origin + "/stalled"}
    site.answers["/stalled"] = Answer(page(9).encode(), stall=60)
    feed = site.add_feed("/feed", [stalled, *entries])
    process = project.start(feeds=feed)
    wait_for(lambda: all(site.hits[f"/post/{n}"] for n in range(6)) and site.hits["/stalled"])
    process.send_signal(number)
    wait_for(lambda: "Received" in (project.directory / "log.txt").read_text())
    process.send_signal(number)
    process.wait(30)
    site.answers["/stalled"] = Answer(page(9).encode())
    project.crawl(feeds=feed)
    assert sorted(item["url"] for item in project.items()) == sorted(entry["link"] for entry in [stalled, *entries])


def test_pages_that_wait_are_let_go(project, site):
    """Nothing tells that more pages will not come, so they are still held when the crawl is stopped."""
    entries = site.add_articles(5)
    stalled = {"title": "stalled", "link": site.origin + "/stalled"}
    site.answers["/stalled"] = Answer(page(9).encode(), stall=60)
    feed = site.add_feed("/feed", [*entries, stalled])
    process = project.start(feeds=feed, settings={"FOREST_SAMPLES": 50})
    wait_for(lambda: all(site.hits[f"/post/{n}"] for n in range(5)) and site.hits["/stalled"])
    time.sleep(0.5)
    assert project.items() == []
    crawl = stop(project, process)
    assert crawl.seconds < 10
    assert crawl.urls == sorted(entry["link"] for entry in entries)
    assert crawl.counts("skipped") == {"interrupted": 1}


def test_requests_that_wait_for_their_turn_do_not_hold_up_the_end(project, site):
    entries = site.add_articles(20)
    feed = site.add_feed("/feed", entries)
    process = project.start(feeds=feed, settings={"DOWNLOAD_DELAY": 3, "CONCURRENT_REQUESTS_PER_DOMAIN": 1})
    wait_for(lambda: site.hits["/feed"])
    time.sleep(0.3)
    first = stop(project, process)
    assert first.seconds < 10
    project.crawl(feeds=feed)
    assert sorted(item["url"] for item in project.items()) == sorted(entry["link"] for entry in entries)


def test_items_in_the_pipelines_do_not_hold_up_the_end(project, site):
    """Scrapy waits for them, but looks again only when a response is done with, and these have none."""
    urls = [entry["link"] for entry in site.add_articles(6)]
    settings = {"ITEM_PIPELINES": {"user_code.Slow": 500}, "CLOSESPIDER_ITEMCOUNT": 1}
    crawl = project.crawl("user_code.MetaSpider", urls=",".join(urls), settings=settings, timeout=20)
    assert len(crawl.items) == 6


def test_a_limit_on_items_ends_the_crawl_in_order(project, site):
    entries = site.add_articles(30)
    feed = site.add_feed("/feed", entries)
    project.crawl(feeds=feed, settings={"CLOSESPIDER_ITEMCOUNT": 3, "FOREST_SAMPLES": 4})
    project.crawl(feeds=feed)
    assert sorted(item["url"] for item in project.items()) == sorted(entry["link"] for entry in entries)


def test_a_killed_crawl_is_taken_up_again(project, site):
    """What was written before is not the point here; that nothing is forgotten is."""
    entries = site.add_articles(8)
    site.answers["/stalled"] = Answer(page(9).encode(), stall=60)
    feed = site.add_feed("/feed", [*entries, {"title": "stalled", "link": site.origin + "/stalled"}])
    process = project.start(feeds=feed, settings={"FOREST_SAMPLES": 50})
    wait_for(lambda: all(site.hits[f"/post/{n}"] for n in range(8)))
    process.kill()
    process.wait()
    site.answers["/stalled"] = Answer(page(9).encode())
    project.crawl(feeds=feed)
    assert {item["url"] for item in project.items()} >= {entry["link"] for entry in entries}
