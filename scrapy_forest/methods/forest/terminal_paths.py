"""Section 3.2: significant nodes and the significant terminal paths that lead to them.

A terminal path runs from the root to a text node; it is significant when the text holds a signifier (definition 1).
Only the elements on such paths matter, so what is kept of the paths is how many of them run through an element, and
the signifiers below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scrapy_forest.methods.forest.informativeness import Counts
from scrapy_forest.methods.forest.options import ForestOptions
from scrapy_forest.methods.forest.signifiers import Signifiers, ngrams
from scrapy_forest.methods.forest.zones import leaves_that_count
from scrapy_forest.model.page import Page


@dataclass(frozen=True, slots=True)
class SignificantElement:
    """An element on a significant terminal path."""

    index: int  # in the page's outline
    counts: Counts  # signifiers and other terms below it
    paths: int  # significant terminal paths through it


def significant_elements(page: Page, signifiers: Signifiers, options: ForestOptions) -> Iterator[SignificantElement]:
    """All elements on significant terminal paths, the body first."""
    hits = significant_leaves(page, signifiers, options)
    found = page.outline.totals(hits)
    paths = page.outline.totals([int(hit > 0) for hit in hits])
    for index, (x, terms) in enumerate(zip(found, page.term_counts, strict=True)):
        if x:
            yield SignificantElement(index, Counts(x, terms - x), paths[index])


def significant_leaves(page: Page, signifiers: Signifiers, options: ForestOptions) -> list[int]:
    """How many terms of each text node are signifiers, with their multiplicity, where signifiers count.

    If none is left outside of the zones, all of them count again: weak evidence is better than none.
    """
    hits = [count_signifiers(leaf, signifiers, options.ngram) for leaf in page.leaf_terms]
    counted = [hit * counts for hit, counts in zip(hits, leaves_that_count(page, options), strict=True)]
    return counted if any(counted) else hits


def count_signifiers(leaf: Sequence[str], signifiers: Signifiers, size: int) -> int:
    """Terms of a text node that belong to a signifier of ``size`` terms; overlapping ones count once.

    >>> count_signifiers(["day", "of", "dead", "day"], {"day": 1.0}, 1)
    2
    >>> count_signifiers(["day", "of", "dead", "day"], {"day of": 1.0, "of dead": 1.0}, 2)
    3
    """
    starts = [start for start, gram in enumerate(ngrams(leaf, size)) if gram in signifiers]
    if size == 1:
        return len(starts)
    return len({place for start in starts for place in range(start, start + size)})
