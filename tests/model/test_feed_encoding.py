"""Bytes to text: F11 to F15."""

from __future__ import annotations

import codecs

import pytest

from scrapy_forest.model.feed import read_feed

URL = "https://example.com/feed"


def feed_of(title: str, declaration: str = "") -> str:
    return (
        f"{declaration}<rss version='2.0'><channel><item><title>{title}</title><link>https://example.com/1</link></item>"
        "<item><title>next</title></item></channel></rss>"
    )


def declared(encoding: str) -> str:
    return f'<?xml version="1.0" encoding="{encoding}"?>'


@pytest.mark.parametrize("character", ["\x00", "\x0b", "\x0c", "\x1f", "\uffff", "\ufeff"], ids=ascii)
@pytest.mark.parametrize("place", ["<title>", "https:", "<item", "</channel>"])
def test_f11_forbidden_characters(place: str, character: str) -> None:
    text = feed_of("a")
    assert read_feed(URL, text.replace(place, place + character).encode()) == read_feed(URL, text.encode())


MARKED = {
    "F12-utf-8-bom": (codecs.BOM_UTF8, "utf-8"),
    "F12-utf-16-le-bom": (codecs.BOM_UTF16_LE, "utf-16-le"),
    "F12-utf-16-be-bom": (codecs.BOM_UTF16_BE, "utf-16-be"),
    "F12-utf-32-le-bom": (codecs.BOM_UTF32_LE, "utf-32-le"),
    "F12-utf-32-be-bom": (codecs.BOM_UTF32_BE, "utf-32-be"),
    "F12-utf-16-le-without-bom": (b"", "utf-16-le"),
    "F12-utf-16-be-without-bom": (b"", "utf-16-be"),
}


@pytest.mark.parametrize("declaration", ["", declared("utf-8"), declared("iso-8859-1"), declared("utf-16")])
@pytest.mark.parametrize(("mark", "encoding"), MARKED.values(), ids=MARKED)
def test_byte_order_wins(mark: bytes, encoding: str, declaration: str) -> None:
    feed = read_feed(URL, mark + feed_of("žluťoučký 木", declaration).encode(encoding), "text/xml; charset=iso-8859-1")
    assert (feed.entries[0].title, feed.problems) == ("žluťoučký 木", ())


CHARSETS = {
    # title, encoding of the bytes, XML declaration, charset in the header
    "F13-windows-1252-declared-utf-8": ("café “x” €", "cp1252", "utf-8", None),
    "F13-windows-1252-all-say-utf-8": ("café “x” €", "cp1252", "utf-8", "utf-8"),
    "F13-windows-1252-undeclared": ("café “x” €", "cp1252", None, None),
    "F13-utf-8-declared-windows-1252": ("café “x” €", "utf-8", "windows-1252", "windows-1252"),
    "F13-utf-8-undeclared": ("café “x” €", "utf-8", None, None),
    "F14-gbk": ("中文标题", "gbk", "gbk", None),
    "F14-gbk-declared-gb2312": ("中文標題", "gbk", "gb2312", None),
    "F14-big5": ("中文標題", "big5", "big5", None),
    "F14-shift-jis": ("日本語の題", "shift_jis", "Shift_JIS", None),
    "F14-euc-jp": ("日本語の題", "euc_jp", "EUC-JP", None),
    "F14-iso-2022-jp": ("日本語の題", "iso2022_jp", "ISO-2022-JP", None),
    "F14-iso-2022-jp-in-header": ("日本語の題", "iso2022_jp", None, "iso-2022-jp"),
    "F14-euc-kr": ("한국어 제목", "euc_kr", "euc-kr", None),
    "F14-koi8-r": ("Русский заголовок", "koi8_r", "KOI8-R", None),
    "F14-windows-1251": ("Русский заголовок", "cp1251", "windows-1251", None),
    "F14-iso-8859-2": ("žluťoučký", "iso8859_2", "iso-8859-2", None),
    "F14-header-only": ("Русский заголовок", "cp1251", None, "windows-1251"),
    "F14-header-wins": ("Русский заголовок", "cp1251", "koi8-r", "windows-1251"),
    "F14-western-header-yields": ("Русский заголовок", "koi8_r", "koi8-r", "iso-8859-1"),
    "F14-western-header-alone": ("café", "latin-1", None, "iso-8859-1"),
    "F14-utf-8-wins": ("Русский заголовок", "utf-8", "koi8-r", "windows-1251"),
    "F14-utf-8-called-iso-2022-jp": ("日本語の題", "utf-8", "iso-2022-jp", "iso-2022-jp"),
    "F14-unknown": ("café", "utf-8", "x-nonsense", "nonsense"),
}


@pytest.mark.parametrize(("title", "encoding", "declaration", "charset"), CHARSETS.values(), ids=CHARSETS)
def test_charset(title: str, encoding: str, declaration: str | None, charset: str | None) -> None:
    body = feed_of(title, declared(declaration) if declaration else "").encode(encoding)
    feed = read_feed(URL, body, f"application/xml; charset={charset}" if charset else None)
    assert (feed.entries[0].title, len(feed.entries), feed.problems) == (title, 2, ())


@pytest.mark.parametrize(
    "charset",
    "hex zip rot13 base64 idna punycode undefined unicode_escape utf-7 utf-16 utf-32 bz2 mbcs \x00".split(" "),
)
def test_f14_strange_codec(charset: str) -> None:
    body = feed_of("café", declared(charset)).encode("cp1252")
    assert read_feed(URL, body, f"text/xml; charset={charset}").entries[0].title == "café"


def test_f14_a_few_broken_bytes_cost_only_themselves() -> None:
    body = feed_of("žluťoučký kůň ¤ úpěl").encode().replace("¤".encode(), b"\xff")
    assert read_feed(URL, body).entries[0].title == "žluťoučký kůň \ufffd úpěl"


@pytest.mark.parametrize(
    "content_type",
    ["text/html", "text/plain", "application/octet-stream", "image/png", "", ";;", "x; charset", "é", "\x00", None],
)
def test_f15_content_type_does_not_matter(content_type: str | None) -> None:
    assert read_feed(URL, feed_of("é").encode(), content_type) == read_feed(URL, feed_of("é").encode())
