"""An article: what a wrapper finds on a page."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

from lxml import etree
from lxml.etree import _Element

from scrapy_forest.errors import InvalidWrapper
from scrapy_forest.model.page import Page
from scrapy_forest.model.text import element_text
from scrapy_forest.model.wrapper import Wrapper, compiled


@dataclass(frozen=True, slots=True)
class Article:
    """The article of one page."""

    url: str
    text: str


def extract(wrapper: Wrapper, page: Page) -> Article | None:
    """The article of ``page``, or None if the page has no such node or no text in it."""
    node = find_content(wrapper, page)
    text = element_text(leave_out(wrapper, node)) if node is not None else ""
    return Article(page.url, text) if text else None


def find_content(wrapper: Wrapper, page: Page) -> _Element | None:
    """The node that holds the article."""
    return next(iter(select(wrapper.content, page.root)), None)


def leave_out(wrapper: Wrapper, node: _Element) -> _Element:
    """The node without what the wrapper leaves out: a copy, as the page's tree belongs to others, too."""
    if not wrapper.exclusions:
        return node
    copy = deepcopy(node)
    for each in [each for expression in wrapper.exclusions for each in select(expression, copy)]:
        each.clear(keep_tail=True)
    return copy


def select(expression: str, node: _Element) -> list[_Element]:
    """The elements that an expression selects; anything else it may select is no content."""
    try:
        found = compiled(expression)(node)
    except etree.XPathEvalError as error:  # functions, variables and prefixes are looked up only here
        raise InvalidWrapper(f"cannot be evaluated: {expression!r}") from error
    return [each for each in found if isinstance(each, _Element)] if isinstance(found, list) else []
