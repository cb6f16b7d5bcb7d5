"""HTML that is safe to show anywhere: known tags and attributes only, links to the web only.

In two steps, each of which would be enough by itself for nearly all there is:

1. A stylesheet in libxslt copies what is known into a tree of its own, in which links are made absolute.  Tags that
   bring their own rules of parsing (``svg``, ``math``, ``style``, ``noscript``, …) are never copied, so that nothing is
   left that a browser could read differently.
2. nh3 reads what was written by the rules of HTML 5, as browsers do, and writes what is on its own list.

The first step also keeps the second one from harm: HTML 5 says to open formatting tags again in each block where they
were not closed, all that differ in their attributes.  A thousand ``<b title=…>`` above some thousand blocks make
millions of elements; so formatting tags keep no attributes, and ``span``, which means nothing without, is not kept.
"""

from __future__ import annotations

from collections.abc import Set
from html import escape
from typing import Final

import nh3
from lxml import etree
from lxml.etree import _Element

from scrapy_forest.model.images import LATE_SOURCES, SETS, image_link
from scrapy_forest.model.markup import parse
from scrapy_forest.model.place import xpath_of
from scrapy_forest.model.text import SILENT_TAGS, element_text
from scrapy_forest.model.web_link import web_link

__all__ = ["copy_harmless", "safe_html", "write_html"]

_BLOCKS: Final = frozenset(
    "article aside blockquote caption dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 li main ol p pre section"
    " summary table tbody td tfoot th thead tr ul".split()
)
_PHRASES: Final = frozenset(
    "a abbr b br cite code del dfn em hr i img ins kbd mark q rt ruby s samp small strong sub sup time u var".split()
)
_TAGS: Final = _BLOCKS | _PHRASES
_ATTRIBUTES: Final[dict[str, set[str]]] = {
    **{tag: {"lang", "dir"} for tag in _BLOCKS},
    "a": {"href", "title"},
    "abbr": {"title"},
    "dfn": {"title"},
    "img": {"src", "alt", "title"},
    "td": {"lang", "dir", "colspan", "rowspan"},
    "th": {"lang", "dir", "colspan", "rowspan"},
    "time": {"datetime"},
}
_CLEANER: Final = nh3.Cleaner(
    tags=set(_TAGS), attributes=_ATTRIBUTES, url_schemes={"http", "https"}, url_relative="deny", link_rel=None
)

_LATE: Final = frozenset([*SETS, *LATE_SOURCES])


def _copy_rule(match: str, attributes: Set[str]) -> str:
    copied = "|".join(f"@{name}" for name in sorted(attributes))
    attributes_rule = f'<xsl:copy-of select="{copied}"/>' if copied else ""
    return f'<xsl:template match="{match}"><xsl:copy>{attributes_rule}<xsl:apply-templates/></xsl:copy></xsl:template>'


def _copy_rules() -> str:
    rules = {tag: attributes for tag, attributes in _ATTRIBUTES.items() if tag not in _BLOCKS or len(attributes) > 2}
    rules["img"] = rules["img"] | _LATE
    bare = sorted(_PHRASES - rules.keys())
    plain = sorted(_BLOCKS - rules.keys())
    return "".join(
        [
            _copy_rule("|".join(bare), set()),
            _copy_rule("|".join(plain), {"lang", "dir"}),
            *(_copy_rule(tag, attributes) for tag, attributes in rules.items()),
        ]
    )


# What counts the readers of a page is no image of it.
_PIXEL: Final = " or ".join(f"@{side}='{size}'" for side in ("width", "height") for size in ("0", "1", "0px", "1px"))
_COPY: Final = etree.XSLT(
    etree.XML(f"""
    <xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
      <xsl:param name="node"/>
      <xsl:template match="/"><div><xsl:apply-templates select="$node"/></div></xsl:template>
      <xsl:template match="{"|".join(sorted(SILENT_TAGS))}"/>
      <xsl:template match="comment()|processing-instruction()"/>
      {_copy_rules()}
      <xsl:template match="img[{_PIXEL}]" priority="2"/>
    </xsl:stylesheet>"""),
    access_control=etree.XSLTAccessControl.DENY_ALL,
)


def safe_html(root: _Element, base: str) -> str:
    """The content of ``root`` in harmless tags and attributes, links absolute.

    >>> from scrapy_forest.model.markup import parse
    >>> page = parse("<p onclick=x>1 &lt; 2 <a href=/b>b</a><script>c</script> <blink>d</blink>", "")
    >>> safe_html(page, "https://a.com")
    '<p>1 &lt; 2 <a href="https://a.com/b">b</a> d</p>'
    """
    return write_html(copy_harmless(root, base))


def copy_harmless(root: _Element, base: str) -> _Element:
    """A ``div`` of its own that holds a copy of what is harmless in ``root``, links absolute, images by their file."""
    try:
        # The whole tree, of which $node is a part, for the reason that element_text gives.
        copy = _COPY(root.getroottree(), node=xpath_of(root)).getroot()
    except etree.XSLTApplyError:  # nested deeper than libxslt copies, about 1,500 levels
        return _copy_text(root)
    for node in copy.iter("a"):
        _mend(node, "href", web_link(base, node.get("href", "")) if node.get("href") else None)
    for node in copy.iter("img"):
        link = image_link(node, base)
        for name in _LATE.intersection(node.keys()):
            del node.attrib[name]
        _mend(node, "src", link)
    return copy


def _copy_text(root: _Element) -> _Element:
    """The text alone, a paragraph a line."""
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in element_text(root).splitlines())
    return parse(f"<body><div>{paragraphs}</div></body>", "")[0][0]


def write_html(copy: _Element) -> str:
    """What ``copy_harmless`` gave as HTML."""
    html = etree.tostring(copy, encoding="unicode", method="html")
    return str(_CLEANER.clean(html.removeprefix("<div>").removesuffix("</div>"))).strip()


def _mend(node: _Element, name: str, value: str | None) -> None:
    old = node.get(name)
    if value is not None and value != old:
        node.set(name, value)
    elif value is None and old is not None:
        del node.attrib[name]
