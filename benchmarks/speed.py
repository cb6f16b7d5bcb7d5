"""How fast: ratios inside one run, because machines differ and are noisy.

    python benchmarks/speed.py DIR…     each a data set as scrapy forest evaluate reads it

Three bounds are checked, and the exit code says whether they hold:
  inducing a wrapper from up to 10 pages costs no more CPU than trafilatura needs to extract those pages,
  applying it, from bytes to the article's text, costs at most 1.7 times what lxml needs to parse the page,
  inducing grows linearly with the size of the pages: ten times the elements, at most twelve times the CPU.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time

from lxml import html as lxml_html
from rich.console import Console
from rich.progress import track
from rich.table import Table
from trafilatura import extract as trafilatura_extract

from scrapy_forest.errors import ForestError
from scrapy_forest.evaluation.dataset import GoldPage, Site, read_site, site_folders
from scrapy_forest.induction.induce import induce
from scrapy_forest.model.article import extract_text
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample
from scrapy_forest.model.wrapper import Wrapper

SAMPLES = 10
REPEATS = 5
SMALL, LARGE = 5_000, 50_000  # elements


@dataclass(frozen=True, slots=True)
class Ratio:
    what: str
    value: float
    bound: float

    @property
    def holds(self) -> bool:
        return self.value <= self.bound


def cpu(function: Callable[[], object], repeats: int = 1) -> float:
    """CPU seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = process_time()
        function()
        times.append(process_time() - start)
    return min(times)


def data_set_ratios(directory: Path) -> Iterable[Ratio]:
    learning = peer = applying = parsing = 0.0
    folders = site_folders(directory)
    warm_up(read_site(folders[0]))
    for folder in track(folders, f"{directory.name} …", console=Console(stderr=True), transient=True):
        site = read_site(folder)
        pages = site.pages[:SAMPLES]
        # Once only: a second induction would find all words stemmed already.
        learning += cpu(lambda: induce_site(site, pages))  # noqa: B023
        peer += cpu(lambda: [trafilatura_extract(page.html) for page in pages])  # noqa: B023
        wrapper = induce_site(site, pages)
        applying += cpu(lambda: run(partial(apply, wrapper), pages), REPEATS)  # noqa: B023
        parsing += cpu(lambda: run(lambda page: lxml_html.document_fromstring(page.html), pages), REPEATS)  # noqa: B023
    yield Ratio(f"{directory.name}: induce from up to {SAMPLES} pages / trafilatura on them", learning / peer, 1.0)
    yield Ratio(f"{directory.name}: apply, from bytes to text / lxml's parse", applying / parsing, 1.7)
    yield Ratio(f"{directory.name}: trafilatura / lxml's parse", peer / parsing, float("inf"))


def run(function: Callable[[GoldPage], object], pages: Iterable[GoldPage]) -> None:
    """As a crawl does, one page after the other: each tree is gone before the next comes."""
    for page in pages:
        function(page)


def warm_up(site: Site) -> None:
    """Let both load what they need."""
    trafilatura_extract(site.pages[0].html)
    induce_site(site, site.pages[:2])


def apply(wrapper: Wrapper, page: GoldPage) -> str | None:
    return extract_text(wrapper, Page.from_html(page.url, page.html))


def induce_site(site: Site, pages: Iterable[GoldPage]) -> Wrapper:
    return induce([site.sample(page) for page in pages])


def scaling() -> Ratio:
    """Large pages against small ones, after a first run that stems all words."""
    times = {}
    for elements in (SMALL, LARGE):
        pages = [synthetic_page(elements, seed) for seed in range(3)]
        induce_pages(pages)
        times[elements] = cpu(lambda: induce_pages(pages), REPEATS)  # noqa: B023
    return Ratio(f"induce from pages of {LARGE:,} / {SMALL:,} elements", times[LARGE] / times[SMALL], 12.0)


def induce_pages(pages: Iterable[bytes]) -> Wrapper:
    return induce([Sample(Page.from_html(f"https://example.com/{n}", page)) for n, page in enumerate(pages)])


def synthetic_page(elements: int, seed: int) -> bytes:
    """An article of blocks of five elements each."""
    chance = random.Random(seed)
    words = [f"word{chance.randrange(5000)}" for _ in range(400)]
    blocks = [
        f'<div class="b{number % 7}"><p>{" ".join(chance.choices(words, k=10))} <a href="#">{chance.choice(words)}</a>'
        f"</p><span>{chance.choice(words)} <b>x</b></span></div>"
        for number in range(elements // 5)
    ]
    menu = "<ul id='menu'><li><a href='/'>Home</a></li></ul>"
    return f"<html><body>{menu}<div class='content'>{''.join(blocks)}</div></body></html>".encode()


def main(directories: list[str]) -> int:
    if not directories:
        print(__doc__)
        return 2
    try:
        ratios = [ratio for directory in directories for ratio in data_set_ratios(Path(directory).resolve())]
    except ForestError as error:
        print(error, file=sys.stderr)
        return 2
    ratios.append(scaling())
    table = Table("ratio of CPU times", "measured", "at most", box=None)
    for ratio in ratios:
        bound = "" if ratio.bound == float("inf") else f"{ratio.bound:g}"
        table.add_row(ratio.what, f"{ratio.value:.2f}" + ("" if ratio.holds else "  ✗"), bound)
    Console(width=110).print(table)
    return 0 if all(ratio.holds for ratio in ratios) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
