"""The front door: ``ADDONS = {"scrapy_forest.Addon": 500}`` switches everything on."""

from __future__ import annotations

from scrapy.exceptions import NotConfigured
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.misc import load_object

from scrapy_forest.configuration import COMPONENTS, EXPORTERS, LIMITS, MANNERS, SPIDERS
from scrapy_forest.network.handlers import HANDLERS
from scrapy_forest.settings import has_guard, is_enabled


class Addon:
    """Adds our components, handlers, exporters and limits; whatever the project sets itself stays as it is."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Our spiders, so that ``scrapy crawl feeds`` works in any project."""
        modules = settings.getlist("SPIDER_MODULES")
        if is_enabled(settings) and SPIDERS not in modules:
            settings.set("SPIDER_MODULES", [*modules, SPIDERS], settings.getpriority("SPIDER_MODULES") or "addon")

    def update_settings(self, settings: BaseSettings) -> None:
        """All else."""
        if not is_enabled(settings):
            raise NotConfigured("FOREST_ENABLED is false")
        for name, components in COMPONENTS.items():
            for path, order in components.items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), order)
        if has_guard(settings):
            _add_missing(settings, "DOWNLOAD_HANDLERS", HANDLERS)
        _add_missing(settings, "FEED_EXPORTERS", EXPORTERS)
        for name, value in {**LIMITS, **MANNERS}.items():
            if (settings.getpriority(name) or 0) < SETTINGS_PRIORITIES["addon"]:  # nobody else has set it
                settings.set(name, value, "addon")


def _add_missing(settings: BaseSettings, name: str, values: object) -> None:
    """Entries of a dictionary setting that the project has not set."""
    merged = {**dict(values), **settings.getdict(name)}  # type: ignore[call-overload]
    settings.set(name, merged, settings.getpriority(name) or "addon")
