"""Answers whose head does not end.

Scrapy limits the size of bodies and the time of downloads; before that is over, headers could fill the memory.
"""

from __future__ import annotations

from typing import Any, Final

from twisted.python.failure import Failure
from twisted.web._newclient import HEADER, STATUS, HTTP11ClientProtocol

LARGEST_HEAD: Final = 256 * 1024  # bytes, as in Chrome


class HeadTooLarge(Exception):
    """A server sends headers without an end."""


class HeadLimit:
    """Stands before ``dataReceived`` of a connection, and gives it up where a head grows too large."""

    def __init__(self, protocol: HTTP11ClientProtocol) -> None:
        self._protocol: Any = protocol
        self._receive = protocol.dataReceived
        self._size = 0

    def __call__(self, data: bytes) -> None:
        """Receive some bytes."""
        self._receive(data)  # type: ignore[no-untyped-call]
        parser = self._protocol._parser
        is_head = parser is not None and parser.state in (STATUS, HEADER)  # also between several heads: 100 Continue
        self._size = self._size + len(data) if is_head else 0
        if self._size > LARGEST_HEAD:
            error = HeadTooLarge(f"more than {LARGEST_HEAD} bytes")
            self._protocol._giveUp(Failure(error))  # type: ignore[no-untyped-call]


def limit_head(protocol: Any) -> Any:
    """A connection whose answers have heads of some size; connections are used again, the limit is set once."""
    if isinstance(protocol, HTTP11ClientProtocol) and not isinstance(protocol.dataReceived, HeadLimit):
        protocol.dataReceived = HeadLimit(protocol)  # type: ignore[method-assign]
    return protocol
