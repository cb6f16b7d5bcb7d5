"""Links that need no parser come out as the parser would make them."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.model.web_link import web_link

BASES = st.sampled_from(
    ["https://a.com", "https://a.com/", "http://a.com/b/c?d=/e#f", "https://a.com?b", "http://a.com:80/b", "file:///b"]
)
LINKS = st.text("/.#?ab:%é&=", max_size=8) | st.sampled_from(
    ["https://b.com/c", "//b.com", "http:c", "/../a", "/a/./b"]
)


@given(BASES, LINKS)
def test_as_the_parser(base: str, link: str) -> None:
    try:
        joined = urljoin(base, link)
        expected = joined if urlsplit(joined).scheme in ("http", "https") and urlsplit(joined).hostname else None
    except ValueError:
        expected = None
    found = web_link(base, link)
    assert (found and urlsplit(found).geturl()) == (expected and urlsplit(expected).geturl())  # "a?" is "a"


@pytest.mark.parametrize(
    "link", ["javascript:a", "data:,a", "https://", "https:///a", "http://[", "mailto:a@b", "file:///a", "https://:80/"]
)
def test_no_web(link: str) -> None:
    assert web_link("https://a.com/", link) is None
