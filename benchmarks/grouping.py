"""Does grouping tell templates apart, and does it leave those of one site together?

    python benchmarks/grouping.py DIR…     each a data set as scrapy forest evaluate reads it

Sites stand in for templates: pages of some sites are mixed as if they came from one host, in random order, and the
groups are compared with the sites by the adjusted Rand index: 1 is the same partition, 0 is chance.  Sites made with
one theme look alike, and sites may have several templates, so 1 is out of reach.  The bounds are on the chosen
threshold, for data sets with at least MIN_PAGES pages a site (fewer say nothing about a mean); other thresholds are
shown to tell how much the choice matters.  The exit code says whether all bounds hold:
  the index is at least 0.95 for two sites and for three,
  at most 5 % of the sites have feed pages that fall apart in some order, as they arrive or when ten are to be learned,
  signature_of costs at most half of what lxml needs to parse the page.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from lxml import html as lxml_html
from rich.console import Console
from rich.progress import track
from rich.table import Table

from scrapy_forest.errors import ForestError
from scrapy_forest.evaluation.dataset import read_site, site_folders
from scrapy_forest.induction.templates import (
    SAME_TEMPLATE,
    Signature,
    Template,
    find_template,
    signature_of,
    split_group,
)
from scrapy_forest.model.page import Page

MIXES = 200
SAMPLES = 10  # that a wrapper is learned from
ORDERS = 10  # of the pages of one site
REPEATS = 5
SEED = 20
MIN_PAGES = 5.0
THRESHOLDS = (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


@dataclass(frozen=True, slots=True)
class Figure:
    what: str
    value: float
    at_least: float = float("-inf")
    at_most: float = float("inf")

    @property
    def holds(self) -> bool:
        return self.at_least <= self.value <= self.at_most

    @property
    def bound(self) -> str:
        least = f"≥ {self.at_least:g}" if self.at_least > float("-inf") else ""
        return f"≤ {self.at_most:g}" if self.at_most < float("inf") else least


@dataclass(frozen=True, slots=True)
class SiteSignatures:
    id: str
    pages: tuple[Signature, ...]
    in_feed: tuple[Signature, ...]
    signing: float  # CPU seconds
    parsing: float


def cpu(function: Callable[[], object]) -> float:
    """CPU seconds of the fastest of some runs."""
    times = []
    for _ in range(REPEATS):
        start = process_time()
        function()
        times.append(process_time() - start)
    return min(times)


def read_signatures(folder: Path) -> SiteSignatures:
    site = read_site(folder)
    pages = [Page.from_html(page.url, page.html) for page in site.pages]
    signatures = tuple(map(signature_of, pages))
    fed = tuple(signature for signature, page in zip(signatures, site.pages, strict=True) if page.entry is not None)
    signing = cpu(lambda: [signature_of(page) for page in pages])
    parsing = cpu(lambda: [lxml_html.document_fromstring(page.html) is None for page in site.pages])
    return SiteSignatures(site.id, signatures, fed, signing, parsing)


def group(signatures: Iterable[Signature], threshold: float) -> list[int]:
    """The template of each page, by number, as pages arrive."""
    templates: list[Template] = []
    labels: list[int] = []
    for signature in signatures:
        found = find_template(signature, templates, threshold=threshold)
        if found is None:
            labels.append(len(templates))
            templates.append(Template(signature))
        else:
            labels.append(found)
            templates[found] = templates[found].adding(signature)
    return labels


def adjusted_rand_index(truth: Sequence[object], labels: Sequence[object]) -> float:
    """Hubert and Arabie, 1985: pairs that both partitions put together, against those that chance would."""
    together, rows, columns = (pairs(Counter(c)) for c in (zip(truth, labels, strict=True), truth, labels))
    chance = rows * columns / pairs(Counter(dict.fromkeys(["all"], len(truth))))
    best = (rows + columns) / 2
    return 1.0 if best == chance else (together - chance) / (best - chance)


def pairs(counts: Counter[object]) -> float:
    return sum(count * (count - 1) / 2 for count in counts.values())


def mix_scores(sites: Sequence[SiteSignatures], how_many: int, threshold: float) -> list[tuple[float, list[str]]]:
    """The index of each mix, with the sites in it."""
    chance = random.Random(SEED)
    scores = []
    for _ in range(MIXES):
        mixed = chance.sample(sites, how_many)
        pages = [(site.id, signature) for site in mixed for signature in site.pages]
        chance.shuffle(pages)
        labels = group((signature for _, signature in pages), threshold)
        scores.append((adjusted_rand_index([name for name, _ in pages], labels), [site.id for site in mixed]))
    return scores


def split_sites(sites: Sequence[SiteSignatures], threshold: float) -> list[str]:
    """Sites whose feed pages fall apart in some order."""
    chance = random.Random(SEED)
    return [site.id for site in sites if any(_falls_apart(site, chance, threshold) for _ in range(ORDERS))]


def _falls_apart(site: SiteSignatures, chance: random.Random, threshold: float) -> bool:
    pages = chance.sample(site.in_feed, len(site.in_feed))
    return len(set(group(pages, threshold))) > 1 or len(split_group(pages[:SAMPLES])) > 1


def measure(name: str, sites: Sequence[SiteSignatures], threshold: float) -> Iterable[Figure]:
    is_bound = sum(len(site.pages) for site in sites) >= MIN_PAGES * len(sites)
    for how_many in (2, 3):
        scores = [score for score, _ in mix_scores(sites, how_many, threshold)]
        least = 0.95 if is_bound else float("-inf")
        yield Figure(f"{name}: {how_many} sites mixed, mean ARI of {MIXES}", sum(scores) / MIXES, at_least=least)
        yield Figure(f"{name}: {how_many} sites mixed, share below 0.95", sum(s < 0.95 for s in scores) / MIXES)
    split = len(split_sites(sites, threshold)) / len(sites)
    yield Figure(f"{name}: share of sites that fall apart", split, at_most=0.05 if is_bound else float("inf"))


def cost(name: str, sites: Sequence[SiteSignatures]) -> Figure:
    ratio = sum(site.signing for site in sites) / sum(site.parsing for site in sites)
    return Figure(f"{name}: CPU of signature_of / lxml's parse", ratio, at_most=0.5)


def show_plateau(console: Console, name: str, sites: Sequence[SiteSignatures]) -> None:
    table = Table(f"{name}, threshold", "ARI of 2", "< 0.95", "ARI of 3", "< 0.95", "fall apart", box=None)
    for threshold in THRESHOLDS:
        table.add_row(f"{threshold:g}", *(f"{figure.value:.3f}" for figure in measure(name, sites, threshold)))
    console.print(table)
    failures = Counter(tuple(sorted(names)) for score, names in mix_scores(sites, 2, SAME_TEMPLATE) if score < 0.95)
    console.print(f"mixes below 0.95: {', '.join(' + '.join(names) for names in failures) or 'none'}")
    console.print(f"fall apart: {', '.join(split_sites(sites, SAME_TEMPLATE)) or 'none'}\n")


def read_data_set(directory: Path) -> list[SiteSignatures]:
    progress = track(site_folders(directory), f"{directory.name} …", console=Console(stderr=True), transient=True)
    return [read_signatures(folder) for folder in progress]


def main(directories: list[str]) -> int:
    if not directories:
        print(__doc__)
        return 2
    try:
        data_sets = {path.name: read_data_set(path) for path in (Path(each).resolve() for each in directories)}
    except ForestError as error:
        print(error, file=sys.stderr)
        return 2
    console = Console(width=110)
    figures: list[Figure] = []
    for name, sites in data_sets.items():
        show_plateau(console, name, sites)
        figures += [*measure(name, sites, SAME_TEMPLATE), cost(name, sites)]
    table = Table(f"with threshold {SAME_TEMPLATE}", "measured", "bound", box=None)
    for figure in figures:
        table.add_row(figure.what, f"{figure.value:.3f}" + ("" if figure.holds else "  ✗"), figure.bound)
    console.print(table)
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
