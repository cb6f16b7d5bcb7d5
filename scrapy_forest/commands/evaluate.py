"""``scrapy forest evaluate``: measure methods on a data set of sites with known texts."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from scrapy_forest.errors import DatasetError
from scrapy_forest.evaluation.dataset import site_folders
from scrapy_forest.evaluation.experiments import EXPERIMENTS
from scrapy_forest.evaluation.harness import Evaluation, PageResult, SiteFailure, evaluate
from scrapy_forest.evaluation.learners import LEARNERS, OURS
from scrapy_forest.evaluation.metrics import METRICS
from scrapy_forest.evaluation.peers import PEERS, is_installed
from scrapy_forest.evaluation.summary import Figures, as_json, by_method, summarise

SUMMARY: Final = "Measure methods on a folder of sites with known article texts."

MEASURED: Final = 0
NOT_MEASURED: Final = 1  # nothing, or not all of what was asked for


def add_arguments(parser: ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument(
        "directory", metavar="DIR", type=Path, help="data set: DIR/sites/ID/{feed.xml,gold.jsonl,pages}"
    )
    parser.add_argument(
        "--method",
        metavar="M",
        action="append",
        choices=LEARNERS,
        help=f"may be repeated; by default all that are installed of {', '.join(LEARNERS)}",
    )
    parser.add_argument("--samples", metavar="N", type=_positive, default=10, help="pages to learn from (default 10)")
    parser.add_argument("--metric", choices=METRICS, default="bigrams", help="how to compare texts (default bigrams)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures to FILE")
    parser.add_argument(
        "--figures", metavar="DIR", type=Path, help="run the paper's experiments too, draw them into DIR"
    )
    parser.add_argument(
        "--processes", metavar="N", type=_positive, default=os.cpu_count() or 1, help="default: one for each core"
    )


def run(options: Namespace) -> int:
    """Measure, print, write."""
    errors = Console(stderr=True)
    names = options.method or [name for name in LEARNERS if name in OURS or is_installed(name)]
    missing = [name for name in names if name in PEERS and not is_installed(name)]
    if missing:
        _tell(errors, f"{', '.join(missing)} not installed: pip install 'scrapy-forest[peers]'")
        return NOT_MEASURED
    if options.figures and find_spec("matplotlib") is None:
        _tell(errors, "matplotlib not installed: pip install 'scrapy-forest[plots]'")
        return NOT_MEASURED
    evaluation = Evaluation({name: LEARNERS[name] for name in names}, options.samples, options.metric)
    try:
        _prepare_outputs(options)
        results, failures = _measure(options, evaluation, errors)
    except (DatasetError, OSError) as error:
        _tell(errors, str(error))
        return NOT_MEASURED
    if results:
        _print(options.directory, results)
        if options.json:
            summary = as_json(options.directory.resolve().name, results)
            options.json.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
        if options.figures:
            failures += _draw(options, results, errors)
    for failure in failures:
        _tell(errors, f"{failure.site} was not measured: {failure.error}")
    return NOT_MEASURED if failures or not results else MEASURED


def _prepare_outputs(options: Namespace) -> None:
    """What cannot be written is better known before half an hour of measuring."""
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        with options.json.open("a"):
            pass
    if options.figures:
        options.figures.mkdir(parents=True, exist_ok=True)


def _measure(
    options: Namespace, evaluation: Evaluation, console: Console
) -> tuple[list[PageResult], list[SiteFailure]]:
    """All results in the order of the sites, so that two runs print the same."""
    results: list[PageResult] = []
    failures: list[SiteFailure] = []
    with _progress(console) as progress:
        task = progress.add_task(options.directory.name, total=len(site_folders(options.directory)))
        for each in evaluate(options.directory, evaluation, options.processes):
            progress.advance(task)
            if isinstance(each, SiteFailure):
                failures.append(each)
            else:
                results.extend(each)
    return sorted(results, key=lambda each: each.site), failures


def _draw(options: Namespace, results: Sequence[PageResult], console: Console) -> list[SiteFailure]:
    from scrapy_forest.evaluation import plots  # matplotlib takes a second to import

    plots.draw_methods(options.figures / "methods", results)
    failures: list[SiteFailure] = []
    for experiment in EXPERIMENTS:
        _tell(console, f"{experiment.title} …")
        evaluation = Evaluation(experiment.learners, options.samples, options.metric, share_pages=True)
        found, failed = _measure(options, evaluation, console)
        failures += failed
        plots.draw_experiment(options.figures, experiment, found)
    return failures


def _print(directory: Path, results: Sequence[PageResult]) -> None:
    console = Console(markup=False)
    groups = by_method(results)
    pages = max(len(group) for group in groups.values())
    sites = len({each.site for each in results})
    console.print(_table(f"{directory.resolve().name}: {pages} pages of {sites} sites", groups))
    _tell(console, "cost, apply: CPU with and without learning, as multiples of parsing the same pages")
    for name, group in groups.items():
        failed = [each for each in group if each.error]
        if failed:
            first = f"{failed[0].site}: {failed[0].error}"[:200]  # some extractors tell whole stories
            _tell(console, f"{name}: {len(failed)} errors, the first on {first}")


def _table(title: str, groups: Mapping[str, Sequence[PageResult]]) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("method", no_wrap=True)
    for column in ("prec.", "rec.", "F1", "unseen", "med.", "p10", "< ½", "err.", "cost", "apply"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, group in groups.items():
        figures, unseen = summarise(group), summarise([each for each in group if not each.seen])
        if figures:
            table.add_row(name, *_cells(figures, unseen))
    return table


def _cells(figures: Figures, unseen: Figures | None) -> list[str]:
    return [
        f"{figures.precision:.3f}",
        f"{figures.recall:.3f}",
        f"{figures.f1:.3f}",
        f"{unseen.f1:.3f}" if unseen else "–",
        f"{figures.median:.3f}",
        f"{figures.p10:.3f}",
        f"{figures.under_half:.0%}",
        str(figures.errors),
        f"{figures.cost:.1f}",
        f"{figures.apply_cost:.1f}",
    ]


def _tell(console: Console, message: str) -> None:
    """Print as it is: names from outside are no markup, and a path broken over two lines is no path."""
    console.print(message, markup=False, highlight=False, soft_wrap=True)


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)
