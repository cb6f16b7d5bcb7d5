"""The check of each request, by its URL.

Requests of spiders, of robots.txt, of media pipelines, and each hop of a redirect or meta refresh come through
``process_request``. The place is before OffsiteMiddleware (50) and RobotsTxtMiddleware (100), so that nothing is asked
of a host that is refused. Names are checked by ``handlers`` when they are looked up; what that refuses comes back
through ``process_exception``, which therefore does the counting for both.

Credentials on redirects were checked too. Scrapy (2.14 and 2.19, redirect.py) drops ``Cookie`` when the host changes
and ``Authorization`` when scheme, host or port does, for redirects and meta refreshes alike. What is left is
``Proxy-Authorization`` without a proxy; the download handler drops that.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from scrapy_forest.network.addresses import Permits, check_url
from scrapy_forest.network.blocked import BlockedAddress
from scrapy_forest.network.handlers import check_handlers, read_permits
from scrapy_forest.network.suffixes import use_bundled_suffixes
from scrapy_forest.settings import has_guard

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self

__all__ = ["PRIORITY", "BlockedAddress", "GuardMiddleware"]

PRIORITY: Final = 40  # for DOWNLOADER_MIDDLEWARES

logger = logging.getLogger(__name__)


class GuardMiddleware:
    """Downloader middleware that blocks requests to private addresses and other schemes."""

    def __init__(self, permits: Permits, stats: StatsCollector) -> None:
        self._permits = permits
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make one for a crawl, or fail if connections would not be checked."""
        if has_guard(crawler.settings):
            check_handlers(crawler)
        use_bundled_suffixes()
        if crawler.stats is None:
            raise RuntimeError("middlewares are made after the stats")
        return cls(read_permits(crawler), crawler.stats)

    def process_request(self, request: Request) -> None:
        """Let the request go on, or raise BlockedAddress."""
        if reason := check_url(request.url, self._permits):
            raise BlockedAddress(reason, request.url)

    def process_exception(self, request: Request, exception: Exception) -> None:  # noqa: ARG002 - Scrapy's signature
        """Count and log what was blocked, here or by the download handler."""
        if isinstance(exception, BlockedAddress):
            self._stats.inc_value(f"forest/blocked/{exception.reason}")
            logger.info("Not requested: %s", exception)
