"""Does a crawl of many hosts fit into memory (S10)?  All pages of 1,000 hosts wait in the buffer at the same time.

    python benchmarks/hosts.py [--hosts N]

Each host has a template of its own and five pages of some 175 KB, made from a seed when they are asked for.  The crawl
may not release any before all have come: a template asks for more samples than the host has pages, nothing is overdue,
and there is no feed that could be exhausted.  When the crawl is idle, all are learned and extracted.  The exit code
says whether the bounds hold:
  the crawl's process and its workers together take less than 400 MB (their resident sets, ten looks a second; pages of
  shared libraries count once for each process),
  all pages were held at once,
  every page becomes an item, and the books balance.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Final

import runner
from bounds import show_bounds
from loopback import Answer, run_servers, serving, settings_for
from processes import family_of, megabytes
from rich.console import Console

HOSTS: Final = 1000
PAGES: Final = 5
PAGE_BYTES: Final = 175_000  # the mean of news pages
MOST_MEGABYTES: Final = 400
SAMPLES: Final = 2 * PAGES  # never enough
HOLD_SECONDS: Final = 24 * 3600.0
WORDS: Final = 20_000  # of the language of all sites
HEAD_BYTES: Final = 60_000  # styles and scripts, the same on each page of a host
TARGET: Final = re.compile(r"/articles/([0-9]+)")
LETTERS: Final = "etaoinshrdlucmfwypvbgkjqxz"  # the frequent first


def url_of(host: int, page: int) -> str:
    return f"http://host{host:04}.example/articles/{page}"


# The pages


@cache
def vocabulary() -> tuple[str, ...]:
    """Made-up words, the frequent short ones first."""
    chance = random.Random(0)
    return tuple(
        "".join(LETTERS[min(int(chance.expovariate(0.16)), 25)] for _ in range(3 + number * 8 // WORDS))
        for number in range(WORDS)
    )


def write_words(chance: random.Random, count: int) -> str:
    """Words as often as in a language: the n-th most frequent with a probability of about 1/n."""
    words = vocabulary()
    return " ".join([words[int(WORDS ** chance.random()) - 1] for _ in range(count)])


@cache
def frame_of(host: int) -> tuple[str, str, str]:
    """What a host's pages share: their top, the class of paragraphs, and their end."""
    chance = random.Random(host)
    names = [f"{chance.choice(vocabulary()[100:])}-{chance.randrange(100)}" for _ in range(12)]
    styles = "".join(_write_rules(chance, names))
    menu = "".join(
        f'<li class="{names[1]}"><a href="/{word}">{word}</a></li>' for word in write_words(chance, 60).split()
    )
    wrappers = "".join(f'<div class="{names[n]}">' for n in range(2, 3 + host % 5))
    top = (
        f"<style>{styles}</style></head><body class='{names[0]}'><header><nav><ul>{menu}</ul></nav></header>"
        f'{wrappers}<main class="{names[7]}"><div class="{names[8]}">'
    )
    cards = "".join(f'<aside class="{names[10]}"><p>{write_words(chance, 12)}</p></aside>' for _ in range(20))
    end = f"</div></main>{cards}{'</div>' * wrappers.count('<div')}<footer>{write_words(chance, 80)}</footer></body>"
    return top, names[9], end


def _write_rules(chance: random.Random, names: list[str]) -> Iterator[str]:
    """Style sheets and the like, which make up much of a page."""
    size = 0
    while size < HEAD_BYTES:
        values = f"margin:{chance.randrange(99)}px;color:#{chance.randrange(16**6):06x};width:{chance.random():.3f}em"
        rule = f".{chance.choice(names)} .{write_words(chance, 1)}{{{values}}}\n"
        size += len(rule)
        yield rule


def write_page(host: int, page: int) -> bytes:
    """A page, the same each time."""
    chance = random.Random(host * PAGES + page)
    top, name, end = frame_of(host)
    title = write_words(chance, 8)
    parts = [f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>{top}<h1>{title}</h1>"]
    left = PAGE_BYTES - len(top) - len(end)
    while left > 0:
        link = f"https://cdn.example/{chance.getrandbits(128):032x}.jpg?w={chance.randrange(2000)}"
        text = write_words(chance, 60)
        parts.append(f'<p class="{name}">{text} <a href="{link}">{text[:20]}</a></p>\n')
        left -= len(parts[-1])
    return "".join([*parts, end, "</html>"]).encode()


def answer(_scheme: str, host: str, target: str, *, hosts: int) -> Answer | None:
    number = int(host.removeprefix("host").removesuffix(".example"))
    found = TARGET.fullmatch(target)
    return Answer(write_page(number, int(found[1]))) if found and number < hosts else None


# The crawl


class Memory:
    """The most that a process and its children have taken together."""

    def __init__(self) -> None:
        self.peak = 0.0  # megabytes
        self.parts: tuple[float, ...] = ()  # of the peak, by process

    def look(self, pid: int) -> None:
        sizes = tuple(filter(None, map(megabytes, family_of(pid))))
        if sum(sizes) > self.peak:
            self.peak, self.parts = sum(sizes), sizes


def crawl(hosts: int, memory: Memory) -> runner.Run:
    urls = [url_of(host, page) for page in range(PAGES) for host in range(hosts)]
    with tempfile.TemporaryDirectory() as folder, serving([__file__, "--serve", "--hosts", str(hosts)]) as ports:
        lists = Path(folder) / "urls.txt"
        lists.write_text("\n".join(urls))
        settings = {
            **runner.FOREST,
            **settings_for(ports, urls),
            "FOREST_STORE": str(Path(folder) / "forest.sqlite"),
            "FOREST_SAMPLES": SAMPLES,
            "FOREST_HOLD_SECONDS": HOLD_SECONDS,
            "ROBOTSTXT_OBEY": False,
        }
        return runner.run(runner.Job("components.ArticlesSpider", settings, {"urls": str(lists)}), memory.look)


def show(console: Console, run: runner.Run, memory: Memory, pages: int) -> bool:
    """Whether all bounds hold."""
    held = int(run.stats.get("benchmark/waiting", 0))
    whole = sum(bool(item.get("articleBody")) for item in run.items)
    parts = " + ".join(f"{part:.0f}" for part in memory.parts)
    rows = [
        ("peak memory", f"{memory.peak:.0f} MB ({parts})", f"< {MOST_MEGABYTES} MB", memory.peak < MOST_MEGABYTES),
        ("pages held at once", f"{held}", f"{pages}", held == pages),
        ("items with a body", f"{whole}", f"{pages}", whole == pages),
        ("books balance", "yes" if run.is_balanced() else "no", "yes", run.is_balanced()),
        ("wrappers learned", f"{run.count('wrappers/induced')}", "", True),
        ("bytes of a page", f"{run.stats['downloader/response_bytes'] / pages:,.0f}", "", True),
        ("seconds", f"{run.seconds:.0f}", "", True),
        ("worst lag of the event loop", f"{run.stats['benchmark/lag'] * 1000:.0f} ms", "", True),
    ]
    return show_bounds(console, rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--serve", action="store_true", help="be the server, until the input ends")
    arguments = parser.parse_args()
    if arguments.serve:
        run_servers(partial(answer, hosts=arguments.hosts))
        return 0
    memory = Memory()
    run = crawl(arguments.hosts, memory)
    return 0 if show(Console(width=110), run, memory, arguments.hosts * PAGES) else 1


if __name__ == "__main__":
    sys.exit(main())
