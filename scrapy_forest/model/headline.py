"""The headline inside of a title that also names the site: ``Headline | Site``, ``Site: Headline``.

Titles are written for search engines and tabs.  Which part of one is the headline is not guessed: it is the part that
stands on the page as a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_SEPARATOR: Final = re.compile(r"\s*(?:[|\-–—·•:»«~/]|::)+\s+|\s+(?:[|\-–—·•:»«~/]|::)+\s*")


@dataclass(frozen=True, slots=True)
class Heading:
    """The text of a heading; the greater its nearness, the smaller the part of the page it shares with the article."""

    text: str
    nearness: int


def headline_in(title: str, headings: Iterable[Heading]) -> str | None:
    """The heading that is the whole title or a part of it, next to a separator; of several the nearest, then longest.

    >>> headings = [Heading("Tin Kettle", 1), Heading("Lakes", 2), Heading("Lakes - Part 1", 2)]
    >>> headline_in("Lakes - Part 1 | Tin Kettle", headings)
    'Lakes - Part 1'
    >>> headline_in("Introduction to lakes", [Heading("Introduction", 2)])
    """
    parts = [each for each in headings if each.text and is_part(title.casefold(), each.text.casefold())]
    return max(parts, key=lambda each: (each.nearness, len(each.text))).text if parts else None


def is_part(title: str, heading: str) -> bool:
    """Whether the title is the heading, or starts or ends with it and a separator.

    >>> is_part("site: a", "a"), is_part("a - site", "a"), is_part("a-b", "a"), is_part("a", "a")
    (True, True, False, True)
    """
    if title == heading:
        return True
    if title.startswith(heading):
        return _SEPARATOR.match(title, len(heading)) is not None
    return title.endswith(heading) and any(
        separator.end() == len(title) - len(heading) for separator in _SEPARATOR.finditer(title)
    )


def has_separator(title: str) -> bool:
    """Whether the title may have parts."""
    return _SEPARATOR.search(title) is not None
