from __future__ import annotations

from time import monotonic

import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml.etree import _Element

from scrapy_forest.model.page import Page
from scrapy_forest.model.text import BLOCK_TAGS, SILENT_TAGS, element_text, is_silent


def body(html: str) -> _Element:
    return Page.from_html("http://example.com/", f"<body>{html}").body


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("<p> \n&nbsp;</p>", ""),
        # blocks are apart, inline elements are not
        ("<p>a</p><p>b</p>", "a\nb"),
        ("<div>a<p>b</p>c</div>d", "a\nb\nc\nd"),
        ("<div><div><p>a</p></div></div><div></div>b", "a\nb"),
        ("<p>a<b>b</b>c <i>d</i> e", "abc d e"),
        ("<p>a <b> b </b> c", "a b c"),
        ("<p>a<wbr>b<sup>2</sup><a href=x>c</a>", "ab2c"),
        ("<p>a<foo:bar>b</foo:bar>c", "abc"),
        ("a<br>b<br><br/>c", "a\nb\nc"),
        ("a<hr>b", "a\nb"),
        ("<h1>a</h1>b", "a\nb"),
        ("<ul><li>a<li>b<ol><li>c</ol></ul>", "a\nb\nc"),
        ("<dl><dt>a<dd>b</dl>", "a\nb"),
        ("<table><caption>a</caption><tr><th>b<td>c<tr><td>d</table>", "a\nb\nc\nd"),
        ("<figure><img alt=a><figcaption>b</figcaption></figure>", "b"),
        ("<blockquote>a<footer>b</footer></blockquote>", "a\nb"),
        # spaces
        ("<p>  a \n\t b  ", "a b"),
        ("<p>a&nbsp;&nbsp;b&nbsp;", "a b"),
        ("<p>a\u2003b\u3000c\u2028d", "a\u2003b\u3000c d"),
        ("<p>a\u200bb", "a\u200bb"),
        # layout in pre
        ("<pre>a\n  b\n\tc  d\n</pre>", "a\n  b\n\tc  d"),
        ("<pre>\n\n  a\n\n\n  b</pre>", "  a\n  b"),
        ("<pre>a\r\n  b</pre>c", "a\n  b\nc"),
        ("<pre><code>if a:\n    <b>return</b>\tb \t\n</code></pre>", "if a:\n    return\tb"),
        ("<pre><script> a</script>b</pre>", "b"),
        ("<p>a<pre>  b</pre>  c", "a\n  b\nc"),
        ("<pre> &nbsp; </pre>", ""),
        ("a<pre> \t\n &nbsp;\t&nbsp; </pre>b", "a\nb"),
        ("<pre>a &nbsp; </pre>", "a"),
        # what is no text
        ("<p>a<script>b</script>c<style>d</style>e", "ace"),
        ("<p>a<noscript>b</noscript>c<template><p>d</template>e", "ace"),
        ("<p>a<!-- b -->c<?php d ?>e", "ace"),
        ("<p>a<svg><title>b</title><text>c</text></svg>d<iframe>e</iframe>f", "adf"),
        ("<p>a<select><option>b</select>c<textarea>d</textarea>e<object>f</object>g", "aceg"),
        ("<p>a<button>b</button>c", "a\nb\nc"),
        ("<SCRIPT>a</SCRIPT><STYLE>b</STYLE>c", "c"),
        # any script
        ("<p>שלום <b>עולם</b>!", "שלום עולם!"),
        ("<p dir=rtl>مرحبا\u200f <bdo>بالعالم</bdo>", "مرحبا\u200f بالعالم"),
        ("<p>北京<b>新闻</b>", "北京新闻"),
        ("<p>👩\u200d👩\u200d👧 &#x1F600;", "👩\u200d👩\u200d👧 😀"),
        ("<p>a &lt;b&gt; &amp;amp;", "a <b> &amp;"),
    ],
)
def test_element_text(html: str, text: str) -> None:
    assert element_text(body(html)) == text


def test_only_the_node_counts() -> None:
    page = body("before<div>a<p>b</p>c</div>after")
    assert element_text(page.find("div")) == "a\nb\nc"
    assert element_text(page.find("div/p")) == "b"


def test_the_tree_stays_as_it_was() -> None:
    page = body("<div>a<pre> b </pre><script>c</script>d</div>e")
    before = etree.tostring(page)
    element_text(page.find("div"))
    assert etree.tostring(page) == before


@pytest.mark.parametrize("text", [" " * 2_000_000 + "a", "2024-" * 400_000, "http://a." * 220_000, "\xa0a" * 500_000])
@pytest.mark.parametrize("tag", ["p", "pre"])
def test_long_texts_take_linear_time(text: str, tag: str) -> None:
    node = body(f"<{tag}>{text}</{tag}>")
    start = monotonic()
    assert element_text(node).split() == text.split()
    assert monotonic() - start < 5


@pytest.mark.parametrize(
    ("html", "silent"),
    [("<p>a</p>", False), ("<script>a</script>", True), ("<svg>a</svg>", True), ("<foo:bar>a</foo:bar>", False)],
)
def test_is_silent(html: str, silent: bool) -> None:
    assert is_silent(body(html)[0]) is silent


@pytest.mark.parametrize("node", [etree.Comment("a"), etree.PI("a"), etree.Entity("a")])
def test_what_is_no_element_is_silent(node: _Element) -> None:
    assert is_silent(node)


def trees(tags: list[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        st.text("ab \n\t\xa0é", max_size=5) | st.sampled_from(["<script>a</script>", "<br>", "<!-- a -->"]),
        lambda children: st.builds(
            lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
            st.sampled_from(tags),
            st.lists(children, max_size=4),
        ),
        max_leaves=20,
    )


def read_slowly(node: _Element) -> str:
    """The same by a walk in Python, with blocks between newlines and every other space a blank."""
    parts = [" ".join(f".{node.text or ''}.".split())[1:-1]]
    for child in node:
        loud = isinstance(child.tag, str) and child.tag not in SILENT_TAGS
        parts += [read_slowly(child) if loud else "", " ".join(f".{child.tail or ''}.".split())[1:-1]]
    return "\n".join(["", "".join(parts), ""]) if node.tag in BLOCK_TAGS else "".join(parts)


@settings(max_examples=150, deadline=None)
@given(trees("div p span b ul li table td noscript x-y".split()))
def test_text_equals_a_slow_walk(html: str) -> None:
    node = body(html)
    lines = [" ".join(line.split()) for line in read_slowly(node).split("\n")]
    assert element_text(node) == "\n".join(line for line in lines if line)


@settings(max_examples=150, deadline=None)
@given(trees("div p span pre code li".split()))
def test_no_line_is_empty_and_no_word_lost(html: str) -> None:
    node = body(html)
    text = element_text(node)
    assert all(line.strip() for line in text.split("\n")) or not text
    assert text == text.rstrip()
    assert "".join(text.split()) == "".join(read_slowly(node).split())


def test_comments_are_no_text_and_count_as_no_element() -> None:
    root = lxml.html.fragment_fromstring("<div><!-- a --><p>b</p><!-- c --><x:y>d</x:y>e<x:y>f<!-- g --></x:y></div>")
    assert element_text(root) == "b\ndef"
    assert element_text(root[3]) == "d"
    assert element_text(root[4]) == "f"
