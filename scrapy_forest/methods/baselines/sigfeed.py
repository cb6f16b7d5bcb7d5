"""SIGFEED (Oita and Senellart 2010), as section 4 of the FOREST paper tells it.

On a single page, the smallest, lowest ``div`` ancestor that is the most dense in keywords of the feed entry.
"""

from __future__ import annotations

from collections import Counter

from lxml.etree import _Element

from scrapy_forest.methods.forest.options import PAPER_FEEDS
from scrapy_forest.methods.forest.signifiers import find_signifiers
from scrapy_forest.methods.forest.terminal_paths import significant_leaves
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample


def find_block(sample: Sample) -> _Element | None:
    """The lowest ``div`` in which most keywords of the entry stand; None if none stands on the page.

    Keywords cluster by their lowest ``div`` ancestor.  "Most dense" is read as most keywords, each as often as it
    occurs: by share of the text, any caption or teaser of one line would win.
    """
    (signifiers,) = find_signifiers([sample], PAPER_FEEDS)
    page = sample.page
    clusters: Counter[int] = Counter()
    for owner, hits in zip(page.outline.owners, significant_leaves(page, signifiers, PAPER_FEEDS), strict=True):
        if hits and (block := _lowest_div(page, owner)) is not None:
            clusters[block] += hits
    if not clusters:
        return None
    best = max(clusters, key=lambda block: (clusters[block], page.outline.levels[block]))
    return page.outline.elements[best]


def _lowest_div(page: Page, index: int) -> int | None:
    elements = page.outline.elements
    return next((each for each in page.outline.ancestors(index) if elements[each].tag == "div"), None)
