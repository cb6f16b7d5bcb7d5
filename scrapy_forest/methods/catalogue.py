"""All methods that rank candidates, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from scrapy_forest.errors import UnknownMethod
from scrapy_forest.methods.baselines.coverage import rank_by_coverage
from scrapy_forest.methods.forest import FEEDS, PAPER, PAPER_FEEDS, TFIDF, rank
from scrapy_forest.methods.method import Method

FOREST_TFIDF: Final = Method("forest-tfidf", partial(rank, options=TFIDF))
FOREST_FEEDS: Final = Method("forest-feeds", partial(rank, options=FEEDS))
# As in the paper: the top ranked pattern is the wrapper, whatever its name is worth on other pages.
FOREST_TFIDF_PAPER: Final = Method("forest-tfidf-paper", partial(rank, options=PAPER), nearly=None)
FOREST_FEEDS_PAPER: Final = Method("forest-feeds-paper", partial(rank, options=PAPER_FEEDS), nearly=None)
COVERAGE: Final = Method("coverage", rank_by_coverage, nearly=None)

METHODS: Final[Mapping[str, Method]] = {
    method.name: method for method in (FOREST_TFIDF, FOREST_FEEDS, FOREST_TFIDF_PAPER, FOREST_FEEDS_PAPER, COVERAGE)
}


def find_method(name: str) -> Method:
    """The method of that name."""
    if name not in METHODS:
        raise UnknownMethod(name, tuple(METHODS))
    return METHODS[name]
