"""What a site's template consists of, and the few pieces of HTML that all of them write the same way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any, Final

from demo_sites.articles import Article
from demo_sites.host import Host, Routes

MONTHS: Final = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر".split(),
}
ORDER: Final = {
    "en": "{month} {day}, {year}",
    "de": "{day}. {month} {year}",
    "fr": "{day} {month} {year}",
    "ar": "{day} {month} {year}",
    "ja": "{year}年{number}月{day}日",
}


@dataclass(frozen=True, slots=True)
class Listing:
    """A page that lists articles: the index, a tag, a section, an author."""

    path: str
    title: str
    articles: tuple[Article, ...]
    number: int = 0  # of the page in the index; 0 for lists that are not the index


@dataclass(frozen=True, slots=True)
class Theme:
    """The template of a site: its paths and a function for each kind of page; a feed is (path, type, text)."""

    routes: Routes
    article: Callable[[Host, Article], str]
    listing: Callable[[Host, Listing], str]
    about: Callable[[Host], str]
    feeds: Callable[[Host], list[tuple[str, str, str]]]
    style: str
    encoding: str = "utf-8"


def format_date(date: datetime, language: str) -> str:
    """The date as people of a language write it.

    >>> format_date(datetime(2026, 3, 4), "de"), format_date(datetime(2026, 3, 4), "ja")
    ('4. März 2026', '2026年3月4日')
    """
    month = MONTHS[language][date.month - 1] if language in MONTHS else ""
    return ORDER[language].format(day=date.day, month=month, number=date.month, year=date.year)


def link(href: str, text: str, attributes: str = "") -> str:
    """A link to a place, with text that is not yet HTML."""
    space = " " if attributes else ""
    return f'<a{space}{attributes} href="{escape(href)}">{escape(text)}</a>'


def list_items(items: Iterable[str], attributes: str = "") -> str:
    """Pieces of HTML as items of a list."""
    space = " " if attributes else ""
    return "\n".join(f"<li{space}{attributes}>{item}</li>" for item in items)


def article_link(host: Host, article: Article, attributes: str = "") -> str:
    """A link to an article that shows its title."""
    return link(host.article_path(article), article.title, attributes)


def json_ld(value: dict[str, Any]) -> str:
    """A block of structured data; ``<`` is written so that no text can end the block."""
    text = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/ld+json">{text}</script>'
