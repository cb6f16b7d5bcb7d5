import asyncio
import tempfile
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_forest.crawl.ledger import FINAL_ERRORS
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.store import Retention

FEED = "https://a.example/feed"
YESTERDAY = datetime(2024, 4, 30, 12, tzinfo=timezone.utc)


def entry(link, **values):
    return FeedEntry(link=f"https://a.example/{link}", **{"id": str(link), **values})


def links_of(tasks):
    return [task.entry.link for task in tasks]


@pytest.mark.parametrize(
    ("read", "reason"),
    [
        (FeedEntry(problem="no_link"), "no_link"),
        (FeedEntry(problem="bad_link"), "bad_link"),
        (entry("1#comment-7"), "comment"),
        (entry("1#comments"), None),
        (entry("1#respond"), None),
        (entry("1#c7"), "comment"),
        (entry("1#IDComment7"), "comment"),
        (entry("1.mp3"), "media_link"),
        (entry("1.MP4?download=1"), "media_link"),
        (entry("talk.pdf#page=2"), "media_link"),
        (entry("photo.jpeg"), "media_link"),
        (entry("1"), None),
        (entry("1#content"), None),
        (entry("mp3"), None),
        (entry("on.mp3/players"), None),
        (entry("?file=a.mp3"), None),
    ],
)
def test_links_that_are_no_articles(tmp_path, bookkeeping, read, reason):
    async def use(office):
        async with office.open_books() as books:
            tasks = await books.ledger.take_up(FEED, [read])
            assert len(tasks) == (reason is None)
            assert books.total("skipped/") == (reason is not None)
            if reason:
                assert books.counts[f"skipped/{reason}"] == 1

    bookkeeping(tmp_path, use)


def test_an_entry_is_fetched_once(tmp_path, bookkeeping):
    async def use(office):
        entries = [entry(1), entry(2), entry("1?utm_source=rss", id="other")]
        async with office.open_books() as books:
            tasks = await books.ledger.take_up(FEED, entries)
            assert [task.key for task in tasks] == ["https://a.example/1", "https://a.example/2"]
            assert books.counts == {"entries": 3, "skipped/duplicate": 1}
            assert await books.ledger.take_up("https://b.example/feed", [entry(1)]) == []  # another feed has it, too
            for task in tasks:
                books.ledger.finish(task.key)
        assert books.counts == {"entries": 4, "skipped/duplicate": 2, "items": 2}
        async with office.open_books() as books:
            assert await books.ledger.take_up(FEED, [*entries, entry(3)]) != []
        assert books.counts == {"entries": 4, "skipped/known": 3, "skipped/interrupted": 1}

    bookkeeping(tmp_path, use)


def test_what_the_store_has(tmp_path, bookkeeping):
    async def use(office):
        async with office.open_books() as books:
            tasks = await books.ledger.take_up(FEED, [entry(number) for number in range(5)])
            keys = [task.key for task in tasks]
            books.ledger.finish(keys[0])
            books.ledger.skip(keys[1], "not_html")
            books.ledger.fail(keys[2], "timeout")
            books.ledger.fail(keys[3], "http_404")
        rows = [await office.row(key) for key in keys]
        assert [(row.state, row.reason, row.tries) for row in rows] == [
            ("done", None, 0),
            ("skipped", "not_html", 0),
            ("failed", "timeout", 1),
            ("skipped", "http_404", 1),
            ("open", None, 0),
        ]
        assert [row.entry is None for row in rows] == [True, True, False, True, False]
        assert {row.feed for row in rows} == {FEED}

    bookkeeping(tmp_path, use)


@pytest.mark.parametrize("is_wanted", [False, True])
def test_revisions(tmp_path, bookkeeping, is_wanted):
    async def use(office):
        async with office.open_books() as books:
            [task] = await books.ledger.take_up(FEED, [entry(1, title="old")])
            assert task.revision == 1
            books.ledger.finish(task.key)
        async with office.open_books(revisions=is_wanted) as books:
            assert await books.ledger.take_up(FEED, [entry(1, title="old")]) == []
        async with office.open_books(revisions=is_wanted) as books:
            tasks = await books.ledger.take_up(FEED, [entry(1, title="new")])
            assert [task.revision for task in tasks] == ([2] if is_wanted else [])
            for task in tasks:
                books.ledger.finish(task.key)
        async with office.open_books(revisions=is_wanted) as books:
            assert await books.ledger.take_up(FEED, [entry(1, title="new" if is_wanted else "old")]) == []

    bookkeeping(tmp_path, use)


def test_what_failed_is_tried_so_many_times(tmp_path, bookkeeping):
    async def use(office):
        for attempt in range(3):
            async with office.open_books(tries=3) as books:
                [task] = await books.ledger.take_up(FEED, [entry(1)])
                books.ledger.fail(task.key, "timeout")
            assert books.counts == {"entries": 1, "errors/timeout": 1}
            assert (await office.row(task.key)).tries == attempt + 1
        async with office.open_books(tries=3) as books:
            assert await books.ledger.take_up(FEED, [entry(1)]) == []
            assert await books.ledger.take_up_unfinished(FEED) == []
        assert books.counts == {"entries": 1, "skipped/given_up": 1}
        assert (await office.row(task.key)).entry is None  # no longer needed

    bookkeeping(tmp_path, use)


def test_what_has_failed_more_often_than_is_now_allowed(tmp_path, bookkeeping):
    async def use(office):
        for _ in range(2):
            async with office.open_books(tries=3) as books:
                [task] = await books.ledger.take_up(FEED, [entry(1)])
                books.ledger.fail(task.key, "timeout")
        async with office.open_books(tries=2) as books:
            assert await books.ledger.take_up(FEED, [entry(1)]) == []
            assert await books.ledger.take_up_unfinished(FEED) == []
        assert books.counts == {"entries": 1, "skipped/given_up": 1}

    bookkeeping(tmp_path, use)


@pytest.mark.parametrize("reason", sorted(FINAL_ERRORS))
def test_what_is_gone_is_not_asked_for_again(tmp_path, bookkeeping, reason):
    async def use(office):
        async with office.open_books() as books:
            [task] = await books.ledger.take_up(FEED, [entry(1)])
            books.ledger.fail(task.key, reason)
        async with office.open_books() as books:
            assert await books.ledger.take_up(FEED, [entry(1)]) == []
        assert books.counts == {"entries": 1, "skipped/known": 1}

    bookkeeping(tmp_path, use)


def test_what_was_interrupted_is_taken_up_again(tmp_path, bookkeeping):
    async def use(office):
        first, second, third = entry(1, title="one", tags=("x",)), entry(2), entry(3)
        async with office.open_books() as books:
            tasks = await books.ledger.take_up(FEED, [first, second, third])
            books.ledger.fail(tasks[1].key, "timeout")
            books.ledger.finish(tasks[2].key)
        assert books.counts["skipped/interrupted"] == 1
        async with office.open_books() as books:  # the feed lists only the second one
            assert links_of(await books.ledger.take_up(FEED, [second])) == [second.link]
            assert await books.ledger.take_up_unfinished("https://b.example/feed") == []
            [again] = await books.ledger.take_up_unfinished(FEED)
            assert again.entry == first
            assert await books.ledger.take_up_unfinished(FEED) == []
            assert books.ledger.in_work == {FEED: 2}

    bookkeeping(tmp_path, use)


def test_an_id_tells_an_entry_whose_link_has_changed(tmp_path, bookkeeping):
    async def use(office):
        async with office.open_books() as books:
            [task] = await books.ledger.take_up(FEED, [entry("old", id="7")])
            books.ledger.finish(task.key)
        async with office.open_books() as books:
            assert await books.ledger.take_up(FEED, [entry("new", id="7")]) == []
            assert links_of(await books.ledger.take_up("https://b.example/feed", [entry("other", id="7")])) != []
        assert books.counts["skipped/known"] == 1

    bookkeeping(tmp_path, use)


def test_an_id_that_several_entries_have_tells_nothing(tmp_path, bookkeeping):
    async def use(office):
        async with office.open_books() as books:
            [task] = await books.ledger.take_up(FEED, [entry("old", id="7")])
            books.ledger.finish(task.key)
        async with office.open_books() as books:
            entries = [entry("a", id="7"), entry("b", id="7"), entry("c", id=""), entry("d", id="")]
            tasks = await books.ledger.take_up(FEED, entries)
            assert [task.entry for task in tasks] == entries

    bookkeeping(tmp_path, use)


def test_an_entry_ends_once(tmp_path, bookkeeping):
    async def use(office):
        async with office.open_books() as books:
            [task] = await books.ledger.take_up(FEED, [entry(1)])
            assert books.ledger.is_open(task.key)
            books.ledger.finish(task.key)
            books.ledger.fail(task.key, "late")
            books.ledger.skip(task.key, "later")
            books.ledger.finish("https://a.example/never-seen")
            assert not books.ledger.is_open(task.key)
        assert books.counts == {"entries": 1, "items": 1}
        assert (await office.row(task.key)).state == "done"

    bookkeeping(tmp_path, use)


def test_pages_of_other_spiders(tmp_path, bookkeeping):
    async def use(office):
        async with office.open_books() as books:
            keys = [books.ledger.take_up_page() for _ in range(4)]
            assert len(set(keys)) == 4
            books.ledger.finish(keys[0])
            books.ledger.skip(keys[1], "not_html")
            books.ledger.fail(keys[2], "page_timeout")
            assert not books.ledger.arrive(keys[0])  # no feed waits for them
            assert [books.ledger.is_open(key) for key in keys] == [False, False, False, True]
        assert books.counts["pages"] == 4
        assert books.counts["skipped/interrupted"] == 1
        assert [await office.row(key) for key in keys] == [None] * 4

    bookkeeping(tmp_path, use)


def test_a_feed_is_in_work_until_its_last_page_has_come(tmp_path, bookkeeping):
    async def use(office):
        async with office.open_books() as books:
            keys = [task.key for task in await books.ledger.take_up(FEED, [entry(1), entry(2)])]
            assert FEED in books.ledger.in_work
            assert not books.ledger.arrive(keys[0])
            assert not books.ledger.arrive(keys[0])  # the same one again
            assert FEED in books.ledger.in_work
            assert books.ledger.arrive(keys[1])
            assert FEED not in books.ledger.in_work
            assert not books.ledger.arrive(keys[1])

    bookkeeping(tmp_path, use)


def test_hosts_without_any_article(tmp_path, bookkeeping):
    async def use(office):
        async with office.open_books() as books:
            links = ["https://good.example/1", "https://good.example/2", "https://bad.example/1", "https://B.example/"]
            entries = [FeedEntry(link=link) for link in links]
            tasks = await books.ledger.take_up(FEED, entries)
            books.ledger.finish(tasks[0].key)
            books.ledger.fail(tasks[1].key, "timeout")
            books.ledger.fail(tasks[2].key, "timeout")
            assert books.ledger.silent_hosts() == ["b.example", "bad.example"]

    bookkeeping(tmp_path, use)


def test_f25_a_feed_that_is_another_each_time(tmp_path, bookkeeping):
    """Every poll has a thousand entries that nobody has seen before."""
    retention = Retention(ledger_entries=2000)

    async def use(office):
        for poll in range(5):
            async with office.open_books() as books:
                for task in await books.ledger.take_up(FEED, [entry(f"{poll}/{n}") for n in range(1000)]):
                    books.ledger.finish(task.key)
            assert books.counts == {"entries": 1000, "items": 1000}
            await office.store.write("apply_retention", retention)
        kept = await office.store.call("ledger", [f"https://a.example/{p}/{n}" for p in range(5) for n in range(1000)])
        assert len(kept) == 2000
        async with office.open_books() as books:  # what it listed last is still known
            assert await books.ledger.take_up(FEED, [entry(f"4/{n}") for n in range(1000)]) == []

    bookkeeping(tmp_path, use)


@pytest.mark.parametrize(
    ("second", "is_duplicate"),
    [
        (entry("x?from=b", title=" a TITLE "), True),
        (entry("x", title="A title"), True),  # the canonical link itself
        (entry("x?from=b", title="Another title"), False),
        (entry("x", title="Another title"), False),
        (entry("x?from=b", title=""), False),
        (entry("x?from=b", title="A title", published=YESTERDAY), False),
    ],
    ids=["same title", "canonical", "other title", "canonical of another", "no title", "other day"],
)
@pytest.mark.parametrize("crawls", [1, 2])
@pytest.mark.parametrize("feed", [FEED, "https://b.example/feed"])
def test_p26_one_page_under_two_links(tmp_path, bookkeeping, second, is_duplicate, crawls, feed):
    canonical = "https://a.example/x"

    async def read(ledger, feed, entries):
        ends = []
        for task in await ledger.take_up(feed, entries):
            ends.append(await ledger.is_duplicate(task.key, canonical))
            ledger.finish(task.key)  # which a duplicate does not hear
        return ends

    async def use(office):
        first = entry("x?from=a", title="A title", id="")
        async with office.open_books() as books:
            assert await read(books.ledger, FEED, [first]) == [False]
            if crawls == 1:
                await read(books.ledger, feed, [second])
        if crawls == 2:
            async with office.open_books() as books:
                await read(books.ledger, feed, [second])
        assert books.counts["items"] == (not is_duplicate) + (crawls == 1)
        assert books.counts["skipped/duplicate"] + books.counts["skipped/known"] == is_duplicate
        async with office.open_books() as books:  # and so it stays
            assert await books.ledger.take_up(feed, [second]) == []

    bookkeeping(tmp_path, use)


def test_p26_a_broken_canonical_link_loses_nothing(tmp_path, bookkeeping):
    """All pages of a site name one address, that of an article which is listed later."""

    async def use(office):
        entries = [entry(number, title=f"Number {number}") for number in range(5)]
        for part in ([*entries[1:3]], [*entries]):
            async with office.open_books() as books:
                for task in await books.ledger.take_up(FEED, part):
                    assert not await books.ledger.is_duplicate(task.key, "https://a.example/0")
                    books.ledger.finish(task.key)
        assert books.counts == {"entries": 5, "items": 3, "skipped/known": 2}

    bookkeeping(tmp_path, use)


@pytest.mark.parametrize("end", ["fail", "interrupt", "finish"])
def test_p26_nothing_is_its_own_duplicate(tmp_path, bookkeeping, end):
    """A page that comes again, because something went wrong or its entry has changed."""
    changes = {"summary": "changed"} if end == "finish" else {}

    async def use(office):
        async with office.open_books() as books:
            for task in await books.ledger.take_up(FEED, [entry("x?1", title="A"), entry("x", title="A")]):
                await books.ledger.is_duplicate(task.key, "https://a.example/x")
                if end != "interrupt":
                    getattr(books.ledger, end)(task.key, *(["export"] if end == "fail" else []))
        assert books.counts["skipped/duplicate"] == (end != "fail")
        async with office.open_books(revisions=True) as books:
            [task] = await books.ledger.take_up(FEED, [entry("x?1", title="A", **changes)])
            assert not await books.ledger.is_duplicate(task.key, "https://a.example/x")
            books.ledger.finish(task.key)

    bookkeeping(tmp_path, use)


@pytest.mark.parametrize("end", ["fail", "interrupt"])
def test_p26_what_waits_for_a_twin_that_fails_is_taken_up_again(tmp_path, bookkeeping, end):
    async def use(office):
        async with office.open_books() as books:
            first, twin = await books.ledger.take_up(FEED, [entry("x?1", title="A"), entry("x", title="A")])
            assert not await books.ledger.is_duplicate(first.key, "https://a.example/x")
            assert await books.ledger.is_duplicate(twin.key, "https://a.example/x")
            if end == "fail":
                books.ledger.skip(first.key, "dropped")
        assert books.counts["skipped/duplicate"] == 1
        async with office.open_books() as books:
            assert twin.key in [task.key for task in await books.ledger.take_up_unfinished(FEED)]

    bookkeeping(tmp_path, use)


@pytest.mark.parametrize("text", ["[", '{"a": 1}', "[]", "[" * 100_000])
def test_x07_an_entry_that_somebody_else_has_written_costs_itself(tmp_path, bookkeeping, text):
    async def use(office):
        async with office.open_books() as books:
            one, other = await books.ledger.take_up(FEED, [entry(1), entry(2)])
        row = await office.row(one.key)
        await office.store.call("save_ledger", [replace(row, entry=text)])
        async with office.open_books() as books:
            assert [task.key for task in await books.ledger.take_up_unfinished(FEED)] == [other.key]
            books.ledger.finish(other.key)
        assert books.counts == {"entries": 2, "skipped/unreadable": 1, "items": 1}

    bookkeeping(tmp_path, use)


def test_p26_an_address_that_has_failed_is_nobodys(tmp_path, bookkeeping):
    async def use(office):
        async with office.open_books() as books:
            [task] = await books.ledger.take_up(FEED, [entry("x", title="A")])
            books.ledger.fail(task.key, "http_404")
        async with office.open_books() as books:
            [task] = await books.ledger.take_up(FEED, [entry("x?1", title="A")])
            assert not await books.ledger.is_duplicate(task.key, "https://a.example/x")
            assert not await books.ledger.is_duplicate(books.ledger.take_up_page(), "https://a.example/x")
        assert (await office.row("https://a.example/x")).reason == "http_404"

    bookkeeping(tmp_path, use)


def test_p26_pages_that_come_at_the_same_time(tmp_path, bookkeeping):
    async def use(office):
        async with office.open_books() as books:
            tasks = await books.ledger.take_up(FEED, [entry(f"x?{n}", title="A") for n in range(5)])
            came = await asyncio.gather(*(books.ledger.is_duplicate(task.key, "https://a.example/x") for task in tasks))
            assert came == [False, True, True, True, True]

    bookkeeping(tmp_path, use)


LINKS = ["1", "2", "2?utm_source=x", "3", "3#comment-1", "4.mp3", ""]
ENTRIES = st.builds(
    lambda link, id_, title: entry(link, id=id_, title=title) if link else FeedEntry(id=id_, problem="no_link"),
    st.sampled_from(LINKS),
    st.sampled_from(["", "x", "y"]),
    st.sampled_from(["", "changed"]),
)
FEEDS = st.sampled_from([FEED, "https://b.example/feed"])
OPERATIONS = st.one_of(
    st.tuples(st.just("take_up"), FEEDS, st.lists(ENTRIES, max_size=4)),
    st.tuples(st.just("unfinished"), FEEDS),
    st.tuples(st.just("page")),
    st.tuples(st.sampled_from(["finish", "skip", "fail", "gone", "arrive"]), st.integers(0, 20)),
    st.tuples(st.just("came"), st.integers(0, 20), st.sampled_from([None, *LINKS[:2]])),
)
CRAWLS = st.lists(
    st.tuples(st.lists(OPERATIONS, max_size=12), st.booleans(), st.integers(1, 3)), min_size=1, max_size=3
)


async def operate(ledger, keys, operation):
    """One step of a crawl; ``keys`` are those that are known so far, of open entries and of others."""
    match operation:
        case "take_up", feed, entries:
            keys += [task.key for task in await ledger.take_up(feed, entries)]
        case "unfinished", feed:
            keys += [task.key for task in await ledger.take_up_unfinished(feed)]
        case ("page",):
            keys.append(ledger.take_up_page())
        case "came", number, link if keys:
            await ledger.is_duplicate(keys[number % len(keys)], link and f"https://a.example/{link}")
        case name, number if keys:
            key = keys[number % len(keys)]
            {
                "finish": ledger.finish,
                "skip": partial(ledger.skip, reason="ignored"),
                "fail": partial(ledger.fail, reason="timeout"),
                "gone": partial(ledger.fail, reason="http_404"),
                "arrive": ledger.arrive,
            }[name](key)


@settings(max_examples=60, deadline=None)
@given(CRAWLS)
def test_the_books_balance(bookkeeping, crawls):
    async def use(office):
        for operations, revisions, tries in crawls:
            async with office.open_books(revisions=revisions, tries=tries) as books:  # which looks at the balance
                keys = []
                for operation in operations:
                    await operate(books.ledger, keys, operation)
                assert len(keys) == len(set(keys))  # nothing is fetched twice
                is_open = [books.ledger.is_open(key) for key in keys]
                for key in keys:
                    books.ledger.arrive(key)
                assert not books.ledger.in_work
            assert books.counts["skipped/interrupted"] == sum(is_open)

    with tempfile.TemporaryDirectory() as directory:
        bookkeeping(Path(directory), use)
