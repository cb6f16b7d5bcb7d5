"""Pictures of a measurement, each as SVG and PNG, and its tables as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

from scrapy_forest.evaluation.experiments import Experiment, split_name
from scrapy_forest.evaluation.harness import PageResult
from scrapy_forest.evaluation.summary import Figures, by_method, summarise

WHISKERS: Final = (9, 91)  # percentiles, as in the paper's figure 4
# With a fixed salt and no date the same results give the same file.
_REPRODUCIBLE: Final[dict[Any, Any]] = {"svg.hashsalt": "scrapy-forest", "svg.fonttype": "none"}


def draw_methods(path: Path, results: Sequence[PageResult]) -> None:
    """Box plot of F1 by method, the paper's figure 4."""
    groups = by_method(results)
    figure = Figure(figsize=(8, 0.9 + 0.4 * len(groups)), layout="constrained")
    axes = figure.add_subplot()
    scores = [[each.score.f1 for each in group] for group in groups.values()]
    axes.boxplot(scores, orientation="horizontal", whis=WHISKERS, showfliers=False, showmeans=True)
    axes.set_yticks(range(1, len(groups) + 1), list(groups))
    axes.invert_yaxis()
    axes.set_xlim(0, 1.01)
    axes.set_xlabel("F1 of a page: median, quartiles, 9th and 91st percentile; the triangle is the mean")
    axes.grid(axis="x", alpha=0.3)
    _save(figure, path)


def draw_experiment(directory: Path, experiment: Experiment, results: Sequence[PageResult]) -> None:
    """Lines for what has a number on its axis, bars for the measures, a table for everything."""
    groups = by_method(results)
    figures = {name: found for name in experiment.learners if (found := summarise(groups.get(name, [])))}
    if not figures:
        return  # no site could be measured, which the caller tells
    (directory / f"{experiment.name}.md").write_text(table(experiment, figures), encoding="utf-8")
    if experiment.name in ("pages", "signifiers"):
        _save(lines(experiment, figures), directory / experiment.name)
    elif experiment.name == "measures":
        _save(bars(figures), directory / experiment.name)


def lines(experiment: Experiment, figures: Mapping[str, Figures]) -> Figure:
    """F1 over a number, a line for each series."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    series = _by_series(figures)
    for name, values in series.items():
        places = [int(value) for value in values]
        axes.plot(places, [each.f1 for each in values.values()], marker="o", markersize=3, label=name)
    ticks = sorted({int(value) for values in series.values() for value in values})
    if ticks[-1] > 20:
        axes.set_xscale("log")
        axes.minorticks_off()
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_xlabel(experiment.axis)
    axes.set_ylabel("mean F1")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def bars(figures: Mapping[str, Figures]) -> Figure:
    """Precision, recall and F1 side by side for each value, a panel for each series."""
    series = _by_series(figures)
    figure = Figure(figsize=(3 * len(series), 3.6), layout="constrained")
    panels = figure.subplots(1, len(series), sharey=True, squeeze=False)[0]
    for axes, (name, values) in zip(panels, series.items(), strict=True):
        for offset, field in enumerate(("precision", "recall", "f1")):
            places = [place + 0.27 * (offset - 1) for place in range(len(values))]
            axes.bar(places, [getattr(each, field) for each in values.values()], 0.25, label=field)
        axes.set_xticks(range(len(values)), list(values))
        axes.set_title(name, fontsize="medium")
        axes.set_ylim(0, 1)
        axes.grid(axis="y", alpha=0.3)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def table(experiment: Experiment, figures: Mapping[str, Figures]) -> str:
    """A Markdown table: a row for each value, precision, recall and F1 of each series."""
    series = _by_series(figures)
    values = list(dict.fromkeys(value for found in series.values() for value in found))
    rows = [[experiment.axis, *series], ["---"] * (1 + len(series))]
    rows += [[value, *(_cell(found.get(value)) for found in series.values())] for value in values]
    return f"{experiment.title}: mean F1 (precision, recall)\n\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cell(figures: Figures | None) -> str:
    return f"{figures.f1:.3f} ({figures.precision:.3f}, {figures.recall:.3f})" if figures else "–"


def _by_series(figures: Mapping[str, Figures]) -> dict[str, dict[str, Figures]]:
    series: dict[str, dict[str, Figures]] = {}
    for method, found in figures.items():
        name, value = split_name(method)
        series.setdefault(name, {})[value] = found
    return series


def _save(figure: Figure, path: Path) -> None:
    with mpl.rc_context():
        mpl.rcParams.update(_REPRODUCIBLE)
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), dpi=120)
