"""From bytes to text, whatever charset the feed and its server claim."""

from __future__ import annotations

import re
from typing import Final

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufeff\ufffe\uffff\ud800-\udfff]+")  # in XML, and the BOM

_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
)
# Python also has hex, zip, punycode, unicode-escape, …; UTF-16 shows itself by its first bytes.
_CHARSET: Final = re.compile(r"utf-8|iso|cp\d|koi|gb|big5|euc|shift|mac|tis|hz|johab|kz|ptcp")
_STATEFUL: Final = ("iso2022", "hz")  # they use ASCII alone, so all they write is UTF-8 too


def decode(body: bytes, content_type: str | None) -> str:
    """The text of a feed, without characters that XML forbids.

    The first that fits: a byte order mark; UTF-8, whatever is declared; the charset of the header; the XML
    declaration; windows-1252.  A Western charset in the header comes after the declaration: it is what servers
    send when nobody told them better.

    >>> decode("<?xml version='1.0' encoding='koi8-r'?>мир".encode("koi8-r"), "text/xml; charset=latin-1")[-3:]
    'мир'
    """
    return FORBIDDEN.sub("", _decode(body, content_type))


def _decode(body: bytes, content_type: str | None) -> str:
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body.decode(name, "replace")
    for name in _candidates(body, content_type):
        if (text := _decode_as(name, body)) is not None:
            return text
    return body.decode("cp1252", "replace")


def _candidates(body: bytes, content_type: str | None) -> list[str]:
    header, declared = http_content_type_encoding(content_type), html_body_declared_encoding(body)
    order = (declared, header) if header == "cp1252" else (header, declared)
    names = [name for name in order if name and _CHARSET.match(name)]
    return [*(name for name in names if name.startswith(_STATEFUL)), "utf-8", *names]


def _decode_as(name: str, body: bytes) -> str | None:
    """The text in that encoding, unless more than a third of what is not ASCII is broken."""
    text = body.decode(name, "replace")
    broken = text.count("\ufffd")
    return text if broken * 3 <= len(text) - len(text.encode("ascii", "ignore")) else None
