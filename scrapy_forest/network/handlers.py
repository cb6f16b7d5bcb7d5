"""Download handlers that connect to public addresses only.

Scrapy's own HTTP/1.1 handler with another connection pool; all else is inherited. HTTP/2, aiohttp and httpx handlers
make their connections in other ways and are not covered.

An add-on cannot install a resolver: ``TWISTED_DNS_RESOLVER`` is read before add-ons are. Handlers it can.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import NotConfigured
from scrapy.utils.misc import load_object
from twisted.web.client import URI, Agent, HTTPConnectionPool

from scrapy_forest.network.addresses import DEFAULT_PORTS, Permits, check_url
from scrapy_forest.network.blocked import BlockedAddress, Interrupted, UnsafeSetup
from scrapy_forest.network.resolving import GuardedPool, find_named_endpoint

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

__all__ = ["HANDLERS", "GuardedDownloadHandler", "check_handlers", "read_permits"]

_CONTROL: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_NO_TOKEN: Final = re.compile(rb"[^\t\x20-\x7e]")

STOPPING: Final = object()  # a Scrapy signal: downloads that have not ended yet are not waited for
GUARDED: Final = "scrapy_forest.network.handlers.GuardedDownloadHandler"
# For DOWNLOAD_HANDLERS. What is None cannot be fetched at all: a feed could name files of this machine.
HANDLERS: Final[dict[str, str | None]] = {
    "http": GUARDED,
    "https": GUARDED,
    "file": None,
    "data": None,
    "ftp": None,
    "s3": None,
}


def read_permits(crawler: Crawler) -> Permits:
    """The private hosts that the user allows."""
    return Permits.parse(crawler.settings.getlist("FOREST_ALLOW_PRIVATE"))


class GuardedDownloadHandler(HTTP11DownloadHandler):
    """Downloads over http and https from public addresses and permitted hosts."""

    lazy = False  # made at the start, so that what is wrong shows there

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._permits = read_permits(crawler)
        if not isinstance(getattr(self, "_pool", None), HTTPConnectionPool):
            raise UnsafeSetup("this Scrapy's download handler has no connection pool to guard")
        self._guarded = GuardedPool(self._pool, self._permits)
        self._pool = self._guarded
        check_endpoints(self._guarded)
        self._downloads: set[asyncio.Future[Response]] = set()
        self._is_stopping = False
        crawler.signals.connect(self._stop, STOPPING)

    async def download_request(self, request: Request) -> Response:
        """Download one request, or raise BlockedAddress."""
        if reason := check_url(request.url, self._permits):
            raise BlockedAddress(reason, request.url)
        if not request.meta.get("proxy"):
            # Meant for a proxy; without one it would go to the site. Scrapy removes it only if HTTPPROXY_ENABLED.
            request.headers.pop("Proxy-Authorization", None)
        response = await self._download(request)
        if not self._guarded.is_in_use:
            raise UnsafeSetup("this Scrapy makes connections past the guarded pool")
        clean_headers(response)
        return response

    async def _download(self, request: Request) -> Response:
        """Scrapy's download, which can be interrupted."""
        if self._is_stopping:
            raise Interrupted(request.url)
        download = asyncio.ensure_future(super().download_request(request))
        self._downloads.add(download)
        try:
            return await download
        except asyncio.CancelledError:
            if not self._is_stopping:
                raise
            raise Interrupted(request.url) from None
        finally:
            self._downloads.discard(download)

    def _stop(self) -> None:
        self._is_stopping = True
        for download in tuple(self._downloads):
            download.cancel()


def clean_headers(response: Response) -> None:
    """Put a question mark for each character that no header may have: Scrapy logs some headers as they come."""
    for name, values in response.headers.items():
        forbidden = _NO_TOKEN if name == b"Content-Encoding" else _CONTROL
        if any(map(forbidden.search, values)):
            response.headers.setlist(name, [forbidden.sub(b"?", value) for value in values])


def check_endpoints(pool: HTTPConnectionPool) -> None:
    """Fail unless the endpoints that Twisted's agent makes can be guarded."""
    from twisted.internet import reactor  # installed by now, and not to be installed by an import

    agent = Agent(reactor, pool=pool)  # type: ignore[no-untyped-call]
    for scheme in DEFAULT_PORTS:
        uri = URI.fromBytes(f"{scheme}://example.com/".encode())  # type: ignore[no-untyped-call]
        find_named_endpoint(agent._getEndpoint(uri))  # type: ignore[no-untyped-call]


def check_handlers(crawler: Crawler) -> None:
    """Fail unless http and https go through guarded handlers that work.

    Scrapy only logs the error of a handler that cannot be made, and a crawl without any page looks like a quiet day.
    """
    configured = crawler.settings.getwithbase("DOWNLOAD_HANDLERS")
    for scheme in DEFAULT_PORTS:
        handler = load_object(configured[scheme]) if configured.get(scheme) else None
        if not (isinstance(handler, type) and issubclass(handler, GuardedDownloadHandler)):
            raise UnsafeSetup(f"DOWNLOAD_HANDLERS[{scheme!r}] is {configured.get(scheme)!r} and should be {GUARDED!r}")
    try:
        GuardedDownloadHandler.from_crawler(crawler)
    except NotConfigured as error:  # would switch off the guard instead of the crawl
        raise UnsafeSetup(f"{GUARDED} cannot be used: {error}") from error
