"""From bytes to characters, for pages and feeds alike.

The first that fits: a byte order mark; UTF-16 or ISO-2022-JP, where declared and betrayed by their bytes; UTF-8,
whatever is declared, because other encodings practically never look like it; the charset of the HTTP header; the
declaration in the document; windows-1252.  A Western charset in the header comes after the declaration: it is what
servers send when nobody told them better.
"""

from __future__ import annotations

import re
from typing import Final

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

FALLBACK: Final = "cp1252"  # of the documents that declare nothing, most are Western

_MARKS: Final = (
    (re.compile(rb"\xef\xbb\xbf"), "utf-8"),
    (re.compile(rb"\xff\xfe\x00\x00"), "utf-32-le"),
    (re.compile(rb"\x00\x00\xfe\xff"), "utf-32-be"),
    (re.compile(rb"\xff\xfe"), "utf-16-le"),
    (re.compile(rb"\xfe\xff"), "utf-16-be"),
    # No mark, but a document that starts with "<" and a name does not look so in any other encoding.
    (re.compile(rb"(?:\s\x00)*<\x00[!-~]\x00"), "utf-16-le"),
    (re.compile(rb"(?:\x00\s)*\x00<\x00[!-~]"), "utf-16-be"),
)
# Encodings that can look like UTF-8, and the byte that none of their documents goes without.
_DISGUISED: Final = (("utf-16", b"\x00"), ("utf-32", b"\x00"), ("iso2022", b"\x1b"))
_SIGNS: Final = frozenset(sign for _, sign in _DISGUISED)
# Python's codecs also include hex, zip, rot13, idna, undefined, …, which anyone may name in a page.
_CHARSET: Final = re.compile(
    r"utf-(?!7)|iso|cp\d|koi|gb|big5|euc|shift|mac|tis|hz|johab|kz|ptcp|ascii|latin", re.IGNORECASE
)
_WESTERN: Final = frozenset(["ascii", "cp1252", "iso8859-1", "latin-1"])


def decode(body: bytes, content_type: str | None = None) -> str:
    """The characters of a document; ``content_type`` is the HTTP header of that name.

    >>> decode("<?xml version='1.0' encoding='koi8-r'?>мир".encode("koi8-r"), "text/xml; charset=latin-1")[-3:]
    'мир'
    """
    for mark, name in _MARKS:
        if mark.match(body):
            return body.decode(name, "replace").removeprefix("\ufeff")
    for name in _candidates(body, content_type):
        if (text := _decode_as(name, body)) is not None:
            return text
    return body.decode(FALLBACK, "replace")


def is_utf8(body: bytes) -> bool:
    """Whether a document can be read as UTF-8 without asking what it declares."""
    if is_disguised(body):
        return False
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def is_disguised(body: bytes) -> bool:
    """Whether a document may be in an encoding that passes for UTF-8."""
    return any(sign in body for sign in _SIGNS)


def _candidates(body: bytes, content_type: str | None) -> list[str]:
    named = [http_content_type_encoding(content_type), html_body_declared_encoding(body)]
    if named[0] in _WESTERN:
        named.reverse()
    charsets = [name for name in named if name and _CHARSET.match(name)]
    signs = [(name, sign) for name in charsets for prefix, sign in _DISGUISED if name.startswith(prefix)]
    disguised = [name for name, sign in signs if sign in body]
    return [*disguised, "utf-8", *(name for name in charsets if name not in dict(signs))]


def _decode_as(name: str, body: bytes) -> str | None:
    """The text in that encoding, unless more than a third of what is not ASCII is broken."""
    try:
        return body.decode(name)
    except UnicodeError:
        text = body.decode(name, "replace")
    return text if text.count("\ufffd") * 3 <= len(text) - len(text.encode("ascii", "ignore")) else None
