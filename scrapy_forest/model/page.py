"""A page: the parsed DOM of one response, and what is counted on it once for all methods."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from lxml.etree import _Element

from scrapy_forest.errors import EmptyPage
from scrapy_forest.model.markup import parse
from scrapy_forest.model.outline import Outline, outline_of
from scrapy_forest.model.terms import language_code, terms

# Characters of text: a book of two hundred pages.  Each new word takes 30 µs and more, and a page may be of new words.
MOST_STEMMED: Final = 300_000


@dataclass(frozen=True, eq=False)
class Page:
    """One page.  The tree is shared: nobody may change it."""

    url: str
    root: _Element
    body: _Element
    language: str | None = None

    @classmethod
    def from_html(
        cls, url: str, html: bytes | str, *, content_type: str | None = None, language: str | None = None
    ) -> Page:
        """Parse ``html``; ``language`` is what to assume when the page names none."""
        root = parse(html, url, content_type)
        body = next(root.iterchildren("body"), None)
        if body is None:  # a frameset, or nothing but a head
            raise EmptyPage(url)
        return cls(url, root, body, _declared_language(root) or language_code(language))

    @cached_property
    def outline(self) -> Outline:
        """Elements and text nodes of the body in depth-first order."""
        return outline_of(self.body)

    @cached_property
    def leaf_terms(self) -> list[tuple[str, ...]]:
        """The terms of each text node."""
        leaves = self.outline.leaves
        has_stems = sum(map(len, leaves)) <= MOST_STEMMED
        # Tuples, because the garbage collector passes over tuples of strings, but looks into each list again and again.
        return [tuple(terms(leaf, self.language, has_stems=has_stems)) for leaf in leaves]

    @cached_property
    def term_counts(self) -> list[int]:
        """How many terms the subtree of each element holds."""
        return self.outline.totals([len(leaf) for leaf in self.leaf_terms])

    @cached_property
    def metadata_texts(self) -> tuple[str, ...]:
        """What the head says the page is about: title, description, keywords."""
        found = self.root.xpath(
            "head/title/text() | head/meta[@name='description' or @name='keywords' or @property='og:title'"
            " or @property='og:description']/@content"
        )
        return tuple(str(text) for text in found)


def _declared_language(root: _Element) -> str | None:
    return language_code(root.get("lang") or root.get("xml:lang"))
