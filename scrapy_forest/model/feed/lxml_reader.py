"""RSS, RDF and Atom read by lxml's recovering parser, for feeds that are too much for feedparser.

It knows fewer dialects and forgives fewer mistakes, but reads ten megabytes of anything in a second and keeps what
comes before a fault.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from html import escape
from typing import Final

from lxml import etree
from lxml.etree import _Element

from scrapy_forest.model.feed.dates import parse_date
from scrapy_forest.model.feed.links import join_link
from scrapy_forest.model.feed.raw import RawEntry, RawFeed, RawLink, RawText
from scrapy_forest.model.markup import DEPTH_ERROR

MAX_NAMES = 200  # authors or tags of an entry

_RDF_ABOUT: Final = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_XML_LANG: Final = "{http://www.w3.org/XML/1998/namespace}lang"
_ATOM_10: Final = "http://www.w3.org/2005/Atom"
_RSS_090: Final = "http://my.netscape.com/rdf/simple/0.9/"
_PREFIXES: Final = {
    _ATOM_10: "",
    _RSS_090: "",
    "http://purl.org/rss/1.0/": "",
    "http://purl.org/atom/ns#": "",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://www.w3.org/1999/xhtml": "xhtml",
}
_FIELDS: Final = {
    "title": "title", "dc:title": "title",
    "link": "link", "enclosure": "link", "guid": "id", "id": "id",
    "description": "summary", "summary": "summary", "dc:description": "summary",
    "content": "content", "content:encoded": "content", "xhtml:body": "content", "body": "content",
    "author": "author", "dc:creator": "author", "dc:author": "author",
    "category": "tag", "dc:subject": "tag",
    "pubdate": "published", "published": "published", "issued": "published", "dcterms:issued": "published",
    "updated": "updated", "modified": "updated", "dc:date": "updated", "dcterms:modified": "updated",
    "language": "language", "dc:language": "language",
}  # fmt: skip
_TYPES: Final = {"text": "text/plain", "html": "text/html", "xhtml": "application/xhtml+xml"}
_PLAIN: Final = frozenset(["title", "dc:title", "summary", "content"])  # unless their type says otherwise
_RSS_VERSIONS: Final = {"0.91": "rss091u", "0.92": "rss092", "0.93": "rss093", "0.94": "rss094"}


def read_with_lxml(text: str, url: str) -> RawFeed:
    """Read a mended feed as far as it goes."""
    try:
        return _read(text, url)
    except (etree.XMLSyntaxError, UnicodeDecodeError):  # no element, or a reference to a surrogate that mending missed
        return RawFeed(problems=frozenset(["bad_markup"]))


def _read(text: str, url: str) -> RawFeed:
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    root = etree.fromstring(text.encode(), parser, base_url=url.encode("ascii", "replace").decode())
    if root is None:
        return RawFeed(problems=frozenset(["bad_markup"]))
    head = _children(next(root.iter("{*}channel"), root))
    return RawFeed(
        dialect=_dialect(root),
        title=_text(head["title"]),
        language=root.get(_XML_LANG) or _string(head["language"]),
        authors=_authors(head["author"]),
        entries=tuple(_entry(node) for node in root.iter("{*}item", "{*}entry") if _name(node) in ("item", "entry")),
        problems=_problems(parser),
    )


def _problems(parser: etree.XMLParser) -> frozenset[str]:
    errors = list(parser.error_log.filter_from_errors())
    if any(error.type == DEPTH_ERROR and "depth" in error.message for error in errors):
        return frozenset(["too_deep"])
    return frozenset(["bad_markup"] if errors else [])


def _dialect(root: _Element) -> str:
    name, version = _name(root).rpartition(":")[2], root.get("version", "")
    if name == "rss":
        return _RSS_VERSIONS.get(version) or ("rss20" if version.startswith("2") else "rss")
    if name == "feed":
        return "atom03" if version == "0.3" else "atom10" if _ATOM_10 in root.nsmap.values() else "atom"
    if name == "rdf":
        return "rss090" if _RSS_090 in root.nsmap.values() else "rss10"
    return "rss" if name == "channel" else ""


def _entry(node: _Element) -> RawEntry:
    fields = _children(node)
    ids = fields["id"]
    return RawEntry(
        id=_string(ids) or node.get(_RDF_ABOUT, ""),
        is_permalink=not ids or ids[0].get("isPermaLink", "true").strip().lower() == "true",
        links=tuple(_link(link) for link in fields["link"]),
        title=_text(fields["title"]),
        summary=_text(fields["summary"]),
        contents=tuple(_text([content]) for content in fields["content"]),
        authors=_authors(fields["author"]),
        tags=tuple(tag.get("label") or tag.get("term") or _string([tag]) for tag in fields["tag"][:MAX_NAMES]),
        published=parse_date(_string(fields["published"])),
        updated=parse_date(_string(fields["updated"])),
    )


def _children(node: _Element) -> dict[str, list[_Element]]:
    fields: dict[str, list[_Element]] = defaultdict(list)
    for child in node:
        fields[_FIELDS.get(_name(child), "")].append(child)
    return fields


def _name(node: _Element) -> str:
    """Local name with the usual prefix, ``title`` or ``dc:creator``; unknown namespaces keep their own."""
    if not isinstance(node.tag, str):
        return ""  # an entity that mending missed
    namespace, _, local = node.tag.lstrip("{").rpartition("}")
    prefix = _PREFIXES.get(namespace, node.prefix or "") if namespace else ""
    return f"{prefix}:{local}".lower() if prefix else local.lower()


def _string(nodes: list[_Element]) -> str:
    """The text of the first node, if there is one."""
    return "".join(nodes[0].itertext()).strip() if nodes else ""


def _authors(nodes: list[_Element]) -> tuple[str, ...]:
    return tuple(_string([child for child in node if _name(child) == "name"] or [node]) for node in nodes[:MAX_NAMES])


def _link(node: _Element) -> RawLink:
    if _name(node) == "enclosure":
        return RawLink(node.get("url", ""), "enclosure", node.get("type", "").lower())
    href = node.get("href") or _string([node])
    with suppress(ValueError):  # a link that cannot be parsed is told as such when it is resolved
        href = join_link(node.base or "", href)
    return RawLink(href, node.get("rel", "alternate").lower(), node.get("type", "text/html").lower())


def _text(nodes: list[_Element]) -> RawText:
    """Text or markup of the first node."""
    if not nodes:
        return RawText()
    node = nodes[0]
    if len(node):
        # Atom's div around its content is not part of it.
        markup = node[0] if len(node) == 1 and _name(node[0]) == "xhtml:div" else node
        children = "".join(etree.tostring(child, encoding="unicode") for child in markup)
        return RawText(escape(markup.text or "") + children, "application/xhtml+xml", markup.base or "")
    type_ = node.get("type", "text/plain" if _name(node) in _PLAIN else "text/html").lower()
    return RawText(node.text or "", _TYPES.get(type_, type_), node.base or "")
