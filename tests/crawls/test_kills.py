"""kill -9 at any moment, then the next crawl: every article once, every line whole (K01, K02, K04, K05).

``FOREST_KILLS=50``, for each of the two tests, makes a study of it, which ``make soak`` does.
"""

import json
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from contextlib import ExitStack, closing
from itertools import cycle, islice

import pytest
from website import website

KILLS = int(os.environ.get("FOREST_KILLS", "4"))
SEED = int(os.environ.get("FOREST_SEED", "4"))
TRIES = 3  # at one kill; a point may not be reached when an earlier kill has left little to do

CRAWL, STORE = "scrapy_forest.crawl", "scrapy_forest.store.sqlite.SqliteStore"
POINTS = {
    "feed": [
        f"{CRAWL}.ledger.Ledger.take_up",
        f"{STORE}.save_feed_state",
        "scrapy_forest.spiders.feeds.FeedsSpider.start",
    ],
    "download": ["scrapy_forest.downloadermiddlewares.SampleMiddleware.process_response"],
    "buffer": [f"{CRAWL}.buffer.SampleBuffer.put", f"{CRAWL}.groups.Groups.hold"],
    "induction": [f"{CRAWL}.learning.Learner._learn", f"{CRAWL}.learning.Learner._settle_groups"],
    "cache": [f"{STORE}.save_template", f"{STORE}.save_wrapper", f"{STORE}.save_samples"],
    "export": [
        f"{STORE}.add_to_outbox",
        f"{CRAWL}.sinks.Sink.append",
        f"{STORE}.save_ledger",
        f"{CRAWL}.ledger.Ledger.finish",
    ],
}


def plan_of(phase, chance):
    """Where to kill, or after how many seconds."""
    if phase == "any":
        return chance.uniform(0.5, 2.5)
    point = chance.choice(POINTS[phase])
    when = chance.choice(["before", "after", *(["halfway"] if point.endswith("append") else [])])
    return {"point": point, "when": when, "nth": chance.randint(1, 1 if phase in ("induction", "cache", "feed") else 4)}


def kill_once(project, feeds, plan, settings):
    """Run a crawl until it is killed: by itself at a point, or from outside after a while."""
    if isinstance(plan, dict):
        settings = settings | {"EXTENSIONS": {"killer.Killer": 0}, "KILL": plan}
    process = project.start(feeds=",".join(feeds), settings=settings)
    if not isinstance(plan, dict):
        time.sleep(plan)
        process.kill()
    return process.wait(60) == -signal.SIGKILL


def assert_once(export, expected):
    lines = export.read_bytes().split(b"\n")
    assert lines.pop() == b""
    urls = Counter(json.loads(line)["url"] for line in lines)
    assert urls == Counter(expected)


@pytest.mark.parametrize("exports", [1, 2])
def test_every_article_once(project, exports):
    """K01, K02: each crawl but the last is killed, in one phase after the other; each has news of its own."""
    chance = random.Random(SEED + exports)  # noqa: S311
    exports = [project.export, project.directory / "second.jsonl"][:exports]
    settings = {"FEEDS": {str(export): {"format": "jsonlines"} for export in exports}}
    feeds, expected, done = [], [], Counter()
    with ExitStack() as stack:
        for phase in islice(cycle([*POINTS, "any"]), 4 * (len(exports) - 1), None):  # both tests have all of them
            if done.total() >= KILLS:
                break
            for _ in range(TRIES):
                site = stack.enter_context(website())
                project.sites = (*project.sites, site)
                entries = site.add_articles(4, start=10 * len(expected))
                expected += [entry["link"] for entry in entries]
                feeds.append(site.add_feed("/feed", entries))
                if kill_once(project, feeds[-3:], plan_of(phase, chance), settings):
                    done[phase] += 1
                    break
        crawl = project.crawl(feeds=",".join(feeds), settings=settings, timeout=300)
    print(f"{done.total()} kills: {dict(done)}")
    for export in exports:
        assert_once(export, expected)
    assert crawl.counts("errors") == {}
    with closing(sqlite3.connect(project.directory / "forest.sqlite")) as store:
        assert store.execute("PRAGMA quick_check").fetchall() == [("ok",)]
