"""A method: a way to rank the nodes that may hold the article."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scrapy_forest.methods.candidate import Candidate
from scrapy_forest.model.sample import Sample

Ranking = Callable[[Sequence[Sample]], Sequence[Candidate]]


@dataclass(frozen=True, slots=True)
class Method:
    """A ranking, and the name by which people choose it and wrappers remember it."""

    name: str
    rank: Ranking
    # A candidate that can be named clearly wins with this share of the first one's score; None takes the first.
    nearly: float | None = 0.8
