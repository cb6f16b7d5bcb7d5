"""From bytes to a tree: limits and parsing.

The tree is parsed once and never changed afterwards.  What hangs or silently empties a parser is refused with an
error: a tag with thousands of attributes (libxml2 needs quadratic time, 30 s for 100,000), nesting beyond 2,048 levels
(libxml2 stops there and drops the rest without a word), and elements by the hundred thousand.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Final

from lxml import etree

from scrapy_forest.errors import EmptyPage, PageTooBig, PageTooDeep, TagTooLarge
from scrapy_forest.model.charset import decode, is_disguised, is_utf8

LONG_RUN: Final = 16 * 1024  # bytes; only a tag in such a run is worth counting
LONG_TAG: Final = 4 * 1024  # bytes: a thousand attributes of four each
MANY_VALUES: Final = 10_000  # as many in one tag cost libxml2 0.18 s
MAX_ATTRIBUTES: Final = 1000  # real tags stay below 50; 10,000 cost libxml2 0.2 s
# What a page of 1 MB may have for libxml2 to parse it in a moment: with tags of 1,000 attributes each it takes 0.3 s.
MOMENT_RUN: Final = 2 * 1024  # bytes: five hundred attributes of four each
MOMENT_ATTRIBUTES: Final = 300
MOST_VALUES: Final = 30_000
MAX_BYTES: Final = 10 * 1024 * 1024  # as much as the downloader accepts
MAX_TAGS: Final = 150_000  # of 1,000 real pages none has more than 10,000; these take some 150 MB to learn from
DEPTH_ERROR: Final = etree.ErrorTypes.ERR_RESOURCE_LIMIT
BROKEN_ERROR: Final = etree.ErrorTypes.ERR_INVALID_ENCODING
REPLACEMENT: Final = "\ufffd".encode()
FULL_LOG: Final = 100  # errors that libxml2 tells of; a broken character may come after them

# libxml2 knows HTML 4: in a page without "<body>", which may be left out, it would put newer tags into the head.
_SECTION: Final = re.compile(
    rb"<(?:article|aside|details|dialog|figure|footer|header|hgroup|main|nav|search|section)[\s/>]", re.IGNORECASE
)
# What looks like a tag in there is none.
_NO_MARKUP: Final = ((b"<script", b"</script"), (b"<SCRIPT", b"</SCRIPT"), (b"<!--", b"-->"))
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_OPEN_TAG: Final = re.compile(rb"<[a-zA-Z][^\s/>]*")
_WHOLE_TAG: Final = re.compile(rb"""<[a-zA-Z](?:[^"'>]+|"[^"]*"|'[^']*')*""")
_ASSIGNMENT: Final = re.compile(rb"""[\s/]*[^\s/>=]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*)""")
_ATTRIBUTE: Final = re.compile(rb"""[\s/]*[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*))?""")


def parse(html: bytes | str, url: str, content_type: str | None = None) -> etree._Element:
    """Parse ``html`` into the root element of an lxml tree; ``content_type`` is the HTTP header of that name.

    Nearly all pages are UTF-8, and the parser tells when one is not: cheaper than to look first.
    """
    if len(html) > MAX_BYTES:
        raise PageTooBig(url)
    if isinstance(html, str):
        return _parse_utf8(_SURROGATE.sub("\ufffd", html).encode(), url)[0]
    if not is_disguised(html):
        root, errors = _parse_utf8(html, url)
        is_doubtful = BROKEN_ERROR in errors or len(errors) >= FULL_LOG
        if not is_doubtful or is_utf8(html):
            return root
    return _parse_utf8(decode(html, content_type).encode("utf-8", "replace"), url)[0]


def _parse_utf8(body: bytes, url: str) -> tuple[etree._Element, list[etree.ErrorTypes]]:
    """The tree, and the kinds of the errors that the parser met."""
    # NULs become what newer versions of libxml2 make of them; older ones stop there.  Around a page they are padding.
    body = body.strip(b"\x00").replace(b"\x00", REPLACEMENT).removeprefix(BOM_UTF8)
    if b"<body" not in body:
        body = _SECTION.sub(rb"<body>\g<0>", body, count=1)
    if count_tags(body) > MAX_TAGS:
        raise PageTooBig(url)
    if has_attribute_bomb(body):
        raise TagTooLarge(url)
    # huge_tree lifts the depth limit from 255 to 2,048; comments and PIs carry no text; nobody asks for id().
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, collect_ids=False
    )
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:  # nothing but spaces or comments
        raise EmptyPage(url) from error
    if root is None:
        raise EmptyPage(url)
    errors = [entry.type for entry in parser.error_log]
    if DEPTH_ERROR in errors:
        raise PageTooDeep(url)
    return root, errors


def count_tags(body: bytes) -> int:
    """How many elements a page has at most.

    >>> count_tags(b"<div><p>one</p><br></div>")
    3
    """
    return body.count(b"<") - body.count(b"</")


def is_crowded(body: bytes) -> bool:
    """Whether some tag, or all of them together, have so many attributes that parsing takes more than a moment.

    >>> is_crowded(b"<p class=a>"), is_crowded(b"<p " + b"a " * 2_000 + b">")
    (False, True)
    """
    return body.count(b"=") > MOST_VALUES or _has_long_crowd(body, MOMENT_RUN, MOMENT_ATTRIBUTES)


def has_attribute_bomb(body: bytes) -> bool:
    """Whether some tag is so crowded that parsing it would take quadratic time.

    A cheap look: such a tag makes a long run without ``<``, or one without ``>``.  One that has both of them quoted in
    its values has many values, and of pages with that many each tag is looked at.

    >>> has_attribute_bomb(b"<p " + b"a " * 100_000 + b">"), has_attribute_bomb(b"<p " + b"a='>' " * 100_000 + b">")
    (True, True)
    >>> has_attribute_bomb(b"<p " + b"a='<>' " * 100_000 + b">")
    True
    >>> has_attribute_bomb(b"<img src='data:image/png;base64," + b"A " * 100_000 + b"'>")
    False
    """
    many = body.count(b"=") > MANY_VALUES
    return (many and _has_crowded_tag(body)) or _has_long_crowd(body, LONG_RUN, MAX_ATTRIBUTES)


def _has_long_crowd(body: bytes, length: int, most: int) -> bool:
    """Whether a crowded tag makes a long run without ``<``, or one without ``>``."""
    return any(
        _has_attributes(body, tag, attribute, most)
        for delimiter, attribute in ((b">", _ATTRIBUTE), (b"<", _ASSIGNMENT))
        for start, end in _long_runs(body, delimiter, length)
        if (tag := _OPEN_TAG.search(body, start, end))
    )


def _has_crowded_tag(body: bytes) -> bool:
    """Whether a tag is crowded, by a look at all of them, with their quotes."""
    long = (tag for tag in _WHOLE_TAG.finditer(body) if tag.end() - tag.start() > LONG_TAG)
    names = (_OPEN_TAG.match(body, tag.start()) for tag in long)
    return any(_has_attributes(body, name, _ATTRIBUTE, MAX_ATTRIBUTES) for name in names if name)


def _long_runs(body: bytes, delimiter: bytes, length: int) -> Iterator[tuple[int, int]]:
    """Stretches that start at a delimiter, or at the start of the body, and hold no other for ``length`` bytes."""
    start = 0
    while start < len(body) - length:
        end = body.rfind(delimiter, start + 1, start + length)  # found near the end: most bytes are never looked at
        if end < 0:
            end = body.find(delimiter, start + length)
            end = len(body) if end < 0 else end
            yield start, end
        start = end


def _has_attributes(body: bytes, tag: re.Match[bytes], attribute: re.Pattern[bytes], most: int) -> bool:
    """Whether a tag has that many attributes, or more."""
    position = tag.end()
    for _ in range(most):
        found = attribute.match(body, position)
        if found is None:
            return False
        position = found.end()
    return not any(_inside(body, tag.start(), *ends) for ends in _NO_MARKUP)


def _inside(body: bytes, position: int, opening: bytes, closing: bytes) -> bool:
    return body.rfind(opening, 0, position) > body.rfind(closing, 0, position)
