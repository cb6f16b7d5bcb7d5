"""What the documentation says is run, and what there is to say is said."""

import contextlib
import dataclasses
import io
import re
from argparse import ArgumentParser
from pathlib import Path

import pytest

from scrapy_forest.commands.evaluate import add_arguments
from scrapy_forest.evaluation.experiments import EXPERIMENTS
from scrapy_forest.evaluation.learners import LEARNERS
from scrapy_forest.evaluation.metrics import METRICS
from scrapy_forest.evaluation.summary import Figures
from scrapy_forest.methods.forest import ForestOptions

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
SESSION = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n^```\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")

SESSIONS = [(page, match) for page in PAGES for match in SESSION.finditer(page.read_text(encoding="utf-8"))]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "session"), SESSIONS, ids=[f"{page.name}:{match.start()}" for page, match in SESSIONS]
)
def test_sessions_print_what_they_say(page, session, monkeypatch):
    monkeypatch.chdir(ROOT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(session["code"], page.name, "exec"), {})  # noqa: S102 - our own documentation
    assert session["output"] is None or printed.getvalue() == session["output"]


def test_the_readme_has_a_session():
    assert any(page.name == "README.md" and session["output"] for page, session in SESSIONS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("option", [field.name for field in dataclasses.fields(ForestOptions)])
def test_every_option_of_forest_is_documented(option):
    assert f"`{option}`" in read("docs/algorithms/forest.md")


def evaluate_options() -> list[str]:
    parser = ArgumentParser(add_help=False)
    add_arguments(parser)
    return [action.option_strings[0] for action in parser._actions if action.option_strings]


@pytest.mark.parametrize(
    "word",
    [
        *evaluate_options(),
        *LEARNERS,
        *METRICS,
        *(field.name for field in dataclasses.fields(Figures)),
        *(experiment.name for experiment in EXPERIMENTS),
    ],
)
def test_everything_about_evaluate_is_documented(word):
    assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", read("docs/evaluation.md"))
