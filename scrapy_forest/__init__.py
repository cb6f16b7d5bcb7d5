"""Full articles from web feeds, without hand-written rules.

The public names are looked up at first use, so that importing the package imports nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from scrapy_forest.addon import Addon
    from scrapy_forest.errors import ForestError
    from scrapy_forest.induction.induce import induce
    from scrapy_forest.items import ArticleItem
    from scrapy_forest.model.article import Article, extract
    from scrapy_forest.model.feed import Feed, FeedEntry, read_feed
    from scrapy_forest.model.page import Page
    from scrapy_forest.model.sample import Sample
    from scrapy_forest.model.wrapper import Wrapper

__all__ = [
    "Addon",
    "Article",
    "ArticleItem",
    "Feed",
    "FeedEntry",
    "ForestError",
    "Page",
    "Sample",
    "Wrapper",
    "extract",
    "induce",
    "read_feed",
]

_HOMES: Final = {
    "Addon": "addon",
    "Article": "model.article",
    "ArticleItem": "items",
    "Feed": "model.feed",
    "FeedEntry": "model.feed",
    "ForestError": "errors",
    "Page": "model.page",
    "Sample": "model.sample",
    "Wrapper": "model.wrapper",
    "extract": "model.article",
    "induce": "induction.induce",
    "read_feed": "model.feed",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
