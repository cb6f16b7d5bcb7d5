"""An article: what a wrapper finds on a page, and where each of its fields is from.

The article's node is the wrapper's; other fields are from the first of these that has them:

=====================  =======================================================================================
field                  sources, in order
=====================  =======================================================================================
text, html, images     wrapper
headline               feed, json-ld, opengraph, meta, html (``h1``, then ``title``)
authors                feed, json-ld, meta, html (``rel=author``, then microformats and microdata)
keywords               feed, json-ld, opengraph, meta, html (``rel=tag``)
date_published         feed, json-ld, opengraph, meta, html (``time``, then microformats and microdata)
date_modified          feed, json-ld, opengraph, meta
description            feed, json-ld, opengraph, meta
section                json-ld, opengraph, meta
main_image             json-ld, opengraph, meta, wrapper (the first image)
videos                 wrapper, else opengraph
language               html (``lang``), feed
canonical_url          html (``rel=canonical``), opengraph; only on the page's own host
=====================  =======================================================================================

``date_published_raw`` is how the page writes the date; what a feed wrote is not kept.  A title that also names the site
is cut to the heading that it repeats.  ``Field.xpath`` leads to the element that was read, for the wrapper's fields it
is the wrapper's own; ``Field.confidence`` is for those who compare articles, nothing sets it here.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Final

from lxml.etree import _Element

from scrapy_forest.errors import PageError
from scrapy_forest.model.evidence import PageEvidence
from scrapy_forest.model.feed.values import FeedEntry
from scrapy_forest.model.markup import parse
from scrapy_forest.model.metadata import Field, Findings, feed_findings, page_findings
from scrapy_forest.model.page import Page
from scrapy_forest.model.safe_html import copy_harmless, write_html
from scrapy_forest.model.selection import selection
from scrapy_forest.model.text import element_text
from scrapy_forest.model.videos import video_links
from scrapy_forest.model.wrapper import Wrapper

_TUPLES: Final = ("authors", "images", "videos", "keywords")
_DATES: Final = ("date_published", "date_modified")


@dataclass(frozen=True, slots=True)
class Article:
    """The article of one page; ``fields`` says where each value is from, by the field's name."""

    url: str
    text: str
    html: str = ""  # safe to show, links absolute
    headline: str | None = None
    authors: tuple[str, ...] = ()
    date_published: datetime | None = None
    date_published_raw: str | None = None
    date_modified: datetime | None = None
    language: str | None = None
    description: str | None = None
    main_image: str | None = None
    images: tuple[str, ...] = ()
    videos: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    section: str | None = None
    canonical_url: str | None = None
    fields: Mapping[str, Field] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, moments in ISO 8601."""
        data = {each.name: getattr(self, each.name) for each in fields(self)}
        data.update({name: list(data[name]) for name in _TUPLES})
        data.update({name: data[name] and data[name].isoformat() for name in _DATES})
        origins = {
            name: {"source": origin.source, "xpath": origin.xpath, "confidence": origin.confidence}
            for name, origin in self.fields.items()
        }
        return {**data, "fields": origins}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Article:
        """The article that ``to_dict`` wrote; a key that is missing takes its default."""
        values = dict(data)
        values.update({name: tuple(data[name]) for name in _TUPLES if name in data})
        values.update({name: datetime.fromisoformat(data[name]) for name in _DATES if data.get(name)})
        origins = {name: Field(**origin) for name, origin in data.get("fields", {}).items()}
        return cls(**{**values, "fields": origins})


def extract(wrapper: Wrapper, page: Page, entry: FeedEntry | None = None) -> Article | None:
    """The article of ``page``, or None if the page has no such node or no text in it; ``entry`` is the feed's."""
    node = find_content(wrapper, page)
    content = leave_out(wrapper, node) if node is not None else None
    text = element_text(content) if content is not None else ""
    if node is None or content is None or not text:
        return None
    evidence = PageEvidence(page, node)
    origin = Field("wrapper", wrapper.content)
    found = content_findings(content, evidence.base, origin)
    found.update(feed_findings(entry) if entry is not None else {})
    found = {**page_findings(evidence, known=found), **found}
    return _article(page.url, {**found, "text": (text, origin)}, origin)


def extract_text(wrapper: Wrapper, page: Page) -> str | None:
    """The text of the article alone, which takes a seventh of the time; None where ``extract`` gives None."""
    node = find_content(wrapper, page)
    return (element_text(leave_out(wrapper, node)) or None) if node is not None else None


def from_entry(entry: FeedEntry, url: str) -> Article | None:
    """An article made from a feed entry that carries its content, for a page that is gone or walled; else None."""
    try:
        root = parse(entry.content, url)
    except PageError:  # no content, or none that can be read
        return None
    text = element_text(root)
    if not text:
        return None
    origin = Field("feed")
    found = {**content_findings(root, url, origin), **feed_findings(entry), "text": (text, origin)}
    return _article(url, found, origin)


def content_findings(content: _Element, base: str, origin: Field) -> Findings:
    """What is inside of the article's node: the HTML, images and videos."""
    copy = copy_harmless(content, base)
    images = tuple(dict.fromkeys(link for node in copy.iter("img") if (link := node.get("src"))))
    values = {"html": write_html(copy), "images": images, "videos": video_links(content, base)}
    return {name: (value, origin) for name, value in values.items() if value}


def _article(url: str, found: Findings, origin: Field) -> Article:
    if "main_image" not in found and "images" in found:
        found = {**found, "main_image": (found["images"][0][0], origin)}
    values = {name: value for name, (value, _) in found.items()}
    return Article(url, **values, fields={name: where for name, (_, where) in found.items()})


def find_content(wrapper: Wrapper, page: Page) -> _Element | None:
    """The node that holds the article."""
    return next(iter(selection(wrapper.content)(page.root)), None)


def leave_out(wrapper: Wrapper, node: _Element) -> _Element:
    """The node without what the wrapper leaves out: a copy, as the page's tree belongs to others, too."""
    if not wrapper.exclusions:
        return node
    copy = deepcopy(node)
    for each in [each for expression in wrapper.exclusions for each in selection(expression)(copy)]:
        each.clear(keep_tail=True)
    return copy
