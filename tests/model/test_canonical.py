import pytest

from scrapy_forest.model.canonical import canonical_link
from scrapy_forest.model.page import Page

URL = "https://a.example/1?x=2"
LINK = '<link rel="canonical" href="{}">'


@pytest.mark.parametrize(
    ("head", "link"),
    [
        ("", None),
        (LINK.format("/1"), "https://a.example/1"),
        (LINK.format("https://b.example/1"), "https://b.example/1"),
        ("<link rel='shortlink Canonical' href=1>", "https://a.example/1"),
        ("<base href='https://c.example/d/'>" + LINK.format("1"), "https://c.example/d/1"),
        (LINK.format("/1") * 2, "https://a.example/1"),
        (LINK.format("/1") + LINK.format("/2"), None),
        (LINK.format("javascript:alert(1)"), None),
        (LINK.format("http://["), None),
        ("<link rel=canonical>", None),
        ("<link rel=alternate href=/1>", None),
    ],
)
def test_canonical_link(head, link):
    page = Page.from_html(URL, f"<html><head>{head}</head><body>{LINK.format('/in-the-text')}<p>x</p></body></html>")
    assert canonical_link(page) == link
