"""What the paper varies, what it leaves open, and what we changed: one value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

Source = Literal["tfidf", "feed", "metadata", "anchors", "keywords"]
Measure = Literal["I", "J", "U", "share"]


@dataclass(frozen=True, slots=True)
class ForestOptions:
    """Our defaults; ``PAPER`` below has the paper's.  ``docs/algorithms/forest.md`` gives the reason for each."""

    source: Source = "tfidf"
    signifiers: int | None = 40  # k; None takes all there are
    ngram: int = 1  # words a signifier
    measure: Measure = "share"
    attributes: Literal["all", "naming"] = "naming"  # which attributes make an element type
    tolerant: bool = True  # first token without digits, or the full value
    level_in_pattern: bool = False  # definition 3, or the element type alone
    level: Literal["deepest", "factor", "none"] = "deepest"  # how depth enters the ranking
    near: float = 0.5  # share of the best relevance from which on "deepest" takes the deepest pattern
    occurrences: Literal["documents", "paths"] = "documents"  # the paper's p
    nodes: Literal["best", "all"] = "best"  # of several nodes of one pattern in one document
    strange: float = 0.2  # share of documents, a pattern's worst ones, that do not count: they may be forged
    # Where a signifier does not count:
    skip_zones: bool = True  # navigation, forms, headers, footers, asides, what is hidden
    skip_links: bool = True  # link text
    skip_anchor_lists: bool = False  # lists of nothing but links, the paper's filter
    skip_comments: bool = True  # the paper's other filter
    min_line: int = 10  # lines of fewer terms


TFIDF: Final = ForestOptions()
FEEDS: Final = ForestOptions(source="feed", signifiers=None)

PAPER: Final = ForestOptions(
    signifiers=10,
    measure="I",
    attributes="all",
    level_in_pattern=True,
    level="factor",
    strange=0.0,
    skip_zones=False,
    skip_links=False,
    skip_comments=False,
    min_line=0,
)
PAPER_FEEDS: Final = replace(PAPER, source="feed", signifiers=None)
