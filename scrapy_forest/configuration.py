"""What has to be configured, in one table: the add-on writes it, the extension checks it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from w3lib.url import file_uri_to_path

from scrapy_forest.errors import IncompleteSetup, InvalidSetting
from scrapy_forest.network.handlers import HANDLERS
from scrapy_forest.settings import DEFAULTS

COMPONENTS: Final[Mapping[str, Mapping[str, int]]] = {
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy_forest.downloadermiddlewares.SampleMiddleware": 20,  # next to the engine: sees what the spider sees
        "scrapy_forest.network.guard.GuardMiddleware": 40,  # before anything is asked of a host
        "scrapy_forest.downloadermiddlewares.RetryAfterMiddleware": 560,  # hears of a 429 before Scrapy's retry (550)
        "scrapy_forest.downloadermiddlewares.SlowHostMiddleware": 570,  # and of a time-out
    },
    # Next to the engine: sees what other middlewares leave.
    "SPIDER_MIDDLEWARES": {"scrapy_forest.spidermiddlewares.TemplateMiddleware": 40},
    "ITEM_PIPELINES": {"scrapy_forest.pipelines.ArticlePipeline": 100},  # before pipelines that look at articles
    "EXTENSIONS": {"scrapy_forest.extensions.ForestExtension": 10},
}
EXPORTER: Final = "scrapy_forest.exporters.ArticleLinesExporter"
EXPORTERS: Final[Mapping[str, str]] = {"jsonlines": EXPORTER, "jsonl": EXPORTER, "jl": EXPORTER}
SPIDERS: Final = "scrapy_forest.spiders"
# Scrapy's own (1 GB, three minutes) let a dozen hostile hosts stop a crawl.
LIMITS: Final[Mapping[str, int]] = {"DOWNLOAD_MAXSIZE": 10 * 1024 * 1024, "DOWNLOAD_TIMEOUT": 30}
# How a guest behaves, and how hosts that hang do not hold up the others.
MANNERS: Final[Mapping[str, Any]] = {
    "ROBOTSTXT_OBEY": True,
    "AUTOTHROTTLE_ENABLED": True,
    "CONCURRENT_REQUESTS": 64,  # of all hosts; none of them gets more for it
    "SCHEDULER_PRIORITY_QUEUE": "scrapy_forest.scheduling.FairPriorityQueue",
}


def check_setup(settings: BaseSettings, *, has_guard: bool) -> None:
    """Raise :class:`IncompleteSetup` if a part is missing, naming all that are."""
    missing = [*_missing_components(settings, has_guard=has_guard), *_missing_values(settings, has_guard=has_guard)]
    if missing:
        raise IncompleteSetup(missing)


def setup_warnings(settings: BaseSettings) -> Iterator[str]:
    """What is allowed, but rarely meant."""
    feeds = settings.getdict("FEEDS")
    if not feeds:
        yield "There is no export (-o FILE, or FEEDS): articles are written nowhere, and count as done all the same"
    for uri, options in feeds.items():
        if options.get("overwrite"):
            yield f"The export to {str(uri)!r} overwrites: articles of earlier crawls are gone, and not fetched again"
        elif why := _weakness(str(uri), options, settings):
            yield f"The export to {str(uri)!r} {why}: if the crawl is killed, it may lack articles, or have some twice"
    for name in sorted(set(map(str, settings)) - DEFAULTS.keys()):
        if name.startswith("FOREST_"):
            yield f"{name} is no setting of scrapy-forest"


def check_exports(settings: BaseSettings) -> None:
    """Raise :class:`InvalidSetting` for a file that cannot be written: Scrapy would find out with the first article."""
    for uri in map(str, settings.getdict("FEEDS")):
        path = _local_file(uri)
        if path is None or "%(" in uri:  # a name that Scrapy makes up as it goes
            continue
        there = next(each for each in (path, *path.parents) if each.exists())
        if there.is_dir() == (there == path) or not os.access(there, os.W_OK):
            raise InvalidSetting("FEEDS", f"names {str(path)!r}, which cannot be written")


def count_exports(settings: BaseSettings) -> int:
    """In how many exports of ours every article should stand."""
    feeds = settings.getdict("FEEDS").values()
    ours = [options for options in feeds if options.get("format") in EXPORTERS]
    return sum(not options.get("item_classes") and not options.get("item_filter") for options in ours)


def _local_file(uri: str) -> Path | None:
    scheme, separator, _ = uri.partition("://")
    if uri == "-" or uri.startswith("stdout:") or (separator and scheme != "file"):
        return None
    return Path(file_uri_to_path(uri) if separator else uri).absolute()


def _weakness(uri: str, options: Mapping[str, Any], settings: BaseSettings) -> str | None:
    """Why an export cannot have every article exactly once, if so."""
    if _local_file(uri) is None:
        return "is no local file"
    if options.get("format") not in EXPORTERS:
        return "is not JSON lines"
    if options.get("batch_item_count", settings.getint("FEED_EXPORT_BATCH_ITEM_COUNT")):
        return "is written in batches"
    return "passes through others before it is written" if options.get("postprocessing") else None


def _missing_components(settings: BaseSettings, *, has_guard: bool) -> Iterator[str]:
    for name, components in COMPONENTS.items():
        configured = settings.getwithbase(name)
        present = {_loaded(path) for path, order in configured.items() if order is not None}
        for path, order in components.items():
            is_needed = has_guard or "network.guard" not in path
            if is_needed and load_object(path) not in present:
                yield f"{name}: {path!r}: {order}"


def _missing_values(settings: BaseSettings, *, has_guard: bool) -> Iterator[str]:
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    for scheme, handler in HANDLERS.items():
        if has_guard and _loaded(handlers.get(scheme)) != _loaded(handler):
            yield f"DOWNLOAD_HANDLERS: {scheme!r}: {handler!r}"
    exporters = settings.getwithbase("FEED_EXPORTERS")
    for format_, exporter in EXPORTERS.items():
        if not _is_subclass(exporters.get(format_), exporter):
            yield f"FEED_EXPORTERS: {format_!r}: {exporter!r}"
    for name, value in LIMITS.items():
        if not settings.getpriority(name):  # nobody has set it
            yield f"{name} = {value}"


def _loaded(path: Any) -> Any:
    return load_object(path) if isinstance(path, str) else path


def _is_subclass(path: Any, of: str) -> bool:
    loaded = _loaded(path)
    return isinstance(loaded, type) and issubclass(loaded, load_object(of))
