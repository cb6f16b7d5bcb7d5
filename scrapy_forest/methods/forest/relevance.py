"""Section 3.4: structure and content combined, the relevance R of a structural pattern and the ranking by it.

Two things that the paper leaves open are options.  Its p is "the number of significant terminal paths" and also "the
number of occurrences in the sample pages, p ≤ n, where n is the number of documents": we count documents.  And where a
pattern has several nodes in one document, the best of them counts: their sum would favour whatever is repeated.

A page may be broken, or forged to mislead: of the documents those at which a pattern is worst do not count (the option
``strange``), so that a few of them cannot keep the others' article from being found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean
from typing import Final

from scrapy_forest.methods.candidate import Candidate
from scrapy_forest.methods.forest.informativeness import (
    Counts,
    informativeness,
    signifier_share,
    statistical_density,
    unexpectedness,
)
from scrapy_forest.methods.forest.options import TFIDF, ForestOptions
from scrapy_forest.methods.forest.signifiers import find_signifiers
from scrapy_forest.methods.forest.structural_pattern import StructuralPattern, pattern_of
from scrapy_forest.methods.forest.terminal_paths import significant_elements
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample

NodeMeasure = Callable[[Counts, Counts], float]  # of a node, given its page

MEASURES: Final[Mapping[str, NodeMeasure]] = {
    "I": informativeness,
    "J": lambda node, _page: statistical_density(node),
    "U": unexpectedness,
    "share": signifier_share,
}
MOST_CANDIDATES: Final = 10  # what ranks below has never been the article


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A node of some pattern in one document."""

    document: int
    page: Page
    index: int  # in the page's outline
    paths: int  # significant terminal paths through it
    value: float  # of the measure

    @property
    def level(self) -> int:
        """The node's level in its tree."""
        return self.page.outline.levels[self.index]

    @property
    def dfs(self) -> int:
        """The depth-first number as the paper writes it: 1 for the body."""
        return self.index + 1


@dataclass(frozen=True, slots=True)
class RankedPattern:
    """A structural pattern with its best node in each document, and its relevance."""

    pattern: StructuralPattern
    occurrences: tuple[Occurrence, ...]
    relevance: float
    level: float


def rank(samples: Sequence[Sample], options: ForestOptions = TFIDF) -> list[Candidate]:
    """Algorithm 1: the candidates for the article of these samples, best first."""
    ranked = rank_patterns(occurrences(samples, options), options)
    return [candidate_of(each) for each in ranked[:MOST_CANDIDATES]]


def occurrences(samples: Sequence[Sample], options: ForestOptions) -> Iterator[Occurrence]:
    """Every element on a significant path of every document, with the value of its measure where above 0."""
    measure = MEASURES[options.measure]
    all_signifiers = find_signifiers(samples, options)
    for document, (sample, signifiers) in enumerate(zip(samples, all_signifiers, strict=True)):
        body: Counts | None = None
        for element in significant_elements(sample.page, signifiers, options):
            body = body or element.counts  # the body comes first
            value = measure(element.counts, body)
            if value > 0:  # U is 0 where a page has nothing but signifiers
                yield Occurrence(document, sample.page, element.index, element.paths, value)


def rank_patterns(found: Iterable[Occurrence], options: ForestOptions) -> list[RankedPattern]:
    """Structural patterns of all that was found, best first."""
    patterns: dict[StructuralPattern, dict[int, list[Occurrence]]] = {}
    for each in found:
        pattern = pattern_of(each.page, each.index, options)
        patterns.setdefault(pattern, {}).setdefault(each.document, []).append(each)
    total = max(map(len, patterns.values()), default=0)  # the body is on all of them
    most = total - int(total * options.strange)
    ranked = [relevance(pattern, list(each.values()), most, options) for pattern, each in patterns.items()]
    ranked.sort(key=lambda each: -each.relevance)
    return deepest_first(ranked, options.near) if options.level == "deepest" else ranked


def relevance(
    pattern: StructuralPattern, documents: Sequence[Sequence[Occurrence]], most: int, options: ForestOptions
) -> RankedPattern:
    """R = Σ I × p × level, equation 5, over the ``most`` documents at which the pattern is at its best."""
    every = list(chain.from_iterable(documents))
    # Of nested nodes with the same signifiers the inner one: what it leaves out is not the article.
    best = tuple(max(nodes, key=lambda node: (node.value, node.level)) for nodes in documents)
    values = sorted((each.value for each in (best if options.nodes == "best" else every)), reverse=True)
    counted = values[:most] if options.nodes == "best" else values
    p = min(len(documents), most) if options.occurrences == "documents" else sum(each.paths for each in every)
    level = fmean(each.level for each in best)
    factor = level if options.level == "factor" else 1.0
    return RankedPattern(pattern, best, sum(counted) * p * factor, level)


def deepest_first(ranked: list[RankedPattern], near: float) -> list[RankedPattern]:
    """Of the patterns nearly as relevant as the best one (``near`` is a share of it), the deepest first.

    The level as a factor (equation 5) prefers a deep wrong node to a shallow right one.  As a choice among near
    equals it does what the paper wants of it: the smallest node that still holds the article.
    """
    if not ranked:
        return []
    enough = ranked[0].relevance * near
    nearly_best = [each for each in ranked if each.relevance >= enough]
    return sorted(nearly_best, key=lambda each: (-each.level, -each.relevance)) + ranked[len(nearly_best) :]


def candidate_of(ranked: RankedPattern) -> Candidate:
    """The pattern as any method's candidate, with the paper's dfs list as evidence."""
    evidence = {
        "documents": len(ranked.occurrences),
        "level": ranked.level,
        "dfs": sorted({each.dfs for each in ranked.occurrences}),
    }
    nodes = tuple(each.page.outline.elements[each.index] for each in ranked.occurrences)
    return Candidate(str(ranked.pattern), ranked.relevance, nodes, evidence)
