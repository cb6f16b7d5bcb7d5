"""Texts of an entry: plain where they must be, HTML that is safe where they may be."""

from __future__ import annotations

import pytest

from scrapy_forest.model.feed import FeedEntry, read_feed
from scrapy_forest.model.markup import parse
from scrapy_forest.model.safe_html import safe_html

URL = "https://example.com/feed"
XMLNS = 'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"'


def entry_of(fields: str) -> FeedEntry:
    body = f"<rss version='2.0' {XMLNS}><channel><item>{fields}</item></channel></rss>"
    return read_feed(URL, body.encode()).entries[0]


TITLES = {
    "plain": ("Oaks", "Oaks"),
    "spaces": (" Oaks \n and   elms ", "Oaks and elms"),
    "reference": ("Oaks &amp; elms", "Oaks & elms"),
    "escaped-twice": ("Oaks &amp;amp; elms &amp;#8217;", "Oaks & elms ’"),
    "named-reference": ("Oaks&nbsp;&mdash; caf&eacute;", "Oaks — café"),
    "windows-reference": ("&#147;Oaks&#148;", "“Oaks”"),
    "tags": ("&lt;b&gt;Oaks&lt;/b&gt; &lt;i&gt;x&lt;/i&gt;", "Oaks x"),
    "cdata": ("<![CDATA[<b>Oaks</b> & elms]]>", "Oaks & elms"),
    "no-tags": ("a &lt;b and c&gt; d", "a <b and c> d"),
    "talks-of-a-tag": ("The &lt;table&gt; element", "The <table> element"),
    "less-than": ("1 &lt; 2 and 3 > 2", "1 < 2 and 3 > 2"),
    "script": ("<![CDATA[a<script>alert(1)</script>]]>", "a"),
    "comment": ("Oaks<!-- and elms -->", "Oaks"),
    "emoji": ("🌳 木 \u202eabc", "🌳 木 \u202eabc"),
    "empty": ("", ""),
}


@pytest.mark.parametrize(("markup", "expected"), TITLES.values(), ids=TITLES)
def test_title(markup: str, expected: str) -> None:
    assert entry_of(f"<title>{markup}</title>").title == expected


SUMMARIES = {
    "paragraphs": ("<![CDATA[<p>One</p><p>two <b>three</b></p>]]>", "One\ntwo three"),
    "escaped": ("&lt;p&gt;One &amp;amp; two&lt;/p&gt;", "One & two"),
    "plain": ("One & two\n\nthree", "One & two three"),
    "image": ("<![CDATA[<img src='a.png'>]]>", ""),
    "unclosed": ("<![CDATA[<p>One<p>two]]>", "One\ntwo"),
    "crowded-tag": (f"<![CDATA[<p {'a ' * 20_000}>One]]>", "One"),
}


@pytest.mark.parametrize(("markup", "expected"), SUMMARIES.values(), ids=SUMMARIES)
def test_summary(markup: str, expected: str) -> None:
    assert entry_of(f"<description>{markup}</description>").summary == expected


CONTENTS = {
    "html": ("<![CDATA[<p>One</p>]]>", "<p>One</p>"),
    "relative-link": ("<![CDATA[<a href='/1?a&amp;b'>1</a>]]>", '<a href="https://example.com/1?a&amp;b">1</a>'),
    "text-in-html": ("One &amp;lt; two", "One &lt; two"),
}


@pytest.mark.parametrize(("markup", "expected"), CONTENTS.values(), ids=CONTENTS)
def test_content(markup: str, expected: str) -> None:
    assert entry_of(f"<content:encoded>{markup}</content:encoded>").content == expected


def test_longest_content_wins() -> None:
    body = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="text">One\n\ntwo &lt; three</content>'
        '<content type="html">short</content><content type="image/png">QUJDREVGR0hJSktMTU5PUFFSU1RVVldY</content>'
        "</entry></feed>"
    )
    assert read_feed(URL, body.encode()).entries[0].content == "<p>One</p>\n<p>two &lt; three</p>"


AUTHORS = {
    "name": ("<dc:creator>Jane Doe</dc:creator>", ("Jane Doe",)),
    "several": ("<dc:creator>Jane</dc:creator><dc:creator>Joe</dc:creator>", ("Jane", "Joe")),
    "twice": ("<dc:creator>Jane</dc:creator><dc:creator>Jane</dc:creator>", ("Jane",)),
    "address-and-name": ("<author>jane@example.com (Jane Doe)</author>", ("Jane Doe",)),
    "name-and-address": ("<author>Jane Doe &lt;jane@example.com&gt;</author>", ("Jane Doe",)),
    "address-alone": ("<author>jane@example.com</author>", ()),
    "html": ("<author>&lt;a href='/jane'&gt;Jane&lt;/a&gt;</author>", ("Jane",)),
    "empty": ("<author/>", ()),
}


@pytest.mark.parametrize(("markup", "expected"), AUTHORS.values(), ids=AUTHORS)
def test_authors(markup: str, expected: tuple[str, ...]) -> None:
    assert entry_of(markup).authors == expected


def test_number_of_names_is_limited() -> None:
    assert len(entry_of("".join(f"<category>{number}</category>" for number in range(500))).tags) == 100


SAFE = {
    "script": ("a<script>alert(1)</script>b", "ab"),
    "handler": ("<img src=x onerror=alert(1)>", '<img src="https://example.com/x">'),
    "javascript-link": ("<a href=javascript:alert(1)>a</a>", "<a>a</a>"),
    "spaced-javascript-link": ("<a href=' java\nscript:alert(1)'>a</a>", "<a>a</a>"),
    "control-before-javascript": ("<a href='&#1;javascript:alert(1)'>a</a>", "<a>a</a>"),
    "data-link": ("<img src='data:image/svg+xml,x'>", "<img>"),
    "link-that-cannot-be-parsed": ("<a href='http://[::1'>a</a>", "<a>a</a>"),
    "style": ("<style>a{}</style><b style='x:expression(1)'>a</b>", "<b>a</b>"),
    "iframe": ("<iframe src=//evil.example></iframe>a", "a"),
    "svg": ("<svg onload=alert(1)><a href=javascript:x>b</a></svg>a", "a"),
    "form": ("<form action=/x><input value=a><button>b</button></form>", "b"),
    "unknown-tag": ("<blink>a</blink> <x-y>b</x-y>", "a b"),
    "attribute-breaking-out": ("<img alt='\"><script>'>", '<img alt="&quot;&gt;&lt;script&gt;">'),
    "text-breaking-out": ("<b>&lt;script&gt;&amp;lt;</b>", "<b>&lt;script&gt;&amp;lt;</b>"),
    "comment": ("a<!-- b --><b>c</b>", "a<b>c</b>"),
    "deep": ("<div>" * 1_000 + "a", "<div>" * 1_000 + "a" + "</div>" * 1_000),
    "too-deep": ("<div>" * 2_000 + "a &lt;b&gt;<p>c", "<p>a &lt;b&gt;</p><p>c</p>"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), SAFE.values(), ids=SAFE)
def test_safe_html(html: str, expected: str) -> None:
    assert safe_html(parse(html, ""), "https://example.com/") == expected
