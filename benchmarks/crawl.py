"""Does a crawl find what the evaluation finds?  All feeds of a data set, crawled with the plugin on loopback servers.

    python benchmarks/crawl.py DIR [--method NAME] [--keep FILE]     DIR as scrapy forest evaluate reads it

The bodies of the items are compared with the gold text, as word bigrams, and with what the evaluation makes of the
same pages when it learns each site from its first ten.  A crawl learns from the pages that come first, groups them by
template, and takes the feed's text where a page hides it, so that single sites may differ.  The exit code says whether
the bounds hold:
  every page of a feed becomes an item,
  the books balance: entries + pages = items + skips + errors,
  the mean F1 is at most 0.005 below the evaluation's; it is above where a crawl tells a site's templates apart.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import runner
from loopback import read_sites, serving_data, settings_for
from rich.console import Console
from rich.table import Table

from scrapy_forest.errors import ForestError
from scrapy_forest.evaluation.dataset import read_site, site_folders
from scrapy_forest.evaluation.harness import Evaluation, SiteFailure, evaluate
from scrapy_forest.evaluation.learners import OURS
from scrapy_forest.evaluation.metrics import METRICS
from scrapy_forest.methods.catalogue import METHODS

SAMPLES: Final = 10
MOST_DIFFERENCE: Final = 0.005
WORST: Final = 10  # sites that are listed
METRIC: Final = "bigrams"


@dataclass(frozen=True, slots=True)
class PageScore:
    """The F1 of one page, both ways; None where there was no item."""

    site: str
    url: str
    crawled: float | None
    evaluated: float


def crawl(directory: Path, method: str) -> runner.Run:
    """Crawl all feeds."""
    sites = read_sites(directory)
    urls = [url for site in sites for url in (site.feed, *site.pages)]
    with tempfile.TemporaryDirectory() as folder, serving_data(directory) as ports:
        settings = {
            **runner.FOREST,
            **settings_for(ports, urls),
            "FOREST_STORE": str(Path(folder) / "forest.sqlite"),
            "FOREST_METHOD": method,
            "FOREST_SAMPLES": SAMPLES,
        }
        feeds = ",".join(site.feed for site in sites)
        return runner.run(runner.Job("scrapy_forest.spiders.feeds.FeedsSpider", settings, {"feeds": feeds}))


def evaluated_scores(directory: Path, method: str) -> dict[tuple[str, str], float]:
    """F1 by site and URL, for pages of feeds."""
    evaluation = Evaluation({method: OURS[method]}, samples=SAMPLES, metric=METRIC)
    scores = {}
    for results in evaluate(directory, evaluation, os.cpu_count() or 1):
        if isinstance(results, SiteFailure):
            raise RuntimeError(f"{results.site}: {results.error}")
        scores.update({(each.site, each.url): each.score.f1 for each in results if each.in_feed})
    return scores


def compare(directory: Path, items: Iterable[Mapping[str, Any]], method: str) -> list[PageScore]:
    """The scores of all pages of feeds."""
    bodies = {item["feed"]["link"]: item.get("articleBody") or "" for item in items if item.get("feed")}
    evaluated = evaluated_scores(directory, method)
    scores = []
    for site in map(read_site, site_folders(directory)):
        for page in site.pages:
            if page.entry is not None:
                body = bodies.get(page.url)
                score = None if body is None else METRICS[METRIC](page.text, body).f1 if body else 0.0
                scores.append(PageScore(site.id, page.url, score, evaluated[site.id, page.url]))
    return scores


def templates_of(items: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """The learned templates of each host; empty for hosts without any."""
    found: dict[str, set[str]] = defaultdict(set)
    for item in items:
        wrapper = item["metadata"].get("wrapper")
        if wrapper:
            found[wrapper["host"]].update([wrapper["template"]] if wrapper["version"] else [])
    return found


def mean_f1(scores: Sequence[PageScore]) -> tuple[float, float]:
    """Of the crawl and of the evaluation; a page without an item counts as 0."""
    return fmean(each.crawled or 0.0 for each in scores), fmean(each.evaluated for each in scores)


def show_crawl(console: Console, run: runner.Run) -> None:
    templates = templates_of(run.items)
    several = sorted(host for host, names in templates.items() if len(names) > 1)
    pages = run.stats.get("response_received_count", 0)
    flags: dict[str, int] = defaultdict(int)
    for item in run.items:
        for flag in item["metadata"]["flags"]:
            flags[flag] += 1
    table = Table("crawl", "", box=None)
    table.add_row("entries", f"{run.count('entries')}")
    table.add_row("items", f"{run.count('items')}")
    table.add_row("skipped", told(run.reasons("skipped")))
    table.add_row("errors", told(run.reasons("errors")))
    table.add_row("flags", told(flags))
    table.add_row("seconds", f"{run.seconds:.1f}")
    table.add_row("pages a second, learning included", f"{pages / run.seconds:.0f}")
    table.add_row("worst lag of the event loop", f"{run.stats.get('benchmark/lag', 0) * 1000:.0f} ms")
    table.add_row("wrappers / hosts", f"{sum(map(len, templates.values()))} / {len(templates)}")
    table.add_row("hosts without a wrapper", ", ".join(sorted(h for h, names in templates.items() if not names)) or "0")
    table.add_row("hosts with several", f"{len(several)}: {', '.join(several)}" if several else "0")
    console.print(table)


def told(reasons: Mapping[str, int]) -> str:
    listed = ", ".join(f"{value} {reason}" for reason, value in reasons.items())
    return f"{sum(reasons.values())}" + (f" ({listed})" if listed else "")


def show_worst(console: Console, scores: Iterable[PageScore]) -> None:
    by_site: dict[str, list[PageScore]] = defaultdict(list)
    for each in scores:
        by_site[each.site].append(each)
    means = {site: mean_f1(pages) for site, pages in by_site.items()}
    table = Table("site", "pages", "crawled", "evaluated", "difference", box=None)
    worst = sorted(means, key=lambda site: -abs(means[site][0] - means[site][1]))[:WORST]
    for site in worst:
        crawled, evaluated = means[site]
        row = f"{len(by_site[site])}", f"{crawled:.3f}", f"{evaluated:.3f}", f"{crawled - evaluated:+.3f}"
        table.add_row(site, *row)
    console.print(table)


def show_bounds(console: Console, run: runner.Run, scores: Sequence[PageScore]) -> bool:
    """Whether all bounds hold."""
    missing = [each for each in scores if each.crawled is None]
    crawled, evaluated = mean_f1(scores)
    rows = [
        ("pages of feeds without an item", f"{len(missing)} of {len(scores)}", "0", not missing),
        ("books balance", "yes" if run.is_balanced() else "no", "yes", run.is_balanced()),
        ("mean F1, crawled", f"{crawled:.4f}", "", True),
        ("mean F1, evaluated", f"{evaluated:.4f}", "", True),
        ("difference", f"{crawled - evaluated:+.4f}", "≥ -0.005", crawled - evaluated >= -MOST_DIFFERENCE),
    ]
    table = Table("", "measured", "bound", box=None)
    for what, value, bound, holds in rows:
        table.add_row(what, value + ("" if holds else "  ✗"), bound)
    console.print(table)
    for each in missing[:WORST]:
        console.print(f"no item: {each.site} {each.url}")
    return all(holds for *_, holds in rows)


def keep(path: Path, items: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=lambda text: Path(text).resolve())
    parser.add_argument("--method", choices=list(METHODS), default="forest-tfidf")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="where to write the items")
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    console = Console(width=110)
    try:
        run = crawl(arguments.directory, arguments.method)
        if arguments.keep:
            keep(arguments.keep, run.items)
            arguments.keep.with_suffix(".log").write_text(run.log, encoding="utf-8")
        show_crawl(console, run)
        scores = compare(arguments.directory, run.items, arguments.method)
    except ForestError as error:
        print(error, file=sys.stderr)
        return 2
    show_worst(console, scores)
    return 0 if show_bounds(console, run, scores) else 1


if __name__ == "__main__":
    sys.exit(main())
