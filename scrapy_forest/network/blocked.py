"""What the address guard raises.

ForestError
├── UnsafeSetup       the guard cannot do its work with this Scrapy or these settings: the crawl does not start
└── MalformedPermit   an entry of FOREST_ALLOW_PRIVATE that is not host:port (in ``addresses``, which knows no Scrapy)
IgnoreRequest (Scrapy)
├── BlockedAddress    a request that must not be sent; Scrapy drops it without a traceback, and errbacks see it
└── Interrupted       a download that had not ended when the crawl was stopped
"""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest

from scrapy_forest.errors import ForestError
from scrapy_forest.model.web_link import without_password

__all__ = ["BlockedAddress", "Interrupted", "UnsafeSetup"]


class BlockedAddress(IgnoreRequest):
    """A request was not sent; ``reason`` is a word of ``addresses.check_url``, ``target`` a URL or host:port."""

    def __init__(self, reason: str, target: str) -> None:
        super().__init__(reason, target)
        self.reason = reason
        self.target = target

    def __str__(self) -> str:
        return f"{without_password(self.target)!r} is blocked: {self.reason}"


class Interrupted(IgnoreRequest):
    """The crawl was stopped before a download ended."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url

    def __str__(self) -> str:
        return f"{self.url!r} was interrupted"


class UnsafeSetup(ForestError):
    """Requests would go out unchecked."""
