"""X13: with the plugin switched on, no setting of Scrapy's is weaker than before."""

import ast
import importlib.util
from pathlib import Path

import pytest
from scrapy.settings import BaseSettings, Settings

import scrapy_forest
from scrapy_forest.addon import Addon
from scrapy_forest.network.handlers import GUARDED

ROOT = Path(__file__).parent.parent
# All that the add-on changes, and why that is no less safe.  What is new here has to be thought about.
REASONS = {
    "ADDONS": lambda before, after: before.items() <= after.items(),
    "AUTOTHROTTLE_ENABLED": lambda _, after: after is True,
    "CONCURRENT_REQUESTS": lambda _, after: after <= 100,  # of all hosts; what one host gets does not change
    "DOWNLOADER_MIDDLEWARES": lambda before, after: before.items() <= after.items(),
    "DOWNLOAD_HANDLERS": lambda _, after: set(after.values()) == {GUARDED, None},
    "DOWNLOAD_MAXSIZE": lambda before, after: 0 < after <= before,
    "DOWNLOAD_TIMEOUT": lambda before, after: 0 < after <= before,
    "EXTENSIONS": lambda before, after: before.items() <= after.items(),
    "FEED_EXPORTERS": lambda _, after: set(after) == {"jsonlines", "jsonl", "jl"},
    "ITEM_PIPELINES": lambda before, after: before.items() <= after.items(),
    "ROBOTSTXT_OBEY": lambda _, after: after is True,
    "SCHEDULER_PRIORITY_QUEUE": lambda _, after: after.startswith("scrapy_forest."),
    "SPIDER_MIDDLEWARES": lambda before, after: before.items() <= after.items(),
    "SPIDER_MODULES": lambda before, after: set(before) <= set(after),
}


def values(settings):
    return {name: value.copy() if isinstance(value, BaseSettings) else value for name, value in settings.items()}


def with_addon():
    settings = Settings()
    Addon.update_pre_crawler_settings(settings)
    Addon().update_settings(settings)
    return settings


def changed():
    before, after = values(Settings()), values(with_addon())
    return {name for name in after if name not in before or dict_or_value(before[name]) != dict_or_value(after[name])}


def dict_or_value(value):
    return dict(value) if isinstance(value, BaseSettings) else value


@pytest.mark.parametrize("name", sorted(changed()))
def test_x13_no_setting_is_weaker(name):
    before, after = Settings(), with_addon()
    old, new = dict_or_value(before.get(name)), dict_or_value(after.get(name))
    assert REASONS[name](old, new), f"{name}: {old!r} has become {new!r}"


@pytest.mark.parametrize("scheme", ["file", "data", "ftp", "s3"])
def test_x13_handlers_of_other_schemes_are_off(scheme):
    assert with_addon().getwithbase("DOWNLOAD_HANDLERS")[scheme] is None


@pytest.mark.parametrize("name", ["DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "EXTENSIONS", "ITEM_PIPELINES"])
def test_x13_no_component_of_scrapy_is_switched_off(name):
    before, after = Settings().getwithbase(name), with_addon().getwithbase(name)
    assert {path: after.get(path) for path in before} == dict(before)


def test_x13_a_project_that_is_stricter_stays_so():
    strict = {"DOWNLOAD_MAXSIZE": 1000, "DOWNLOAD_TIMEOUT": 1, "CONCURRENT_REQUESTS": 1, "ROBOTSTXT_OBEY": True}
    settings = Settings(strict)
    Addon().update_settings(settings)
    assert {name: settings.get(name) for name in strict} == strict


def test_x13_requests_are_filtered():
    """Only a feed that is asked for again at once passes Scrapy's filter of duplicates, and with it that of hosts."""
    found = []
    for path in Path(scrapy_forest.__file__).parent.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                keywords = [node.arg for node in ast.walk(function) if isinstance(node, ast.keyword)]
                found += [(path.name, function.name)] * keywords.count("dont_filter")
                assert not {"dont_obey_robotstxt", "allow_offsite"}.intersection(keywords)
    assert found == [("feeds.py", "_ask_again")]


def test_x13_the_example_opens_no_doors():
    path = ROOT / "example_project" / "newsroom" / "settings.py"
    spec = importlib.util.spec_from_file_location("example_settings", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.TELNETCONSOLE_ENABLED is False
    assert module.REMOTE_CONTROL_ENABLED is False
    assert not hasattr(module, "ROBOTSTXT_OBEY")
    assert all(entry.startswith("127.0.0.1:") for entry in module.FOREST_ALLOW_PRIVATE)
