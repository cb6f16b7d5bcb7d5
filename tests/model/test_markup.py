from __future__ import annotations

import random
from time import monotonic

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from scrapy_forest.errors import EmptyPage, PageError, PageTooBig, PageTooDeep, TagTooLarge
from scrapy_forest.model.markup import (
    MAX_ATTRIBUTES,
    MAX_BYTES,
    MAX_TAGS,
    has_attribute_bomb,
    is_crowded,
    parse,
)

URL = "http://example.com/"
CODE = b"if (a<b c) " + b"x y z " * 20_000
ATTRIBUTES = b" ".join(b"a%d=1" % number for number in range(100_000))


def text_of(html: bytes | str, content_type: str | None = None) -> str:
    return "".join(parse(html, URL, content_type).itertext())


@pytest.mark.parametrize(
    "html",
    [
        *[
            b"",
            b" \n\t ",
            b"\0\0",
            b"\xef\xbb\xbf",
            b"<!-- a -->",
            b"<!--",
            b"<!doctype html>",
            b"<?xml version='1.0'?>",
        ],
        *["", "  ", "\ufeff", "<!-- a -->"],
    ],
)
def test_nothing_to_parse(html: bytes | str) -> None:
    with pytest.raises(EmptyPage) as caught:
        parse(html, URL)
    assert caught.value.url == URL


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 10_000,
        "<div>" * 100_000,
        "<b>" * 100_000,
        "<table>" * 5_000,
        "<table><tr><td>" * 5_000,
        "<p>a</b></i>&nothing;<" * 300 + "<div>" * 100_000,  # libxml2 stops telling errors after the first hundred
    ],
    ids=["10k div", "100k div", "100k b", "tables", "tables with cells", "after errors"],
)
def test_too_deep(html: str) -> None:
    with pytest.raises(PageTooDeep):
        parse(html + "text", URL)


@pytest.mark.parametrize("depth", [1_000, 2_000, 2_046])
def test_as_deep_as_the_parser_follows(depth: int) -> None:
    assert text_of("<div>" * depth + "text") == "text"


@pytest.mark.parametrize(
    "html",
    [
        b"<p " + ATTRIBUTES + b">text",
        b"<p " + ATTRIBUTES,
        b"<p " + b"a " * 100_000 + b">text",
        b"<p/" + b"a/" * 100_000 + b">text",
        b"<p>text" * 10_000 + b"<p " + ATTRIBUTES + b">text",
        b"<script></script><!-- --><p " + ATTRIBUTES + b">text",
        b"<p " + b" ".join(b'a%d=">"' % number for number in range(100_000)) + b">text",
        b"<p " + b" ".join(b'a%d="<"' % number for number in range(100_000)) + b">text",
    ],
    ids=["plain", "unclosed", "no values", "slashes", "late", "after a script", "quoted >", "quoted <"],
)
def test_tag_too_large(html: bytes) -> None:
    start = monotonic()
    with pytest.raises(TagTooLarge):
        parse(html, URL)
    assert monotonic() - start < 5


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (b"<p>a<img src='data:image/png;base64," + b"A" * 200_000 + b"'>b", "ab"),
        (b"<p>a<img src='data:image/svg+xml,<svg " + b"a b c " * 40_000 + b"'>b", "ab"),
        (b"<p>a<img src=data:image/png;base64," + b"A" * 200_000 + b">b", "ab"),
        (b"<p>a<!-- " + CODE + b" -->b", "ab"),
        (b"<p>a" + b" " * 200_000 + b"b", "a" + " " * 200_000 + "b"),
        ((b"<p " + ATTRIBUTES[:5_000] + b">a") * 200, "a" * 200),
    ],
    ids=["data", "data with tags", "data without quotes", "comment", "spaces", "many large tags"],
)
def test_large_but_harmless(html: bytes, text: str) -> None:
    start = monotonic()
    assert text_of(html) == text
    assert monotonic() - start < 5


@pytest.mark.parametrize(
    "html",
    [
        b"<br>" * (MAX_TAGS + 1),
        "<br>" * (MAX_TAGS + 1),
        ("<br>" * (MAX_TAGS + 1)).encode("utf-16"),
        b"<p>x</p>" * (MAX_TAGS + 1),
        b"<p>" + b"x" * MAX_BYTES,
        "<p>" + "x" * MAX_BYTES,
    ],
    ids=["elements", "in a text", "in UTF-16", "closed elements", "bytes", "characters"],
)
def test_too_big(html: bytes | str) -> None:
    start = monotonic()
    with pytest.raises(PageTooBig):
        parse(html, URL)
    assert monotonic() - start < 5


def test_as_big_as_may_be() -> None:
    assert len(parse(b"<body>" + b"<p>x</p>" * (MAX_TAGS - 1), URL)[0]) == MAX_TAGS - 1


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (b"<p class=a>text</p>" * 10_000, False),
        (b"<p>" + b"words " * 100_000, False),
        (b"<script>" + CODE + b"</script>", False),
        (b"<p " + b"a " * 200 + b">", False),
        (b"<p " + b"a%d " * 400 + b">" + b"x" * 2_000, False),  # a short tag
        (b"<p " + ATTRIBUTES[:6_000] + b">", True),  # 900: 150 such tags take libxml2 a third of a second
        (b"<p " + b"ab " * 1_900 + b">", True),  # no page of 1 MB has enough of these to be a bomb
        (b"<p a='<>' b='<>' c='<>'>" * 11_000, True),
    ],
    ids=["page", "words", "code", "200", "400", "900", "1,900 without values", "33,000 values"],
)
def test_what_takes_more_than_a_moment(html: bytes, expected: bool) -> None:
    assert is_crowded(html) is expected


@pytest.mark.parametrize("tag", [b"script", b"SCRIPT"])
def test_code_is_no_tag(tag: bytes) -> None:
    assert not has_attribute_bomb(b"<" + tag + b">" + CODE + b"</" + tag + b"><p>a")


@pytest.mark.parametrize(("attributes", "expected"), [(MAX_ATTRIBUTES - 1, False), (MAX_ATTRIBUTES, True)])
def test_attributes_are_counted_in_long_tags_only(attributes: int, expected: bool) -> None:
    assert not has_attribute_bomb(b"<p " + b"a " * attributes + b">")
    assert has_attribute_bomb(b"<p " + b"abcdefghijklmnopq " * attributes + b"><p>") is expected


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (b"<p>a\0b", "a\ufffdb"),
        (b"<p>a\0\0\0", "a"),
        ("<p>a\ud800b", "a\ufffdb"),
        ("<p>a&#xD800;b&#0;c&#x110000;d", "a\ufffdb\ufffdc\ufffdd"),
        ("<p>Grün &amp; grün".encode(), "Grün & grün"),
        ("<meta charset=gb2312><p>Grün".encode(), "Grün"),
        ("<?xml version='1.0' encoding='utf-16'?><p>Grün".encode(), "Grün"),
        ("<meta charset=koi8-r><p>Новости".encode("koi8-r"), "Новости"),
        ("<meta charset=koi8-r><p>Новости", "Новости"),
        (b"<p>a<!-- b --><?php c ?>d", "ad"),
        (b"<p>a</b></i></p></p>b", "ab"),
    ],
)
def test_characters(html: bytes | str, text: str) -> None:
    assert text_of(html) == text


def test_the_header_names_the_charset() -> None:
    assert text_of("<p>Новости".encode("koi8-r"), "text/html; charset=koi8-r") == "Новости"


@pytest.mark.parametrize("name", ["{}", "{z}", "{", "{a}b", 'a"b', "@x", ":y", "x:y", "xmlns:a", "<", "é", "\ufffe"])
def test_attribute_names(name: str) -> None:
    root = parse(f"<div {name}=1 class=c>a</div>", URL)
    assert [each.text for each in root.xpath("//div[@class='c']")] == ["a"]
    assert etree.tostring(root)


@pytest.mark.parametrize("name", ["foo:bar", "x{y}", "a<b", 'a"b', "a:b:c", "a-", "aé", "a\ufffe"])
def test_element_names(name: str) -> None:
    root = parse(f"<p>a</p><{name} class=c>b</{name}>", URL)
    assert "".join(root.itertext()).startswith("ab")
    assert etree.tostring(root)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | st.text(st.characters(), max_size=200))
def test_anything_is_parsed_or_refused(html: bytes | str) -> None:
    try:
        root = parse(html, URL)
    except PageError:
        return
    "".join(root.itertext()).encode()


def test_a_megabyte_of_noise() -> None:
    start = monotonic()
    for seed in range(3):
        assert text_of(random.Random(seed).randbytes(1_000_000))  # noqa: S311 - noise, not a secret
    assert monotonic() - start < 5
