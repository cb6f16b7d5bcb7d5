"""Feeds that would keep feedparser busy for minutes, for which there is the lxml reader.

feedparser needs some 10 µs for each tag, reference and attribute.  On top of that, it looks up the attributes of a tag,
searches authors for addresses and compares the tags of an entry in quadratic time, at some 20 ns a step.
"""

from __future__ import annotations

import re
from typing import Final

from scrapy_forest.model.feed.framing import ENTRY_END
from scrapy_forest.model.feed.sections import split_sections

MAX_EVENTS = 100_000  # 1 to 3 s; a feed of 1,000 entries has about 30,000
MAX_STEPS = 100_000_000  # 2 s; 1,000 entries of ten names have about 5 million, one name of 10,000 characters has all

_NAME_TAG: Final = re.compile(
    r"<(?P<end>/?)(?P<name>(?:[\w.-]+:)?(?:author|creator|credit|publisher|name|email|webmaster|managingeditor|category"
    r"|subject|keywords|tags))\b[^<>]*",
    re.I,
)
_BLANK: Final = str.maketrans("<&=", "   ")


def is_heavy(text: str) -> bool:
    """Whether feedparser would need more than a few seconds for the text.

    >>> is_heavy("<item><author>Jane</author></item>"), is_heavy(f"<item><author>{'Jane' * 5_000}</author></item>")
    (False, True)
    """
    markup = "".join(piece.translate(_BLANK) if is_data else piece for piece, is_data in split_sections(text))
    if sum(map(markup.count, "<&=")) > MAX_EVENTS:
        return True
    steps = sum(tag.count("=") ** 2 for tag in markup.split("<"))
    steps += sum(_name_steps(entry, unknown=len(markup) ** 2) for entry in ENTRY_END.split(markup))
    return steps > MAX_STEPS


def _name_steps(entry: str, unknown: int) -> int:
    """Steps for authors and tags, which commas may part; ``unknown`` where they overlap: they may be any length."""
    opened: list[re.Match[str]] = []
    count = steps = 0
    for tag in _NAME_TAG.finditer(entry):
        if not tag["end"]:
            count += 1
            if not tag[0].endswith("/"):
                opened.append(tag)
        elif not opened or opened[-1]["name"] != tag["name"]:
            return unknown
        elif steps <= MAX_STEPS:
            start = opened.pop().end()
            steps += (tag.start() - start) ** 2
            count += entry.count(",", start, tag.start())
    return unknown if opened else steps + count**2
