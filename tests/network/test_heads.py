"""N11: answers whose head does not end."""

import pytest
from twisted.internet.testing import StringTransport
from twisted.web._newclient import HTTP11ClientProtocol, Request, ResponseFailed
from twisted.web.http_headers import Headers

from scrapy_forest.network.heads import LARGEST_HEAD, HeadTooLarge, limit_head

OK = b"HTTP/1.1 200 OK\r\n"
LINE = b"X: " + b"y" * 1021 + b"\r\n"
TOO_MANY = LARGEST_HEAD // len(LINE) + 1


@pytest.fixture
def asking():
    """Connections by which something was asked for, and how that ended."""

    def ask(connection=None):
        if connection is None:
            connection = HTTP11ClientProtocol(lambda _: None)
            connection.makeConnection(StringTransport())
        ends = []
        limit_head(connection).request(
            Request(b"GET", b"/", Headers({b"host": [b"a"]}), None, persistent=True)
        ).addBoth(ends.append)
        return connection, ends

    return ask


@pytest.mark.parametrize(
    "pieces", [[OK + LINE * TOO_MANY], [OK, *[LINE] * TOO_MANY], [b"HTTP/1.1 100 x\r\n\r\n"] * 20_000]
)
def test_a_head_without_an_end(asking, pieces):
    connection, ends = asking()
    for piece in pieces:
        connection.dataReceived(piece)
        if ends:
            break
    [failure] = ends
    assert failure.check(ResponseFailed)
    assert [type(reason.value) for reason in failure.value.reasons] == [HeadTooLarge]
    assert connection.transport.disconnecting


def test_a_body_may_be_larger_and_connections_are_used_again(asking):
    connection, ends = asking()
    for _ in range(3):
        connection.dataReceived(OK + LINE * (TOO_MANY // 2) + b"Content-Length: 1000000\r\n\r\n")
        [answer] = ends
        assert answer.code == 200
        answer.deliverBody(Reader())
        connection.dataReceived(b"x" * 1_000_000)
        connection, ends = asking(connection)
    assert not ends


class Reader:
    """Reads a body and forgets it."""

    def makeConnection(self, transport):  # noqa: N802 - Twisted's names
        pass

    def dataReceived(self, data):  # noqa: N802
        pass

    def connectionLost(self, reason):  # noqa: N802
        pass
