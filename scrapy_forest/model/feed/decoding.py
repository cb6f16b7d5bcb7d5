"""From bytes to text that XML allows."""

from __future__ import annotations

import re
from typing import Final

from scrapy_forest.model import charset

FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufeff\ufffe\uffff\ud800-\udfff]+")  # in XML, and the BOM


def decode(body: bytes, content_type: str | None) -> str:
    """The text of a feed, whatever charset it and its server claim, without characters that XML forbids."""
    return FORBIDDEN.sub("", charset.decode(body, content_type))
