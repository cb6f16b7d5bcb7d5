"""The gauntlet: that it has what it says, and that we come through as much of it as there is time for here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hostile.catalogue import BY_ID, INPUTS
from hostile.inputs import HOSTILE, LATE, page

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
LIGHT = [name for name, item in BY_ID.items() if not item.is_heavy]
ROWS = {
    *(f"P{number:02}" for number in (*range(1, 18), 24, 25)),
    *(f"F{number:02}" for number in range(1, 25)),
    *("N01", "N02", "N03", "N04", "X01", "X03"),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What became of all light inputs, and what the command printed."""
    report = tmp_path_factory.mktemp("gauntlet") / "report.json"
    command = [sys.executable, "-W", "error", str(BENCHMARKS / "gauntlet.py"), "--light", "--json", str(report)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert report.exists(), run.stderr
    inputs = {f"{each['row']} {each['name']}": each["ours"] for each in json.loads(report.read_text())["inputs"]}
    return {"inputs": inputs, "code": run.returncode, "printed": run.stdout}


def test_there_are_enough() -> None:
    assert len(INPUTS) >= 150
    assert len({item.name for item in INPUTS if item.kind == "link"}) >= 65


def test_all_rows_are_there() -> None:
    assert {item.row for item in INPUTS} >= ROWS


def test_names_are_unique() -> None:
    assert len({(item.row, item.name) for item in INPUTS}) == len(INPUTS)


def test_the_heavy_ones_are_few() -> None:
    assert len(LIGHT) >= 0.8 * len(INPUTS)
    assert {item.row for item in INPUTS if not item.is_heavy} >= ROWS - {"P01", "P02"}


def test_healthy_pages_are_of_one_template() -> None:
    healthy = [page(number) for number in range(HOSTILE + 1)]
    assert len(set(healthy)) == len(healthy)
    assert len({each.count("<") for each in healthy}) == 1


@pytest.mark.parametrize(
    ("name", "size"), [("P01 50 MB: small elements", 49), ("P07 10 MB: one text node", 9), ("F08 50 MB", 49)]
)
def test_bytes_are_as_many_as_the_name_says(name: str, size: int) -> None:
    assert BY_ID[name].is_heavy
    assert len(BY_ID[name].make()) >= size * 1024 * 1024


@pytest.mark.parametrize("name", LIGHT)
def test_survives(name: str, told: Mapping[str, Any]) -> None:
    ours = told["inputs"][name]
    assert ours["fault"] is None
    assert ours["excess"] is None
    assert ours["word"] not in LATE


def test_the_table_and_the_exit_code(told: Mapping[str, Any]) -> None:
    assert told["code"] == 0, told["printed"]
    assert f"{len(LIGHT)} of {len(LIGHT)} survived" in told["printed"]
    assert all(item.group in told["printed"] for item in INPUTS)
