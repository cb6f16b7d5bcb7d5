"""Whatever the bytes: a feed comes back, and its texts can be written."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_forest.model.feed import Feed, read_feed, reading

URL = "https://example.com/feed"
RSS = """<?xml version="1.0" encoding="utf-8"?><!DOCTYPE rss [<!ENTITY e "x">]>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Ž &amp; &e;</title><language>cs</language><item><title><![CDATA[<b>A</b>]]></title>
<link>https://example.com/1?a=1&amp;b=2</link><guid isPermaLink="false">1</guid><dc:creator>Jane</dc:creator>
<author>joe@example.com (Joe)</author><category>c</category><pubDate>Sat, 03 Feb 2024 04:05:06 GMT</pubDate>
<description>&lt;p&gt;A&lt;/p&gt; &#8217;</description>
<content:encoded><![CDATA[<p>A <a href="/x">x</a></p>]]></content:encoded>
</item><!-- c --><item xml:base="/b/"><link>2</link></item></channel></rss>""".encode()
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en" xml:base="/b/"><title type="html">&lt;i&gt;T</title>
<author><name>N</name><email>n@example.com</email></author><entry><id>urn:1</id><link rel="alternate" href="1"/>
<category term="t" label="l"/><published>2024-02-03T04:05:06Z</published><updated>2024-02-03T04:05:06+01:00</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>木</p></div></content></entry></feed>""".encode()

TOKENS = (
    b"<", b">", b"&", b";", b"/", b'"', b"'", b"]]>", b"<![CDATA[", b"<!--", b"-->", b"<?", b"<!DOCTYPE a [",
    b"<item>", b"</item>", b"<rss>", b"</rss>", b"<entry>", b"<content>", b"<title", b"<link/>", b"<authors>",
    b"<links a='b'>", b" xml:base='http://[a'", b"xmlns:a='b' ", b"<a:b>", b"&#xD800;", b"&#x110000;", b"&e;",
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\x1b$B",
)  # fmt: skip
PIECES = st.one_of(st.binary(max_size=4), st.sampled_from(TOKENS))
CHARSETS = st.sampled_from([None, "utf-8", "utf-16", "koi8-r", "iso-2022-jp", "idna"])


@st.composite
def mutated_feeds(draw: st.DrawFn) -> bytes:
    """A valid feed with pieces put in and taken out."""
    feed = draw(st.sampled_from([RSS, ATOM]))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(feed)))
        end = start + draw(st.sampled_from([0, 0, 1, 5, 30]))
        feed = feed[:start] + draw(PIECES) + feed[end:]
    return feed


def check(feed: Feed) -> None:
    assert repr(asdict(feed)).isprintable()
    for text in texts_of(asdict(feed)):
        text.encode()
    for entry in feed.entries:
        assert (entry.link is None) == (entry.problem is not None)
    assert feed.entries or feed.problems


def texts_of(value: object) -> list[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [text for each in value for text in texts_of(each)]
    return [value] if isinstance(value, str) else []


@given(st.binary(), CHARSETS)
@settings(max_examples=200, deadline=None)
def test_any_bytes(body: bytes, charset: str | None) -> None:
    check(read_feed(URL, body, f"text/xml; charset={charset}"))


@given(st.lists(PIECES, max_size=30).map(b"".join))
@settings(max_examples=200, deadline=None)
def test_any_tokens(body: bytes) -> None:
    check(read_feed(URL, b"<rss>" + body))


@given(mutated_feeds(), CHARSETS)
@settings(max_examples=300, deadline=None)
def test_mutated_feed(body: bytes, charset: str | None) -> None:
    check(read_feed(URL, body, f"text/xml; charset={charset}"))


@given(mutated_feeds())
@settings(max_examples=300, deadline=None)
def test_mutated_feed_by_the_lxml_reader(body: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "is_heavy", lambda text: bool(text))
        check(read_feed(URL, body))


@given(mutated_feeds(), st.text())
@settings(max_examples=50, deadline=None)
def test_any_url(body: bytes, url: str) -> None:
    assert read_feed(url, body).url == url
