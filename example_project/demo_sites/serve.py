"""A server for each site on 127.0.0.1, in threads: for tests as a context manager, for people ``python -m demo_sites``.

A site has a port of its own because wrappers belong to hosts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timezone
from email.utils import format_datetime, parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Thread
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from demo_sites.articles import SITES
from demo_sites.build import Response, build

ADDRESS: Final = "127.0.0.1"
PORT_BASE: Final = 8471  # nothing registered there or on the five ports that follow
NOT_FOUND: Final = Response(
    b"<!DOCTYPE html>\n<title>Not found</title>\n<h1>Not found</h1>\n<p>There is no such page here.</p>\n",
    "text/html; charset=utf-8",
    status=HTTPStatus.NOT_FOUND,
)


@contextmanager
def serve(port_base: int = PORT_BASE) -> Iterator[dict[str, str]]:
    """Serve all sites, from ``port_base`` on or, if that is 0, on free ports; gives each site's origin."""
    with ExitStack() as stack:
        ports = [port_base and port_base + place for place in range(len(SITES))]
        servers = {key: stack.enter_context(SiteServer(port)) for key, port in zip(SITES, ports, strict=True)}
        base = {key: f"http://{ADDRESS}:{server.server_port}" for key, server in servers.items()}
        for (key, path), response in build(base).items():
            servers[key].responses[unquote(path)] = response
        for server in servers.values():
            # The interval is how long closing may take.
            thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
        yield base


class SiteServer(ThreadingHTTPServer):
    """The server of one site."""

    daemon_threads = True
    block_on_close = False  # idle connections would hold up the end
    request_queue_size = 64  # crawlers come in crowds

    def __init__(self, port: int) -> None:
        super().__init__((ADDRESS, port), SiteHandler)
        self.responses: dict[str, Response] = {}

    def server_bind(self) -> None:
        """Bind without asking the name service who we are, which takes seconds where there is none."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.socket.getsockname()[1]


class SiteHandler(BaseHTTPRequestHandler):
    """Answers GET and HEAD from the responses of its server."""

    protocol_version = "HTTP/1.1"
    server_version = "demo"
    sys_version = ""
    server: SiteServer
    wbufsize = -1  # head and body in one packet; in two, the second waits 40 ms for the first to be acknowledged

    def do_GET(self) -> None:
        """Send the page, or 304 to whoever has it."""
        response = self._send_head()
        if response:
            self.wfile.write(response.body)

    def do_HEAD(self) -> None:
        """Send what GET would, without the body."""
        self._send_head()

    def log_message(self, *_: Any) -> None:
        """Say nothing: the crawler logs."""

    def _find(self) -> Response:
        # Decoded, as clients differ in what they encode.
        return self.server.responses.get(unquote(urlsplit(self.path).path), NOT_FOUND)

    def _send_head(self) -> Response | None:
        """Send status and headers; gives what has a body to follow."""
        response = self._find()
        is_new = not is_known(response, self.headers.get("If-None-Match"), self.headers.get("If-Modified-Since"))
        self.send_response(response.status if is_new else HTTPStatus.NOT_MODIFIED)
        if response.modified:
            self.send_header("ETag", response.etag)
            self.send_header("Last-Modified", http_date(response.modified))
        if is_new:
            self.send_header("Content-Type", response.content_type)
            self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        return response if is_new else None


def is_known(response: Response, tags: str | None, since: str | None) -> bool:
    """Whether the client says that it has this already (RFC 9110, 13.1: the date counts only where no tag is given)."""
    if response.modified is None:
        return False
    if tags is not None:
        known = {tag.strip().removeprefix("W/") for tag in tags.split(",")}
        return "*" in known or response.etag in known
    return _is_since(since, response.modified)


def _is_since(header: str | None, modified: datetime) -> bool:
    if header is None:
        return False
    try:
        date = parsedate_to_datetime(header)
    except ValueError:  # no date: the RFC says to ignore it
        return False
    return modified.replace(microsecond=0) <= (date if date.tzinfo else date.replace(tzinfo=timezone.utc))


def http_date(date: datetime) -> str:
    """A date as HTTP headers have it.

    >>> http_date(datetime(2026, 3, 4, 12, 0, tzinfo=timezone.utc))
    'Wed, 04 Mar 2026 12:00:00 GMT'
    """
    return format_datetime(date.astimezone(timezone.utc), usegmt=True)
