"""CDATA sections, comments and processing instructions, in which nothing is markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

CDATA = "<![CDATA["
CDATA_END = "]]>"

_ENDS: Final = {CDATA: CDATA_END, "<!--": "-->", "<?": "?>"}
_START: Final = re.compile("|".join(map(re.escape, _ENDS)))


def split_sections(text: str) -> Iterator[tuple[str, bool]]:
    """Pieces of the text, and whether each is character data; without comments and instructions.

    A comment that does not end is left to the parser to complain about, character data without an end is all data.

    >>> list(split_sections("<a><!-- <![CDATA[ --><![CDATA[1 < 2]]></a>"))
    [('<a>', False), ('', False), ('1 < 2', True), ('</a>', False)]
    """
    position = 0
    for start in _START.finditer(text):
        if start.start() < position:
            continue  # inside of the section before
        end = text.find(_ENDS[start[0]], start.end())
        if end < 0 and start[0] != CDATA:
            break
        yield text[position : start.start()], False
        if start[0] == CDATA:
            yield text[start.end() : end if end >= 0 else len(text)], True
        position = end + len(_ENDS[start[0]]) if end >= 0 else len(text)
    yield text[position:], False
