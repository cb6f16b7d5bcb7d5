"""Does a long crawl stay as it began (K08)?  Its memory and open files are watched all the time.

    python benchmarks/soak.py [--pages N] [--minutes M]

Five hundred hosts with a feed each; each host has a template of its own.  Nothing of it was met before: all templates
are learned, all entries go through ledger and outbox into the export.  The crawl ends when all pages are done, or in
order when the minutes are over: then the table says how many it were.  The exit code says whether the bounds hold:
  the crawl's process takes at most 5 % more memory in the last tenth of the time than after the first,
  it has no more files open than after the first tenth,
  every entry became exactly one line, or was left open by the end of the time, and the books balance.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Final

import runner
from bounds import show_bounds
from hosts import frame_of, write_words
from loopback import Answer, run_servers, serving, settings_for
from processes import megabytes
from rich.console import Console
from rich.progress import Progress, TaskID

PAGES: Final = 100_000
MINUTES: Final = 30.0
HOSTS: Final = 500
PARAGRAPHS: Final = 8  # a page of 15 KB: what is watched is the crawl, not the parser
TARGET: Final = re.compile(r"/articles/([0-9]+)")
STYLES: Final = re.compile(r"<style>.*?</style>", re.DOTALL)
MOST_GROWTH: Final = 0.05


# The sites


def url_of(host: int, page: int) -> str:
    return f"http://host{host:04}.example/articles/{page}"


def feed_of(host: int) -> str:
    return f"http://host{host:04}.example/feed"


def write_page(host: int, page: int) -> bytes:
    """A page, the same each time."""
    chance = random.Random(host << 20 | page)
    top, name, end = frame_of(host)
    title = write_words(chance, 8)
    body = "".join(f'<p class="{name}">{write_words(chance, 60)}</p>\n' for _ in range(PARAGRAPHS))
    head = f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>"
    return f"{head}{STYLES.sub('', top)}<h1>{title}</h1>{body}{end}</html>".encode()


def write_feed(host: int, pages: int) -> bytes:
    chance = random.Random(host)
    items = "".join(
        f"<item><title>{write_words(chance, 8)}</title><link>{url_of(host, page)}</link>"
        f"<guid>{url_of(host, page)}</guid><description>{write_words(chance, 30)}</description></item>"
        for page in range(pages)
    )
    return f"<rss version='2.0'><channel><title>Host {host}</title>{items}</channel></rss>".encode()


def answer(_scheme: str, host: str, target: str, *, pages: int) -> Answer | None:
    number = int(host.removeprefix("host").removesuffix(".example"))
    if target == "/feed":
        return Answer(write_feed(number, pages), "application/rss+xml")
    found = TARGET.fullmatch(target)
    return Answer(write_page(number, int(found[1]))) if found else None


# What is watched


@dataclass
class Watch:
    """The crawl's process, from outside."""

    progress: Progress
    bar: TaskID
    began: float = field(default_factory=monotonic)
    memory: list[float] = field(default_factory=list)  # megabytes
    files: list[int] = field(default_factory=list)

    def look(self, pid: int) -> None:
        self.memory.append(megabytes(pid))
        self.files.append(count_files(pid))
        self.progress.update(self.bar, completed=monotonic() - self.began)


def by_tenths(values: Sequence[float]) -> list[float]:
    """The median in each tenth of the time."""
    bounds = [part * len(values) // 10 for part in range(11)]
    return [float(median(values[start:end])) for start, end in pairwise(bounds)]


def count_files(pid: int) -> int:
    """Open files that are no connection: those come and go."""
    try:
        names = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{pid}/fd")]
    except OSError:  # it has just ended, or a file was closed meanwhile
        return 0
    return sum(not name.startswith("socket:") for name in names)


def crawl(pages: int, seconds: float, progress: Progress) -> tuple[runner.Run, Watch]:
    each = pages // HOSTS
    urls = [feed_of(host) for host in range(HOSTS)]
    watch = Watch(progress, progress.add_task("soaking", total=seconds))
    with tempfile.TemporaryDirectory() as folder, serving([__file__, "--serve", "--pages", str(pages)]) as ports:
        lists = Path(folder) / "feeds.txt"
        lists.write_text("\n".join(urls))
        settings = {
            **runner.FOREST,
            **settings_for(ports, urls),
            "FOREST_STORE": str(Path(folder) / "forest.sqlite"),
            "ROBOTSTXT_OBEY": False,
            "CLOSESPIDER_TIMEOUT": seconds,
        }
        job = runner.Job("scrapy_forest.spiders.feeds.FeedsSpider", settings, {"file": str(lists)})
        run = runner.run(job, watch.look, keep=lambda item: {"url": item["url"], "body": bool(item["articleBody"])})
    assert run.count("entries") == each * HOSTS or run.stats["finish_reason"] == "closespider_timeout"
    return run, watch


def show(console: Console, run: runner.Run, watch: Watch) -> bool:
    """Whether all bounds hold."""
    tenths, files = by_tenths(watch.memory), by_tenths(watch.files)
    growth = tenths[-1] / tenths[1] - 1
    lines = Counter(item["url"] for item in run.items)
    whole = sum(item["body"] for item in run.items)
    items, errors = run.count("items"), sum(run.reasons("errors").values())
    rows = [
        ("pages", f"{len(run.items):,} in {run.seconds / 60:.1f} minutes", "", True),
        ("pages a second", f"{len(run.items) / run.seconds:.1f}", "", True),
        ("memory by tenths of the time", " ".join(f"{each:.0f}" for each in tenths) + " MB", "", True),
        ("growth after the first", f"{growth:+.1%}", "≤ 5 %", growth <= MOST_GROWTH),
        ("open files by tenths", " ".join(f"{each:.0f}" for each in files), "no more", files[-1] <= files[1]),
        ("lines, of them twice", f"{len(run.items):,}, {sum(lines.values()) - len(lines)}", "0", len(lines) == items),
        ("with a body", f"{whole:,}", "all", whole == items),
        ("errors", f"{errors} {dict(run.reasons('errors'))}", "0", errors == 0),
        ("left for the next crawl", f"{run.reasons('skipped').get('interrupted', 0):,}", "", True),
        ("wrappers learned", f"{run.count('wrappers/induced')}", "", True),
        ("books balance", "yes" if run.is_balanced() else "no", "yes", run.is_balanced()),
        ("worst lag of the event loop", f"{run.stats['benchmark/lag'] * 1000:.0f} ms", "", True),
        ("of it by its own work", f"{run.stats['benchmark/busy'] * 1000:.0f} ms", "", True),
    ]
    return show_bounds(console, rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=PAGES, help=f"a multiple of {HOSTS}")
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--serve", action="store_true", help="be the server, until the input ends")
    arguments = parser.parse_args()
    if arguments.serve:
        run_servers(partial(answer, pages=arguments.pages // HOSTS))
        return 0
    console = Console(width=110)
    with Progress(console=console, transient=True) as progress:
        run, watch = crawl(arguments.pages, arguments.minutes * 60, progress)
    return 0 if show(console, run, watch) else 1


if __name__ == "__main__":
    sys.exit(main())
