"""X11: headers of answers, some of which Scrapy logs as they come."""

import pytest
from scrapy.http import Response

from scrapy_forest.network.handlers import clean_headers


@pytest.mark.parametrize(
    ("name", "value", "cleaned"),
    [
        ("Content-Encoding", b"gzip", b"gzip"),
        ("Content-Encoding", b"\x1b[31mx\ny", b"?[31mx?y"),
        ("Content-Encoding", "x\u202ey".encode(), b"x???y"),
        ("ETag", b'"a\x00\x7f"', b'"a??"'),
        ("X-Any", b"a\tb\x08", b"a\tb?"),
        ("Location", "/日本".encode(), "/日本".encode()),
    ],
)
def test_x11_headers_have_no_control_characters(name, value, cleaned):
    response = Response("https://a.example/", headers={name: [b"first", value], "X-Other": "as it is"})
    clean_headers(response)
    assert response.headers.getlist(name) == [b"first", cleaned]
    assert response.headers["X-Other"] == b"as it is"
