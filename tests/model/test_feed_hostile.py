"""Feeds made to hurt, or hurting by accident: F03, F05 to F07, and what else made a parser raise or hang."""

from __future__ import annotations

import re
import tracemalloc

import pytest

from scrapy_forest.model.feed import Feed, read_feed
from scrapy_forest.model.feed.fields import MAX_TITLE

URL = "https://example.com/feed"
MEGABYTE = 1024 * 1024
GOOD = "<item><title>good</title><link>https://example.com/good</link></item>"


def rss(*items: str, before: str = "", xmlns: str = "") -> bytes:
    return f'{before}<rss version="2.0" {xmlns}><channel><title>T</title>{"".join(items)}</channel></rss>'.encode()


def titles(feed: Feed) -> list[str]:
    return [entry.title for entry in feed.entries]


LAUGHS = {
    "F03-billion-laughs": (9, "ha"),
    "F03-million-laughs": (6, "ha"),
    "F03-quadratic": (1, "h" * 50_000),
}


@pytest.mark.parametrize(("levels", "laugh"), LAUGHS.values(), ids=LAUGHS)
@pytest.mark.usefixtures("reader", "soon")
def test_entities_are_not_expanded(levels: int, laugh: str) -> None:
    entities = f'<!ENTITY e0 "{laugh}">' + "".join(
        f'<!ENTITY e{level + 1} "{f"&e{level};" * 10}">' for level in range(levels)
    )
    bomb = f"<item><title>{f'&e{levels};' * 5_000}</title><link>https://example.com/bomb</link></item>"
    body = rss(GOOD, bomb, GOOD, before=f"<?xml version='1.0'?><!DOCTYPE rss [{entities}]>")
    tracemalloc.start()
    feed = read_feed(URL, body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [entry.problem for entry in feed.entries] == [None] * 3
    assert max(map(len, titles(feed))) <= MAX_TITLE
    assert peak < 100 * MEGABYTE


REFERENCES = ("&#xD800;", "&#55296;", "&#x110000;", "&#xFFFFFFFF;", "&#0;", "&#12;", "&#xFFFF;", "&nope;", "&", "&#;")


@pytest.mark.parametrize("field", ["title", "link", "guid", "description", "author"])
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.usefixtures("reader")
def test_f05_references(reference: str, field: str) -> None:
    feed = read_feed(URL, rss(GOOD, f"<item><{field}>https://example.com/a{reference}z</{field}></item>", GOOD))
    assert (len(feed.entries), feed.entries[0], feed.problems) == (3, feed.entries[2], ())
    assert re.search(r"com/a\W?[#\w]*;?z", repr(feed.entries[1]).encode().decode())


POINT = '<gml:Point srsName="urn:x"><gml:pos>1 2</gml:pos></gml:Point>'
RAISING = {
    "F06-entity-with-backslash": rss(GOOD, GOOD, before=r'<!DOCTYPE rss [<!ENTITY p "C:\data">]>'),
    "F06-gml-srs-name": rss(
        f'<item><title>good</title><g:where xmlns:g="http://www.georss.org/georss">{POINT}</g:where></item>',
        GOOD,
        xmlns='xmlns:gml="http://www.opengis.net/gml"',
    ),
    "authors-is-feedparsers-key": rss("<item><title>good</title><authors>x</authors></item>", GOOD),
    "links-is-feedparsers-key": rss("<item><links a='1'/><title>good</title></item>", GOOD),
    "date-is-feedparsers-key": rss("<item><updated_parsed>x</updated_parsed><title>good</title></item>", GOOD),
    "text-is-feedparsers-key": rss("<item><title>good</title><title_detail>x</title_detail></item>", GOOD),
    "language-is-a-dictionary": rss("<language a='1'>en</language>", GOOD, GOOD),
}


@pytest.mark.parametrize("body", RAISING.values(), ids=RAISING)
def test_items_survive_what_feedparser_raises_on(body: bytes) -> None:
    assert titles(read_feed(URL, body)) == ["good", "good"]


def test_failure_of_feedparser_is_told() -> None:
    assert read_feed(URL, RAISING["authors-is-feedparsers-key"]).problems == ("partial",)


NESTED = {
    "F07-closed-before-item": rss("<a>" * 100_000, "</a>" * 100_000, GOOD),
    "F07-around-item": rss("<a>" * 100_000, GOOD, "</a>" * 100_000),
    "F07-never-closed": rss("<a>" * 100_000, GOOD),
    "F07-less-than-the-limit-of-events": rss("<a>" * 40_000, GOOD, "</a>" * 40_000),
    "F07-in-description": rss(GOOD, f"<item><description>{'<b>' * 100_000}{'</b>' * 100_000}</description></item>"),
    "F07-in-cdata": rss(GOOD, f"<item><description><![CDATA[{'<b>' * 100_000}]]></description></item>"),
}


@pytest.mark.parametrize("body", NESTED.values(), ids=NESTED)
@pytest.mark.usefixtures("soon")
def test_nesting_is_read_or_told(body: bytes) -> None:
    feed = read_feed(URL, body)
    assert "good" in titles(feed) or "too_deep" in feed.problems


ATTRIBUTES = " ".join(f'a{number}=">"' for number in range(100_000))
MEDIA = 'xmlns:media="http://search.yahoo.com/mrss/"'
KEYWORDS = "".join(
    f"<media:keywords>{','.join(f'{row}.{column}' for column in range(50))}</media:keywords>" for row in range(200)
)
LINK_AND_SURROGATE = "<item><title>&#xD800;</title><link>https://example.com/?a=1&b=2</link></item>"
HANGING = {
    "attributes-behind-quoted-ends-of-tags": rss(f"<item {ATTRIBUTES}/>", GOOD),
    "tags-with-900-attributes": rss(f"<item {ATTRIBUTES[:9_000]}/>" * 100, GOOD),
    "keywords": rss(f"<item>{KEYWORDS}</item>" * 50, GOOD, xmlns=MEDIA),
    "categories": rss(f"<item>{''.join(f'<category>{number}</category>' for number in range(30_000))}</item>", GOOD),
    "author": rss(f"<item><author>{'a' * MEGABYTE}</author></item>", GOOD),
    "author-in-small-sections": rss(f"<item><author>{'<![CDATA[a]]>' * 90_000}</author></item>", GOOD),
    "author-behind-end-tag-in-data": rss(f"<item><author><![CDATA[</author>]]>{'a' * MEGABYTE}</author></item>", GOOD),
    "author-behind-end-of-another": rss(f"<item><author></name>{'a' * MEGABYTE}</author></item>", GOOD),
    "many-long-authors": rss(f"<item><author>{'a' * 150}@{'b.' * 75}</author></item>" * 20_000, GOOD),
    "unclosed-comments": rss(GOOD, "<!--" * 40_000),
    "unclosed-instructions": rss(GOOD, "<?" * 40_000),
    "unclosed-sections": rss(GOOD, "<![CDATA[" * 500_000),
    "unclosed-tags": rss(GOOD, "<a " * 40_000),
    "comments-in-data": rss(GOOD, f"<item><description><![CDATA[{'<!--' * 200_000}]]></description></item>"),
    "ampersands": rss(GOOD, f"<item><title>{'&' * (5 * MEGABYTE)}</title></item>"),
    "surrogate-in-heavy-feed": rss(GOOD, LINK_AND_SURROGATE, "<item><title>x</title></item>" * 30_000),
}


@pytest.mark.parametrize("body", HANGING.values(), ids=HANGING)
@pytest.mark.usefixtures("soon")
def test_feed_that_would_hang(body: bytes) -> None:
    feed = read_feed(URL, body)
    assert "good" in titles(feed) or "truncated" in feed.problems


def test_references_are_mended_for_the_lxml_reader_too() -> None:
    entry = read_feed(URL, HANGING["surrogate-in-heavy-feed"]).entries[1]
    assert (entry.title, entry.link) == ("\ufffd", "https://example.com/?a=1&b=2")


@pytest.mark.parametrize("hidden", ["<!-- {} -->", "<!--{}", "<?x {} ?>", "<![CDATA[ {}"])
@pytest.mark.usefixtures("reader")
def test_lost_items_are_not_lost_in_silence(hidden: str) -> None:
    feed = read_feed(URL, rss(GOOD, hidden.format(GOOD)))
    assert (len(feed.entries), feed.problems) == (1, () if hidden.endswith(">") else ("bad_markup",))


@pytest.mark.usefixtures("reader")
def test_section_that_starts_in_a_comment() -> None:
    feed = read_feed(URL, rss("<!-- <![CDATA[ -->", "<item><title>&#xD800;&nope;</title></item>", GOOD, "<!-- ]]> -->"))
    assert (titles(feed), feed.problems) == (["\ufffd&nope;", "good"], ())
