"""From samples to a wrapper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from scrapy_forest.errors import NoCandidate, NotEnoughSamples
from scrapy_forest.induction.generalise import Expression, generalise
from scrapy_forest.methods.candidate import Candidate
from scrapy_forest.methods.catalogue import find_method
from scrapy_forest.methods.method import Method
from scrapy_forest.model.sample import Sample
from scrapy_forest.model.wrapper import Wrapper

MAX_LABEL: Final = 500  # characters; a hostile page has a class of a megabyte


def induce(samples: Iterable[Sample], method: Method | str = "forest-tfidf") -> Wrapper:
    """The wrapper for the template of these samples, by a method or the name of one in ``methods.catalogue``.

    Raises :class:`NotEnoughSamples` for no samples, :class:`NoCandidate` where the method finds nothing on them, for
    instance no feed entry to take signifiers from.
    """
    method = find_method(method) if isinstance(method, str) else method
    distinct = without_repeats(samples)
    if not distinct:
        raise NotEnoughSamples(have=0, need=1)
    chosen = choose(method.rank(distinct), method.nearly)
    if chosen is None:
        raise NoCandidate(method.name)
    candidate, expression = chosen
    evidence = {
        "samples": len(distinct),
        "found": expression.alone,  # samples on which the expression selects the candidate's node and no other
        "pattern": candidate.label[:MAX_LABEL],
        "score": candidate.score,
        **candidate.evidence,
    }
    return Wrapper(expression.xpath, method.name, evidence=evidence)


def without_repeats(samples: Iterable[Sample]) -> list[Sample]:
    """Of samples with the same text only the first: a page served twice would make all of it look like template."""
    distinct: dict[tuple[str, ...], Sample] = {}
    for sample in samples:
        distinct.setdefault(tuple(sample.page.outline.leaves), sample)
    return list(distinct.values())


def choose(candidates: Sequence[Candidate], nearly: float | None) -> tuple[Candidate, Expression] | None:
    """The first candidate, unless another one nearly as good can be named without counting positions.

    A position holds on the samples, but moves on other pages as soon as a block is added before it.  And what has no
    name of its own, such as a paragraph, is rather a part of the article than all of it.
    """
    first: tuple[Candidate, Expression] | None = None
    for candidate in candidates:
        if first and (nearly is None or candidate.score < nearly * first[0].score):
            continue
        expression = generalise(candidate.nodes)
        if expression is None:
            continue
        if expression.is_clear:
            return candidate, expression
        first = first or (candidate, expression)
    return first
