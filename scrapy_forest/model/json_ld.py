"""JSON-LD: what a page's own data says of its article, https://schema.org/Article.

A small reader instead of extruct, which takes longer than all else that is done to a page.  It knows no contexts and no
namespaces: ``@graph``, arrays and nesting are all walked in the same way, shallow objects first, and ``{"@id": …}``
stands for the object of that id, one step only.  Blocks are hostile: what cannot be read is passed over, and no more
than a fixed amount is looked at.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import islice
from typing import Any, Final

MAX_BLOCKS: Final = 50  # the most on 1,000 real pages is 23
MAX_CHARACTERS: Final = 1_000_000  # of all blocks of a page; the most on 1,000 real pages is 105,886
MAX_VALUES: Final = 20_000  # objects and arrays looked at
MAX_TEXTS: Final = 100  # of one property

_PREFIX: Final = re.compile(r"https?://schema\.org/|schema:")
_OPENING: Final = re.compile(r"[{\[]")
_NAMES: Final = ("name", "@value", "url", "contentUrl")  # what stands for an object where a text is wanted


@dataclass(frozen=True, slots=True)
class LinkedArticle:
    """The object that describes the page's article, and which block it was in."""

    data: Mapping[str, Any]
    objects: Mapping[str, Mapping[str, Any]]  # by @id
    block: int

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts of a property, whether it holds a text, an object with a name, an array of them or an ``@id``."""
        value = self.data.get(name)
        values = islice(value, MAX_TEXTS) if isinstance(value, list) else [value]
        return tuple(text for each in values for text in self._texts_of(each))

    def _texts_of(self, value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            value = _name(value) or _name(self.objects.get(_text(value.get("@id")), {}))
        values = islice(value, MAX_TEXTS) if isinstance(value, list) else [value]
        yield from filter(None, map(_text, values))


def find_article(blocks: Sequence[str], url: str) -> LinkedArticle | None:
    """The article that the blocks describe: the one that names ``url``, else the first."""
    objects = list(_objects(blocks))
    articles = [(data, block) for data, block in objects if is_article(data)]
    if not articles:
        return None
    data, block = min(articles, key=lambda article: not _names(article[0], url))
    return LinkedArticle(data, {_text(each.get("@id")): each for each, _ in reversed(objects) if "@id" in each}, block)


def is_article(data: Mapping[str, Any]) -> bool:
    """Whether the object is of a type that a page's article may have.

    >>> is_article({"@type": ["Thing", "https://schema.org/NewsArticle"]}), is_article({"@type": "JobPosting"})
    (True, False)
    """
    types = data.get("@type")
    names = [_PREFIX.sub("", _text(each)) for each in (types if isinstance(types, list) else [types])]
    return any(name.endswith(("Article", "BlogPosting", "MediaPosting")) or name == "Report" for name in names)


def _objects(blocks: Sequence[str]) -> Iterator[tuple[dict[str, Any], int]]:
    """All objects, shallow ones first."""
    waiting: deque[tuple[Any, int]] = deque((_load(text), number) for number, text in _within_limits(blocks))
    seen = 0
    while waiting and seen < MAX_VALUES:
        value, block = waiting.popleft()
        seen += 1
        if isinstance(value, dict):
            yield value, block
        inside = value.values() if isinstance(value, dict) else value
        waiting.extend((each, block) for each in islice(inside, MAX_VALUES) if isinstance(each, (dict, list)))


def _within_limits(blocks: Sequence[str]) -> Iterator[tuple[int, str]]:
    left = MAX_CHARACTERS
    for number, text in enumerate(blocks[:MAX_BLOCKS]):
        if len(text) <= left:
            left -= len(text)
            yield number, text


def _load(text: str) -> Any:
    """The value of a block, an empty list if it has none."""
    if "<!" in text[:100]:  # a comment or CDATA around it
        text = text.replace("<![CDATA[", "").replace("]]>", "")
    opening = _OPENING.search(text)
    end = max(text.rfind("}"), text.rfind("]")) + 1
    try:
        # Raw newlines in texts are common.  Nobody asks for a number, and long ones take quadratic time to read.
        value = json.loads(text[opening.start() : end] if opening else "", strict=False, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return []
    return value if isinstance(value, (dict, list)) else []


def _name(data: Mapping[str, Any]) -> Any:
    return next((data[key] for key in _NAMES if data.get(key)), None)


def _names(article: Mapping[str, Any], url: str) -> bool:
    page = article.get("mainEntityOfPage")
    ids = [article.get("url"), article.get("@id"), *(page.values() if isinstance(page, dict) else [page])]
    return any(_text(each).partition("#")[0].rstrip("/") == url.rstrip("/") for each in ids)


def _text(value: Any) -> str:
    """A text without references, which many generators write twice."""
    if not isinstance(value, str):
        return ""
    return (unescape(value) if "&" in value else value).strip()
