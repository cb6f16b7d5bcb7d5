"""What workers can do.  Only they import this module: it brings all that the tasks need.

A task takes the header and the blobs of a message and returns those of the answer; a line in ``TASKS`` gives its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scrapy_forest.errors import NoArticle
from scrapy_forest.induction.divide import induce_templates
from scrapy_forest.induction.induce import induce
from scrapy_forest.induction.templates import signature_of
from scrapy_forest.model.article import extract
from scrapy_forest.model.canonical import canonical_link
from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import read_feed
from scrapy_forest.model.wrapper import Wrapper
from scrapy_forest.workers.frames import Message
from scrapy_forest.workers.process import Task


def read_feed_body(header: dict[str, Any], blobs: list[bytes]) -> Message:
    """Read the feed in the blob: ``url`` and ``content_type`` (may be None) to ``feed``."""
    feed = read_feed(header["url"], blobs[0], header.get("content_type"))
    return {"feed": feed.to_dict()}, []


def examine(header: dict[str, Any], blobs: list[bytes]) -> Message:
    """Parse a page: its label and body to the ``signature`` of its template and its ``canonical`` link or None."""
    page = Document.from_label(header, blobs[0]).page()
    return {"signature": signature_of(page).to_json(), "canonical": canonical_link(page)}, []


def learn_templates(header: dict[str, Any], blobs: list[bytes]) -> Message:
    """Learn: labels and bodies of ``documents``, and a ``method``, to ``learned``, a wrapper and its members each."""
    documents = map(Document.from_label, header["documents"], blobs)
    learned = induce_templates([document.sample() for document in documents], header["method"])
    return {"learned": [{"wrapper": each.wrapper.to_json(), "members": each.members} for each in learned]}, []


def extract_article(header: dict[str, Any], blobs: list[bytes]) -> Message:
    """Apply a ``wrapper`` to a page: ``article``, or None where it finds nothing."""
    sample = Document.from_label(header, blobs[0]).sample()
    article = extract(Wrapper.from_json(header["wrapper"]), sample.page, sample.entry)
    return {"article": article.to_dict() if article else None}, []


def extract_alone(header: dict[str, Any], blobs: list[bytes]) -> Message:
    """Take a page by itself: ``wrapper`` made for it by ``method``, and ``article``."""
    sample = Document.from_label(header, blobs[0]).sample()
    wrapper = induce([sample], header["method"])
    article = extract(wrapper, sample.page, sample.entry)
    if article is None:
        raise NoArticle(sample.page.url)
    return {"wrapper": wrapper.to_json(), "article": article.to_dict()}, []


TASKS: Final[Mapping[str, Task]] = {
    "read_feed": read_feed_body,
    "examine": examine,
    "learn": learn_templates,
    "extract": extract_article,
    "extract_alone": extract_alone,
}
