"""Feeds without entries, with too many, too long or cut ones: F01 and F08 to F10."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from scrapy_forest.model.feed import Feed, read_feed
from scrapy_forest.model.feed.fields import MAX_SUMMARY

URL = "https://example.com/feed"
MEGABYTE = 1024 * 1024
GOOD = "<item><title>good</title><link>https://example.com/good</link></item>"


def rss(*items: str, before: str = "", xmlns: str = "") -> bytes:
    return f'{before}<rss version="2.0" {xmlns}><channel><title>T</title>{"".join(items)}</channel></rss>'.encode()


def titles(feed: Feed) -> list[str]:
    return [entry.title for entry in feed.entries]


EMPTY = {
    "F01-no-bytes": (b"", ("empty",)),
    "F01-spaces": (b" \r\n\t", ("empty",)),
    "F01-byte-order-mark": (b"\xef\xbb\xbf", ("empty",)),
    "F01-rss-without-items": (rss(), ("empty",)),
    "F01-atom-without-entries": (b"<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title></feed>", ("empty",)),
    "F01-root-only": (b"<rss/>", ("empty", "partial")),
    "F01-root-cut": (b"<rss version='2.0'", ("bad_markup", "empty", "partial")),
}


@pytest.mark.parametrize(("body", "problems"), EMPTY.values(), ids=EMPTY)
def test_no_entries(body: bytes, problems: tuple[str, ...]) -> None:
    feed = read_feed(URL, body)
    assert (feed.entries, feed.problems) == ((), problems)


def dated(number: int, size: int = 0) -> str:
    date = datetime(2020, 1, 1, tzinfo=timezone.utc) + timedelta(minutes=number)
    return f"<item><title>{number}</title><pubDate>{date:%d %b %Y %H:%M} GMT</pubDate>{'x' * size}</item>"


@pytest.mark.usefixtures("soon")
def test_f08_feed_of_50_megabytes() -> None:
    body = rss(*(dated(number, size=430) for number in range(100_000)))
    assert len(body) > 50_000_000
    feed = read_feed(URL, body)
    numbers = [int(title) for title in titles(feed)]
    assert numbers == list(range(numbers[0], numbers[0] + 1_000))  # the newest of those within the limit
    assert numbers[0] > 10_000
    assert feed.problems == ("truncated",)


@pytest.mark.usefixtures("reader")
def test_f08_newest_entries() -> None:
    shuffled = [number * 617 % 1_200 for number in range(1_200)]
    feed = read_feed(URL, rss(GOOD, *map(dated, shuffled), GOOD))
    assert [int(title) for title in titles(feed)] == [number for number in shuffled if number >= 200]
    assert feed.problems == ("truncated",)


LONG = {
    "F09-description": ("<description>{}</description>", 9 * MEGABYTE),
    "F09-cdata": ("<description><![CDATA[<p>{}</p>]]></description>", 9 * MEGABYTE),
    "F09-title": ("<title>{}</title>", MEGABYTE),
    "F09-guid": ("<guid>{}</guid>", MEGABYTE),
    "F09-author": ("<author>{}</author>", MEGABYTE),
    "F09-category": ("<category>{}</category>", MEGABYTE),
    "F09-content": ('<x:encoded xmlns:x="http://purl.org/rss/1.0/modules/content/">{}</x:encoded>', 2 * MEGABYTE),
}


@pytest.mark.parametrize(("field", "size"), LONG.values(), ids=LONG)
@pytest.mark.usefixtures("soon")
def test_long_field_is_cut(field: str, size: int) -> None:
    feed = read_feed(URL, rss(GOOD, f"<item>{field.format('word ' * (size // 5))}</item>", GOOD))
    entry = feed.entries[1]
    assert (titles(feed)[::2], feed.problems) == (["good", "good"], ("field_truncated",))
    assert max(len(entry.title), len(entry.summary), len(entry.id)) <= MAX_SUMMARY
    assert len(entry.content) <= 1_000_010


@pytest.mark.usefixtures("soon")
def test_f09_description_of_50_megabytes() -> None:
    feed = read_feed(URL, rss(GOOD, f"<item><description>{'word ' * (10 * MEGABYTE)}</description></item>", GOOD))
    assert (titles(feed), feed.problems) == (["good"], ("truncated",))


def test_f10_cut_anywhere_in_item_31() -> None:
    items = [
        f"<item><title><![CDATA[{number}]]></title><link>https://example.com/{number}?a&amp;b=1</link></item>"
        for number in range(40)
    ]
    start = len(rss(*items[:30])) - len("</channel></rss>")
    body = rss(*items)
    links = [entry.link for entry in read_feed(URL, body).entries]
    for end in range(start, start + len(items[30])):
        feed = read_feed(URL, body[:end])
        assert [entry.link for entry in feed.entries] == links[:30]  # and never half a link
        assert feed.problems == ("partial",)


CUT = {
    "F10-in-first-item": (b"<rss><channel><item><title>a</title><link>https://e", ("bad_markup", "partial")),
    "F10-in-cdata": (b"<rss><channel><item><title>a</title><description><![CDATA[<p>x", ("bad_markup", "partial")),
    "F10-after-last-item": (b"<rss><channel><item><title>a</title></item></chan", ("partial",)),
    "F10-in-end-of-root": (b"<rss><channel><item><title>a</title></item></channel></rs", ("partial",)),
    "F10-atom": (b"<feed><entry><title>a</title></entry><entry><title>b", ("partial",)),
    "F10-rdf": (b"<r:RDF xmlns:r='r'><channel/><item><title>a</title></item><item><ti", ("partial",)),
}


@pytest.mark.parametrize(("body", "problems"), CUT.values(), ids=CUT)
def test_cut_feed(body: bytes, problems: tuple[str, ...]) -> None:
    feed = read_feed(URL, body)
    assert (titles(feed), feed.problems) == (["a"], problems)
