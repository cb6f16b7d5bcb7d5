"""What the documentation says is run, and what there is to say is said."""

import ast
import contextlib
import dataclasses
import io
import re
from argparse import ArgumentParser
from pathlib import Path

import pytest

from scrapy_forest import failures
from scrapy_forest.commands.evaluate import add_arguments
from scrapy_forest.configuration import COMPONENTS, EXPORTERS, LIMITS, SPIDERS
from scrapy_forest.crawl import extraction, forest
from scrapy_forest.crawl.endings import DISK_FULL, EXIT_CODES, OUT_OF_MEMORY, STORE_LOST
from scrapy_forest.evaluation.experiments import EXPERIMENTS
from scrapy_forest.evaluation.learners import LEARNERS
from scrapy_forest.evaluation.metrics import METRICS
from scrapy_forest.evaluation.summary import Figures
from scrapy_forest.items import ArticleItem, FeedItem, MetadataItem, WrapperItem
from scrapy_forest.methods.forest import ForestOptions
from scrapy_forest.network.addresses import Refusal
from scrapy_forest.network.handlers import HANDLERS
from scrapy_forest.settings import DEFAULTS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
SESSION = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n^```\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"\| [FPNSKX]\d\d")
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


@pytest.mark.parametrize("name", DEFAULTS)
def test_every_setting_is_documented_with_its_default(name):
    [row] = [line for line in read("docs/settings.md").splitlines() if line.startswith(f"| `{name}` |")]
    default = DEFAULTS[name]
    written = (
        f"`{default:g}`"
        if isinstance(default, float)
        else f'`"{default}"`'
        if isinstance(default, str)
        else f"`{default}`"
    )
    assert written in row or name == "FOREST_WORKERS"


WORD = re.compile(r"[a-z]\w+(?:/\w+)*")  # str.count, too, is a count


def counted() -> set[str]:
    """Names of stats, as the code has them: words given to what counts, skips and fails."""
    names = {"skipped/interrupted"}
    for path in (ROOT / "scrapy_forest").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                kind = {"count": "", "_count": "", "skip": "skipped/", "fail": "errors/"}.get(node.func.attr)
                words = [
                    each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
                ]
                if kind is not None:
                    names.update(kind + word for word in words if WORD.fullmatch(word))
    return names


def reasons() -> set[str]:
    """Reasons that stand in tables."""
    tables = (*failures._REASONS, *failures._CAUSES)
    errors = {*forest.ERRORS.values(), forest.NO_ARTICLE, *(reason for _, reason in tables)}
    skips = {*forest.SKIPS.values(), *Refusal.__args__}
    return {f"errors/{each}" for each in errors - skips - {"interrupted"}} | {f"skipped/{each}" for each in skips}


@pytest.mark.parametrize("name", sorted(counted() | reasons()))
def test_every_stat_is_documented(name):
    assert f"`{name}`" in read("docs/settings.md")


def rows_of_hostile_input() -> list[str]:
    """Ids in the first column of the tables of what is tested; F11–F15 are five."""
    found = []
    for line in read("docs/hostile.md").partition("## What is tested")[2].splitlines():
        for part in line.partition(" | ")[0].removeprefix("| ").split(", ") if ROW.match(line) else ():
            first, _, last = part.partition("–")
            found += [f"{first[0]}{number:02}" for number in range(int(first[1:]), int((last or first)[1:]) + 1)]
    return found


@pytest.mark.parametrize("row", rows_of_hostile_input())
def test_every_row_of_hostile_input_is_tested(row):
    named = re.compile(rf"(?<![a-z0-9]){row}(?![0-9])", re.IGNORECASE)
    files = [path for place in ("tests", "benchmarks") for path in (ROOT / place).rglob("*.py")]
    assert any(named.search(path.read_text(encoding="utf-8")) for path in files)


@pytest.mark.parametrize("code", sorted(set(EXIT_CODES.values())))
def test_every_exit_code_is_documented(code):
    assert f"\n| {code} | " in read("docs/crawling.md")


@pytest.mark.parametrize("reason", [DISK_FULL, STORE_LOST, OUT_OF_MEMORY])
def test_every_ending_is_documented(reason):
    assert f"`{reason}`" in read("docs/settings.md")


@pytest.mark.parametrize(
    "name",
    [field.name for kind in (ArticleItem, FeedItem, MetadataItem, WrapperItem) for field in dataclasses.fields(kind)],
)
def test_every_field_of_the_item_is_documented(name):
    assert f"`{name}`" in read("docs/item.md")


@pytest.mark.parametrize(
    "flag", [extraction.SINGLE_PAGE, extraction.NO_WRAPPER, extraction.WRAPPER_MISSED, extraction.FROM_FEED]
)
def test_every_flag_is_documented(flag):
    assert f"| `{flag}` |" in read("docs/crawling.md")


def test_the_explicit_configuration_is_documented_as_it_is():
    [code] = [match["code"] for page, match in SESSIONS if "DOWNLOADER_MIDDLEWARES" in match["code"]]
    written = {}
    exec(code, written)  # noqa: S102 - our own documentation
    assert {name: written[name] for name in COMPONENTS} == COMPONENTS
    assert written["DOWNLOAD_HANDLERS"] == HANDLERS
    assert written["FEED_EXPORTERS"] == EXPORTERS
    assert written["SPIDER_MODULES"] == [SPIDERS]
    assert {name: written[name] for name in LIMITS} == LIMITS
