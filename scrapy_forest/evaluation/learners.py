"""Everything that can be measured: our methods, the paper's baselines, and the extractors that people use today.

A learner looks at some pages of a site and gives a function that extracts from one page.  Many have nothing to learn.
Learners are plain values, so that they can be sent to other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from scrapy_forest.errors import PageError
from scrapy_forest.evaluation.dataset import GoldPage, Site
from scrapy_forest.evaluation.peers import PEERS
from scrapy_forest.induction.induce import induce
from scrapy_forest.methods import catalogue
from scrapy_forest.methods.baselines.description import describe
from scrapy_forest.methods.baselines.sigfeed import find_block
from scrapy_forest.methods.method import Method
from scrapy_forest.model.article import extract_text
from scrapy_forest.model.sample import Sample
from scrapy_forest.model.text import element_text

Extract = Callable[[GoldPage], str]  # text of the article, empty for none


class Learner(Protocol):
    """Anything that can learn a site."""

    def learn(self, site: Site, pages: Sequence[GoldPage]) -> Extract:
        """Look at some pages of a site; what comes back extracts from any page of it."""


@dataclass(frozen=True, slots=True)
class WrapperLearner:
    """Induces a wrapper once, then applies it to each page."""

    method: Method

    def learn(self, site: Site, pages: Sequence[GoldPage]) -> Extract:
        """Induce the site's wrapper."""
        wrapper = induce(readable_samples(site, pages), self.method)

        def apply(page: GoldPage) -> str:
            return extract_text(wrapper, site.sample(page).page) or ""

        return apply


@dataclass(frozen=True, slots=True)
class PageLearner:
    """Takes each page by itself: nothing to learn."""

    extract: Callable[[Site, GoldPage], str]

    def learn(self, site: Site, _pages: Sequence[GoldPage]) -> Extract:
        """Only remember the site."""
        return partial(self.extract, site)


@dataclass(frozen=True, slots=True)
class FirstPages:
    """Shows another learner the first few pages only."""

    learner: Learner
    count: int

    def learn(self, site: Site, pages: Sequence[GoldPage]) -> Extract:
        """Learn from the first ``count`` pages."""
        return self.learner.learn(site, pages[: self.count])


def readable_samples(site: Site, pages: Sequence[GoldPage]) -> list[Sample]:
    """The pages as samples; one that cannot be read is dropped, as a crawl would do."""
    samples = []
    for page in pages:
        with suppress(PageError):
            samples.append(site.sample(page))
    return samples


def sigfeed(site: Site, page: GoldPage) -> str:
    """SIGFEED on one page, empty for one without a feed entry."""
    block = find_block(site.sample(page))
    return "" if block is None else element_text(block)


def description(_site: Site, page: GoldPage) -> str:
    """DESCRIPTION of one page, empty for one without a feed entry."""
    return describe(page.entry)


def peer(name: str, site: Site, page: GoldPage) -> str:
    """One of the ``PEERS``."""
    return PEERS[name](page, site.feed.language)


OURS: Final[Mapping[str, Learner]] = {
    **{name: WrapperLearner(method) for name, method in catalogue.METHODS.items()},
    "sigfeed": PageLearner(sigfeed),
    "description": PageLearner(description),
}
LEARNERS: Final[Mapping[str, Learner]] = {**OURS, **{name: PageLearner(partial(peer, name)) for name in PEERS}}
