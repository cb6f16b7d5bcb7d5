"""The benchmarks themselves are slow; that they run at all is tested on the sites that come with the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_crawls_the_sites_of_the_tests_as_the_evaluation_does(tmp_path: Path) -> None:
    kept = tmp_path / "items.jsonl"
    command = [sys.executable, str(ROOT / "benchmarks" / "crawl.py"), str(ROOT / "tests"), "--keep", str(kept)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(kept.read_text(encoding="utf-8").splitlines()) == len(list(ROOT.glob("tests/sites/*/pages/0*.html")))
