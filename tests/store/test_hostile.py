import tempfile
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_forest.store import FeedState, LedgerRow, StoredSample, StoredTemplate, open_store

NOW = datetime(2026, 3, 1, tzinfo=timezone.utc)
TEXTS = st.text(st.characters(exclude_categories=[]), max_size=30)  # surrogates as well
STRINGS = [
    "'; DROP TABLE ledger; --",
    "%",
    "_",
    "{keys}",
    "?",
    "a\0b",
    "\0",
    "\ud800",
    "a\udfffb",
    "\ud83d\ude00",
    "..",
    "",
    "x" * 100_000,
    "\u2028",
    "ß",
    "é",
    "e\u0301",
]


@pytest.fixture(scope="module")
def shared():
    with tempfile.TemporaryDirectory() as folder, closing(open_store(Path(folder, "forest.db"))) as store:
        yield store


def readable(text):
    return "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in text)


@pytest.mark.parametrize("text", STRINGS, ids=ascii)
def test_s16_any_text_is_stored(store, text):
    use_everywhere(store, text)


@settings(deadline=None)
@given(TEXTS)
def test_s16_any_text_is_stored_property(shared, text):
    use_everywhere(shared, text)


def use_everywhere(store, text):
    expected = readable(text)
    store.save_feed_state(FeedState(text, text, text, text, text))
    assert store.feed_state(text) == FeedState(expected, expected, expected, expected, expected)

    store.save_ledger([LedgerRow(text, text, text, text, "skipped", text, 1, text, 0, NOW)])
    row = LedgerRow(expected, expected, expected, expected, "skipped", expected, 1, expected, 0, NOW)
    assert store.ledger([text]) == store.ledger_by_entry(text, [text]) == {text: row}
    store.touch_ledger([text], NOW)

    store.save_template(StoredTemplate(text, text, text, 1, NOW))
    assert StoredTemplate(expected, expected, expected, 1, NOW) in store.templates(text)
    version = store.save_wrapper(text, text, text)
    assert store.save_wrapper(text, text, text) == version
    assert store.pin_wrapper(text, text, version)
    assert [each.wrapper for each in store.wrapper_versions(text, text)] == [expected]

    store.save_samples([StoredSample(text, text, text, b"x", text, text, NOW)], keep=1)
    assert store.samples(text, text) == [StoredSample(expected, expected, expected, b"x", expected, expected, NOW)]


@settings(deadline=None)  # a disk takes the time it takes
@given(st.sets(st.text(max_size=10), max_size=20), st.sets(st.text(max_size=10), max_size=20))
def test_s16_keys_do_not_mix(shared, saved, asked):
    run = f"{uuid4()} "
    saved, asked = ({run + key for key in keys} for keys in (saved, asked))
    shared.save_ledger([LedgerRow(key, run, key, key, "open", None, 1, "", 0, NOW) for key in saved])
    keys = sorted(asked)
    assert shared.ledger(keys).keys() == shared.ledger_by_entry(run, keys).keys() == saved & asked


@settings(deadline=None)
@given(st.binary(max_size=2000), st.datetimes(timezones=st.just(timezone.utc)))
def test_bodies_and_times_come_back_exactly(shared, body, time):
    shared.save_template(StoredTemplate("h", "t", "", 1, time))
    sample = StoredSample("h", "t", "u", body, None, None, time)
    shared.save_samples([sample], keep=1)
    assert shared.samples("h", "t") == [sample]
