"""Which file an ``img`` shows: the one that a large screen would get once scripts have run.

Pages that load images late keep a placeholder in ``src`` and the file in one of a few attributes, which the scripts of
WordPress plugins (``data-lazy-src``), lazysizes (``data-src``, ``data-srcset``) and their like have made common.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lxml.etree import _Element

from scrapy_forest.model.web_link import web_link

SETS: Final = ("srcset", "data-srcset", "data-lazy-srcset")
LATE_SOURCES: Final = ("data-src", "data-lazy-src", "data-original")

_MAX_SET: Final = 20_000  # characters; the longest on 1,000 real pages has 5,625
_BETWEEN: Final = re.compile(r",\s+|,(?=https?://)|,$")  # URLs hold commas, too
_SIZE: Final = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)[wx]", re.A)


def image_link(image: _Element, base: str) -> str | None:
    """The absolute link of the image's best file."""
    return next(filter(None, (web_link(base, source) for source in _sources(image) if source)), None)


def largest(srcset: str) -> str:
    """The largest file of a ``srcset``; one without a size counts as 1x.

    >>> largest("a.jpg 300w, b,c.jpg 1024w, d.jpg"), largest(" a.png, b.png 2x "), largest("")
    ('b,c.jpg', 'b.png', '')
    """
    files = [part.split() for part in _BETWEEN.split(srcset[:_MAX_SET].strip())]
    return max((file for file in files if file), key=_size, default=[""])[0]


def _size(file: list[str]) -> float:
    size = _SIZE.fullmatch(file[-1])
    return float(size[1]) if size else 1.0


def _sources(image: _Element) -> Iterator[str]:
    for name in SETS:
        if srcset := image.get(name):
            yield largest(srcset)
    for name in (*LATE_SOURCES, "src"):
        yield (image.get(name) or "").strip()
