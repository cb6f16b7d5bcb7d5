"""Where a signifier says nothing about the article.

The paper tries two filters: lists of anchors, which it removes from the page, and paths with "comments" in their
signature.  Menus, teasers and consent boxes of today repeat the words of the article in more places, so we add:
navigation, forms, headers, footers, asides, hidden and consent boxes, link text, and short lines.  None of it, the
paper's filters included, removes a node here: a zone only lends no evidence, and its terms still count as others.
What holds more than half of the page's text is no zone, whatever it is called.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from lxml.etree import _Element

from scrapy_forest.methods.forest.options import ForestOptions
from scrapy_forest.model.outline import NO_PARENT
from scrapy_forest.model.page import Page
from scrapy_forest.model.text import BLOCK_TAGS

ZONE_TAGS: Final = frozenset("form nav header footer aside button dialog".split())
LIST_TAGS: Final = frozenset(("ul", "ol", "dl"))
ZONE_ROLES: Final = frozenset("navigation banner contentinfo complementary search dialog".split())
LARGEST_ZONE: Final = 0.5  # of the page's terms; above it, the name is wrong: sites do call their whole body a form

_CONSENT: Final = re.compile(r"cookie|consent|gdpr", re.IGNORECASE)
_COMMENTS: Final = re.compile(r"comment(?!ary|ator)|disqus|\brespond\b", re.IGNORECASE)
_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def leaves_that_count(page: Page, options: ForestOptions) -> list[bool]:
    """For each text node, whether its signifiers count."""
    owners = page.outline.owners
    counts = [True] * len(owners)
    if options.skip_zones or options.skip_links or options.skip_anchor_lists or options.skip_comments:
        inside = _inside_zone(page, options)
        counts = [not inside[owner] for owner in owners]
    if options.min_line:
        counts = [each and terms >= options.min_line for each, terms in zip(counts, line_terms(page), strict=True)]
    return counts


def line_terms(page: Page) -> list[int]:
    """For each text node the number of terms in its line: all text under the same nearest block element."""
    outline = page.outline
    block: list[int] = []
    for index, element in enumerate(outline.elements):
        parent = outline.parents[index]
        block.append(index if parent == NO_PARENT or element.tag in BLOCK_TAGS else block[parent])
    lengths: Counter[int] = Counter()
    for owner, found in zip(outline.owners, page.leaf_terms, strict=True):
        lengths[block[owner]] += len(found)
    return [lengths[block[owner]] for owner in outline.owners]


def _inside_zone(page: Page, options: ForestOptions) -> list[bool]:
    outline, counts = page.outline, page.term_counts
    largest = LARGEST_ZONE * counts[0]
    inside = [False]
    for index in range(1, len(outline.elements)):
        inside.append(
            inside[outline.parents[index]] or (counts[index] <= largest and _is_zone(outline.elements[index], options))
        )
    return inside


def _is_zone(element: _Element, options: ForestOptions) -> bool:
    if options.skip_zones and (
        element.tag in ZONE_TAGS
        or element.get("role") in ZONE_ROLES
        or element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or _HIDDEN.search(element.get("style", ""))
    ):
        return True
    if options.skip_links and element.tag == "a":
        return True
    if options.skip_anchor_lists and element.tag in LIST_TAGS and is_anchor_list(element):
        return True
    names = f"{element.get('class', '')} {element.get('id', '')}"
    return bool((options.skip_zones and _CONSENT.search(names)) or (options.skip_comments and _COMMENTS.search(names)))


def is_anchor_list(element: _Element) -> bool:
    """Whether all items of a list are links and nothing else.

    >>> from lxml.html import fragment_fromstring
    >>> is_anchor_list(fragment_fromstring("<ul><li><a>Home</a></li> <li><a>About</a></li></ul>"))
    True
    >>> is_anchor_list(fragment_fromstring("<ul><li>See <a>here</a></li></ul>"))
    False
    """
    linked = element.xpath(
        "string-length(normalize-space(string(.))) > 0 and not(.//text()[normalize-space()][not(ancestor::a)])"
    )
    return bool(linked)
