"""The body of a page laid flat: elements and text nodes in depth-first order.

An element's descendants, and the text nodes below it, are consecutive.  So the number of anything in a subtree is
the difference of two running totals, and one pass serves all elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from lxml.etree import _Element

from scrapy_forest.model.text import SILENT_TAGS

NO_PARENT = -1


@dataclass(frozen=True, slots=True)
class Outline:
    """Elements by number, without silent ones (scripts, styles, …); 0 is the body.

    The paper's dfs attribute of element ``i`` is ``i + 1``, its level ``levels[i]``: 1 for the body, as in figure 3.
    """

    elements: list[_Element] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    first_leaf: list[int] = field(default_factory=list)
    end_leaf: list[int] = field(default_factory=list)  # one past the last text node below
    leaves: list[str] = field(default_factory=list)  # non-empty text nodes
    owners: list[int] = field(default_factory=list)  # the element a text node stands in

    def ancestors(self, index: int) -> Iterator[int]:
        """The element itself, its parent, and so on up to the body."""
        while index != NO_PARENT:
            yield index
            index = self.parents[index]

    def totals(self, per_leaf: Sequence[int]) -> list[int]:
        """For each element the sum, over the text nodes below it, of a number given for each text node."""
        running = [0, *accumulate(per_leaf)]
        return [running[end] - running[first] for first, end in zip(self.first_leaf, self.end_leaf, strict=True)]


def outline_of(body: _Element) -> Outline:
    """Walk ``body`` once, without recursion: pages nest up to 2,048 levels."""
    outline = Outline()
    numbers: dict[_Element | None, int] = {}
    open_elements: list[int] = []
    for element in body.iter("*"):
        parent = NO_PARENT if element is body else numbers.get(element.getparent())
        if parent is None:
            continue  # inside of a silent element
        while open_elements and open_elements[-1] != parent:
            _close(outline, open_elements.pop())
        if element.tag in SILENT_TAGS:
            _add_leaf(outline, parent, element.tail)
            continue
        number = numbers[element] = _open(outline, element, parent)
        open_elements.append(number)
        _add_leaf(outline, number, element.text)
    while open_elements:
        _close(outline, open_elements.pop())
    return outline


def _open(outline: Outline, element: _Element, parent: int) -> int:
    outline.elements.append(element)
    outline.parents.append(parent)
    outline.levels.append(1 if parent == NO_PARENT else outline.levels[parent] + 1)
    outline.first_leaf.append(len(outline.leaves))
    outline.end_leaf.append(0)  # known when it closes
    return len(outline.elements) - 1


def _close(outline: Outline, number: int) -> None:
    outline.end_leaf[number] = len(outline.leaves)
    if number:  # what follows the body is not in it
        _add_leaf(outline, outline.parents[number], outline.elements[number].tail)


def _add_leaf(outline: Outline, owner: int, text: str | None) -> None:
    if text and not text.isspace():
        outline.leaves.append(text)
        outline.owners.append(owner)
