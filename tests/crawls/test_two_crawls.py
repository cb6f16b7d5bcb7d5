"""Two crawls of one job at the same time (K11)."""

import sqlite3
import time
from contextlib import closing

from website import Answer, page


def test_k11_the_second_one_refuses_and_touches_nothing(project, site):
    entries = site.add_articles(3)
    slow = {"title": "slow", "link": site.origin + "/slow"}
    site.answers["/slow"] = Answer(page(9).encode(), stall=60)
    feed = site.add_feed("/feed", [*entries, slow])
    first = project.start(feeds=feed)
    while not site.hits["/slow"] and first.poll() is None:
        time.sleep(0.05)
    plan, log = (project.directory / name for name in ("plan.json", "log.txt"))
    first_log = log.rename(log.with_name("first.txt"))  # the first one goes on writing to it
    store = project.directory / "forest.sqlite"
    other = site.add_feed("/other", [{"title": "other", "link": site.add("/other/1", page(10))}])
    before = rows(store), project.export.exists()
    second = project.start(feeds=other)
    assert second.wait(60) != 0
    told = log.read_text()
    assert "another crawl of" in told
    assert "FOREST_STORE" in told
    assert (site.hits["/other"], site.hits["/other/1"]) == (0, 0)
    assert (rows(store), project.export.exists()) == before
    site.ended.set()  # the slow page comes
    assert first.wait(60) == 0
    assert plan.exists()
    assert "do not balance" not in first_log.read_text()
    assert sorted(item["url"] for item in project.items()) == sorted(entry["link"] for entry in [*entries, slow])
    crawl = project.crawl(feeds=other)  # now it may
    assert len(crawl.items) == 1


def rows(store):
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute("SELECT * FROM ledger ORDER BY key").fetchall()
