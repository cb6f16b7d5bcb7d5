"""When an entry was published: F24."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from scrapy_forest.model.feed import FeedEntry, read_feed
from scrapy_forest.model.feed.dates import OLDEST, date_from_utc

pytestmark = pytest.mark.usefixtures("reader")
NOW = datetime.now(timezone.utc)
SOON, LATE = NOW + timedelta(days=30), NOW + timedelta(days=730)
GOOD = "Sat, 03 Feb 2024 04:05:06 GMT"


def entries(*fields: str) -> tuple[FeedEntry, ...]:
    items = "".join(f"<item><title>a</title>{field}</item>" for field in fields)
    xmlns = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    return read_feed("", f"<rss version='2.0' {xmlns}><channel>{items}</channel></rss>".encode()).entries


DATES = {
    "F24-rfc-822": (GOOD, "2024-02-03 04:05:06"),
    "F24-offset": ("Sat, 03 Feb 2024 04:05:06 +0200", "2024-02-03 02:05:06"),
    "F24-named-zone": ("Sat, 03 Feb 2024 04:05:06 EST", "2024-02-03 09:05:06"),
    "F24-no-weekday": ("3 Feb 2024 04:05 GMT", "2024-02-03 04:05:00"),
    "F24-iso": ("2024-02-03T04:05:06Z", "2024-02-03 04:05:06"),
    "F24-iso-offset": ("2024-02-03T04:05:06.123+05:30", "2024-02-02 22:35:06"),
    "F24-iso-negative-offset": ("2024-02-03T04:05:06-00:30", "2024-02-03 04:35:06"),
    "F24-iso-no-seconds": ("2024-02-03T04:05Z", "2024-02-03 04:05:00"),
    "F24-iso-day": ("2024-02-03", "2024-02-03 00:00:00"),
    "F24-empty": ("", None),
    "F24-words": ("yesterday", None),
    "F24-year-9999": ("Fri, 31 Dec 9999 23:59:59 -1200", None),
    "F24-year-9999-iso": ("9999-12-31T23:59:59-12:00", None),
    "F24-year-1": ("0001-01-01T00:00:00+12:00", None),
    "F24-year-1970": ("Thu, 01 Jan 1970 00:00:00 GMT", None),
    "F24-digits": ("1" * 1_000_000, None),
    "F24-weekdays": ("Mon, " * 200_000, None),
    "F24-next-month": (f"{SOON:%Y-%m-%dT%H:%M:%SZ}", f"{SOON:%Y-%m-%d %H:%M:%S}"),
    "F24-in-two-years": (f"{LATE:%Y-%m-%dT%H:%M:%SZ}", None),
}


@pytest.mark.parametrize(("date", "expected"), DATES.values(), ids=DATES)
def test_date(date: str, expected: str | None) -> None:
    bad, good = entries(f"<pubDate>{date}</pubDate>", f"<pubDate>{GOOD}</pubDate>")
    assert bad.published == (datetime.fromisoformat(f"{expected}+00:00") if expected else None)
    assert good.published == datetime(2024, 2, 3, 4, 5, 6, tzinfo=timezone.utc)


STRANGE = {
    "F24-day-32": "2024-01-32",
    "F24-hour-25": "2024-01-31T25:00:00Z",
    "F24-dashes": "2024-" * 200_000,
    "F24-colons": "12:" * 300_000,
    "F24-eastern-arabic-digits": "٢٠٢٤-٠٢-٠٣",
    "F24-zone-of-99-hours": "2024-01-31T00:00:00+99:99",
}


@pytest.mark.parametrize("date", STRANGE.values(), ids=STRANGE)
def test_date_that_feedparser_may_make_sense_of(date: str) -> None:
    bad, good = entries(f"<pubDate>{date}</pubDate>", f"<pubDate>{GOOD}</pubDate>")
    assert bad.published is None or OLDEST < bad.published < LATE
    assert good.published == datetime(2024, 2, 3, 4, 5, 6, tzinfo=timezone.utc)


def test_f24_missing() -> None:
    assert entries("")[0].published is None


def test_f24_dc_date_is_the_date_of_rss() -> None:
    (entry,) = entries("<dc:date>2024-02-03</dc:date>")
    assert entry.published == entry.updated == datetime(2024, 2, 3, tzinfo=timezone.utc)


@pytest.mark.parametrize("parts", [(2024, 13, 1, 0, 0, 0), (2024, 1, 1, 24, 0, 0), (10**9, 1, 1, 0, 0, 0), (), None])
def test_f24_parts_that_are_no_date(parts: tuple[int, ...] | None) -> None:
    assert date_from_utc(parts) is None


def test_f24_leap_second() -> None:
    assert date_from_utc((2016, 12, 31, 23, 59, 60)) == datetime(2016, 12, 31, 23, 59, 59, tzinfo=timezone.utc)
