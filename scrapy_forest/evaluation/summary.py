"""Many results as a few figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import Any

from scrapy_forest.evaluation.harness import PageResult
from scrapy_forest.evaluation.metrics import percentile


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over pages.  F1 is the mean of the pages' F1, not the F1 of the means."""

    precision: float
    recall: float
    f1: float
    median: float
    p10: float  # one page in ten is worse
    under_half: float  # share of pages with an F1 below 0.5
    errors: int  # pages on which the method failed, with a score of 0
    cost: float  # CPU of learning and extracting, as a multiple of parsing the same pages; 0 if that took no time
    apply_cost: float  # of extracting alone


def summarise(results: Sequence[PageResult]) -> Figures | None:
    """The figures of some pages, None for no pages."""
    if not results:
        return None
    f1 = [each.score.f1 for each in results]
    parsing = sum(each.parsing for each in results)
    extracting = sum(each.extracting for each in results)
    learning = sum(each.learning for each in results)
    return Figures(
        precision=fmean(each.score.precision for each in results),
        recall=fmean(each.score.recall for each in results),
        f1=fmean(f1),
        median=median(f1),
        p10=percentile(f1, 10),
        under_half=fmean(value < 0.5 for value in f1),
        errors=sum(each.error is not None for each in results),
        cost=(extracting + learning) / parsing if parsing else 0.0,
        apply_cost=extracting / parsing if parsing else 0.0,
    )


def by_method(results: Iterable[PageResult]) -> dict[str, list[PageResult]]:
    """Results apart by method, in the order they came."""
    groups: dict[str, list[PageResult]] = {}
    for each in results:
        groups.setdefault(each.method, []).append(each)
    return groups


def as_json(dataset: str, results: Sequence[PageResult]) -> dict[str, Any]:
    """The whole measurement as plain values: all pages, and apart those learned from, never seen, and in the feed."""
    methods = {
        name: {
            **_plain(summarise(found)),
            "seen": _plain(summarise([each for each in found if each.seen])) or None,
            "unseen": _plain(summarise([each for each in found if not each.seen])) or None,
            "in_feed": _plain(summarise([each for each in found if each.in_feed])) or None,
        }
        for name, found in by_method(results).items()
    }
    pages = len({(each.site, each.url) for each in results})
    return {"dataset": dataset, "pages": pages, "methods": methods}


def _plain(figures: Figures | None) -> dict[str, Any]:
    return {name: round(value, 6) for name, value in asdict(figures).items()} if figures else {}
