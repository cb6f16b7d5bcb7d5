"""Sites under their own names and schemes, on this machine only: one HTTP and one HTTPS server on free ports.

    python benchmarks/loopback.py DIR     serves a data set as scrapy forest evaluate reads it, until its input ends

The first line of its output tells the ports.  A crawl finds the servers through ``LoopbackResolver``, which gives the
loopback address for every name of the sites, with the port of the server that speaks the link's scheme, and nothing for
any other name: no request of a benchmark leaves the machine.  The servers run in a process of their own, with all pages
in memory, so that they do not slow down what is measured.  Each feed stands at ``/__feed/ID.xml`` of the host of its
first page.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from scrapy.crawler import Crawler
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IHostnameResolver, IHostResolution
from w3lib.url import safe_url_string
from zope.interface import implementer  # type: ignore[import-untyped]

from scrapy_forest.evaluation.dataset import site_folders

ADDRESS: Final = "127.0.0.1"
DEFAULT_PORTS: Final = {"http": 80, "https": 443}
AGAIN: Final = "__again="  # what follows it in a URL does not count: a page can be asked for several times
BACKLOG: Final = 1024  # crawls open connections to many hosts at once


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server says."""

    body: bytes
    content_type: str = "text/html"  # no charset: as in the evaluation, the page itself has to tell
    status: str = "200 OK"


NOT_FOUND: Final = Answer(b"not found", "text/plain", "404 Not Found")
Lookup = Callable[[str, str, str], Answer | None]  # by scheme, host and target (the path with the query)


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the servers are."""

    http: int
    https: int


# The data


@dataclass(frozen=True, slots=True)
class ServedSite:
    """The URLs of a site of a data set."""

    id: str
    feed: str
    pages: dict[str, Path]  # by URL


def read_sites(directory: Path) -> list[ServedSite]:
    """The sites of a data set, with all pages that have an address, articles or not."""
    return [_read_site(folder) for folder in site_folders(directory)]


def _read_site(folder: Path) -> ServedSite:
    files = [path for name in ("gold.jsonl", "extra.jsonl") if (path := folder / name).exists()]
    records = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    pages = {record["url"]: folder / "pages" / Path(record["page"]).name for record in records}
    parts = urlsplit(next(iter(pages)))
    return ServedSite(folder.name, f"{parts.scheme}://{parts.netloc}/__feed/{folder.name}.xml", pages)


def places_of(urls: Iterable[str]) -> dict[str, str]:
    """Hosts with ports as links name them, and the scheme that is spoken there."""
    found = {}
    for url in urls:
        parts = urlsplit(safe_url_string(url))
        found[f"{parts.hostname}:{parts.port or DEFAULT_PORTS[parts.scheme]}"] = parts.scheme
    return found


def table_of(directory: Path) -> dict[tuple[str, str, str], Answer]:
    """All answers of a data set, read into memory."""
    table = {}
    for folder, site in zip(site_folders(directory), read_sites(directory), strict=True):
        table[_key(site.feed)] = Answer((folder / "feed.xml").read_bytes(), "application/xml")
        for url, path in site.pages.items():
            body = path.read_bytes()
            table[_key(url)] = Answer(gzip.decompress(body) if path.suffix == ".gz" else body)
    return table


def again(url: str, number: int) -> str:
    """The same page under another URL."""
    base, _, _ = url.partition("#")
    return f"{base}{'&' if '?' in base else '?'}{AGAIN}{number}"


def _key(url: str) -> tuple[str, str, str]:
    """Scheme, host (with its port unless that is the scheme's own) and target as a request for the URL names them."""
    parts = urlsplit(safe_url_string(url))
    return parts.scheme, parts.netloc.lower(), (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def look_up(table: dict[tuple[str, str, str], Answer], scheme: str, host: str, target: str) -> Answer | None:
    """The answer to a request."""
    return table.get((scheme, host, target.partition(AGAIN)[0].rstrip("?&") if AGAIN in target else target))


# The servers


class Connection(asyncio.Protocol):
    """HTTP/1.1 as far as a crawler needs it: requests without a body, one after the other on one connection."""

    def __init__(self, scheme: str, lookup: Lookup) -> None:
        self._scheme = scheme
        self._lookup = lookup
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, _, self._received = self._received.partition(b"\r\n\r\n")
            self._answer(head.decode("latin-1"))

    def _answer(self, head: str) -> None:
        first, *lines = head.split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        host = headers.get("host", "").lower()
        answer = self._lookup(self._scheme, host, first.split(" ")[1]) or NOT_FOUND
        top = f"HTTP/1.1 {answer.status}\r\nContent-Type: {answer.content_type}\r\nContent-Length: {len(answer.body)}"
        self._transport.write(top.encode() + b"\r\n\r\n" + answer.body)


def run_servers(lookup: Lookup) -> None:
    """Serve until the standard input ends; tells the ports on the standard output."""
    asyncio.run(_serve(lookup))


async def _serve(lookup: Lookup) -> None:
    loop = asyncio.get_running_loop()
    contexts = {"http": None, "https": _tls_context()}
    ports = {}
    for scheme, context in contexts.items():
        factory = partial(Connection, scheme, lookup)
        server = await loop.create_server(factory, ADDRESS, 0, ssl=context, backlog=BACKLOG)
        ports[scheme] = server.sockets[0].getsockname()[1]
    print(json.dumps(ports), flush=True)
    await asyncio.to_thread(sys.stdin.buffer.read)


def _tls_context() -> ssl.SSLContext:
    """With a certificate made now, of no name in particular: Scrapy does not check it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    now = datetime.now(timezone.utc)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    written = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM) + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile(suffix=".pem") as file:
        file.write(written)
        file.flush()
        context.load_cert_chain(file.name)
    return context


@contextmanager
def serving(command: Sequence[str]) -> Iterator[Ports]:
    """Run a Python script that calls ``run_servers``, for as long as the block lasts."""
    process = subprocess.Popen([sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
    assert process.stdin
    assert process.stdout
    with process:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"no server: {' '.join(command)}")
        yield Ports(**json.loads(line))
        process.stdin.close()


def serving_data(directory: Path) -> Any:
    """Serve a data set, for as long as the block lasts."""
    return serving([__file__, str(directory)])


# The crawl's side


def settings_for(ports: Ports, urls: Iterable[str]) -> dict[str, Any]:
    """Settings that lead a crawl of some URLs to the servers, and nowhere else."""
    places = places_of(urls)
    return {
        "TWISTED_DNS_RESOLVER": "loopback.LoopbackResolver",
        "LOOPBACK_PLACES": {place: getattr(ports, scheme) for place, scheme in places.items()},
        "FOREST_ALLOW_PRIVATE": sorted(places),
    }


@implementer(IHostResolution)
class _Resolution:
    def __init__(self, name: str) -> None:
        self.name = name

    def cancel(self) -> None:
        raise NotImplementedError  # it has ended before anybody could


@implementer(IHostnameResolver)
class LoopbackResolver:
    """Knows the names of the served sites only."""

    def __init__(self, reactor: Any, places: dict[str, int]) -> None:
        self._reactor = reactor
        self._places = places  # host:port → port of the server

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> LoopbackResolver:
        """As Scrapy makes it, from the settings of ``settings_for``."""
        return cls(reactor, crawler.settings.getdict("LOOPBACK_PLACES"))

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802 - Twisted's names
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Any = None,  # noqa: N803, ARG002
        transportSemantics: str = "TCP",  # noqa: N803, ARG002
    ) -> Any:
        resolution = _Resolution(hostName)
        resolutionReceiver.resolutionBegan(resolution)
        if port := self._places.get(f"{hostName}:{portNumber}"):
            resolutionReceiver.addressResolved(IPv4Address("TCP", ADDRESS, port))
        resolutionReceiver.resolutionComplete()
        return resolution


if __name__ == "__main__":
    run_servers(partial(look_up, table_of(Path(sys.argv[1]))))
