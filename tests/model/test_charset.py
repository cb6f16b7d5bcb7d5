from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_forest.model.charset import decode, is_utf8

NO_CHARSETS = "hex zip rot13 base64 idna undefined punycode x-none utf-7 unicode_escape quopri mbcs aliases é".split()
CHARSETS = [
    *NO_CHARSETS,
    *"utf-8 utf-16 utf-16le utf-32 iso-2022-jp gb2312 shift_jis euc-kr hz big5 koi8-r latin1".split(),
]


def meta(charset: str, text: str) -> str:
    return f"<meta charset={charset}><p>{text}"


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("<p>Grün".encode(), None, "Grün"),
        ("\ufeff<p>Grün".encode(), None, "Grün"),
        ("\ufeff<p>Grün".encode(), "text/html; charset=koi8-r", "Grün"),
        ("<p>Grün".encode(), "text/html; charset=iso-8859-1", "Grün"),
        (meta("windows-1252", "Grün").encode(), None, "Grün"),
        (meta("utf-8", "Grün").encode("cp1252"), None, "Grün"),
        (meta("utf-8", "Grün").encode("cp1252"), "text/html; charset=utf-8", "Grün"),
        ("<p>„Grün“ – 5 €".encode("cp1252"), None, "„Grün“ – 5 €"),
        ("<p>„Grün“ – 5 €".encode("cp1252"), "text/html; charset=iso-8859-1", "„Grün“ – 5 €"),
        ("<p>Grün grün grün".encode() + b"\xff", None, "Grün grün grün\ufffd"),
        ("<p>\ufffd".encode(), "text/html; charset=iso-8859-1", "\ufffd"),  # broken before it was encoded
        # UTF-16 and UTF-32, with and without a mark
        ("\ufeff<p>Grün 北京".encode("utf-16-le"), None, "Grün 北京"),
        ("\ufeff<p>Grün 北京".encode("utf-16-be"), None, "Grün 北京"),
        ("\ufeff<p>Grün 北京".encode("utf-32-le"), None, "Grün 北京"),
        ("\ufeff<p>Grün 北京".encode("utf-32-be"), None, "Grün 北京"),
        ("<p>Grün 北京".encode("utf-16-le"), None, "Grün 北京"),
        ("<p>Grün 北京".encode("utf-16-be"), None, "Grün 北京"),
        ("\r\n <p>Grün 北京".encode("utf-16-le"), None, "Grün 北京"),
        ("\r\n <p>Grün 北京".encode("utf-16-be"), None, "Grün 北京"),
        ("<p>Grün 北京".encode("utf-16-le"), "text/html; charset=utf-8", "Grün 北京"),
        ("Plain 北京".encode("utf-16-le"), "text/plain; charset=utf-16", "Plain 北京"),
        ("Plain 北京".encode("utf-16-be"), "text/plain; charset=utf-16be", "Plain 北京"),
        (meta("utf-16", "Grün").encode(), None, "Grün"),  # what can be read so far is no UTF-16
        (meta("utf-16", "Grün").encode("cp1252"), None, "Grün"),
        (meta("utf-16", "Grün\x1b").encode(), "text/html; charset=utf-16", "Grün\x1b"),
        # East Asia
        (meta("gb2312", "朱镕基 囧").encode("gbk"), None, "朱镕基 囧"),
        (meta("gbk", "㐀 北京").encode("gb18030"), None, "㐀 北京"),
        (meta("big5", "臺灣新聞").encode("big5"), None, "臺灣新聞"),
        (meta("shift_jis", "①日本語のニュース").encode("cp932"), None, "①日本語のニュース"),
        (meta("euc-jp", "日本語のニュース").encode("euc-jp"), None, "日本語のニュース"),
        (meta("iso-2022-jp", "日本語のニュース").encode("iso-2022-jp"), None, "日本語のニュース"),
        ("日本語".encode("iso-2022-jp"), "text/html; charset=iso-2022-jp", "日本語"),
        (meta("euc-kr", "똠방각하 뉴스").encode("cp949"), None, "똠방각하 뉴스"),
        (meta("tis-620", "ข่าวภาษาไทย").encode("tis-620"), None, "ข่าวภาษาไทย"),
        # the header against the document
        (meta("koi8-r", "Новости").encode("koi8-r"), None, "Новости"),
        (meta("windows-1251", "Новости").encode("koi8-r"), "text/html; charset=KOI8-R", "Новости"),
        (meta("windows-1251", "Новости").encode("cp1251"), "text/html; charset=iso-8859-1", "Новости"),
        (meta("x-none", "Новости").encode("koi8-r"), 'text/html; charset="koi8-r"', "Новости"),
        ("<?xml version='1.0' encoding='cp1251'?><p>Новости".encode("cp1251"), None, "Новости"),
        # bytes that mean something elsewhere
        ("<p>Grün\x1b[0m".encode(), "text/html; charset=iso-8859-1", "Grün\x1b[0m"),
        (meta("iso-8859-1", "Grün\x1b").encode(), None, "Grün\x1b"),
        ("\0<p>Grün".encode(), None, "Grün"),
        ("<\0p>Grün".encode(), None, "Grün"),
        ("<p>Grün\0".encode(), "text/html; charset=iso-8859-1", "Grün\0"),
        (b"+ADw-script+AD4- \xfc", "text/html; charset=utf-7", "+ADw-script+AD4- ü"),
        (b"", None, ""),
    ],
)
def test_decode(body: bytes, content_type: str | None, text: str) -> None:
    assert decode(body, content_type).rpartition("<p>")[2].rpartition("p>")[2] == text


@pytest.mark.parametrize("charset", NO_CHARSETS)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_names_that_are_no_charset_are_ignored(charset: str, encoding: str) -> None:
    html = f"<meta charset={charset}><p>Grün"
    assert decode(html.encode(encoding), f"text/html; charset={charset}") == html


@pytest.mark.parametrize(
    ("body", "expected"),
    [(b"", True), (b"a", True), ("ü".encode(), True), (b"\xfc", False), (b"<\0p\0", False), (b"\x1b$B", False)],
)
def test_is_utf8(body: bytes, expected: bool) -> None:
    assert is_utf8(body) is expected


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60), st.sampled_from(CHARSETS), st.sampled_from(CHARSETS))
@example(b"+2AA-\xff", "utf-7", "utf-7")
def test_any_bytes_become_characters(body: bytes, declared: str, header: str) -> None:
    body = f"<meta charset={declared}>".encode() + body
    decode(body, f"text/html; charset={header}").encode()


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=40), st.text(st.characters(), max_size=40))
def test_any_header_is_survived(body: bytes, content_type: str) -> None:
    decode(body, f"text/html; charset={content_type}").encode()


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\x1b\ufeff")), st.sampled_from(CHARSETS))
def test_utf8_wins_over_all_that_is_declared(text: str, charset: str) -> None:
    assert decode(text.encode(), f"text/html; charset={charset}") == text
