"""HTML that is safe to show anywhere: known tags and attributes only, links to the web only."""

from __future__ import annotations

import re
from html import escape
from typing import Final
from urllib.parse import urljoin

from lxml.etree import _Element, iterwalk

from scrapy_forest.model.text import is_silent

_TAGS: Final = frozenset(
    "a abbr article aside b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3"
    " h4 h5 h6 hr i img ins kbd li main mark ol p pre q rt ruby s samp section small span strong sub summary sup table"
    " tbody td tfoot th thead time tr u ul var".split()
)
_VOID_TAGS: Final = frozenset(["br", "hr", "img"])
_ATTRIBUTES: Final = ("href", "src", "alt", "title", "datetime", "lang", "dir")
_HTTP: Final = re.compile(r"https?://", re.I)


def safe_html(root: _Element, base: str) -> str:
    """The content of ``root`` in harmless tags and attributes, links absolute.

    >>> from scrapy_forest.model.markup import parse
    >>> page = parse("<p onclick=x>1 &lt; 2 <a href=/b>b</a><script>c</script> <blink>d</blink>", "")
    >>> safe_html(page, "https://a.com")
    '<p>1 &lt; 2 <a href="https://a.com/b">b</a> d</p>'
    """
    pieces = []
    walk = iterwalk(root, events=("start", "end"))
    for event, node in walk:
        tag = str(node.tag) if node.tag in _TAGS else ""
        if event == "end":
            pieces.append(f"</{tag}>" if tag and tag not in _VOID_TAGS else "")
            pieces.append(escape(node.tail or "", quote=False))
        elif is_silent(node):
            walk.skip_subtree()
        else:
            pieces.append(f"<{tag}{_safe_attributes(node, base)}>" if tag else "")
            pieces.append(escape(node.text or "", quote=False))
    return "".join(pieces).strip()


def web_link(base: str, link: str) -> str | None:
    """The link made absolute, None unless it leads to the web.

    >>> web_link("https://a.com/1", "2"), web_link("https://a.com", "data:,"), web_link("https://a.com", "//[")
    ('https://a.com/2', None, None)
    """
    try:
        link = urljoin(base, link)
    except ValueError:
        return None
    return link if _HTTP.match(link) else None


def _safe_attributes(node: _Element, base: str) -> str:
    attributes = []
    for name in _ATTRIBUTES:
        value = node.get(name)
        if value is not None and name in ("href", "src"):
            value = web_link(base, value.strip())
        if value is not None:
            attributes.append(f' {name}="{escape(value)}"')
    return "".join(attributes)
