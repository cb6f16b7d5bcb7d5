from datetime import timedelta

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse

from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.responses import ENTRY, LANGUAGE, START, document_of, entry_of, is_html, now

URL = "https://a.example/1"
PAGE = b"<!DOCTYPE html>\n<HTML><body>text</body></HTML>"


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        (HtmlResponse, PAGE, True),
        (HtmlResponse, b"", True),  # the reader says what is wrong with it
        (HtmlResponse, b"text only", True),
        (HtmlResponse, b"%PDF-1.7 a lie", False),
        (HtmlResponse, b"\x89PNG\r\n\x1a\n", False),
        (XmlResponse, b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>", True),
        (XmlResponse, b"<?xml version='1.0'?><rss/>", False),
        (TextResponse, PAGE, True),
        (TextResponse, b"just words", False),
        (TextResponse, b'{"html": "<p>"}', False),
        (TextResponse, b" " * START + PAGE, False),
        (Response, PAGE, False),
        (Response, b"", False),
    ],
)
def test_is_html(kind, body, expected):
    assert is_html(kind(URL, body=body)) is expected


def respond(meta, headers=None):
    return HtmlResponse(URL, body=PAGE, headers=headers, request=Request(URL, meta=meta))


def test_a_document_of_a_feed():
    entry = FeedEntry("id", URL, authors=("Ann",))
    response = respond({ENTRY: entry, LANGUAGE: "de"}, {"Content-Type": "text/html; charset=utf-8"})
    assert document_of(response) == Document(URL, PAGE, "text/html; charset=utf-8", "de", entry)
    assert entry_of(response) == entry


@pytest.mark.parametrize("headers", [{}, {"Content-Type": ""}])
def test_a_document_of_another_spider(headers):
    response = respond({}, headers)
    assert document_of(response) == Document(URL, PAGE)
    assert entry_of(response) is None


def test_a_header_of_any_bytes():
    assert document_of(respond({}, {"Content-Type": b"text/html; \xff\x80"})).content_type == "text/html; \xff\x80"


def test_the_time_is_in_utc_and_whole_seconds():
    assert now().utcoffset() == timedelta(0)
    assert now().microsecond == 0
