"""Run methods over a data set: learn a site from some of its pages, extract all of them, compare with the gold text."""

from __future__ import annotations

import logging
import multiprocessing
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from lxml.etree import LxmlError
from lxml.html import document_fromstring

from scrapy_forest.errors import ForestError
from scrapy_forest.evaluation.dataset import GoldPage, SharedSite, Site, read_site, site_folders
from scrapy_forest.evaluation.learners import Extract, Learner
from scrapy_forest.evaluation.metrics import METRICS, ZERO, Score
from scrapy_forest.model.terms import forget_words


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What to measure, and how."""

    learners: Mapping[str, Learner]
    samples: int = 10  # pages of a site to learn from, at most
    metric: str = "bigrams"
    share_pages: bool = False  # parse each page once for all: faster, but the costs mean nothing


@dataclass(frozen=True, slots=True)
class PageResult:
    """How one method did on one page; times are CPU seconds."""

    method: str
    site: str
    url: str
    seen: bool  # whether the page was among the samples
    in_feed: bool  # whether the page has a feed entry, which some methods need
    score: Score
    error: str | None  # why there is no text, where the method failed
    extracting: float
    learning: float  # this page's part of what learning the site took
    parsing: float  # what lxml.html takes to parse the page: the unit of cost


@dataclass(frozen=True, slots=True)
class SiteFailure:
    """A site that could not be measured at all."""

    site: str
    error: str


def evaluate(directory: Path, evaluation: Evaluation, processes: int) -> Iterator[list[PageResult] | SiteFailure]:
    """The results of each site, as they come."""
    folders = site_folders(directory)
    # A fresh interpreter for each worker: forking one that runs threads (a progress bar) may deadlock.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _prepare, (folders[0], evaluation)) as pool:
        pending = {pool.submit(evaluate_site, folder, evaluation): folder for folder in folders}
        for done in as_completed(pending):
            error = done.exception()
            yield SiteFailure(pending[done].name, _told(error)) if error else done.result()


def _told(error: BaseException) -> str:
    return str(error) if isinstance(error, ForestError) else repr(error)


def _prepare(folder: Path, evaluation: Evaluation) -> None:
    """Quiet, because peers log and warn on many pages; and warm, so that no method pays for loading what it needs."""
    logging.disable()
    warnings.simplefilter("ignore")
    with suppress(Exception):  # whatever it is, it is told when the site is measured; here it would end the pool
        site = read_site(folder)
        for learner in evaluation.learners.values():
            _extract(_learn(learner, site, 2), site.pages[0])


def evaluate_site(folder: Path, evaluation: Evaluation) -> list[PageResult]:
    """All methods on all pages of one site."""
    site = read_site(folder, SharedSite if evaluation.share_pages else Site)
    parsing = [_parse_time(page) for page in site.pages]
    return [
        result
        for name, learner in evaluation.learners.items()
        for result in _evaluate_learner(name, learner, site, parsing, evaluation)
    ]


def _evaluate_learner(
    name: str, learner: Learner, site: Site, parsing: Sequence[float], evaluation: Evaluation
) -> Iterator[PageResult]:
    forget_words()
    start = process_time()
    extract = _learn(learner, site, evaluation.samples)
    learning = (process_time() - start) / len(site.pages)
    # All pages before the first score: what scoring leaves behind for the garbage collector is no cost of the method.
    outputs = [_extract(extract, page) for page in site.pages]
    for number, (page, output) in enumerate(zip(site.pages, outputs, strict=True)):
        yield PageResult(
            method=name,
            site=site.id,
            url=page.url,
            seen=number < evaluation.samples,
            in_feed=page.entry is not None,
            score=METRICS[evaluation.metric](page.text, output.text) if output.text else ZERO,
            error=output.error,
            extracting=output.seconds,
            learning=learning,
            parsing=parsing[number],
        )


def _learn(learner: Learner, site: Site, samples: int) -> Extract | str:
    """What the method learned, or why it could not."""
    try:
        return learner.learn(site, site.pages[:samples])
    except ForestError as error:
        return str(error)


@dataclass(frozen=True, slots=True)
class _Output:
    text: str
    error: str | None
    seconds: float


def _extract(extract: Extract | str, page: GoldPage) -> _Output:
    """What a method makes of one page; no extractor may end the measurement."""
    if isinstance(extract, str):
        return _Output("", extract, 0.0)
    start = process_time()
    try:
        text, error = extract(page), None
    except Exception as raised:  # noqa: BLE001 - peers raise whatever they like; it is counted and told
        text, error = "", repr(raised)
    return _Output(text, error, process_time() - start)


def _parse_time(page: GoldPage) -> float:
    start = process_time()
    with suppress(LxmlError):  # an empty page, which is for the methods to fail on
        document_fromstring(page.html)
    return process_time() - start
