"""JSON-LD, well and badly written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.model.article import extract
from scrapy_forest.model.json_ld import MAX_CHARACTERS, find_article
from scrapy_forest.model.page import Page
from scrapy_forest.model.wrapper import Wrapper

URL = "https://example.com/a"
A = '{"@type": "Article", "headline": "A"}'


def headline_of(*blocks: str) -> str | None:
    article = find_article(blocks, URL)
    return next(iter(article.texts("headline")), None) if article else None


FOUND = {
    "plain": [A],
    "second-block": ['{"@type": "Organization", "name": "O"}', A],
    "array": [f"[{A}]"],
    "graph": [f'{{"@graph": [{{"@type": "WebSite"}}, {A}]}}'],
    "nested": [f'{{"@type": "WebPage", "mainEntity": {A}}}'],
    "types": ['{"@type": ["Thing", "BlogPosting"], "headline": "A"}'],
    "schema-url": ['{"@type": "http://schema.org/NewsArticle", "headline": "A"}'],
    "comment": [f"<!-- {A} -->"],
    "cdata": [f"//<![CDATA[\n{A}\n//]]>"],
    "cdata-in-comments": [f"/*<![CDATA[*/{A}/*]]>*/"],
    "semicolon": [f"{A};"],
    "raw-newline": ['{"@type": "Article", "text": "a\n\tb", "headline": "A"}'],
    "broken-block-before": ['{"@type": ', A],
    "long-number": ['{"@type": "Article", "n": ' + "9" * 100_000 + ', "headline": "A"}'],
    "the-one-that-names-the-page": [f'[{{"@type": "Article", "headline": "B"}}, {{"url": "{URL}/", {A[1:]}]'],
    "main-entity-of-page": [f'[{{"@type": "Article"}}, {{"mainEntityOfPage": {{"@id": "{URL}"}}, {A[1:]}]'],
}


@pytest.mark.parametrize("blocks", FOUND.values(), ids=FOUND)
def test_found(blocks: list[str]) -> None:
    assert headline_of(*blocks) == "A"


NOTHING = {
    "empty": "",
    "spaces": " " * 1_000_000,
    "text": '"Article"',
    "number": "1",
    "other-type": '{"@type": "JobPosting", "headline": "A"}',
    "type-is-a-number": '{"@type": 1, "headline": "A"}',
    "type-is-an-object": '{"@type": {"a": 1}, "headline": "A"}',
    "headline-is-an-object": '{"@type": "Article", "headline": {"a": {"b": 1}}}',
    "headline-is-true": '{"@type": "Article", "headline": true}',
    "headline-is-nested": '{"@type": "Article", "headline": [[["A"]]]}',
    "brackets": "[" * 200_000,
    "closed-brackets": "[" * 200_000 + "]" * 200_000,
    "objects": '{"a":' * 200_000,
    "too-long": '{"@type": "Article", "a": "' + "a" * MAX_CHARACTERS + '", "headline": "A"}',
    "many-values": "[" + "[]," * 100_000 + A + "]",
    "infinity": "[Infinity, NaN, 1e999]",
}


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("block", NOTHING.values(), ids=NOTHING)
def test_nothing(block: str) -> None:
    assert headline_of(block) is None


def test_ids_are_followed_one_step() -> None:
    graph = [
        {"@type": "Article", "author": [{"@id": "#a"}, {"@id": "#b"}, {"@id": "#none"}]},
        {"@id": "#a", "name": {"@id": "#a"}},
        {"@id": "#b", "name": "Jane"},
    ]
    article = find_article([json.dumps({"@graph": graph})], URL)
    assert article is not None
    assert article.texts("author") == ("Jane",)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["#a", "A", URL]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["@type", "@id", "@graph", "name", "url", "a"]), inner, max_size=3),
    max_leaves=10,
)  # fmt: skip
NAMES = ["headline", "author", "datePublished", "dateModified", "keywords", "image", "mainEntityOfPage", "@id", "url"]


@given(st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_whatever_the_types(data: dict[str, object]) -> None:
    block = json.dumps({**data, "@type": "Article"}).replace("</", "<\\/")
    html = f"<head><script type=application/ld+json>{block}</script></head><body><p>Text</p></body>"
    article = extract(Wrapper("//p", "test"), Page.from_html(URL, html))
    assert article is not None
    json.dumps(article.to_dict())
