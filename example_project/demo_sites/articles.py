"""The articles and sites as written in ``content/``: files in, frozen values out.

An article is a file with lines ``key: value``, an empty line and the body as HTML.  A site is the folder of its
articles with a ``site.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

SITES: Final = ("tinkettle", "hafenblick", "qalam", "kumonoito", "lavigie", "fieldnotes")  # in the order of their ports
CONTENT: Final = Path(__file__).parent / "content"
REQUIRED: Final = frozenset("title author date tags section summary feed".split())
OPTIONAL: Final = frozenset("template full".split())


@dataclass(frozen=True, slots=True)
class Article:
    """One article; ``template`` names the layout where a site has two, ``is_full`` is for feeds that mix."""

    number: int
    slug: str
    title: str
    authors: tuple[str, ...]
    date: datetime
    tags: tuple[str, ...]
    section: str
    summary: str
    body: str
    in_feed: bool
    template: str
    is_full: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """What a reader wrote below an article."""

    author: str
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class Site:
    """A site; its articles are in order of their dates, newest first."""

    key: str
    name: str
    language: str
    direction: str
    tagline: str
    about: str
    articles: tuple[Article, ...]
    comments: tuple[Comment, ...]
    adverts: tuple[str, ...]

    @property
    def listed(self) -> tuple[Article, ...]:
        """The articles that the feeds list."""
        return tuple(article for article in self.articles if article.in_feed)


def read_site(key: str, content: Path = CONTENT) -> Site:
    """The site of this name, with all of its articles."""
    folder = content / key
    facts = json.loads((folder / "site.json").read_text(encoding="utf-8"))
    articles = [read_article(path) for path in folder.glob("*.html")]
    return Site(
        key=key,
        name=facts["name"],
        language=facts["language"],
        direction=facts["dir"],
        tagline=facts["tagline"],
        about=facts["about"],
        articles=tuple(sorted(articles, key=lambda article: article.date, reverse=True)),
        comments=tuple(Comment(each["author"], each["date"], each["text"]) for each in facts["comments"]),
        adverts=tuple(facts["adverts"]),
    )


def read_article(path: Path) -> Article:
    """The article in a file called ``<number>-<slug>.html``."""
    head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    fields = _read_fields(head, path.name)
    number, _, slug = path.stem.partition("-")
    return Article(
        number=int(number),
        slug=slug,
        title=fields["title"],
        authors=_split(fields["author"], ";"),
        date=datetime.fromisoformat(fields["date"]),
        tags=_split(fields["tags"], ","),
        section=fields["section"],
        summary=fields["summary"],
        body=body.strip(),
        in_feed=_is_yes(fields["feed"]),
        template=fields.get("template", "a"),
        is_full=_is_yes(fields.get("full", "yes")),
    )


def _read_fields(head: str, name: str) -> Mapping[str, str]:
    pairs = (line.partition(":") for line in head.splitlines())
    fields = {key.strip(): value.strip() for key, _, value in pairs}
    if not REQUIRED <= fields.keys() <= REQUIRED | OPTIONAL:
        raise ValueError(f"{name}: wrong keys {sorted(fields.keys() ^ REQUIRED)}")
    return fields


def _split(value: str, separator: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(separator) if part.strip())


def _is_yes(value: str) -> bool:
    return {"yes": True, "no": False}[value]
