"""What an expression selects, in time that grows no faster than the page.

Node by node and step by step, as ``grammar`` has cut the expression: what libxml2 finds from one node it finds fast,
but what it finds from many it joins in quadratic time.  The result is the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from lxml import etree
from lxml.etree import _Element

from scrapy_forest.errors import InvalidWrapper
from scrapy_forest.model.grammar import Plan, read_xpath

MAX_NODES: Final = 100_000  # on the way from step to step; each takes 3 µs


class Selection:
    """An expression ready to run."""

    def __init__(self, expression: str) -> None:
        """Raises :class:`InvalidWrapper`."""
        self.plan: Plan = read_xpath(expression)
        self._expression = expression
        self._branches = [[_Finder(step) for step in branch] for branch in self.plan.branches]

    def __call__(self, node: _Element) -> list[_Element]:
        """The elements selected, in the order of the document; anything else it may select is no content."""
        try:
            found = [_follow(branch, node) for branch in self._branches]
        except etree.XPathError as error:
            raise InvalidWrapper(f"cannot be evaluated: {self._expression!r}") from error
        return found[0] if len(found) == 1 else _in_order(each for branch in found for each in branch)


selection = lru_cache(maxsize=1024)(Selection)  # for wrappers in use


class _Finder:
    def __init__(self, step: str) -> None:
        self.find = compile_xpath(step)
        self.is_deep = step.startswith(("descendant::", ".//"))

    def __call__(self, nodes: list[_Element]) -> list[_Element]:
        if len(nodes) == 1:
            return self._from(nodes[0])
        if self.is_deep:
            return [each for node in _outermost(nodes) for each in self._from(node)]
        return _in_order(each for node in nodes for each in self._from(node))

    def _from(self, node: _Element) -> list[_Element]:
        found = self.find(node)
        return [each for each in found if isinstance(each, _Element)] if isinstance(found, list) else []


def _follow(branch: list[_Finder], node: _Element) -> list[_Element]:
    nodes, seen = [node], 0
    for finder in branch:
        seen += len(nodes)
        if seen > MAX_NODES:
            raise InvalidWrapper("a path that leads through more nodes than any article has")
        nodes = finder(nodes)
    return nodes


def _outermost(nodes: Iterable[_Element]) -> list[_Element]:
    """Those that are not inside of others, given in the order of the document."""
    inside: set[_Element] = set()
    kept = []
    for node in nodes:
        if node not in inside:
            kept.append(node)
            inside.update(node.iterdescendants())
    return kept


def _in_order(nodes: Iterable[_Element]) -> list[_Element]:
    """In the order of the document, each once."""
    wanted = set(nodes)
    if len(wanted) < 2:
        return list(wanted)
    return [node for node in next(iter(wanted)).getroottree().iter() if node in wanted]


def compile_xpath(expression: str) -> etree.XPath:
    """The expression as libxml2 takes it, without the regular expressions that lxml adds to XPath."""
    try:
        return etree.XPath(expression, regexp=False)
    except (etree.XPathSyntaxError, ValueError) as error:  # ValueError: what XML cannot hold, such as NUL
        raise InvalidWrapper(f"not XPath 1.0: {expression[:200]!r}") from error
