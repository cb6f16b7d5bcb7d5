"""What somebody else has written into the store, or next to it: read as data, within limits, or not at all."""

import asyncio
import json
import os
import pickle
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone
from time import monotonic

import pytest

from scrapy_forest.errors import StoreError
from scrapy_forest.store import StoredSample, StoredTemplate, open_store
from scrapy_forest.store.rows import MAX_BODY

FEED = "https://a.example/feed"
HOST = "a.example"
LONG = "//div[@class='post-body'][not(following-sibling::p[contains(., 'x')])]"


class Trap:
    """Makes a directory when it is unpickled."""

    def __init__(self, path):
        self._path = str(path)

    def __reduce__(self):
        return os.mkdir, (self._path,)


@pytest.fixture
def trap(tmp_path):
    """A pickle, and the directory that it would make."""
    sprung = tmp_path / "sprung"
    data = pickle.dumps(Trap(sprung))
    pickle.loads(data)  # noqa: S301 - the trap works
    sprung.rmdir()
    return data, sprung


@pytest.fixture
def after(tmp_path, crawling, document):
    """A crawl learns the template of a host, somebody plants something, and then comes another crawl."""

    def run(plant, use, **settings):
        async def main():
            async with crawling(FOREST_SAMPLES=3, FOREST_HOLD_SECONDS=0) as first:
                await first.read(FEED, [document(number) for number in range(3)])
                assert all(await first.extract_released())
            plant(tmp_path / "forest.sqlite")
            async with crawling(FOREST_SAMPLES=3, **settings) as second:
                await use(second)
            return second

        return asyncio.run(main())

    return run


def plant_wrapper(content, *, is_pinned=False):
    def plant(path):
        with closing(open_store(path)) as store:
            [known] = store.wrappers(HOST)
            text = json.dumps({"format": 1, "content": content, "method": "planted"})
            version = store.save_wrapper(HOST, known.template, text)
            assert not is_pinned or store.pin_wrapper(HOST, known.template, version)

    return plant


def change(statement, *values):
    def plant(path):
        with closing(sqlite3.connect(path)) as database, database:
            assert database.execute(statement, values).rowcount > 0

    return plant


def bomb(size):
    compressor = zlib.compressobj(9)
    million = bytes(1_000_000)
    return b"".join([*(compressor.compress(million) for _ in range(size // len(million))), compressor.flush()])


@pytest.mark.parametrize(
    "content",
    ["//p[re:test(., '^(a+)+$')]", "//*[count(preceding::*) > 3]", "document('file:///etc/passwd')", "//p" * 400_000],
    ids=["a regular expression", "preceding", "document", "a megabyte"],
)
def test_x03_a_planted_wrapper_is_not_evaluated(after, document, caplog, content):
    async def use(crawl):
        begin = monotonic()
        await crawl.read(FEED, [document(number) for number in range(10, 13)])
        found = await crawl.extract_released()
        assert [each.wrapper.method for each in found] == ["forest-tfidf"] * 3  # learned anew
        assert monotonic() - begin < 20

    crawl = after(plant_wrapper(content, is_pinned=True), use)
    assert crawl.counts["items"] == 0  # nobody has exported them
    assert crawl.total("errors/") == 0
    [told] = [record.getMessage() for record in caplog.records if "damaged" in record.getMessage()]
    assert told.startswith("A template of 'a.example' in the store is damaged, and will be learned anew: ")
    assert len(told) < 400


def test_x03_what_may_take_long_runs_where_it_can_be_ended(after, document):
    """A pinned wrapper that is allowed, and takes quadratic time on a page that was made for it."""
    many = b"<div class='post-body'>t</div>" * 3_000 + b"<p>t" * 12_000 + b"</div></main>"

    async def use(crawl):
        hostile = document(20)
        hostile = replace(hostile, body=hostile.body.replace(b"</div></main>", many))
        [(offer, can_go_on), (fine, _)] = await crawl.read(FEED, [hostile, document(21)])
        assert can_go_on
        longest, done = 0.0, asyncio.Event()

        async def watch():
            nonlocal longest
            while not done.is_set():
                before = monotonic()
                await asyncio.sleep(0.01)
                longest = max(longest, monotonic() - before)

        watcher = asyncio.create_task(watch())
        assert (await crawl.forest.extract(fine)).wrapper.method == "planted"
        assert await crawl.forest.extract(offer) is None
        done.set()
        await watcher
        assert longest < 1

    crawl = after(plant_wrapper(LONG, is_pinned=True), use, FOREST_TASK_SECONDS=1)
    assert crawl.counts["errors/page_timeout"] == 1


def test_x07_pickles_in_the_store_are_not_loaded(after, document, trap):
    data, sprung = trap

    def plant(path):
        change("UPDATE samples SET body = ?, entry = ?, content_type = ?, feed = ?", *[data] * 4)(path)
        change("UPDATE wrappers SET wrapper = ?", data)(path)
        change("UPDATE templates SET signature = ?", data)(path)
        change("UPDATE ledger SET entry = ?", data)(path)
        (path.parent / "spider.state").write_bytes(data)

    async def use(crawl):
        await crawl.read(FEED, [document(number) for number in range(10, 13)])
        assert all(await crawl.extract_released())

    after(plant, use)
    assert not sprung.exists()


@pytest.mark.parametrize("column", ["body", "entry", "created"])
def test_x07_pickled_samples_are_no_samples(after, document, trap, column):
    data, sprung = trap

    def plant(path):
        change("DELETE FROM wrappers")(path)
        change(f"UPDATE samples SET {column} = ?", data)(path)  # noqa: S608

    async def use(crawl):
        await crawl.read(FEED, [document(number) for number in range(10, 13)])
        assert all(await crawl.extract_released())

    after(plant, use)
    assert not sprung.exists()


def test_x07_a_pickle_as_store_is_not_loaded(tmp_path, trap):
    data, sprung = trap
    (tmp_path / "forest.sqlite").write_bytes(data)
    with pytest.raises(StoreError):
        open_store(tmp_path / "forest.sqlite")
    assert not sprung.exists()


def test_x07_a_bomb_among_the_samples_is_not_unpacked(tmp_path, caplog):
    path = tmp_path / "forest.sqlite"
    with closing(open_store(path)) as store:
        plant_sample(store, b"x")
        change("UPDATE samples SET body = ?", bomb(MAX_BODY + 10_000_000))(path)
        assert store.samples(HOST, "t1") == []
    assert "too large" in caplog.text


def test_samples_that_are_too_large_to_be_read_are_not_kept(tmp_path):
    with closing(open_store(tmp_path / "forest.sqlite")) as store:
        plant_sample(store, b"x")
        [sample] = store.samples(HOST, "t1")
        store.save_samples([replace(sample, body=bytes(MAX_BODY + 1))], keep=5)
        assert store.samples(HOST, "t1") == [sample]


def plant_sample(store, body):
    now = datetime.now(timezone.utc)
    store.save_template(StoredTemplate(HOST, "t1", "", 1, now))
    store.save_samples([StoredSample(HOST, "t1", "https://a.example/1", body, None, None, now)], keep=5)
