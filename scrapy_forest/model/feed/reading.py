"""From the bytes of a feed to its entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scrapy_forest.model.feed.dates import OLDEST
from scrapy_forest.model.feed.decoding import decode
from scrapy_forest.model.feed.feedparser_reader import read_with_feedparser
from scrapy_forest.model.feed.fields import (
    Problems,
    author_names,
    content_html,
    cut,
    summary_text,
    tag_names,
    title_text,
)
from scrapy_forest.model.feed.framing import Frame, frame_feed
from scrapy_forest.model.feed.links import MAX_LINK, entry_link
from scrapy_forest.model.feed.lxml_reader import read_with_lxml
from scrapy_forest.model.feed.mending import mend
from scrapy_forest.model.feed.raw import RawEntry, RawFeed
from scrapy_forest.model.feed.values import Feed, FeedEntry
from scrapy_forest.model.feed.weight import is_heavy
from scrapy_forest.model.terms import language_code

MAX_BYTES = 10 * 1024 * 1024  # as much as the downloader accepts
MAX_ENTRIES = 1_000


def read_feed(url: str, body: bytes, content_type: str | None = None) -> Feed:
    """Read a feed of any dialect, encoding and state; ``content_type`` is the HTTP header.

    >>> feed = read_feed("https://a.com/feed", b"<rss><channel><item><title>A &amp;amp; B</title><link>/ab")
    >>> feed.entries[0].title, feed.entries[0].problem, feed.problems
    ('A & B', 'no_link', ('bad_markup', 'partial'))
    """
    text = decode(body[:MAX_BYTES], content_type).strip()
    frame = frame_feed(text)
    if frame is None:
        return Feed(url, problems=(_other_kind(text),))
    raw = _read_raw(frame, url)
    problems = {*raw.problems, *_losses(frame, raw, is_cut=len(body) > MAX_BYTES)}
    entries = tuple(_entry(entry, raw, url, problems) for entry in _newest(raw.entries))
    if not entries:
        problems.add("empty" if raw.dialect else "not_a_feed")
    return Feed(
        url=url,
        title=title_text(raw.title, problems),
        language=language_code(raw.language),
        dialect=raw.dialect or ("rss" if entries else ""),
        entries=entries,
        problems=tuple(sorted(problems)),
    )


def _other_kind(text: str) -> str:
    if not text:
        return "empty"
    return "json_feed" if text.startswith("{") and "jsonfeed.org/version" in text else "not_a_feed"


def _read_raw(frame: Frame, url: str) -> RawFeed:
    text = mend(frame.text, url)
    # Of a feed without its end feedparser would drop the entry that it breaks off in.
    if is_heavy(text) or not text.endswith(frame.end):
        return read_with_lxml(text, url)
    try:
        return read_with_feedparser(text)
    except Exception:  # noqa: BLE001 - a dozen kinds are known; told in the problems
        raw = read_with_lxml(text, url)
        return replace(raw, problems=raw.problems | {"partial"})


def _losses(frame: Frame, raw: RawFeed, *, is_cut: bool) -> list[str]:
    if len(raw.entries) > MAX_ENTRIES or (is_cut and not frame.is_whole):
        return ["truncated"]
    return [] if frame.is_whole else ["partial"]


def _newest(entries: Sequence[RawEntry]) -> Sequence[RawEntry]:
    """The newest ``MAX_ENTRIES`` in the feed's order; those without a date count as the oldest."""
    if len(entries) <= MAX_ENTRIES:
        return entries
    dates = [entry.published or entry.updated or OLDEST for entry in entries]
    newest = sorted(range(len(entries)), key=dates.__getitem__, reverse=True)[:MAX_ENTRIES]
    return [entries[number] for number in sorted(newest)]


def _entry(entry: RawEntry, feed: RawFeed, url: str, problems: Problems) -> FeedEntry:
    link, problem = entry_link(entry, url)
    published = entry.published
    if feed.dialect.startswith("rss"):
        published = published or entry.updated  # dc:date is the only date of RSS 1.0
    authors = entry.authors or (feed.authors if feed.dialect.startswith("atom") else ())
    return FeedEntry(
        id=cut(entry.id, MAX_LINK, problems),
        link=link,
        title=title_text(entry.title, problems),
        summary=summary_text(entry.summary, problems),
        content=content_html(entry.contents, url, problems),
        authors=author_names(authors, problems),
        published=published,
        updated=entry.updated,
        tags=tag_names(entry.tags, problems),
        problem=problem,
    )
