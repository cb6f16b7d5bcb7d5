"""How fast a crawl is with the plugin, once the wrappers are known: pages a second, as ratios inside one run.

    python benchmarks/throughput.py DIR [--profile FILE]     DIR as scrapy forest evaluate reads it

Spiders ask for the same pages of the same loopback servers, with the same settings, each crawl in a process of its
own, all with JSON lines export:
  learning   the plugin with an empty store; not a rate to compare, but the event loop must not be held up
  bare       yields the page's URL and title, and nothing else is done
  tuned      the same with CONCURRENT_ITEMS as our own spider sets it, which is worth some 10 % to any spider
  wrappers   the plugin with the store that a learning crawl has left: pages stream through
  peer       trafilatura's bare_extraction, with metadata, in the callback
The pages are those of the feeds whose template got a wrapper.  A plain spider offers them, PASSES times each under a
new URL, so that no ledger and no feed comes in between.  The crawls take turns, and the best rate of each counts.  The
exit code says whether the bounds hold:
  wrappers / bare is at least 0.75, wrappers / peer at least 5 (wrappers / tuned is only told),
  all pages of the wrappers' crawl become items by a known wrapper, and none is learned,
  while learning, the event loop is at most 250 ms late, in the best run: others on the machine can only add to it.
"""

from __future__ import annotations

import argparse
import pstats
import random
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import runner
from loopback import again, read_sites, serving_data, settings_for
from rich.console import Console
from rich.table import Table

from scrapy_forest.errors import ForestError
from scrapy_forest.evaluation.dataset import read_site, site_folders

ROUNDS: Final = 3
PASSES: Final = 6  # a crawl of a few seconds measures its own start and end
PEER_PASSES: Final = 1  # the peer is slow enough
SEED: Final = 20
LISTED: Final = 40  # functions of a profile


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the crawls to compare."""

    name: str
    spider: str
    passes: int
    has_plugin: bool = False


LEARNING: Final = Kind("learning", "components.ArticlesSpider", 1, has_plugin=True)
BARE: Final = Kind("bare", "components.TitlesSpider", PASSES)
TUNED: Final = Kind("tuned", "components.TunedTitlesSpider", PASSES)
WRAPPERS: Final = Kind("wrappers", "components.ArticlesSpider", PASSES, has_plugin=True)
PEER: Final = Kind("peer", "components.TrafilaturaSpider", PEER_PASSES)


@dataclass(frozen=True, slots=True)
class Bench:
    """What all crawls of a run share."""

    folder: Path  # for stores and lists of URLs
    settings: Mapping[str, Any]  # of the loopback servers
    urls: Sequence[str]

    def crawl(self, kind: Kind, store: Path, profile: str = "") -> runner.Run:
        """Crawl once, with a store that may hold wrappers already."""
        lists = self.folder / "urls.txt"
        lists.write_text("\n".join(_repeated(self.urls, kind.passes)), encoding="utf-8")
        settings = {**self.settings, "ROBOTSTXT_OBEY": False}
        if kind.has_plugin:
            settings |= {**runner.FOREST, "FOREST_STORE": str(store)}
        run = runner.run(runner.Job(kind.spider, settings, {"urls": str(lists)}, profile))
        if kind.has_plugin and not run.is_balanced():
            raise RuntimeError(f"the books of {kind.name} do not balance: {run.stats}")
        return run


def _repeated(urls: Sequence[str], passes: int) -> Iterator[str]:
    for number in range(passes):
        yield from urls if not number else (again(url, number) for url in urls)


def feed_urls(directory: Path) -> list[str]:
    """The pages of all feeds, hosts mixed as in a crawl of many feeds."""
    sites = map(read_site, site_folders(directory))
    urls = [page.url for site in sites for page in site.pages if page.entry is not None]
    random.Random(SEED).shuffle(urls)
    return urls


def is_by_wrapper(item: Mapping[str, Any]) -> bool:
    """Whether the template's wrapper found the body."""
    wrapper = item["metadata"].get("wrapper")
    return bool(wrapper and wrapper["version"] and not item["metadata"]["flags"])


def learn(bench: Bench) -> tuple[Bench, Path]:
    """A bench with those pages only that are extracted by a wrapper, and the store with these wrappers."""
    store = bench.folder / "learned.sqlite"
    run = bench.crawl(LEARNING, store)
    covered = {item["url"] for item in run.items if is_by_wrapper(item)}
    # Scrapy's URLs are escaped, ours may not be; those few pages are left out.
    return Bench(bench.folder, bench.settings, [url for url in bench.urls if url in covered]), store


def measure(bench: Bench, store: Path) -> dict[Kind, list[runner.Run]]:
    """All crawls, in turns."""
    runs: dict[Kind, list[runner.Run]] = defaultdict(list)
    for number in range(ROUNDS):
        runs[LEARNING].append(bench.crawl(LEARNING, bench.folder / f"empty{number}.sqlite"))
        for kind in (BARE, WRAPPERS, TUNED, PEER):
            copy = bench.folder / f"copy{number}.sqlite"
            shutil.copy(store, copy)
            runs[kind].append(bench.crawl(kind, copy))
    return runs


def rate(run: runner.Run) -> float:
    return float(run.stats["item_scraped_count"] / run.seconds)


def best_rate(runs: Iterable[runner.Run]) -> float:
    return max(map(rate, runs))


def least(runs: Iterable[runner.Run], name: str) -> float:
    """The best run's worst figure, in milliseconds."""
    return min(float(run.stats[f"benchmark/{name}"]) for run in runs) * 1000


def show_rates(console: Console, runs: Mapping[Kind, Sequence[runner.Run]]) -> None:
    table = Table("crawl", "pages", "pages/s", "of each run", "CPU a page", "worst lag", "longest burst", box=None)
    for kind, each in runs.items():
        rates = ", ".join(f"{rate(run):.0f}" for run in each)
        pages = each[0].stats["item_scraped_count"]
        cpu = f"{least(each, 'cpu') / pages:.1f} ms"
        lag, busy = f"{least(each, 'lag'):.0f} ms", f"{least(each, 'busy'):.0f} ms"
        table.add_row(kind.name, f"{pages}", f"{best_rate(each):.0f}", rates, cpu, lag, busy)
    console.print(table)


def show_bounds(console: Console, runs: Mapping[Kind, Sequence[runner.Run]]) -> bool:
    """Whether all bounds hold."""
    wrappers = best_rate(runs[WRAPPERS])
    missed = sum(not is_by_wrapper(item) for run in runs[WRAPPERS] for item in run.items)
    induced = sum(run.count("wrappers/induced") for run in runs[WRAPPERS])
    to_bare, to_peer = wrappers / best_rate(runs[BARE]), wrappers / best_rate(runs[PEER])
    lag = least(runs[LEARNING], "lag")
    rows = [
        ("pages/s, wrappers / bare", f"{to_bare:.2f}", "≥ 0.75", to_bare >= 0.75),
        ("pages/s, wrappers / tuned", f"{wrappers / best_rate(runs[TUNED]):.2f}", "", True),
        ("pages/s, wrappers / peer", f"{to_peer:.1f}", "≥ 5", to_peer >= 5),
        ("pages past the known wrappers", f"{missed}", "0", not missed),
        ("wrappers learned again", f"{induced}", "0", not induced),
        ("worst lag while learning", f"{lag:.0f} ms", "≤ 250 ms", lag <= 250),
    ]
    table = Table("", "measured", "bound", box=None)
    for what, value, bound, holds in rows:
        table.add_row(what, value + ("" if holds else "  ✗"), bound)
    console.print(table)
    return all(holds for *_, holds in rows)


def show_profile(bench: Bench, store: Path, file: Path) -> None:
    """The functions that a page costs most in, with wrappers known."""
    run = bench.crawl(WRAPPERS, store, str(file))
    print(f"{run.stats['item_scraped_count']} pages")
    pstats.Stats(str(file)).sort_stats("tottime").print_stats(LISTED)
    pstats.Stats(str(file)).sort_stats("cumtime").print_stats("scrapy_forest")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=lambda text: Path(text).resolve())
    parser.add_argument("--profile", type=Path, metavar="FILE", help="only profile a crawl with wrappers, into FILE")
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    console = Console(width=110)
    try:
        urls = feed_urls(arguments.directory)
        known = [url for site in read_sites(arguments.directory) for url in (site.feed, *site.pages)]
    except ForestError as error:
        print(error, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, serving_data(arguments.directory) as ports:
        bench, store = learn(Bench(Path(folder), settings_for(ports, known), urls))
        if arguments.profile:
            show_profile(bench, store, arguments.profile.resolve())
            return 0
        runs = measure(bench, store)
    show_rates(console, runs)
    return 0 if show_bounds(console, runs) else 1


if __name__ == "__main__":
    sys.exit(main())
