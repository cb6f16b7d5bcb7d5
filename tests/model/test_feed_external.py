"""Files and addresses that a feed wants opened, and nobody may open: F02 and F04."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from scrapy_forest.model.feed import Feed, read_feed

URL = "https://example.com/feed"
SECRET = "s3cret"  # noqa: S105 - the content of a file that nobody may read


def rss(title: str, before: str = "") -> bytes:
    return f"{before}<rss version='2.0'><channel><item><title>{title}</title></item></channel></rss>".encode()


@pytest.fixture
def secret_file(tmp_path: Path) -> Path:
    path = tmp_path / "secret.xml"
    path.write_bytes(rss(SECRET))
    return path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Files that Python opens and addresses that it connects to."""
    calls: list[object] = []
    open_file, connect = open, socket.socket.connect

    def spy_open(file: object, *args: object, **options: object) -> object:
        calls.append(file)
        return open_file(file, *args, **options)  # type: ignore[call-overload]

    def spy_connect(self: socket.socket, address: tuple[str, int]) -> None:
        calls.append(address)
        connect(self, address)

    monkeypatch.setattr("builtins.open", spy_open)
    monkeypatch.setattr(socket.socket, "connect", spy_connect)
    return calls


class Site:
    """A server on this machine that gives a feed for any address and counts who asks."""

    def __init__(self) -> None:
        hits = self.hits = []  # type: list[str]

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hits.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(rss(SECRET))

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/x"


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    thread = Thread(target=site.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield site
    site.server.shutdown()
    thread.join()
    site.server.server_close()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("form", ["{path}", "file://{path}", "file:{path}", "{url}", " {url}\n", "feed:{url}"])
def test_f02_body_is_no_address(form: str, encoding: str, secret_file: Path, site: Site, opened: list[object]) -> None:
    body = form.format(path=secret_file, url=site.url)
    assert read_feed(URL, body.encode(encoding)) == Feed(URL, problems=("not_a_feed",))
    assert read_feed(body, body.encode(encoding)) == Feed(body, problems=("not_a_feed",))
    assert (opened, site.hits) == ([], [])


def test_f02_spies_would_notice(secret_file: Path, site: Site, opened: list[object]) -> None:
    with open(secret_file) as file, socket.create_connection(("127.0.0.1", site.server.server_port)) as connection:
        assert (SECRET in file.read(), connection.send(b"GET / HTTP/1.0\r\n\r\n"), len(opened)) == (True, 18, 2)
        assert SECRET.encode() in b"".join(iter(lambda: connection.recv(4096), b""))
    assert site.hits == ["/"]


EXTERNAL = {
    "F04-file-entity": ('<!DOCTYPE rss [<!ENTITY x SYSTEM "file://{path}">]>', "&x;"),
    "F04-http-entity": ('<!DOCTYPE rss [<!ENTITY x SYSTEM "{url}">]>', "&x;"),
    "F04-parameter-entity": ('<!DOCTYPE rss [<!ENTITY % x SYSTEM "{url}"> %x;]>', "&x;"),
    "F04-http-dtd": ('<!DOCTYPE rss SYSTEM "{url}">', ""),
    "F04-file-dtd": ('<!DOCTYPE rss SYSTEM "file://{path}">', ""),
    "F04-entity-after-root": ("", '<!DOCTYPE x [<!ENTITY x SYSTEM "file://{path}">]>&x;'),
    "F04-xinclude": ("", '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{path}" parse="text"/>'),
    "F04-stylesheet": ('<?xml-stylesheet href="{url}"?>', ""),
}


@pytest.mark.parametrize(("before", "title"), EXTERNAL.values(), ids=EXTERNAL)
@pytest.mark.usefixtures("reader")
def test_nothing_external_is_read(before: str, title: str, secret_file: Path, site: Site, opened: list[object]) -> None:
    before, title = (text.replace("{path}", str(secret_file)).replace("{url}", site.url) for text in (before, title))
    feed = read_feed(URL, rss(f"a{title}</title></item><item><title>good", before))
    assert feed.entries[-1].title == "good"
    assert SECRET not in repr(feed)
    assert (opened, site.hits) == ([], [])
