"""Where a feed starts and ends in the text that a server sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

ENTRY_END: Final = re.compile(r"</(?:[\w.-]+:)?(?:item|entry)\s*>", re.I)

_ROOT: Final = re.compile(r"<((?:[\w.-]+:)?(?:rss|rdf|feed|channel))(?=[\s>/])", re.I)
_HTML: Final = re.compile(r"<(?:!doctype\s+)?html[\s>]", re.I)


@dataclass(frozen=True, slots=True)
class Frame:
    """The text from the root element on, without the DOCTYPE and its entities, and whether its end was there."""

    root: str
    text: str
    is_whole: bool

    @property
    def end(self) -> str:
        """The end tag of the root element."""
        return f"</{self.root}>"


def frame_feed(text: str) -> Frame | None:
    """Cut off what surrounds a feed; None for HTML and all else that is no feed.

    A feed that ends too early is closed after its last whole entry, or else cut after its last whole element: half a
    link is worse than none.

    >>> frame_feed("<br>Warning: headers already sent<rss><channel><item>1</item><item>2")
    Frame(root='rss', text='<rss><channel><item>1</item></channel></rss>', is_whole=False)
    """
    start = _ROOT.search(text)
    if start is None or _HTML.search(text, 0, start.start()):
        return None
    root, text = start[1], text[start.start() :]
    end = text.rfind(f"</{root}")
    if end >= 0:
        return Frame(root, f"{text[:end]}</{root}>", is_whole=True)
    return Frame(root, _close(text, root), is_whole=False)


def _close(text: str, root: str) -> str:
    ends = [entry.end() for entry in ENTRY_END.finditer(text)]
    if not ends:
        return text.rpartition("</")[0] or text
    channel = "</channel>" if root.lower() == "rss" else ""
    return f"{text[: ends[-1]]}{channel}</{root}>"
