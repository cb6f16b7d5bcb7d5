"""Pages in the wrong encoding, or in none."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from functools import partial
from typing import Final

from hostile.inputs import ARTICLE, TOLD, Input, page

GROUP: Final = "characters"
STRANGE: Final = "hex zip rot13 base64 idna undefined punycode x-none utf-7 unicode_escape bz2 uu".split()
SENTENCES: Final = {
    "cp1252": "Das „Café“ – für 5 €",
    "gbk": "朱镕基 囧 中文的文章",
    "shift_jis": "日本語のニュースです",
    "koi8-r": "Новости о велосипедах",
    "cp1251": "Новости о велосипедах",
    "euc-kr": "한국어 기사입니다",
    "big5": "臺灣的新聞",
    "utf-16": "Grüße aus 北京",
    "iso2022_jp": "日本語のニュースです",
}


def inputs() -> Iterator[Input]:
    yield from broken()
    yield from mislabelled()
    yield from strange()


def broken() -> Iterator[Input]:
    bytes_ = {
        "NULs": (b"bi\0cyc\0le \0\0", b""),
        "bytes that are no UTF-8": (b"\xff\xfe\xfa\x80\xc0 and \xf5\x90", b""),
        "surrogates as bytes": (b"\xed\xa0\x80\xed\xbf\xbf", b""),
        "surrogates by reference": (b"&#xD800;&#xDFFF;&#55296;", b""),
        "references to nothing": (b"&#0;&#x110000;&#xFFFFFFFF;&nope;&#;&#x;", b""),
        "control characters": (bytes(range(1, 32)) + b"\x7f\xc2\x80\xc2\x9f", b""),
        "no characters": ("\ufffe\uffff\ufdd0".encode(), b""),
        "an overlong slash": (b"\xc0\xaf", b""),
        "half a character at the end": (b"", b"\xe2\x82"),
        "10,000 combining marks": (b"e" + "\u0301".encode() * 10_000, b""),
        "line separators": ("a\u2028b\u2029c\x85d".encode(), b""),
    }
    for name, (inside, end) in bytes_.items():
        make = partial(_with_bytes, inside, end)
        yield Input("P11", name, "page", GROUP, make, (ARTICLE,), (TOLD,))


def _with_bytes(inside: bytes, end: bytes) -> bytes:
    return page(inside="<p>HERE</p>").encode().replace(b"HERE", inside) + end


def mislabelled() -> Iterator[Input]:
    cases = {
        # name: encoding of the bytes, meta, header, byte order mark
        "windows-1252 as UTF-8": ("cp1252", "utf-8", "utf-8", b""),
        "windows-1252 as nothing": ("cp1252", None, None, b""),
        "GBK as gb2312": ("gbk", "gb2312", None, b""),
        "Shift-JIS": ("shift_jis", "shift_jis", None, b""),
        "ISO-2022-JP": ("iso2022_jp", "iso-2022-jp", None, b""),
        "EUC-KR": ("euc-kr", "euc-kr", None, b""),
        "Big5 in the header": ("big5", None, "big5", b""),
        "UTF-16 LE with a mark": ("utf-16-le", None, None, codecs.BOM_UTF16_LE),
        "UTF-16 BE with a mark": ("utf-16-be", None, None, codecs.BOM_UTF16_BE),
        "UTF-16 LE without": ("utf-16-le", None, None, b""),
        "UTF-16 BE without": ("utf-16-be", None, "utf-8", b""),
        "header against meta": ("koi8-r", "windows-1251", "koi8-r", b""),
        "a Western header against meta": ("cp1251", "windows-1251", "iso-8859-1", b""),
    }
    for name, (encoding, meta, header, mark) in cases.items():
        sentence = SENTENCES["utf-16" if encoding.startswith("utf-16") else encoding]
        make = partial(_in_encoding, sentence, encoding, meta, mark)
        content_type = f"text/html; charset={header}" if header else "text/html"
        yield Input("P12", name, "page", GROUP, make, (ARTICLE,), (TOLD, sentence), content_type=content_type)


def _in_encoding(sentence: str, encoding: str, meta: str | None, mark: bytes) -> bytes:
    head = f"<meta charset={meta}>" if meta else ""
    return mark + page(inside=f"<p>{sentence}.</p>", head=head).encode(encoding)


def strange() -> Iterator[Input]:
    told = (TOLD, "Grüße")
    for charset in STRANGE:
        make, kind = partial(_in_encoding, "Grüße", "utf-8", charset, b""), "text/html"
        yield Input("P13", f"{charset} in the page", "page", GROUP, make, (ARTICLE,), told, content_type=kind)
        make, kind = partial(_in_encoding, "Grüße", "cp1252", None, b""), f"text/html; charset={charset}"
        yield Input("P13", f"{charset} in the header", "page", GROUP, make, (ARTICLE,), told, content_type=kind)
