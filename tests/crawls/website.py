"""A web site on loopback that tests make up as they go: pages, feeds, faults."""

from __future__ import annotations

import random
import socket
import ssl
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from xml.sax.saxutils import escape

WORDS = """anchor barley candle dapple ember fennel garnet harbour indigo juniper kettle lantern meadow nettle orchard
pebble quarry russet saffron thistle umber velvet willow yarrow zephyr amber bracken cobble drizzle elder furrow gravel
hollow ivory jasper kelp linen marrow nutmeg oyster parsnip quill rafter sorrel timber upland vellum wicker""".split()


@dataclass
class Answer:
    body: bytes = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    stall: float = 0.0  # seconds before the body


@dataclass
class Raw:
    """Bytes as they are, head and all, after which the connection ends."""

    start: bytes = b""
    more: bytes = b""  # sent again and again, until the client has had enough
    pause: float = 0.0  # seconds before each of these
    is_reset: bool = False  # whether the connection ends with a bang


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    when: float
    line: bytes
    headers: dict[str, str]

    @property
    def host(self) -> str:
        return self.headers.get("Host", "").partition(":")[0]

    @property
    def path(self) -> str:
        return self.line.decode("latin-1").split(" ")[1]


class Website:
    """Answers by path, for whatever host; what is not there is a 404."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer | Raw | Callable[[BaseHTTPRequestHandler], Answer | Raw]] = {}
        self.hits: Counter[str] = Counter()
        self.asked: list[Asked] = []
        self.connections = 0
        self.ended = Event()
        self.port = 0

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def permit(self) -> str:
        return f"127.0.0.1:{self.port}"

    def add(self, path: str, body: str | bytes = b"", **answer) -> str:
        body = body.encode() if isinstance(body, str) else body
        self.answers[path] = Answer(body, **answer)
        return self.origin + path

    def add_feed(self, path: str, entries: list[dict[str, str]], **answer) -> str:
        answer.setdefault("content_type", "application/rss+xml")
        return self.add(path, rss(entries), **answer)

    def add_articles(self, count: int, **options) -> list[dict[str, str]]:
        """Pages and their entries."""
        start = options.pop("start", 0)
        entries = []
        for number in range(start, start + count):
            link = self.add(f"/post/{number}", page(number, **options))
            entries.append(
                {"title": title(number), "link": link, "guid": link, "description": paragraph(number, 0)[:80]}
            )
        return entries


def title(number: int) -> str:
    return f"On {WORDS[number % len(WORDS)]} and {WORDS[(7 * number + 3) % len(WORDS)]}"


def paragraph(number: int, part: int) -> str:
    chance = random.Random(1000 * number + part)  # noqa: S311
    return " ".join(chance.choices(WORDS, k=40)).capitalize() + "."


def text(number: int) -> str:
    return "\n".join(paragraph(number, part) for part in range(5))


def page(number: int, *, template: str = "a", weight: int = 0) -> str:
    """A page of one of two templates; ``weight`` bytes of script on top."""
    body = "".join(f"<p>{paragraph(number, part)}</p>" for part in range(5))
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in WORDS[:8])
    filler = f"<script>{'x' * weight}</script>" if weight else ""
    if template == "b":
        return (
            f"<!DOCTYPE html><html lang=en><head><title>{title(number)}</title>{filler}</head><body class=reviews>"
            f"<table class=frame><tr><td class=left><div id=nav><ul>{menu}</ul></div></td><td class=right>"
            f"<section class=review><h2>{title(number)}</h2><section class=review-text>{body}</section></section>"
            f"</td></tr></table>"
            f"<section class=colophon><p>Printed on recycled electrons.</p></section></body></html>"
        )
    return (
        f"<!DOCTYPE html><html lang=en><head><title>{title(number)} – Test</title>{filler}</head><body class=single>"
        f"<div class=page><header class=top><nav class=menu><ul>{menu}</ul></nav></header><main class=main>"
        f"<article class=post><h1>{title(number)}</h1><div class=entry-content>{body}</div>"
        f"<div class=share><a href=/s>Share this</a></div></article></main>"
        f"<aside class=sidebar><p>Subscribe to our newsletter, it is free.</p></aside>"
        f"<footer class=bottom><p>All rights reserved.</p></footer></div></body></html>"
    )


def rss(entries: list[dict[str, str]]) -> str:
    items = "".join(
        "<item>" + "".join(f"<{tag}>{escape(value)}</{tag}>" for tag, value in entry.items()) + "</item>"
        for entry in entries
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">'
        f"<channel><title>Test</title><language>en</language>{items}</channel></rss>"
    )


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        site: Website = self.server.site  # type: ignore[attr-defined]
        site.hits[self.path] += 1
        site.asked.append(Asked(time.monotonic(), self.raw_requestline, dict(self.headers)))
        answer = site.answers.get(self.path, Answer(b"<html><body><p>Not here</body></html>", 404))
        if callable(answer):
            answer = answer(self)
        try:
            if isinstance(answer, Raw):
                self.send_raw(answer, site)
            else:
                self.send(answer, site)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send(self, answer: Answer, site: Website) -> None:
        self.send_response(answer.status)
        if answer.content_type:
            self.send_header("Content-Type", answer.content_type)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.flush()
        deadline = time.monotonic() + answer.stall
        while time.monotonic() < deadline and not site.ended.wait(0.05):
            pass
        self.wfile.write(answer.body)

    def send_raw(self, raw: Raw, site: Website) -> None:
        self.close_connection = True
        self.wfile.write(raw.start)
        while (raw.more or raw.pause) and not site.ended.wait(raw.pause):
            self.wfile.write(raw.more)
            self.wfile.flush()
        if raw.is_reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def get_request(self):
        self.site.connections += 1  # type: ignore[attr-defined]
        return super().get_request()

    def handle_error(self, *_: object) -> None:
        """A crawl that is killed resets its connections."""


@contextmanager
def website(tls: ssl.SSLContext | None = None) -> Iterator[Website]:
    site = Website()
    with Server(("127.0.0.1", 0), Handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        server.site = site  # type: ignore[attr-defined]
        site.port = server.server_port
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            site.ended.set()
            server.shutdown()
            thread.join()
