"""The paper's experiments: the same method with one thing varied, for the paper's own settings and for ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from scrapy_forest.evaluation.learners import OURS, FirstPages, Learner, WrapperLearner
from scrapy_forest.methods import catalogue, forest
from scrapy_forest.methods.method import Method

Bases = Mapping[Method, forest.ForestOptions]

DEFAULTS: Final[Bases] = {catalogue.FOREST_TFIDF: forest.TFIDF, catalogue.FOREST_FEEDS: forest.FEEDS}
AS_IN_THE_PAPER: Final[Bases] = {
    catalogue.FOREST_TFIDF_PAPER: forest.PAPER,
    catalogue.FOREST_FEEDS_PAPER: forest.PAPER_FEEDS,
}
BOTH: Final[Bases] = {**DEFAULTS, **AS_IN_THE_PAPER}

PAGES: Final = range(1, 11)
SIGNIFIERS: Final = (1, 2, 3, 4, 5, 7, 10, 20, 40, 100)
MEASURES: Final = ("J", "U", "I", "share")

# What the paper tries in section 4, and what its text leaves open.
VARIATIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "as in the paper": {},
    "full attribute values": {"tolerant": False},
    "no level factor": {"level": "none"},
    "lists of anchors left out": {"skip_anchor_lists": True},
    "paths with “comments” left out": {"skip_comments": True},
    "p = terminal paths": {"occurrences": "paths"},
    "sum over the nodes of a document": {"nodes": "all"},
    "signifiers are bigrams": {"ngram": 2},
    "naming attributes only": {"attributes": "naming"},
    "pattern without level": {"level_in_pattern": False},
}
# Our defaults, one at a time back to what the paper has.
CHANGES: Final[Mapping[str, Mapping[str, Any]]] = {
    "our defaults": {},
    "I instead of the share of signifiers": {"measure": "I"},
    "U instead of the share of signifiers": {"measure": "U"},
    "level as a factor": {"level": "factor"},
    "no preference for depth": {"level": "none"},
    "pattern with level": {"level_in_pattern": True},
    "all attributes": {"attributes": "all"},
    "signifiers count in zones": {"skip_zones": False},
    "signifiers count in comments": {"skip_comments": False},
    "signifiers count in links": {"skip_links": False},
    "signifiers count in short lines": {"min_line": 0},
    "signifiers count everywhere": {"skip_zones": False, "skip_comments": False, "skip_links": False, "min_line": 0},
    "10 signifiers": {"signifiers": 10},
    "all documents count": {"strange": 0.0},
}

# How much hangs on the numbers that we chose.
CONSTANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "our defaults": {},
    **{f"near = {near}": {"near": near} for near in (0.4, 0.6, 0.7)},
    **{f"min_line = {terms}": {"min_line": terms} for terms in (8, 12, 16)},
    **{f"signifiers = {count}": {"signifiers": count} for count in (20, 80, 200)},
}


@dataclass(frozen=True, slots=True)
class Experiment:
    """What to compare.  Each name is ``SERIES: VALUE``: a line of the figure, and a place on its axis."""

    name: str
    title: str
    axis: str
    learners: Mapping[str, Learner]


def split_name(name: str) -> tuple[str, str]:
    """Series and value.

    >>> split_name("forest-tfidf: 10")
    ('forest-tfidf', '10')
    """
    series, _, value = name.partition(": ")
    return series, value


def variants(bases: Bases, changes: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Learner]]:
    """Each method with each of the changes to its options."""
    for method, options in bases.items():
        for value, change in changes.items():
            changed = replace(method, rank=partial(forest.rank, options=replace(options, **change)))
            yield f"{method.name}: {value}", WrapperLearner(changed)


def _without_names() -> Iterator[tuple[str, Learner]]:
    """Our defaults, with the top candidate taken even if it can only be named by its position."""
    for method in DEFAULTS:
        yield f"{method.name}: top candidate in any case", WrapperLearner(replace(method, nearly=None))


EXPERIMENTS: Final = (
    Experiment(
        "pages",
        "F1 by number of pages to learn from (the paper's figure 5)",
        "pages",
        {
            f"{name}: {count}": FirstPages(OURS[name], count)
            for name in (*(method.name for method in BOTH), "sigfeed")
            for count in PAGES
        },
    ),
    Experiment(
        "signifiers",
        "F1 by number of signifiers (the paper's figure 6)",
        "signifiers",
        dict(variants(BOTH, {str(count): {"signifiers": count} for count in SIGNIFIERS})),
    ),
    Experiment(
        "measures",
        "J, U, I = J × U and the share of signifiers (the paper's figure 7)",
        "measure",
        dict(variants(BOTH, {measure: {"measure": measure} for measure in MEASURES})),
    ),
    Experiment("variations", "The paper's variations", "variation", dict(variants(AS_IN_THE_PAPER, VARIATIONS))),
    Experiment(
        "changes", "Each of our changes undone", "change", dict([*variants(DEFAULTS, CHANGES), *_without_names()])
    ),
    Experiment("constants", "Other values of our constants", "constant", dict(variants(DEFAULTS, CONSTANTS))),
)
