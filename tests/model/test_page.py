from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from scrapy_forest.errors import EmptyPage, PageError
from scrapy_forest.model.page import MOST_STEMMED, Page
from scrapy_forest.model.text import element_text

URL = "http://example.com/"


@pytest.mark.parametrize(
    "html",
    [
        b"",
        b"   ",
        b"<!-- nothing -->",
        b"<html></html>",
        b"<html><head><title>A</title></head></html>",
        b"<frameset><frame src=a></frameset>",
        b"<html><frameset><frame src=a><noframes><p>a</noframes></frameset></html>",
    ],
)
def test_no_body(html: bytes) -> None:
    with pytest.raises(EmptyPage):
        Page.from_html(URL, html).body  # noqa: B018 - found out at the first look


@pytest.mark.parametrize(
    "html",
    [
        "<!doctype html><title>T</title><article><h1>a</h1><p>b</article>",
        "<!doctype html><html lang=en><meta charset=utf-8><title>T</title><header>a</header><main>b</main>",
        "<html><head><title>T</title><script>x</script><nav>a</nav><SECTION>b</SECTION></html>",
        "<title>T</title><article>a</article><div>b</div>",
        "<title>T</title><p>a<section>b</section>",
        "<title>T</title></head><main>a<p>b</main>",
        "<article>a</article><p>b",
        "<title>T</title><header>a</header><BODY>b",
    ],
)
def test_tags_that_may_be_left_out(html: str) -> None:
    page = Page.from_html(URL, html)
    assert element_text(page.body) == "a\nb"
    assert element_text(page.root) == "a\nb"
    assert "body" not in [each.tag for each in page.outline.elements[1:]]


@pytest.mark.parametrize("html", ["<body></body>", "<body> \n </body>", "<p></p>", "<script>a</script><p>", "<img>"])
def test_body_without_text(html: str) -> None:
    page = Page.from_html(URL, html)
    assert page.outline.leaves == page.leaf_terms == []
    assert set(page.term_counts) == {0}


@pytest.mark.parametrize(
    ("html", "assumed", "language"),
    [
        ("<html lang=pt-BR><p>a", None, "pt"),
        ("<html lang=pt-BR><p>a", "en", "pt"),
        ("<html lang=''><p>a", "en-US", "en"),
        ("<html lang='{}'><p>a", "de_AT", "de"),
        ("<html lang=english><p>a", "x", None),
        ("<p>a", None, None),
    ],
)
def test_language(html: str, assumed: str | None, language: str | None) -> None:
    assert Page.from_html(URL, html, language=assumed).language == language


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<title>A</title><p>b", ("A",)),
        ("<title>A</title><meta name=description content='B c'><meta name=keywords content=d><p>e", ("A", "B c", "d")),
        ("<meta property=og:title content=A><meta property=og:description content=B><p>c", ("A", "B")),
        ("<meta name=author content=A><meta name=description><p>b", ()),
        ("<body><p>a<svg><title>b</title></svg>", ()),
    ],
)
def test_metadata_texts(html: str, texts: tuple[str, ...]) -> None:
    assert Page.from_html(URL, html).metadata_texts == texts


def test_content_type() -> None:
    page = Page.from_html(URL, "<p>Новости".encode("koi8-r"), content_type="text/html; charset=koi8-r")
    assert page.outline.leaves == ["Новости"]


def test_counts() -> None:
    page = Page.from_html(URL, "<html lang=en><body><p>The dogs <b>barked</b></p><p>loudly and loudly</p>")
    assert page.leaf_terms == [("dog",), ("bark",), ("loud", "loud")]
    assert [(each.tag, count) for each, count in zip(page.outline.elements, page.term_counts, strict=True)] == [
        ("body", 4),
        ("p", 2),
        ("b", 1),
        ("p", 2),
    ]


def test_a_page_of_new_words_is_not_stemmed() -> None:
    letters = "abcdefghijklmnopqrst"
    text = " ".join(f"{a}{b}{c}{d}ings" for a in letters for b in letters for c in letters for d in letters[:5])
    assert len(text) > MOST_STEMMED
    start = process_time()
    page = Page.from_html(URL, f"<html lang=en><p>the runners were running</p><p>{text}</p>")
    assert page.leaf_terms[0] == ("runners", "running")
    assert process_time() - start < 1.5  # a page with half as much takes longer


def test_what_is_counted_once_is_kept() -> None:
    page = Page.from_html(URL, "<p>a")
    assert page.body is page.body
    assert page.outline is page.outline
    assert page.term_counts is page.term_counts


@pytest.mark.parametrize("depth", [1_000, 2_000])
def test_deep_pages(depth: int) -> None:
    page = Page.from_html(URL, "<div>" * depth + "some words")
    assert page.outline.levels[-1] == depth + 1
    assert page.term_counts == [2] * (depth + 1)
    assert element_text(page.body) == "some words"


@pytest.mark.parametrize(
    "html",
    [
        """<p {}=1 {z}=2 {=3 {a}b=4 a"b=5 @x=6 :y=7 class=c>some words""",
        """<foo:bar>some</foo:bar> <x{y} id=a>words</x{y}>""",
        """<a:b:c>some</a:b:c> <a"b>words</a"b>""",
    ],
)
def test_hostile_names(html: str) -> None:
    page = Page.from_html(URL, html)
    assert page.term_counts[0] == 2
    assert element_text(page.body) == "some words"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from("<div> <p> <b </b> < > <!-- --> <script> </script> a 'b \" & é \0 = {".split(" "))))
def test_any_soup_is_a_page_or_an_error(soup: list[str]) -> None:
    try:
        page = Page.from_html(URL, " ".join(soup))
        before = etree.tostring(page.root)
        assert page.term_counts[0] == sum(map(len, page.leaf_terms))
        element_text(page.body).encode()
    except PageError:
        return
    assert page.metadata_texts == ()
    assert etree.tostring(page.root) == before
