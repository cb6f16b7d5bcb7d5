"""From evidence to values: the fields of an article that are not its text.

Values are plain text within the limits that feeds have, links are absolute and lead to the web, moments are in UTC.
What cannot be read is passed over for the next evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from scrapy_forest.model.evidence import Evidence, PageEvidence
from scrapy_forest.model.feed.dates import parse_date
from scrapy_forest.model.feed.fields import MAX_NAMES, MAX_SUMMARY, MAX_TITLE, author_names, tag_names
from scrapy_forest.model.feed.values import FeedEntry
from scrapy_forest.model.headline import has_separator, headline_in
from scrapy_forest.model.place import xpath_of
from scrapy_forest.model.terms import language_code
from scrapy_forest.model.web_link import host_of, web_link

MAX_RAW_DATE: Final = 100  # characters

_COMMA: Final = re.compile(r"[,;،、，；]")


@dataclass(frozen=True, slots=True)
class Field:
    """Where the value of a field is from: ``xpath`` leads to the element, where there is one."""

    source: str
    xpath: str | None = None
    confidence: float | None = None


Findings: TypeAlias = dict[str, tuple[Any, Field]]


def feed_findings(entry: FeedEntry) -> Findings:
    """What the feed says."""
    values = {
        "headline": entry.title,
        "authors": entry.authors,
        "date_published": entry.published,
        "date_modified": entry.updated,
        "description": entry.summary,
        "keywords": entry.tags,
    }
    return {name: (value, Field("feed")) for name, value in values.items() if value}


def page_findings(evidence: PageEvidence, known: Container[str]) -> Findings:
    """What the page says, as far as it is not known."""
    found: Findings = {}
    for name, read in _READERS.items():
        if name not in known:
            found.update(_first_value(name, read, evidence))
    if "date_published" not in known:
        found.update(_date_published(evidence))
    return {**found, **_language(evidence)}


_Read: TypeAlias = Callable[[tuple[str, ...], PageEvidence], Any]  # a value that is false if there is none


def _first_value(name: str, read: _Read, evidence: PageEvidence) -> Findings:
    for each in evidence.of(name):
        if value := read(each.texts, evidence):
            return {name: (value, _field(each))}
    return {}


def _field(evidence: Evidence) -> Field:
    return Field(evidence.source, xpath_of(evidence.node))


def _date_published(evidence: PageEvidence) -> Findings:
    """The first moment that can be read, and how it is written; if none can be read, how the first is written."""
    unread: Findings = {}
    for each in evidence.of("date_published"):
        for text in _lines(each.texts):
            raw = text[:MAX_RAW_DATE], _field(each)
            if moment := parse_date(text):
                return {"date_published": (moment, raw[1]), "date_published_raw": raw}
            unread = unread or {"date_published_raw": raw}
    return unread


def _language(evidence: PageEvidence) -> Findings:
    page = evidence.page
    if page.language is None:
        return {}
    is_declared = language_code(page.root.get("lang") or page.root.get("xml:lang")) is not None
    return {"language": (page.language, Field("html", "/html") if is_declared else Field("feed"))}


def _headline(texts: tuple[str, ...], evidence: PageEvidence) -> str:
    title = _section(texts, evidence)
    return (headline_in(title, evidence.headings) if has_separator(title) else None) or title


def _section(texts: tuple[str, ...], _: PageEvidence) -> str:
    return next(_lines(texts), "")[:MAX_TITLE]


def _description(texts: tuple[str, ...], _: PageEvidence) -> str:
    return next(_lines(texts), "")[:MAX_SUMMARY]


def _date(texts: tuple[str, ...], _: PageEvidence) -> Any:
    return next(filter(None, map(parse_date, _lines(texts))), None)


def _authors(texts: tuple[str, ...], _: PageEvidence) -> tuple[str, ...]:
    """Names; some have a link instead, as Facebook asks for, or the publisher added: ``Jane Doe | The Daily``."""
    names = (text.partition(" | ")[0] for text in _lines(texts) if "://" not in text and not text.startswith(","))
    return author_names(names, set())


def _keywords(texts: tuple[str, ...], _: PageEvidence) -> tuple[str, ...]:
    return tag_names((part for text in _lines(texts) for part in _COMMA.split(text, MAX_NAMES)), set())


def _link(texts: tuple[str, ...], evidence: PageEvidence) -> str | None:
    return next(filter(None, (web_link(evidence.base, text) for text in _lines(texts))), None)


def _links(texts: tuple[str, ...], evidence: PageEvidence) -> tuple[str, ...]:
    links = (web_link(evidence.base, text) for text in _lines(texts))
    return tuple(dict.fromkeys(filter(None, links)))


def _canonical(texts: tuple[str, ...], evidence: PageEvidence) -> str | None:
    """The page's own link, if it stays on the host: a page cannot speak for others."""
    link = _link(texts, evidence)
    return link if link and _site(link) == _site(evidence.page.url) else None


def _site(link: str) -> str:
    return host_of(link).removeprefix("www.")  # one site in two spellings


def _lines(texts: tuple[str, ...]) -> Iterator[str]:
    return filter(None, (" ".join(text.split()) for text in texts))


_READERS: Final[Mapping[str, _Read]] = {
    "headline": _headline,
    "authors": _authors,
    "date_modified": _date,
    "description": _description,
    "keywords": _keywords,
    "section": _section,
    "main_image": _link,
    "videos": _links,
    "canonical_url": _canonical,
}
