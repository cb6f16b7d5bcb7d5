"""Definition 2: element types, that is tag and attributes in tolerant form, written as in XPath.

An element type only names a kind of element, to count it across pages; it is never evaluated.  What is exported as a
wrapper is made by ``induction.generalise``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from lxml.etree import _Element

from scrapy_forest.model.outline import NO_PARENT, Outline

# What names a kind of element.  All others (style, href, data-…) vary with the content, or say nothing.
NAMING_ATTRIBUTES: Final = ("id", "class", "itemprop", "role")
MAX_STEPS: Final = 4  # from an element without a name up to one that has a name

_DIGITS: Final = re.compile(r"\d+")


@lru_cache(maxsize=10_000)  # the same few names stand on every page
def tolerant_form(value: str) -> str:
    """First token of an attribute value without its digits.

    >>> tolerant_form("post wrapper-02"), tolerant_form("post wrapper-09"), tolerant_form("entry-4711")
    ('post', 'post', 'entry-')
    """
    tokens = value.split(None, 1)
    return _DIGITS.sub("", tokens[0]) if tokens else ""


def element_type(element: _Element, dfs: int, *, tolerant: bool = True) -> str:
    """Tag and all attributes, to the letter of the paper; the dfs number where there are none.

    >>> from lxml.html import fragment_fromstring
    >>> print(element_type(fragment_fromstring('<div id="p7" class="post wrapper-02"></div>'), 24))
    div[@class="post" and @id="p"]
    >>> print(element_type(fragment_fromstring("<p></p>"), 24))
    p[@dfs="24"]
    """
    attributes = sorted((str(name), str(value)) for name, value in element.attrib.items())
    if not attributes:
        return _written(element, [("dfs", str(dfs))])
    return _written(element, [(name, tolerant_form(value) if tolerant else value) for name, value in attributes])


def naming_type(outline: Outline, index: int, *, tolerant: bool = True) -> str:
    """Tag and naming attributes; an element without any is named by the nearest ancestor that has some.

    So an unnamed container has the same type on all pages, which its dfs number does not give it.
    """
    steps: list[str] = []
    while index != NO_PARENT and len(steps) < MAX_STEPS:
        element = outline.elements[index]
        named = ((name, element.get(name, "")) for name in NAMING_ATTRIBUTES)
        reduced = ((name, tolerant_form(value) if tolerant else value) for name, value in named)
        attributes = [(name, value) for name, value in reduced if value]
        steps.append(_written(element, attributes))
        if attributes:
            break
        index = outline.parents[index]
    return "/".join(reversed(steps))


def _written(element: _Element, attributes: Iterable[tuple[str, str]]) -> str:
    tests = " and ".join(f'@{name}="{value}"' for name, value in attributes)
    return f"{element.tag!s}[{tests}]" if tests else str(element.tag)
