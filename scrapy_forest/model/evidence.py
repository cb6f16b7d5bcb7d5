"""What a page says about its article outside of the article's text, by who says it.

Three kinds of evidence are asked in this order, and each only when those before it had nothing that could be used:
JSON-LD, then ``meta`` elements, then plain markup.  Of several elements of the same markup, those that stand closest to
the article are taken: lists of other articles have headings, dates and tags, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Final

from lxml import etree
from lxml.etree import _Element

from scrapy_forest.model.headline import Heading, headline_in
from scrapy_forest.model.json_ld import LinkedArticle, find_article
from scrapy_forest.model.page import Page
from scrapy_forest.model.web_link import web_link

MAX_ELEMENTS: Final = 200  # of one kind; more is a list of something else
MAX_TEXT: Final = 2_000  # characters of one such element

JSON_LD: Final[Mapping[str, tuple[str, ...]]] = {
    "headline": ("headline", "name"),
    "date_published": ("datePublished", "dateCreated"),
    "date_modified": ("dateModified",),
    "authors": ("author", "creator"),
    "description": ("description",),
    "keywords": ("keywords",),
    "section": ("articleSection",),
    "main_image": ("image", "thumbnailUrl"),
}
# What content management systems and their plugins write; the names are compared in lower case.
META: Final[Mapping[str, tuple[str, ...]]] = {
    "headline": ("og:title", "twitter:title", "parsely-title", "dc.title", "dcterms.title", "headline", "title"),
    "date_published": (
        "article:published_time", "og:published_time", "og:article:published_time", "datepublished", "parsely-pub-date",
        "citation_publication_date", "dc.date.issued", "dcterms.issued", "dcterms.created", "dc.date", "pubdate",
        "publishdate", "publish-date", "publish_date", "sailthru.date", "cxenseparse:recs:publishtime", "date",
    ),
    "date_modified": (
        "article:modified_time", "og:updated_time", "datemodified", "dcterms.modified", "last-modified", "revised",
    ),
    "authors": (
        "author", "parsely-author", "sailthru.author", "citation_author", "dc.creator", "dcterms.creator", "byl",
        "cxenseparse:author", "article:author",
    ),
    "description": ("og:description", "description", "twitter:description", "dc.description"),
    "keywords": ("article:tag", "parsely-tags", "news_keywords", "sailthru.tags", "keywords"),
    "section": ("article:section", "parsely-section", "cxenseparse:category"),
    "main_image": ("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"),
    "videos": ("og:video:secure_url", "og:video:url", "og:video"),
    "canonical_url": ("og:url",),
}  # fmt: skip

_WANTED: Final = frozenset(name for names in META.values() for name in names)
_TAGS: Final = ("meta", "script", "base", "link", "title", "h1", "h2", "h3", "time")
_HOME: Final = re.compile(r"https?://[^/?#]*/?(?:index\.\w+)?", re.I)


def _has_class(name: str) -> str:
    return f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')"


# Microdata, and microformats old and new: https://microformats.org/wiki/hatom, https://microformats.org/wiki/h-entry.
# Their properties count only inside of what they mark as an entry, which also saves a search of the whole page.
_ENTRY: Final = re.compile(r"(?:^|\s)(?:hentry|h-entry)(?:\s|$)")
_ENTRY_TYPE: Final = re.compile(r"schema\.org/\w*(?:Article|BlogPosting)")
_AUTHORS: Final = etree.XPath(
    f".//*[@itemprop='author' or {_has_class('p-author')} or {_has_class('fn')}"
    f" and ancestor-or-self::*[{_has_class('author')} or {_has_class('vcard')}]]"
)
_DATES: Final = etree.XPath(
    f".//*[@itemprop='datePublished' or {_has_class('dt-published')} or {_has_class('published')}][not(self::time)]"
)
_REL: Final = etree.XPath("//a[@rel]")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Texts that one kind of source gives for one field, and the first element that they are from."""

    texts: tuple[str, ...]
    source: str
    node: _Element


@dataclass(frozen=True, eq=False)
class PageEvidence:
    """All that one page says; ``content`` is the node of its article."""

    page: Page
    content: _Element

    def of(self, field: str) -> Iterator[Evidence]:
        """The evidence for a field, best first; looked for only as far as it is asked for."""
        # og:url is what to share, rel=canonical what the page is.
        kinds = [self._markup, self._meta] if field == "canonical_url" else [self._json_ld, self._meta, self._markup]
        for evidence_of in kinds:
            yield from evidence_of(field)

    @cached_property
    def base(self) -> str:
        """What links of the page are relative to."""
        links = (node.get("href") for node in self._named["base"])
        link = next(filter(None, links), None)
        return (web_link(self.page.url, link) if link else None) or self.page.url

    @cached_property
    def headings(self) -> list[Heading]:
        """The page's larger headings."""
        return [Heading(text_of(node), self._nearness(node)) for node in self._headings]

    @cached_property
    def _headings(self) -> list[_Element]:
        """Without those that lead home: they hold the name of the site."""
        nodes = [node for tag in ("h1", "h2", "h3") for node in self._named[tag][:MAX_ELEMENTS]]
        return [node for node in nodes if not _leads_home(node, self.page.url)]

    @cached_property
    def _named(self) -> dict[str, list[_Element]]:
        """Elements by tag, in one pass over the page: its memory, not the search, is what takes time."""
        nodes: dict[str, list[_Element]] = {tag: [] for tag in _TAGS}
        for node in self.page.root.iter(*_TAGS):
            nodes[str(node.tag)].append(node)
        return nodes

    @cached_property
    def _metas(self) -> dict[str, list[_Element]]:
        metas: dict[str, list[_Element]] = {}
        for node in self._named["meta"]:
            name = (node.get("property") or node.get("name") or node.get("itemprop") or "").strip().lower()
            if name in _WANTED and node.get("content"):
                metas.setdefault(name, []).append(node)
        return metas

    @cached_property
    def _scripts(self) -> list[_Element]:
        return [node for node in self._named["script"] if "ld+json" in (node.get("type") or "")]

    @cached_property
    def _article(self) -> LinkedArticle | None:
        return find_article([script.text or "" for script in self._scripts], self.page.url) if self._scripts else None

    @cached_property
    def _rels(self) -> dict[str, list[_Element]]:
        rels: dict[str, list[_Element]] = {}
        for node in _REL(self.page.root):
            for word in node.get("rel").lower().split():
                rels.setdefault(word, []).append(node)
        return rels

    def _json_ld(self, field: str) -> Iterator[Evidence]:
        if self._article is not None:
            for name in JSON_LD.get(field, ()):
                if texts := self._article.texts(name):
                    yield Evidence(texts, "json-ld", self._scripts[self._article.block])

    def _meta(self, field: str) -> Iterator[Evidence]:
        for name in META.get(field, ()):
            if nodes := self._metas.get(name):
                source = "opengraph" if name.startswith(("og:", "article:")) else "meta"
                yield Evidence(tuple(node.get("content", "") for node in nodes[:MAX_ELEMENTS]), source, nodes[0])

    def _markup(self, field: str) -> Iterator[Evidence]:
        for nodes, attribute in self._marked(field):
            if chosen := self._closest(nodes[:MAX_ELEMENTS]):
                texts = (node.get(attribute) if attribute else text_of(node) for node in chosen)
                yield Evidence(tuple(text or "" for text in texts), "html", chosen[0])

    def _marked(self, field: str) -> Iterator[tuple[list[_Element], str | None]]:
        """Elements, and the attribute that has the value; None if it is their text."""
        match field:
            case "headline":
                titles = self._named["title"][:1]  # others are in drawings
                yield self._headings_in(titles), None
                yield [node for node in self._headings if node.tag == "h1"], None
                yield titles, None
            case "date_published":
                yield [node for node in self._named["time"] if node.get("datetime")], "datetime"
                yield self._in_entry(_DATES), None
            case "authors":
                yield self._rels.get("author", []), None
                yield self._in_entry(_AUTHORS), None
            case "keywords":
                yield self._rels.get("tag", []), None
            case "canonical_url":
                links = self._named["link"]
                yield [node for node in links if "canonical" in (node.get("rel") or "").lower().split()], "href"

    def _in_entry(self, find: etree.XPath) -> list[_Element]:
        entries = [node for node in self._depths if _is_entry(node)]
        return list(find(entries[0])) if entries else []  # the outermost

    def _headings_in(self, titles: Sequence[_Element]) -> list[_Element]:
        found = headline_in(text_of(titles[0]), self.headings) if titles else None
        pairs = zip(self._headings, self.headings, strict=True)
        return [node for node, heading in pairs if heading.text == found][:1]

    def _closest(self, nodes: Sequence[_Element]) -> list[_Element]:
        """Those that share the smallest part of the page with the article."""
        if len(nodes) < 2:
            return list(nodes)
        shared = [self._nearness(node) for node in nodes]
        most = max(shared)
        return [node for node, depth in zip(nodes, shared, strict=True) if depth == most]

    @cached_property
    def _depths(self) -> dict[_Element, int]:
        around = [self.content, *self.content.iterancestors()]
        return {node: depth for depth, node in enumerate(reversed(around))}

    def _nearness(self, node: _Element) -> int:
        """How deep the smallest part of the page is that holds both the node and the article.

        What is inside of the article is no nearer than what is just outside: headlines and dates stand there, too.
        """
        shared = next((each for each in chain([node], node.iterancestors()) if each in self._depths), None)
        return min(self._depths[shared], len(self._depths) - 2) if shared is not None else 0


def text_of(node: _Element) -> str:
    """The text of a small element on one line, within a limit."""
    return " ".join("".join(islice(node.itertext(), MAX_ELEMENTS)).split())[:MAX_TEXT]


def _is_entry(node: _Element) -> bool:
    return bool(_ENTRY.search(node.get("class") or "") or _ENTRY_TYPE.search(node.get("itemtype") or ""))


def _leads_home(heading: _Element, url: str) -> bool:
    """Whether the heading is, or is in, a link to the front page of the host."""
    links = (node.get("href") for node in chain(heading.iterancestors("a"), islice(heading.iter("a"), 1)))
    return any(_HOME.fullmatch(web_link(url, link) or "") for link in links if link)
