"""Feeds and entries survive the way through JSON."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.model.feed import Feed, FeedEntry

TEXTS = st.text(max_size=20)
NAMES = st.lists(TEXTS, max_size=3).map(tuple)
ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.none() | st.datetimes(timezones=ZONES)
ENTRIES = st.builds(
    FeedEntry, id=TEXTS, link=st.none() | TEXTS, title=TEXTS, summary=TEXTS, content=TEXTS, authors=NAMES,
    published=MOMENTS, updated=MOMENTS, tags=NAMES, problem=st.none() | TEXTS,
)  # fmt: skip
FEEDS = st.builds(
    Feed, url=TEXTS, title=TEXTS, language=st.none() | TEXTS, dialect=TEXTS,
    entries=st.lists(ENTRIES, max_size=3).map(tuple), problems=NAMES,
)  # fmt: skip


@given(ENTRIES)
def test_entry_round_trip(entry: FeedEntry) -> None:
    data = json.loads(json.dumps(entry.to_dict()))
    assert data == entry.to_dict()
    assert FeedEntry.from_dict(data) == entry


@given(FEEDS)
def test_feed_round_trip(feed: Feed) -> None:
    data = json.loads(json.dumps(feed.to_dict()))
    assert data == feed.to_dict()
    assert Feed.from_dict(data) == feed


def test_values_are_plain() -> None:
    entry = FeedEntry("1", authors=("Jane",), published=datetime(2024, 2, 29, tzinfo=timezone.utc))
    data = Feed("https://example.com/feed", entries=(entry,)).to_dict()
    assert data["entries"][0]["authors"] == ["Jane"]
    assert data["entries"][0]["published"] == "2024-02-29T00:00:00+00:00"


def test_missing_keys_take_their_defaults() -> None:
    assert FeedEntry.from_dict({"id": "1"}) == FeedEntry("1")
    assert Feed.from_dict({"url": "u"}) == Feed("u")


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(TypeError):
        FeedEntry.from_dict({"colour": "red"})
