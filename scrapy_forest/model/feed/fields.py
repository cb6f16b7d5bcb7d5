"""Texts of a feed, plain or as HTML that is safe to show, each within its limit.

Feeds write HTML where they promise text and text where they promise HTML, so what a field holds is decided by its
look as well.  What goes wrong is added to the ``problems`` that each function is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape, unescape
from itertools import islice
from typing import Final, TypeAlias

from lxml.etree import _Element

from scrapy_forest.errors import EmptyPage, PageError, PageTooDeep
from scrapy_forest.model.feed.raw import HTML_TYPES, RawText
from scrapy_forest.model.markup import parse
from scrapy_forest.model.safe_html import safe_html
from scrapy_forest.model.text import element_text
from scrapy_forest.model.web_link import web_link

MAX_TITLE = 1_000
MAX_SUMMARY = 20_000
MAX_CONTENT = 1_000_000
MAX_NAME = 200  # an author or a tag
MAX_NAMES = 100

Problems: TypeAlias = set[str]

_TAG: Final = re.compile(r"<[a-zA-Z/!?]")
# In plain text "a <b and c> d" is no markup, and neither is "the <table> element".
_CERTAIN_TAG: Final = re.compile(
    r"</[a-z][a-z0-9]*\s*>|<[a-z][a-z0-9]*(?:\s[^<>=]*=[^<>]*|\s*/)>|<(?:br|hr|img|p|wbr)>", re.I
)
_ANY_TAG: Final = re.compile(r"<[a-zA-Z/!?][^<>]*>")
_REFERENCE: Final = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|\w{1,31});")
_ADDRESS: Final = re.compile(r"<?[^\s<>()]+@[^\s<>()]+>?")


def title_text(raw: RawText, problems: Problems) -> str:
    """A title on one line."""
    return _line(_plain(raw, MAX_TITLE, problems))


def summary_text(raw: RawText, problems: Problems) -> str:
    """A summary as plain text, one line a paragraph."""
    return _plain(raw, MAX_SUMMARY, problems)


def content_html(raws: Iterable[RawText], url: str, problems: Problems) -> str:
    """The longest content as HTML that is safe to show, with absolute links; ``url`` is the feed's."""
    texts = [raw for raw in raws if raw.value and raw.type in {*HTML_TYPES, "text/plain"}]
    if not texts:
        return ""
    raw = max(texts, key=lambda each: len(each.value))
    value = cut(raw.value, MAX_CONTENT, problems)
    if raw.type == "text/plain" and not _CERTAIN_TAG.search(value):
        return "\n".join(f"<p>{escape(line.strip())}</p>" for line in value.splitlines() if line.strip())
    root = _tree(value, problems)
    return safe_html(root, web_link(url, raw.base) or url) if root is not None else ""


def author_names(authors: Iterable[str], problems: Problems) -> tuple[str, ...]:
    """Names without addresses.

    >>> author_names(["Jane Doe <jane@example.com>", "joe@example.com (Joe Public)"], set())
    ('Jane Doe', 'Joe Public')
    """
    return tag_names((_ADDRESS.sub("", cut(author, MAX_NAME, problems)).strip(" ()") for author in authors), problems)


def tag_names(names: Iterable[str], problems: Problems) -> tuple[str, ...]:
    """Each name once, on one line."""
    texts = (_line(_plain(RawText(name), MAX_NAME, problems)) for name in islice(names, MAX_NAMES))
    return tuple(dict.fromkeys(text for text in texts if text))


def cut(text: str, limit: int, problems: Problems) -> str:
    """The text within its limit."""
    if len(text) > limit:
        problems.add("field_truncated")
    return text[:limit]


def _plain(raw: RawText, limit: int, problems: Problems) -> str:
    """Plain text of a field, which is HTML if it says so or certainly looks like it."""
    value = cut(raw.value, MAX_CONTENT, problems)
    if (_TAG if raw.type in HTML_TYPES else _CERTAIN_TAG).search(value):
        root = _tree(value, problems)
        if root is not None:
            return cut(element_text(root), limit, problems)
        value = _ANY_TAG.sub(" ", value)
    return cut(_line(_REFERENCE.sub(lambda match: unescape(match[0]), value)), limit, problems)


def _tree(html: str, problems: Problems) -> _Element | None:
    try:
        return parse(html, "")
    except EmptyPage:
        return None
    except PageError as error:
        problems.add("too_deep" if isinstance(error, PageTooDeep) else "bad_markup")
        return None


def _line(text: str) -> str:
    return " ".join(text.split())
