"""COVERAGE, section 3.5: FOREST's ranking, with the weight of the signifiers that a node holds as its measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scrapy_forest.methods.candidate import Candidate
from scrapy_forest.methods.forest.options import PAPER
from scrapy_forest.methods.forest.relevance import Occurrence, candidate_of, rank_patterns
from scrapy_forest.methods.forest.signifiers import Signifiers, find_signifiers
from scrapy_forest.methods.forest.terminal_paths import significant_elements
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample


def rank_by_coverage(samples: Sequence[Sample]) -> list[Candidate]:
    """Equation 7: R = Σ Cov × p × level."""
    return [candidate_of(each) for each in rank_patterns(_occurrences(samples), PAPER)]


def _occurrences(samples: Sequence[Sample]) -> Iterator[Occurrence]:
    all_signifiers = find_signifiers(samples, PAPER)
    for document, (sample, signifiers) in enumerate(zip(samples, all_signifiers, strict=True)):
        covered = coverage(sample.page, signifiers)
        for element in significant_elements(sample.page, signifiers, PAPER):
            yield Occurrence(document, sample.page, element.index, element.paths, covered[element.index])


def coverage(page: Page, signifiers: Signifiers) -> list[float]:
    """Cov of each element, equation 6: the normalised weights of the signifiers that occur below it.

    Left open by the paper: weights are normalised to a sum of 1 for each page, the total is the number of different
    signifiers, and one counts once however often it occurs, because SLCA looks for the lowest node with all of them.
    """
    total = sum(signifiers.values())
    found: list[set[str]] = [set() for _ in page.outline.elements]
    for owner, leaf in zip(page.outline.owners, page.leaf_terms, strict=True):
        found[owner].update(term for term in leaf if term in signifiers)
    for index in range(len(found) - 1, 0, -1):  # children come after their parent
        found[page.outline.parents[index]] |= found[index]
    return [sum(signifiers[term] for term in terms) / total / len(signifiers) if total else 0.0 for terms in found]
