import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from scrapy_forest.errors import StoreError
from scrapy_forest.store import (
    FeedState,
    LedgerRow,
    Removed,
    Retention,
    StoredSample,
    StoredTemplate,
    open_store,
)

NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, timezone.utc)
TEMPLATE = StoredTemplate("a.example", "t1", '{"paths": []}', 7, NOW)
EVERYTHING = Retention(ledger_days=10**6, ledger_entries=10**9, sample_bytes=10**12, wrapper_versions=10**6)


def ledger_row(key="k", **changes):
    row = LedgerRow(
        key, "https://a.example/feed", f"id-{key}", f"https://a.example/{key}", "open", None, 1, "d1", 0, NOW
    )
    return replace(row, **changes)


def sample(url="https://a.example/1", **changes):
    return replace(
        StoredSample("a.example", "t1", url, b"<p>", "text/html", '{"title": "x"}', NOW, "https://a.example/feed"),
        **changes,
    )


@pytest.mark.parametrize(
    "state",
    [
        FeedState("https://a.example/feed"),
        FeedState("u", "https://b.example/", '"etag"', "Sun, 01 Mar 2026 12:00:00 GMT", "Title", 3, True, NOW),
        FeedState("", checked=NOW.astimezone(timezone(timedelta(hours=5, minutes=30)))),
        FeedState("u", checked=datetime(1969, 12, 31, tzinfo=timezone.utc)),
    ],
)
def test_feed_states_come_back(store, state):
    assert store.feed_state(state.url) is None
    store.save_feed_state(replace(state, title="before"))
    store.save_feed_state(state)
    assert store.feed_state(state.url) == state


def test_times_need_a_zone(store):
    with pytest.raises(ValueError, match="no time zone"):
        store.save_feed_state(FeedState("u", checked=datetime(2026, 1, 1)))
    assert store.feed_state("u") is None


def test_ledger_rows_come_back(store):
    rows = [
        ledger_row("a"),
        ledger_row("b", state="skipped", reason="no_link"),
        ledger_row("c", state="failed", tries=2),
    ]
    store.save_ledger(rows)
    assert store.ledger(["a", "b", "c", "d"]) == {row.key: row for row in rows}
    store.save_ledger([ledger_row("a", state="done", revision=2, digest="d2")])
    assert store.ledger(["a"])["a"].digest == "d2"
    assert store.ledger([]) == {}


def test_an_entry_is_kept_while_it_may_be_needed(store):
    row = LedgerRow("k", "f", "e", "l", "open", None, 1, "d", 0, NOW, "{}")
    for state, entry, kept in [
        ("open", "{}", "{}"), ("open", None, "{}"), ("failed", None, "{}"), ("failed", "", None),
        ("open", "[]", "[]"), ("done", None, None), ("open", None, None),
    ]:  # fmt: skip
        store.save_ledger([replace(row, state=state, entry=entry)])
        assert store.ledger(["k"])["k"].entry == kept


def test_ledger_states_are_checked(store):
    with pytest.raises(StoreError, match="CHECK constraint"):
        store.save_ledger([ledger_row(), ledger_row("b", state="lost")])
    assert store.ledger(["k", "b"]) == {}


def test_ledger_by_entry(store):
    old = ledger_row("old", entry_id="x", updated=NOW - timedelta(days=1))
    new = ledger_row("new", entry_id="x")
    other = ledger_row("other", feed="https://b.example/feed", entry_id="x")
    store.save_ledger([new, old, other])
    assert store.ledger_by_entry(new.feed, ["x", "y"]) == {"x": new}
    assert store.ledger_by_entry(other.feed, ["x"]) == {"x": other}
    assert store.ledger_by_entry("nowhere", ["x"]) == {}


def test_unfinished(store):
    late = ledger_row("a", updated=NOW + timedelta(hours=1))
    failed = ledger_row("b", state="failed")
    store.save_ledger([late, failed, ledger_row("c", state="done"), ledger_row("d", feed="other")])
    assert store.unfinished(late.feed) == [failed, late]


@pytest.mark.parametrize("number", [499, 500, 501, 2500])
def test_more_keys_than_a_statement_takes(store, number):
    rows = [ledger_row(str(each)) for each in range(number)]
    store.save_ledger(rows)
    keys = [row.key for row in rows]
    assert store.ledger(keys) == {row.key: row for row in rows}
    assert len(store.ledger_by_entry(rows[0].feed, [row.entry_id for row in rows])) == number
    store.touch_ledger(keys, NOW)


def test_templates_come_back_in_the_order_they_came(store):
    others = [replace(TEMPLATE, name=f"t{number}") for number in (2, 10, 3)]
    for template in [TEMPLATE, *others, replace(TEMPLATE, pages=8), replace(TEMPLATE, host="b.example")]:
        store.save_template(template)
    assert store.templates("a.example") == [replace(TEMPLATE, pages=8), *others]
    assert store.templates("c.example") == []


def test_wrapper_versions(store):
    store.save_template(TEMPLATE)
    store.save_template(replace(TEMPLATE, name="t2"))
    assert [store.save_wrapper("a.example", "t1", text) for text in ("1", "1", "2", "2", "1")] == [1, 1, 2, 2, 3]
    assert store.save_wrapper("a.example", "t2", "other") == 1
    assert [(each.template, each.version, each.wrapper) for each in store.wrappers("a.example")] == [
        ("t1", 3, "1"),
        ("t2", 1, "other"),
    ]
    versions = store.wrapper_versions("a.example", "t1")
    assert [(each.version, each.wrapper) for each in versions] == [(1, "1"), (2, "2"), (3, "1")]
    assert abs(versions[0].created - datetime.now(timezone.utc)) < timedelta(minutes=1)


def test_a_pinned_wrapper_wins(store):
    store.save_template(TEMPLATE)
    for text in "123":
        store.save_wrapper("a.example", "t1", text)

    def in_use():
        return [(each.version, each.pinned) for each in store.wrappers("a.example")]

    assert store.pin_wrapper("a.example", "t1", 1)
    assert in_use() == [(1, True)]
    assert store.save_wrapper("a.example", "t1", "4") == 4
    assert in_use() == [(1, True)]
    assert not store.pin_wrapper("a.example", "t1", 9)
    assert in_use() == [(1, True)]
    assert store.pin_wrapper("a.example", "t1", 2)
    assert in_use() == [(2, True)]
    assert store.pin_wrapper("a.example", "t1", None)
    assert in_use() == [(4, False)]


@pytest.mark.parametrize(
    "save",
    [lambda store: store.save_wrapper("a.example", "t1", "{}"), lambda store: store.save_samples([sample()], 5)],
    ids=["wrapper", "sample"],
)
def test_a_template_comes_before_what_belongs_to_it(store, save):
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        save(store)
    store.save_template(TEMPLATE)
    save(store)


def test_samples_come_back_and_the_newest_are_kept(store):
    store.save_template(TEMPLATE)
    pages = [
        sample("1", body=b""),
        sample("2", body=bytes(range(256)) * 500, entry=None),
        sample("3", content_type=None),
    ]
    store.save_samples(pages, keep=3)
    assert store.samples("a.example", "t1") == pages
    again = sample("1", body=b"new")
    store.save_samples([again], keep=3)
    assert store.samples("a.example", "t1") == [*pages[1:], again]
    older = sample("4", created=NOW - timedelta(days=400))  # what came last is newest, whatever the clock says
    store.save_samples([older], keep=2)
    assert store.samples("a.example", "t1") == [again, older]
    store.forget_samples("a.example", "t1")
    assert store.samples("a.example", "t1") == []


def test_samples_are_compressed(store, path):
    store.save_template(TEMPLATE)
    store.save_samples([sample(body=b"<p>the same</p>" * 100_000)], keep=5)
    assert sum(file.stat().st_size for file in path.parent.iterdir()) < 400_000


def test_a_damaged_sample_is_told_and_left_out(store, path, caplog):
    store.save_template(TEMPLATE)
    store.save_samples([sample()], keep=5)
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE samples SET body = x'00'")
    assert store.samples("a.example", "t1") == []
    assert "forest.db' holds a damaged sample" in caplog.text


class Interruption(Exception):
    pass


def write_and_fail(store):
    with store.transaction():
        store.save_ledger([ledger_row("a")])
        with store.transaction():
            store.save_ledger([ledger_row("b")])
        raise Interruption


def test_a_transaction_is_all_or_nothing(store):
    with pytest.raises(Interruption):
        write_and_fail(store)
    assert store.ledger(["a", "b"]) == {}
    with store.transaction():
        store.save_ledger([ledger_row("a")])
    assert store.ledger(["a"])


def test_two_connections_see_each_other(store, path):
    with closing(open_store(path)) as other:
        store.save_ledger([ledger_row()])
        assert other.ledger(["k"]) == {"k": ledger_row()}
        other.save_ledger([ledger_row(state="done")])
        assert store.ledger(["k"])["k"].state == "done"


def test_a_closed_store_says_so(path):
    store = open_store(path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed database"):
        store.feed_state("u")


# Retention


def read_feed(store, keys, when):
    store.save_ledger([ledger_row(key, state="done", updated=when) for key in keys if key not in store.ledger(keys)])
    store.touch_ledger(keys, when)


def kept(store, days, keys="abc"):
    store.apply_retention(replace(EVERYTHING, ledger_days=days))
    return "".join(store.ledger(list(keys)))


def test_what_a_feed_still_lists_is_never_forgotten(store):
    for day in range(30):
        read_feed(store, "ab" if day == 0 else "a", NOW + timedelta(days=day))
        assert kept(store, 7) == ("ab" if day <= 7 else "a")


def test_a_feed_with_nothing_but_new_entries_grows_old_as_well(store):
    for day, key in enumerate("abcdefgh"):
        store.save_ledger([ledger_row(key, state="done", updated=NOW + timedelta(days=day))])
    assert kept(store, 3, "abcdefgh") == "efgh"


def test_many_readings_a_day_count_once(store):
    read_feed(store, "ab", NOW)
    for minute in range(100):
        read_feed(store, "a", NOW + timedelta(minutes=minute))
    assert kept(store, 0) == "ab"


@pytest.mark.parametrize("jump", [timedelta(days=365), timedelta(days=-365), timedelta(days=-1)])
def test_s17_a_jump_of_the_clock_forgets_nothing(store, jump):
    read_feed(store, "abc", NOW)
    read_feed(store, "a", NOW + jump)
    assert kept(store, 2) == "abc"
    read_feed(store, "a", NOW)  # and it is set right again
    assert kept(store, 2) == "abc"


def test_s17_clocks_that_differ_by_hours_count_no_day_twice(store):
    read_feed(store, "ab", NOW)
    for hour in range(100):
        read_feed(store, "a", NOW + timedelta(hours=hour % 2 * 14))
    assert kept(store, 1) == "ab"


def test_nothing_grows_old_while_its_feed_is_down(store):
    read_feed(store, "ab", NOW)
    read_feed(store, "a", NOW + timedelta(days=300))
    assert kept(store, 30) == "ab"


def test_open_rows_stay(store):
    store.save_ledger([ledger_row("a"), ledger_row("b", state="failed"), ledger_row("c", state="skipped")])
    store.save_ledger([ledger_row("z")])
    for day in range(10):
        store.touch_ledger(["z"], NOW + timedelta(days=day))
    assert kept(store, 3, "abcz") == "az"


def test_f25_a_feed_that_makes_up_its_entries_has_room_for_so_many(store):
    """Those that it listed last; open ones always stay, and so do those of other feeds."""
    store.save_ledger([ledger_row("open"), ledger_row("still listed", state="done")])
    for day in range(5):
        made_up = [ledger_row(f"{day} {number}", state="done") for number in range(4)]
        store.save_ledger(made_up)
        store.touch_ledger([row.key for row in made_up] + ["still listed"], NOW + timedelta(days=day))
    others = [ledger_row(f"other {number}", state="skipped", feed="https://b.example/feed") for number in range(6)]
    store.save_ledger(others)
    assert store.apply_retention(replace(EVERYTHING, ledger_entries=6)).ledger == 15
    keys = ["open", "still listed", *(f"{day} {number}" for day in range(5) for number in range(4))]
    assert [*store.ledger(keys)] == ["open", "still listed", "3 3", "4 0", "4 1", "4 2", "4 3"]
    assert len(store.ledger([row.key for row in others])) == 6
    assert store.apply_retention(replace(EVERYTHING, ledger_entries=6)).ledger == 0


@pytest.mark.parametrize(("quota", "left"), [(10**9, "12345"), (2300, "45"), (1100, "5"), (0, "")])
def test_s11_the_oldest_samples_go_first(store, quota, left):
    incompressible = bytes(each * each % 251 ^ each // 7 % 256 for each in range(5000))
    for template in (TEMPLATE, replace(TEMPLATE, name="t2")):
        store.save_template(template)
    for url in "12345":
        store.save_samples([sample(url, template=f"t{int(url) % 2 + 1}", body=incompressible[:1000])], keep=9)
    removed = store.apply_retention(replace(EVERYTHING, sample_bytes=quota))
    urls = {each.url for template in ("t1", "t2") for each in store.samples("a.example", template)}
    assert removed == Removed(0, 5 - len(left), 0)
    assert urls == set(left)


@pytest.mark.parametrize(("number", "left"), [(9, [1, 2, 3, 4, 5]), (2, [1, 4, 5]), (0, [1, 5])])
def test_old_wrapper_versions_go_but_not_pinned_ones(store, number, left):
    for name in ("t1", "t2"):
        store.save_template(replace(TEMPLATE, name=name))
        for text in "12345":
            store.save_wrapper("a.example", name, text)
        store.pin_wrapper("a.example", name, 1)
    removed = store.apply_retention(replace(EVERYTHING, wrapper_versions=number))
    assert removed == Removed(0, 0, 2 * (5 - len(left)))
    assert [each.version for each in store.wrapper_versions("a.example", "t2")] == left
    assert store.save_wrapper("a.example", "t2", "6") == 6
