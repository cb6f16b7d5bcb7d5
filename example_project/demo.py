"""The demo: serve the demo sites on loopback, crawl their feeds with `scrapy crawl feeds`, show what came of it.

Run it again: nothing is new, so nothing is fetched but the feeds, and articles.jsonl stays as it is.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final
from urllib.parse import urlsplit

from rich.console import Console
from rich.table import Table
from rich.text import Text

from demo_sites.gold import gold
from demo_sites.serve import serve
from scrapy_forest.evaluation.metrics import score_bigrams

HERE: Final = Path(__file__).parent
ARTICLES: Final = HERE / "articles.jsonl"
GOOD: Final = 0.98  # bigram F1 against the known text
WIDE: Final = 140  # where nothing says how wide the screen is: an XPath on one line reads best

Item = Mapping[str, Any]


def main() -> int:
    """0 if every article of the feeds is there and reads as it should."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDE)
    before = read_articles()
    try:
        with serve() as base:
            known = {page["url"]: page for page in gold(base) if page["in_feed"]}
            console.print(f"{len(base)} sites on loopback, {len(known)} articles in their feeds: scrapy crawl feeds …")
            code = subprocess.call(
                [sys.executable, "-m", "scrapy", "crawl", "feeds", "--loglevel", "WARNING"], cwd=HERE
            )
    except OSError as error:
        console.print(f"Cannot serve the demo sites: {error}. Is another demo running?")
        return 1
    items = read_articles()
    if code or not items:
        console.print(f"The crawl failed: exit code {code}")
        return 1
    names = {urlsplit(origin).netloc: name for name, origin in base.items()}
    console.print(make_table(items, known, names))
    console.print(show_article(items[0]))
    return check(console, before, items, known)


def read_articles() -> list[Item]:
    """What the crawl has written so far."""
    if not ARTICLES.exists():
        return []
    with ARTICLES.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def make_table(items: Iterable[Item], known: Mapping[str, Item], names: Mapping[str, str]) -> Table:
    """A row for each template: where it was found, how many articles it gave, and how well they read."""
    groups: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in items:
        wrapper = item["metadata"]["wrapper"]
        groups[urlsplit(item["url"]).netloc, wrapper["template"] if wrapper else "–"].append(item)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("site", no_wrap=True)
    table.add_column("template", no_wrap=True)
    for column in ("items", "conf.", "F1"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("the article is at", overflow="fold")
    for (host, template), group in sorted(groups.items()):
        table.add_row(names.get(host, host), template, *cells(group, known))
    return table


def cells(group: Sequence[Item], known: Mapping[str, Item]) -> list[str | Text]:
    """Items, confidence, F1, XPath."""
    scores = [score_bigrams(known[item["url"]]["text"], item["articleBody"]).f1 for item in group]
    confidence = [value for item in group if (value := item["metadata"]["probability"]) is not None]
    origin = group[0]["metadata"]["fields"]["articleBody"]
    return [
        str(len(group)),
        f"{fmean(confidence):.2f}" if confidence else "–",
        f"{fmean(scores):.3f}",
        Text(origin["xpath"] or f"from the {origin['source']}"),
    ]


def show_article(item: Item) -> str:
    """The first lines of one article."""
    authors = ", ".join(author["name"] for author in item["authors"] or ())
    start = item["articleBody"].splitlines()[0][:160]
    return f"\n{item['headline']}  ({authors}, {item['datePublished']})\n{start} …\n"


def check(console: Console, before: Sequence[Item], items: Sequence[Item], known: Mapping[str, Item]) -> int:
    """Compare with the known texts."""
    urls = {item["url"] for item in items}
    missing = known.keys() - urls
    mean = fmean(score_bigrams(known[item["url"]]["text"], item["articleBody"]).f1 for item in items)
    new = len(items) - len(before)
    console.print(
        f"{new} new articles, {len(items)} in {ARTICLES.relative_to(HERE.parent)}; mean bigram F1 {mean:.3f}."
        + (" Run it again: nothing new is nothing written." if new else "")
    )
    if missing or len(urls) < len(items) or mean < GOOD:
        console.print(f"Not as it should be: {len(missing)} missing, {len(items) - len(urls)} twice, F1 {mean:.3f}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
