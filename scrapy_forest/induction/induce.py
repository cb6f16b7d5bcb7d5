"""From samples to a wrapper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scrapy_forest.errors import NoCandidate, NotEnoughSamples
from scrapy_forest.induction.generalise import Expression, generalise
from scrapy_forest.methods.candidate import Candidate
from scrapy_forest.methods.catalogue import FOREST_TFIDF
from scrapy_forest.methods.method import Method
from scrapy_forest.model.sample import Sample
from scrapy_forest.model.wrapper import Wrapper

LOOKED_AT: Final = 8  # candidates further down are never chosen


def induce(samples: Sequence[Sample], method: Method = FOREST_TFIDF) -> Wrapper:
    """The wrapper for the template of these samples, by any method that ranks candidates."""
    if not samples:
        raise NotEnoughSamples(have=0, need=1)
    chosen = choose(method.rank(samples), method.nearly)
    if chosen is None:
        raise NoCandidate(method.name)
    candidate, expression = chosen
    evidence = {"samples": len(samples), "pattern": candidate.label, "score": candidate.score, **candidate.evidence}
    return Wrapper(expression.xpath, method.name, evidence=evidence)


def choose(candidates: Sequence[Candidate], nearly: float) -> tuple[Candidate, Expression] | None:
    """The best candidate, unless one nearly as good can be named without counting positions.

    A position holds on the samples, but moves on other pages as soon as a block is added before it.  And what has no
    name of its own, such as a paragraph, is rather a part of the article than all of it.
    """
    fallback: tuple[Candidate, Expression] | None = None
    for candidate in candidates[:LOOKED_AT]:
        if fallback and candidate.score < nearly * candidates[0].score:
            break
        expression = generalise(candidate.nodes)
        if expression is None:
            continue
        if expression.is_clear:
            return candidate, expression
        fallback = fallback or (candidate, expression)
    return fallback
