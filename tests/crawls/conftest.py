"""Crawls as users run them: Scrapy in its own process, a server on loopback, JSON lines on disk."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from website import Website, website  # noqa: E402


@dataclass(frozen=True)
class Crawl:
    """What a crawl left behind."""

    code: int
    stats: dict[str, Any]
    items: list[dict[str, Any]]  # of this crawl
    log: str
    seconds: float

    @property
    def urls(self) -> list[str]:
        return sorted(item["url"] for item in self.items)

    def counts(self, kind: str) -> dict[str, int]:
        prefix = f"forest/{kind}/"
        return {name.removeprefix(prefix): value for name, value in self.stats.items() if name.startswith(prefix)}


class Project:
    """A directory with a store and an export, in which crawls are run one after the other."""

    def __init__(self, directory: Path, *sites: Website) -> None:
        self.directory = directory
        self.sites = sites
        self.export = directory / "articles.jsonl"

    def settings(self, **changes: Any) -> dict[str, Any]:
        return {
            "ADDONS": {"scrapy_forest.Addon": 500},
            "FOREST_STORE": str(self.directory / "forest.sqlite"),
            "FOREST_ALLOW_PRIVATE": [site.permit for site in self.sites],
            "FOREST_WORKERS": 1,
            "FEEDS": {str(self.export): {"format": "jsonlines", "encoding": "utf-8"}},
            "AUTOTHROTTLE_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_LEVEL": "INFO",
            **changes,
        }

    def start(self, spider: str = "feeds", /, *, settings: dict[str, Any] | None = None, **arguments: Any):
        plan = {
            "tests": str(HERE),
            "settings": self.settings(**(settings or {})),
            "spider": spider,
            "arguments": arguments,
            "stats": str(self.directory / "stats.json"),
        }
        (self.directory / "stats.json").unlink(missing_ok=True)
        (self.directory / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        command = [sys.executable, str(HERE / "runner.py"), str(self.directory / "plan.json")]
        with (self.directory / "log.txt").open("wb") as log:
            return subprocess.Popen(command, cwd=self.directory, stdout=log, stderr=subprocess.STDOUT)

    def finish(self, process: subprocess.Popen[bytes], began: float, before: int, timeout: float = 120) -> Crawl:
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            log = (self.directory / "log.txt").read_text(encoding="utf-8", errors="replace")
            pytest.fail(f"the crawl did not end within {timeout} s\n{log[-3000:]}")
        stats_file = self.directory / "stats.json"
        stats = json.loads(stats_file.read_text(encoding="utf-8")) if stats_file.exists() else {}
        log = (self.directory / "log.txt").read_text(encoding="utf-8", errors="replace")
        crawl = Crawl(code, stats, self.items()[before:], log, time.monotonic() - began)
        assert_balance(crawl)
        return crawl

    def crawl(self, spider: str = "feeds", /, *, timeout: float = 120, **options: Any) -> Crawl:
        before, began = len(self.items()), time.monotonic()
        return self.finish(self.start(spider, **options), began, before, timeout)

    def items(self) -> list[dict[str, Any]]:
        if not self.export.exists():
            return []
        return [json.loads(line) for line in self.export.read_text(encoding="utf-8").split("\n")[:-1]]


def assert_balance(crawl: Crawl) -> None:
    """entries + pages = items + skips + errors, and each item of the books is a line."""
    if not crawl.stats:
        return
    read = crawl.stats.get("forest/entries", 0) + crawl.stats.get("forest/pages", 0)
    items = crawl.stats.get("forest/items", 0)
    assert read == items + sum(crawl.counts("skipped").values()) + sum(crawl.counts("errors").values()), crawl.stats
    assert crawl.stats.get("item_scraped_count", 0) >= items
    assert "do not balance" not in crawl.log
    assert "Traceback" not in crawl.log, crawl.log[crawl.log.index("Traceback") - 500 :][:4000]


@pytest.fixture
def site() -> Iterator[Website]:
    with website() as made:
        yield made


@pytest.fixture
def other_site() -> Iterator[Website]:
    with website() as made:
        yield made


@pytest.fixture
def project(tmp_path: Path, site: Website) -> Project:
    return Project(tmp_path, site)
