"""One XPath for the same node on several pages.

Expressions are tried on the pages from short to long.  What is kept is plain XPath 1.0 that selects the wanted node,
and nothing else, on every page; failing that, on as many pages as possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from string import ascii_letters
from typing import Final

from lxml.etree import _Element

from scrapy_forest.errors import InvalidWrapper
from scrapy_forest.model.grammar import MAX_LENGTH, MAX_STEPS
from scrapy_forest.model.path import (
    Condition,
    Equals,
    HasToken,
    StartsWith,
    Step,
    conditions_of,
    is_plain_name,
    is_usable_value,
)
from scrapy_forest.model.selection import selection

MAX_ANCESTORS: Final = 4  # further up, an ancestor says no more than the body does
MAX_CONDITIONS: Final = 16  # hostile pages have thousands of classes, and each costs a look at every element
MAX_TOGETHER: Final = 8  # conditions added one by one; what more there are come all at once
MIN_PREFIX: Final = 3  # a shorter common start of two ids is chance
_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[a-zA-Z]")
_TELLING: Final = re.compile("article|body|content|entry|main|post|story|text", re.IGNORECASE)
LANDMARKS: Final = frozenset(("article", "body", "main"))  # tags that are names by themselves
WHOLE_BODY: Final = "//body"  # what comes out for pages that have nothing else in common


@dataclass(frozen=True, slots=True)
class Expression:
    """An XPath and how it fits the pages it was made for."""

    xpath: str
    alone: int  # pages on which it selects the wanted node and no other
    first: int  # pages on which the wanted node is the first it selects
    pages: int
    positional: bool

    @property
    def is_clear(self) -> bool:
        """Whether it names the node on every page, and does so without counting positions."""
        return self.alone == self.pages and not self.positional


def generalise(nodes: Sequence[_Element]) -> Expression | None:
    """The simplest XPath that finds each node on its own page; None where nothing nameable leads to them."""
    best: Expression | None = None
    for xpath, positional in expressions(nodes):
        if len(xpath) > MAX_LENGTH:
            continue
        tried = try_on(nodes, xpath, positional=positional)
        if tried.first and (best is None or (tried.alone, tried.first) > (best.alone, best.first)):
            best = tried
        if tried.alone == len(nodes):
            break
    return best


def try_on(nodes: Sequence[_Element], xpath: str, *, positional: bool) -> Expression:
    """Run ``xpath`` on the pages of all nodes."""
    alone = first = 0
    for node in nodes:
        found = _found(xpath, node)
        if found and found[0] is node:
            first += 1
            alone += len(found) == 1
    return Expression(xpath, alone, first, len(nodes), positional)


def _found(xpath: str, node: _Element) -> list[_Element]:
    """What it selects on the page of a node, as it will be applied; nothing where that is not allowed to be tried."""
    try:
        return selection(xpath)(node.getroottree().getroot())
    except InvalidWrapper:  # on a page that somebody has made for it
        return []


def expressions(nodes: Sequence[_Element]) -> Iterator[tuple[str, bool]]:
    """Expressions for the nodes, simple ones first, and whether each counts positions."""
    own = list(own_steps(nodes))
    if not own:
        return
    yield from ((f"//{step}", False) for step in own)
    above = list(ancestor_steps(nodes))
    for distance, ancestor in above:
        yield f"//{ancestor}{'/' if distance == 1 else '//'}{own[-1]}", False
    for distance, ancestor in above:
        if chain := child_steps(nodes, distance):
            yield f"//{ancestor}/{chain}", True
    yield from ((f"(//{step})[1]", True) for step in own)
    distances = {sum(1 for _ in node.iterancestors()) for node in nodes}
    if len(distances) == 1 and (distance := distances.pop()) < MAX_STEPS and (chain := child_steps(nodes, distance)):
        yield f"/*/{chain}", True


def own_steps(nodes: Sequence[_Element]) -> Iterator[Step]:
    """The nodes by one condition that all of them meet, then by two and more together."""
    tags = {node.tag for node in nodes}
    tag = tags.pop()
    if tags or not is_plain_name(tag):
        return
    common = common_conditions(nodes)
    if tag in LANDMARKS or not common:
        yield Step(str(tag))
    yield from (Step(str(tag), (condition,)) for condition in common)
    sizes = (size for size in range(2, len(common) + 1) if size <= MAX_TOGETHER or size == len(common))
    yield from (Step(str(tag), tuple(common[:size])) for size in sizes)


def common_conditions(nodes: Sequence[_Element]) -> list[Condition]:
    """Conditions that all nodes meet, the most telling first."""
    shared = set.intersection(*map(conditions_of, nodes))
    if len(nodes) == 1:  # a number may be this post's own
        shared = {condition for condition in shared if not _DIGIT.search(_name(condition))}
    return sorted(shared or common_starts(nodes), key=_preference)[:MAX_CONDITIONS]


def common_starts(nodes: Sequence[_Element]) -> Iterator[Condition]:
    """The tolerant form of names that differ from a number or a separator on: ``post-1``, ``post-2``."""
    for name in ("id", "class"):
        values = [node.get(name, "") for node in nodes]
        start = _common_start(values)
        if any(_LETTER.match(value, len(start)) for value in values):
            start = start[: len(start.rstrip(ascii_letters))]  # no half words
        if len(start) >= MIN_PREFIX and is_usable_value(start):
            yield StartsWith(name, start)


def _common_start(values: Sequence[str]) -> str:
    """What all values start with, up to the first digit."""
    first, last = min(values), max(values)  # what these two share, all between them share
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return _DIGIT.split("".join(one for one, _ in same), maxsplit=1)[0]


def ancestor_steps(nodes: Sequence[_Element]) -> Iterator[tuple[int, Step]]:
    """Ancestors at one distance from all nodes that share a name, nearest first."""
    ancestors = list(nodes)
    for distance in range(1, 1 + MAX_ANCESTORS):
        parents = [parent for each in ancestors if (parent := each.getparent()) is not None]
        tags = {parent.tag for parent in parents}
        if len(parents) < len(nodes) or len(tags) > 1 or not is_plain_name(parents[0].tag):
            return
        common = common_conditions(parents)
        if common or tags <= LANDMARKS:
            yield distance, Step(str(parents[0].tag), tuple(common[:1]))
        ancestors = parents


def child_steps(nodes: Sequence[_Element], distance: int) -> str | None:
    """Child steps with positions from the ancestor at ``distance`` down to the nodes, if all share them."""
    chains = {_chain(node, distance) for node in nodes}
    return chains.pop() if len(chains) == 1 else None


def _chain(node: _Element, distance: int) -> str | None:
    steps: list[str] = []
    for _ in range(distance):
        parent = node.getparent()
        if parent is None or not is_plain_name(node.tag):
            return None
        steps.append(str(Step(str(node.tag), position=1 + _same_tag_before(node))))
        node = parent
    return "/".join(reversed(steps))


def _same_tag_before(node: _Element) -> int:
    return sum(1 for _ in node.itersiblings(str(node.tag), preceding=True))


def _preference(condition: Condition) -> tuple[bool, int, bool, int, str]:
    """Names without digits first (numbers change from post to post), ids before classes before the rest.

    Of several classes, one that speaks of content, else the longest: the short ones are about looks (``flex``).
    """
    name = _name(condition)
    kind = {"id": 0, "class": 1}.get(condition.attribute, 2)
    return bool(_DIGIT.search(name)), kind, not _TELLING.search(name), -len(name), name


def _name(condition: Condition) -> str:
    match condition:
        case HasToken(_, name) | Equals(_, name) | StartsWith(_, name):
            return name
