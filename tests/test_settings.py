import json
import re
from pathlib import Path

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from scrapy_forest.addon import Addon
from scrapy_forest.configuration import (
    COMPONENTS,
    EXPORTER,
    EXPORTERS,
    LIMITS,
    MANNERS,
    SPIDERS,
    check_exports,
    check_setup,
    setup_warnings,
)
from scrapy_forest.errors import IncompleteSetup, InvalidSetting, InvalidSubscriptions
from scrapy_forest.network.handlers import HANDLERS
from scrapy_forest.settings import DEFAULTS, MEGABYTE, ForestSettings, feeds_of, is_enabled

OWN = "scrapy.downloadermiddlewares.stats.DownloaderStats"  # some component that is not ours
GUARD = "scrapy_forest.network.guard.GuardMiddleware"
FLAGS = ["FOREST_ENABLED", "FOREST_GUARD", "FOREST_REVISIONS"]
NUMBERS = [
    "FOREST_HOLD_SECONDS",
    "FOREST_TASK_SECONDS",
    "FOREST_INDUCE_SECONDS",
    "FOREST_CLOSE_SECONDS",
    "FOREST_RETRY_AFTER_SECONDS",
]
WHOLES = {
    "FOREST_SAMPLES": 2,
    "FOREST_BUFFER_MB": 0,
    "FOREST_KEEP_SAMPLES": 0,
    "FOREST_KEEP_SAMPLES_MB": 0,
    "FOREST_KEEP_VERSIONS": 1,
    "FOREST_KEEP_DAYS": 0,
    "FOREST_TRIES": 1,
    "FOREST_WORKERS": 1,
    "FOREST_INLINE_BYTES": 0,
}
EXPLICIT = {
    **COMPONENTS,
    "DOWNLOAD_HANDLERS": HANDLERS,
    "FEED_EXPORTERS": EXPORTERS,
    **LIMITS,
}


def read(**values):
    return ForestSettings.from_settings(Settings(values))


def read_all(values):
    settings = Settings(values)
    is_enabled(settings)
    return ForestSettings.from_settings(settings)


def updated(values=(), **more):
    """Settings of a project with the add-on."""
    settings = Settings({**dict(values), **more})
    Addon.update_pre_crawler_settings(settings)
    Addon().update_settings(settings)
    return settings


def without(name, key=None):
    """The explicit configuration, less one part."""
    values = {each: dict(value) if isinstance(value, dict) else value for each, value in EXPLICIT.items()}
    if key is None:
        del values[name]
    else:
        del values[name][key]
    return Settings(values)


def test_defaults():
    settings = read()
    crawl = settings.crawl
    assert crawl.store.name == "forest.sqlite"
    assert crawl.buffer_bytes == 64 * MEGABYTE
    assert (crawl.learning.method, crawl.learning.samples) == ("forest-tfidf", 10)
    assert (crawl.ledger.revisions, crawl.ledger.tries) == (False, 3)
    assert crawl.retention.sample_bytes == 256 * MEGABYTE
    assert settings.has_guard


def test_each_setting_is_read():
    checked = {*FLAGS, *NUMBERS, *WHOLES, "FOREST_METHOD"}
    others = {"FOREST_STORE", "FOREST_FEEDS", "FOREST_FEEDS_FILE", "FOREST_ALLOW_PRIVATE"}
    assert set(DEFAULTS) == checked | others


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"FOREST_SAMPLES": "4"}, "crawl.learning.samples"),  # as a command line gives it
        ({"FOREST_SAMPLES": 4.0}, "crawl.learning.samples"),
        ({"FOREST_KEEP_SAMPLES": 4}, "crawl.learning.keep_samples"),
        ({"FOREST_INDUCE_SECONDS": "4"}, "crawl.learning.seconds"),
        ({"FOREST_INLINE_BYTES": 4}, "crawl.extraction.inline_bytes"),
        ({"FOREST_HOLD_SECONDS": 4}, "crawl.hold_seconds"),
        ({"FOREST_TRIES": 4}, "crawl.ledger.tries"),
        ({"FOREST_KEEP_DAYS": 4}, "crawl.retention.ledger_days"),
        ({"FOREST_KEEP_VERSIONS": 4}, "crawl.retention.wrapper_versions"),
        ({"FOREST_WORKERS": 4}, "crawl.workers.processes"),
        ({"FOREST_TASK_SECONDS": 4}, "crawl.workers.time_limit"),
        ({"FOREST_CLOSE_SECONDS": 4}, "close_seconds"),
        ({"FOREST_RETRY_AFTER_SECONDS": 4}, "retry_after_seconds"),
    ],
)
def test_where_a_number_goes(values, path):
    found = read(**values)
    for name in path.split("."):
        found = getattr(found, name)
    assert found == 4
    assert type(found) is (float if path.endswith(("seconds", "time_limit")) else int)


def test_megabytes():
    crawl = read(FOREST_BUFFER_MB=2, FOREST_KEEP_SAMPLES_MB=3).crawl
    assert (crawl.buffer_bytes, crawl.retention.sample_bytes) == (2 * MEGABYTE, 3 * MEGABYTE)


def test_the_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SCRAPY_SETTINGS_MODULE", raising=False)
    assert read(FOREST_STORE=str(tmp_path / "my.sqlite")).crawl.store == tmp_path / "my.sqlite"
    assert read(FOREST_STORE=tmp_path / "my.sqlite").crawl.store == tmp_path / "my.sqlite"
    assert read(FOREST_STORE="my.sqlite").crawl.store == Path(".scrapy", "my.sqlite")


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize(("value", "flag"), [("0", False), ("1", True), ("False", False), ("true", True), (0, False)])
def test_flags(name, value, flag):
    settings = Settings({name: value})
    found = {
        "FOREST_ENABLED": is_enabled(settings),
        "FOREST_GUARD": ForestSettings.from_settings(settings).has_guard,
        "FOREST_REVISIONS": ForestSettings.from_settings(settings).crawl.ledger.revisions,
    }
    assert found[name] is flag


@pytest.mark.parametrize("name", DEFAULTS)
def test_none_is_the_default(name):
    assert read(**{name: None}) == read()
    assert is_enabled(Settings({name: None}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in NUMBERS for value in ("many", "", [], -1, "-0.5", float("nan"))),
        *((name, value) for name in WHOLES for value in ("many", "", {}, 2.5, "inf", float("nan"))),
        *((name, least - 1) for name, least in WHOLES.items()),
        *((name, value) for name in FLAGS for value in ("maybe", "", "yes", [])),
        *(("FOREST_METHOD", value) for value in ("", "Forest-TFIDF", "none", 7, [])),
        ("FOREST_SAMPLES", 10**400),
    ],
)
def test_what_makes_no_sense_is_named(name, value):
    with pytest.raises(InvalidSetting) as raised:
        read_all({name: value})
    assert raised.value.name == name
    assert str(raised.value).startswith(f"{name} is {value!r}" if not isinstance(value, str) else f"{name} is ")


def test_the_methods_are_named():
    with pytest.raises(InvalidSetting, match=r"should be one of .*forest-feeds"):
        read(FOREST_METHOD="x")


def test_feeds(tmp_path):
    file = tmp_path / "feeds.txt"
    file.write_text("https://c.example/feed\n")
    assert feeds_of(Settings()) == []
    assert feeds_of(Settings({"FOREST_FEEDS": ["https://a.example/"]})) == ["https://a.example/"]
    both = {"FOREST_FEEDS": "https://a.example/,https://b.example/", "FOREST_FEEDS_FILE": str(file)}
    assert feeds_of(Settings(both)) == ["https://a.example/", "https://b.example/", "https://c.example/feed"]
    with pytest.raises(InvalidSubscriptions):
        feeds_of(Settings({"FOREST_FEEDS": ["a.example"]}))


def test_the_add_on_sets_up_all():
    settings = updated()
    check_setup(settings, has_guard=True)
    for name, components in COMPONENTS.items():
        orders = {load_object(path): order for path, order in components.items()}
        assert orders.items() <= settings.getdict(name).items()
    assert settings.getdict("DOWNLOAD_HANDLERS") == HANDLERS
    assert settings.getdict("FEED_EXPORTERS") == EXPORTERS
    assert {name: settings.get(name) for name in {**LIMITS, **MANNERS}} == {**LIMITS, **MANNERS}
    assert settings.getlist("SPIDER_MODULES") == [SPIDERS]


def test_scrapys_own_stay():
    before, after = Settings(), updated()
    for name in COMPONENTS:
        assert before.getwithbase(name).items() <= after.getwithbase(name).items()
    exporters = after.getwithbase("FEED_EXPORTERS")
    assert exporters["csv"] == before.getwithbase("FEED_EXPORTERS")["csv"]
    assert {name: exporters[name] for name in EXPORTERS} == dict(EXPORTERS)


def test_twice_is_as_good_as_once():
    settings = updated()
    again = settings.copy()
    Addon.update_pre_crawler_settings(again)
    Addon().update_settings(again)
    assert again.copy_to_dict() == settings.copy_to_dict()


@pytest.mark.parametrize(
    ("name", "value"),
    [*((name, 7) for name in LIMITS), *((name, False) for name in MANNERS), ("DOWNLOAD_TIMEOUT", 300)],
)
@pytest.mark.parametrize("priority", ["project", "spider", "cmdline"])
def test_what_the_project_sets_wins(name, value, priority):
    settings = Settings()
    settings.set(name, value, priority)
    Addon().update_settings(settings)
    assert settings.get(name) == value
    assert settings.getpriority(name) == {"project": 20, "spider": 30, "cmdline": 40}[priority]


@pytest.mark.parametrize("name", COMPONENTS)
def test_components_of_the_project_stay(name):
    path, order = next(iter(COMPONENTS[name].items()))
    settings = updated({name: {OWN: 1, path: order + 1}})
    found = {load_object(each): order for each, order in settings.getdict(name).items()}
    assert found[load_object(OWN)] == 1
    assert found[load_object(path)] == order + 1
    assert len(found) == len(COMPONENTS[name]) + 1


def test_a_component_that_is_switched_off_stays_off_and_is_told():
    path = "scrapy_forest.pipelines.ArticlePipeline"
    settings = updated(ITEM_PIPELINES={path: None})
    assert settings.getdict("ITEM_PIPELINES") == {path: None}
    with pytest.raises(IncompleteSetup, match="ArticlePipeline"):
        check_setup(settings, has_guard=True)


def test_handlers_and_exporters_of_the_project_stay():
    handlers = {"https": "own.Handler", "gopher": "own.Gopher", "ftp": "own.Ftp"}
    settings = updated(DOWNLOAD_HANDLERS=handlers, FEED_EXPORTERS={"jl": "own.Lines"})
    assert settings.getdict("DOWNLOAD_HANDLERS") == {**HANDLERS, **handlers}
    assert settings.getdict("FEED_EXPORTERS") == {**EXPORTERS, "jl": "own.Lines"}


@pytest.mark.parametrize(
    "modules", [["own.spiders"], "own.spiders", ["own.spiders", SPIDERS], [SPIDERS, "own.spiders"]]
)
def test_spiders_of_the_project_stay(modules):
    found = updated(SPIDER_MODULES=modules).getlist("SPIDER_MODULES")
    assert sorted(found) == ["own.spiders", SPIDERS]


def test_a_limit_that_another_add_on_has_set_stays():
    settings = Settings()
    settings.set("DOWNLOAD_MAXSIZE", 1000, "addon")
    Addon().update_settings(settings)
    assert settings.getint("DOWNLOAD_MAXSIZE") == 1000


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"FEEDS": {"a.jsonl": {"format": "jsonlines"}}}, []),
        ({}, ["no export"]),
        ({"FEEDS": {"a.jsonl": {"format": "jsonlines", "overwrite": True}}}, ["'a.jsonl' overwrites"]),
        ({"FEEDS": {"a.jsonl": {"format": "jsonl"}}, "FOREST_SAMPELS": 3}, ["FOREST_SAMPELS is no setting"]),
        ({"FEEDS": {"file:///tmp/a.jl": {"format": "jl"}, "C:/b.jl": {"format": "jl"}}}, []),
        ({"FEEDS": {"a.csv": {"format": "csv"}}}, ["'a.csv' is not JSON lines"]),
        ({"FEEDS": {"a.json": {"format": "json"}}}, ["not JSON lines"]),
        ({"FEEDS": {"s3://b/a.jsonl": {"format": "jsonl"}}}, ["no local file"]),
        ({"FEEDS": {"stdout:": {"format": "jsonl"}}}, ["no local file"]),
        ({"FEEDS": {"a%(batch_id)d.jl": {"format": "jl", "batch_item_count": 5}}}, ["batches"]),
        ({"FEEDS": {"a%(batch_id)d.jl": {"format": "jl"}}, "FEED_EXPORT_BATCH_ITEM_COUNT": 5}, ["batches"]),
        ({"FEEDS": {"a.jl.gz": {"format": "jl", "postprocessing": ["x"]}}}, ["passes through others"]),
    ],
)
def test_what_is_rarely_meant_is_told(values, said):
    warnings = list(setup_warnings(Settings(values)))
    assert len(warnings) == len(said)
    assert all(re.search(each, warning) for each, warning in zip(said, warnings, strict=True))


@pytest.mark.parametrize("uri", ["{}/folder", "file://{}/folder", "{}/file/below", "{}/file/below/it.jsonl"])
def test_an_export_that_cannot_be_written_is_named(tmp_path, uri):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InvalidSetting, match=r"FEEDS names .*cannot be written"):
        check_exports(Settings({"FEEDS": {uri.format(tmp_path): {"format": "jsonlines"}}}))


@pytest.mark.parametrize(
    "uri", ["{}/file", "{}/new", "{}/a/b/new", "file://{}/new", "stdout:", "-", "s3://b/k", "{}/%(time)s"]
)
def test_an_export_that_can_be_written(tmp_path, uri):
    (tmp_path / "file").touch()
    check_exports(Settings({"FEEDS": {uri.format(tmp_path): {"format": "jsonlines"}}}))
    assert [*tmp_path.iterdir()] == [tmp_path / "file"]


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidSubscriptions, match=r"cannot read .*none"):
        feeds_of(Settings({"FOREST_FEEDS_FILE": str(tmp_path / "none")}))


def test_without_the_guard_the_handlers_are_left_alone():
    settings = updated(FOREST_GUARD=False)
    assert settings.getdict("DOWNLOAD_HANDLERS") == {}
    check_setup(settings, has_guard=False)


@pytest.mark.parametrize("value", [False, "0", "False"])
def test_switched_off(value):
    settings = Settings({"FOREST_ENABLED": value})
    before = settings.copy_to_dict()
    Addon.update_pre_crawler_settings(settings)
    with pytest.raises(NotConfigured):
        Addon().update_settings(settings)
    assert settings.copy_to_dict() == before


def test_the_explicit_configuration():
    check_setup(Settings(EXPLICIT), has_guard=True)


def test_without_the_guard_less_is_needed():
    settings = without("DOWNLOAD_HANDLERS")
    del settings["DOWNLOADER_MIDDLEWARES"][GUARD]
    check_setup(settings, has_guard=False)
    with pytest.raises(IncompleteSetup) as raised:
        check_setup(settings, has_guard=True)
    assert {line.partition(":")[0] for line in raised.value.missing} == {"DOWNLOADER_MIDDLEWARES", "DOWNLOAD_HANDLERS"}


# Where Scrapy has no handler of its own, None is what we want, and nothing can be missing.
PARTS = [(name, key) for name in [*COMPONENTS, "DOWNLOAD_HANDLERS", "FEED_EXPORTERS"] for key in EXPLICIT[name]]


@pytest.mark.parametrize(("name", "key"), PARTS, ids=lambda value: value.rpartition(".")[2])
def test_a_missing_part_is_named(name, key):
    with pytest.raises(IncompleteSetup) as raised:
        check_setup(without(name, key), has_guard=True)
    assert raised.value.missing == [f"{name}: {key!r}: {EXPLICIT[name][key]!r}"]
    assert raised.value.missing[0] in str(raised.value)


@pytest.mark.parametrize("name", LIMITS)
def test_a_missing_limit_is_named(name):
    with pytest.raises(IncompleteSetup) as raised:
        check_setup(without(name), has_guard=True)
    assert raised.value.missing == [f"{name} = {LIMITS[name]}"]


def test_all_that_is_missing_is_named_at_once():
    with pytest.raises(IncompleteSetup) as raised:
        check_setup(Settings(), has_guard=True)
    named = "\n".join(raised.value.missing)
    for name, key in PARTS:
        assert f"{name}: {key!r}" in named
    assert all(name in named for name in LIMITS)
    assert "scrapy_forest.Addon" in str(raised.value)


def test_what_is_named_can_be_pasted():
    """Each line is a setting and one of its entries, or its value."""
    with pytest.raises(IncompleteSetup) as raised:
        check_setup(Settings(), has_guard=True)
    values = {}
    for line in raised.value.missing:
        if " = " in line:
            name, _, value = line.partition(" = ")
            values[name] = json.loads(value)
        else:
            name, key, value = line.split(": ")
            found = json.loads(value.replace("'", '"').replace("None", "null"))
            values.setdefault(name, {})[key.strip("'")] = found
    check_setup(Settings(values), has_guard=True)


def test_components_may_be_classes():
    values = {name: {load_object(path): order for path, order in each.items()} for name, each in COMPONENTS.items()}
    check_setup(Settings({**EXPLICIT, **values}), has_guard=True)


def test_an_exporter_of_the_project_may_build_on_ours():
    class Own(load_object(EXPORTER)):
        pass

    check_setup(Settings({**EXPLICIT, "FEED_EXPORTERS": dict.fromkeys(EXPORTERS, Own)}), has_guard=True)
    scrapys = dict.fromkeys(EXPORTERS, "scrapy.exporters.JsonLinesItemExporter")
    with pytest.raises(IncompleteSetup, match="FEED_EXPORTERS"):
        check_setup(Settings({**EXPLICIT, "FEED_EXPORTERS": scrapys}), has_guard=True)
