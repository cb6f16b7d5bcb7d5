"""Text that a parser reads as its author meant it.

feedparser 6.0.14 raises on some references (its issues 591 and 599) and libxml2 drops the ones it does not know, with
the rest of a link such as ``?a=1&b=2``.  feedparser also mistakes some elements and bases for others.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape, unescape
from typing import Final
from urllib.parse import urljoin

from scrapy_forest.model.feed.decoding import FORBIDDEN
from scrapy_forest.model.feed.sections import CDATA, CDATA_END, split_sections

_NAME: Final = r"(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|\w{1,31});"
_BARE: Final = re.compile(f"&(?!{_NAME})")
_REFERENCE: Final = re.compile(f"&(?!(?:lt|gt|amp|quot|apos);){_NAME}")
# feedparser takes image captions and podcast summaries for the entry's own, and an empty link for a link.
_MISLEADING: Final = re.compile(
    r"(?P<start></?(?:media|itunes|googleplay):)(?=(?:description|summary|subtitle|title)\b)"
    r"|<link>\s*</link>|<link\s*/>",
    re.I,
)
_BASE: Final = re.compile(r"""\sxml:base\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
_NAME_END: Final = re.compile(r"(?=[\s/>])")


def mend(text: str, url: str) -> str:
    """The feed with valid references only, and nothing that feedparser mistakes; ``url`` is the feed's.

    >>> mend("<title>Q&A &nbsp;&eacute; &#xD800; &lt; <![CDATA[Q&A]]></title>", "")
    '<title>Q&amp;A \\xa0é \\ufffd &lt; <![CDATA[Q&A]]></title>'
    """
    text = _mend_bases(_MISLEADING.sub(_rename, text), url)
    pieces = []
    for piece, is_data in split_sections(text):
        pieces.append(f"{CDATA}{piece}{CDATA_END}" if is_data else _mend_references(piece))
    return "".join(pieces)


def _rename(match: re.Match[str]) -> str:
    return f"{match['start']}other-" if match["start"] else ""


def _mend_references(markup: str) -> str:
    return _REFERENCE.sub(lambda reference: _valid(reference[0]), _BARE.sub("&amp;", markup))


@lru_cache(maxsize=10_000)
def _valid(reference: str) -> str:
    return escape(FORBIDDEN.sub("", unescape(reference)))


def _mend_bases(text: str, url: str) -> str:
    """Drop each ``xml:base`` that cannot be parsed, and give the root one if only elements below it have any.

    With a base that cannot be parsed feedparser empties links; without one of the root, an entry's base stays in
    force for the entries after it.

    >>> _mend_bases('<feed><entry xml:base="/b/"></entry><entry xml:base="http://[::1"></entry></feed>', "http://a.com")
    '<feed xml:base="http://a.com"><entry xml:base="/b/"></entry><entry></entry></feed>'
    """
    text = _BASE.sub(lambda base: base[0] if _is_base(base[1] or base[2]) else "", text)
    first = _BASE.search(text)
    if first is None or first.start() < text.find(">"):
        return text
    return _NAME_END.sub(lambda _: f' xml:base="{escape(url)}"', text, count=1)


def _is_base(url: str | None) -> bool:
    try:
        urljoin(url or "", "/")
    except ValueError:
        return False
    return True
