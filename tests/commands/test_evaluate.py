import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.cmdline import execute
from scrapy.settings import Settings

from scrapy_forest.evaluation.learners import LEARNERS

TESTS = Path(__file__).parent.parent
QUICK = ["--method", "description", "--processes", "1"]


@pytest.fixture
def scrapy(tmp_path):
    """Runs Scrapy's command line outside of any project."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SCRAPY_", "COLUMNS"))}
    directory = tmp_path / "elsewhere"
    directory.mkdir()

    def run(*arguments):
        command = [sys.executable, "-m", "scrapy", *map(str, arguments)]
        return subprocess.run(
            command, cwd=directory, env=environment, capture_output=True, encoding="utf-8", timeout=120
        )

    return run


@pytest.fixture
def dataset(tmp_path):
    """A small data set; its name would be markup for a careless table."""
    directory = tmp_path / "[bold]two"
    for name in ("arabic-magazine", "wordpress-blog"):
        shutil.copytree(TESTS / "sites" / name, directory / "sites" / name)
    return directory


def rows_of(output):
    """The cells of each method's row."""
    return {cells[0]: cells[1:] for line in output.splitlines() if (cells := line.split()) and cells[0] in LEARNERS}


def test_measures_and_writes(scrapy, tmp_path):
    path = tmp_path / "new" / "figures.json"
    methods = ["forest-tfidf", "description"]
    run = scrapy("forest", "evaluate", TESTS, *(f"--method={name}" for name in methods), "--samples=5", "--json", path)
    assert (run.returncode, run.stderr) == (0, "")
    assert "tests: 36 pages of 6 sites" in run.stdout
    assert list(rows_of(run.stdout)) == methods
    assert all(len(cells) == 10 for cells in rows_of(run.stdout).values())
    summary = json.loads(path.read_text(encoding="utf-8"))
    assert (summary["dataset"], summary["pages"]) == ("tests", 36)
    assert list(summary["methods"]) == methods
    figures = ["precision", "recall", "f1", "median", "p10", "under_half", "errors", "cost", "apply_cost"]
    for found in summary["methods"].values():
        assert list(found) == [*figures, "seen", "unseen", "in_feed"]
        assert list(found["seen"]) == list(found["unseen"]) == figures
    shown = rows_of(run.stdout)["forest-tfidf"]
    assert float(shown[2]) == pytest.approx(summary["methods"]["forest-tfidf"]["f1"], abs=0.0005)
    assert float(shown[3]) == pytest.approx(summary["methods"]["forest-tfidf"]["unseen"]["f1"], abs=0.0005)


def test_other_options(scrapy, dataset):
    run = scrapy("forest", "evaluate", dataset, *QUICK, "--metric", "lcs")
    assert (run.returncode, run.stderr) == (0, "")
    assert "[bold]two: 12 pages of 2 sites" in run.stdout
    assert rows_of(run.stdout)["description"][3] == "–"  # all pages are seen


def test_a_broken_site_fails_the_run_but_not_the_others(scrapy, dataset):
    (dataset / "sites" / "arabic-magazine" / "gold.jsonl").write_text("no JSON\n")
    run = scrapy("forest", "evaluate", dataset, *QUICK)
    assert run.returncode == 1
    assert "6 pages of 1 sites" in run.stdout
    assert "description" in rows_of(run.stdout)
    assert "arabic-magazine was not measured: cannot read" in run.stderr
    assert "Traceback" not in run.stderr


def test_no_data_set(scrapy, tmp_path):
    directory = tmp_path / "a-rather-long-name-that-does-not-fit-into-a-line" / "nothing"
    run = scrapy("forest", "evaluate", directory, *QUICK)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == f"{directory} is no directory\n"


def test_what_cannot_be_written_is_told_before_measuring(scrapy, tmp_path):
    run = scrapy("forest", "evaluate", TESTS, *QUICK, "--json", tmp_path)
    assert (run.returncode, run.stdout) == (1, "")
    assert str(tmp_path) in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "name a subcommand: crawl, evaluate"),
        ("evaluate . --method unknown", "invalid choice: 'unknown'"),
        ("evaluate . --unknown", "unrecognised arguments: --unknown"),
    ],
)
def test_usage(scrapy, arguments, message):
    run = scrapy("forest", *arguments.split())
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.lower().startswith("usage")
    assert "scrapy forest" in run.stderr
    assert message in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("unknown", "invalid choice: 'unknown'"),
        ("evaluate", "arguments are required: DIR"),
        ("evaluate . another", "unrecognised arguments: another"),
        ("evaluate . --metric unknown", "invalid choice: 'unknown'"),
        ("evaluate . --samples 0", "'0' is not a number above 0"),
        ("evaluate . --samples -1", "'-1' is not a number above 0"),
        ("evaluate . --processes many", "'many' is not a number above 0"),
    ],
)
def test_more_usage(capsys, arguments, message):
    with pytest.raises(SystemExit, match="2"):
        execute(["scrapy", "forest", *arguments.split()], settings=Settings())
    assert message in capsys.readouterr().err


def test_help_names_methods_and_options(capsys):
    with pytest.raises(SystemExit, match="0"):
        execute(["scrapy", "forest", "evaluate", "--help"], settings=Settings())
    text = capsys.readouterr().out
    options = "--method --samples --metric --json --figures --processes"
    assert not [word for word in (*options.split(), *LEARNERS) if word not in "".join(text.split())]


def test_scrapy_lists_the_command(capsys):
    with pytest.raises(SystemExit, match="0"):
        execute(["scrapy"], settings=Settings())
    assert "forest        Article extraction: " in capsys.readouterr().out
