"""Where a node stands: plain XPath 1.0 that finds it again on the same page, by bare lxml."""

from __future__ import annotations

import re
from typing import Final

from lxml.etree import _Element

_PLAIN_PATH: Final = re.compile(r"(?:/[a-z][a-z0-9-]*(?:\[\d+\])?)+")


def xpath_of(node: _Element) -> str:
    """An XPath that leads from the root to the node, by counting alone where names are strange.

    >>> from lxml.html import document_fromstring
    >>> [xpath_of(node) for node in document_fromstring("<body><p>One<p>Two").iter("p")]
    ['/html/body/p[1]', '/html/body/p[2]']
    >>> xpath_of(document_fromstring("<x{y}>One")[0][0])
    '/*/node()[not(self::text())][1]/node()[not(self::text())][1]'
    """
    path = node.getroottree().getpath(node)
    if _PLAIN_PATH.fullmatch(path):
        return path
    steps: list[str] = []
    while (parent := node.getparent()) is not None:
        steps.append(f"/node()[not(self::text())][{parent.index(node) + 1}]")
        node = parent
    return "/*" + "".join(reversed(steps))
