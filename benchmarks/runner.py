"""One crawl in a process of its own: a job goes in as JSON, its stats come out as JSON.

Processes are not shared between crawls, because Twisted's reactor runs once, and because what one crawl has loaded and
cached must not help the next.
"""

from __future__ import annotations

import cProfile
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import process_time
from typing import Any, Final

from scrapy.crawler import CrawlerProcess
from scrapy.utils.misc import load_object

POLL: Final = 0.1  # seconds between two looks at the process
# Nothing waits for politeness, on a server that is ours.
SETTINGS: Final[Mapping[str, Any]] = {
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "LOG_LEVEL": "INFO",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "EXTENSIONS": {"components.Watch": 0},
}
FOREST: Final[Mapping[str, Any]] = {"ADDONS": {"scrapy_forest.Addon": 500}}


@dataclass(frozen=True, slots=True)
class Job:
    """What to crawl."""

    spider: str  # its dotted name
    settings: Mapping[str, Any]
    arguments: Mapping[str, str] = field(default_factory=dict)
    profile: str = ""  # a file for cProfile's figures


@dataclass(frozen=True, slots=True)
class Run:
    """What became of it."""

    stats: Mapping[str, Any]
    log: str
    items: tuple[dict[str, Any], ...] = field(repr=False)

    @property
    def seconds(self) -> float:
        return float(self.stats["elapsed_time_seconds"])

    def count(self, name: str) -> int:
        return int(self.stats.get(f"forest/{name}", 0))

    def reasons(self, kind: str) -> dict[str, int]:
        """Counts by reason, of skips or errors."""
        prefix = f"forest/{kind}/"
        return {name.removeprefix(prefix): value for name, value in self.stats.items() if name.startswith(prefix)}

    def is_balanced(self) -> bool:
        """Whether everything that was begun has ended in exactly one way."""
        ended = self.count("items") + sum(self.reasons("skipped").values()) + sum(self.reasons("errors").values())
        return self.count("entries") + self.count("pages") == ended


def run(
    job: Job,
    watch: Callable[[int], None] = lambda _: None,
    keep: Callable[[dict[str, Any]], dict[str, Any]] = lambda item: item,
) -> Run:
    """Crawl; ``watch`` gets the process id ten times a second, ``keep`` takes what is of interest in an item."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        lines, report, log = folder / "items.jsonl", folder / "stats.json", folder / "log"
        settings = {**SETTINGS, **job.settings, "FEEDS": {str(lines): {"format": "jsonlines"}}, "LOG_FILE": str(log)}
        written = folder / "job.json"
        written.write_text(json.dumps({**asdict(job), "settings": settings, "report": str(report)}))
        output = stack.enter_context((folder / "output").open("w+"))
        command = [sys.executable, __file__, str(written)]
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)  # noqa: S603
        while _is_running(process):
            watch(process.pid)
        told = log.read_text(encoding="utf-8") if log.exists() else ""
        if process.returncode or not report.exists():
            raise RuntimeError(f"the crawl failed:\n{told[-3000:]}{(folder / 'output').read_text()[-3000:]}")
        return Run(json.loads(report.read_text()), told, tuple(map(keep, _read_lines(lines))))


def _is_running(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(POLL)
    except subprocess.TimeoutExpired:
        return True
    return False


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def main(path: str) -> None:
    """The crawl's process."""
    job = json.loads(Path(path).read_text())
    process = CrawlerProcess(job["settings"])
    crawler = process.create_crawler(load_object(job["spider"]))
    process.crawl(crawler, **job["arguments"])
    profile = cProfile.Profile()
    start = process_time()
    if job["profile"]:
        profile.runcall(process.start)
        profile.dump_stats(job["profile"])
    else:
        process.start()
    assert crawler.stats
    stats = {**crawler.stats.get_stats(), "benchmark/cpu": process_time() - start}
    Path(job["report"]).write_text(json.dumps(stats, default=str))


if __name__ == "__main__":
    main(sys.argv[1])
