from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from scrapy_forest.model.article import extract, extract_text, find_content, leave_out
from scrapy_forest.model.page import Page
from scrapy_forest.model.wrapper import Wrapper

URL = "http://example.com/"
HTML = """
<script>evil()</script>
<nav>Home</nav>
<article class=story>
  <h1>Title</h1>
  <p>One <b>two</b>.</p>
  <aside>Advert <aside>inside</aside></aside> after
  <p class=share>Share</p>
  <script>track()</script>
</article>
<article><p>Next</p></article>
"""


def page() -> Page:
    return Page.from_html(URL, HTML)


@pytest.mark.parametrize(
    ("content", "exclusions", "text"),
    [
        ("//article/p", (), "One two."),
        ("//article[@class='story']", (), "Title\nOne two.\nAdvert\ninside\nafter\nShare"),
        ("//article", (".//aside",), "Title\nOne two.\nafter\nShare"),
        ("//article", (".//aside", "p[@class='share']"), "Title\nOne two.\nafter"),
        ("//article", ("//aside", "//p", "//p/b"), "Title\nafter"),
        ("//article", ("aside/aside",), "Title\nOne two.\nAdvert\nafter\nShare"),
        ("//article", (".//table",), "Title\nOne two.\nAdvert\ninside\nafter\nShare"),
        (
            "//article",
            ("//nav", "//article[2]", "ancestor::*", "../nav"),
            "Title\nOne two.\nAdvert\ninside\nafter\nShare",
        ),
        ("//article[2]", (".//aside",), "Next"),
        ("//nav | //article", (), "Home"),
        ("/html/body/article[2]", (), "Next"),
        ("article", (), None),  # seen from the root element
        ("body/article[2]", (), "Next"),
        # nothing there
        ("//table", (), None),
        ("//article", (".",), None),
        ("//article", ("self::article",), None),
        ("//article", ("/*",), None),
        ("//article[2]", ("p",), None),
        ("//script", (), None),
    ],
)
def test_extract(content: str, exclusions: tuple[str, ...], text: str | None) -> None:
    shared = page()
    before = etree.tostring(shared.root)
    wrapper = Wrapper(content, "test", exclusions)
    assert extract_text(wrapper, shared) == text
    article = extract(wrapper, shared)
    assert (article.text if article else None) == text
    assert etree.tostring(shared.root) == before


def test_find_content() -> None:
    shared = page()
    assert find_content(Wrapper("//article", "test"), shared) is shared.body.find("article")
    assert find_content(Wrapper("//table", "test"), shared) is None


def test_leave_out_copies_only_when_it_must() -> None:
    node = page().body.find("article")
    assert leave_out(Wrapper("//article", "test"), node) is node
    assert leave_out(Wrapper("//article", "test", (".//aside",)), node) is not node


def test_a_page_without_text() -> None:
    assert extract(Wrapper("//body", "test"), Page.from_html(URL, "<body><img src=a></body>")) is None


@pytest.mark.parametrize("depth", [1_000, 2_000])
def test_deep_pages(depth: int) -> None:
    deep = Page.from_html(URL, "<div>" * depth + "text<p>share</p>")
    article = extract(Wrapper("//body", "test", (".//p",)), deep)
    assert article is not None
    assert article.text == "text"
    assert "text" in article.html


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["<div>", "<p>", "</p>", "<b {}=1>", "<x{y}>", "a ", "é", "</div>", "<pre> "])),
    st.lists(st.sampled_from([".//p", "div", ".", "*", "*//*", ".//b[1]", "//div", ".//node()"]), max_size=3),
)
def test_the_tree_stays_as_it_was(soup: list[str], exclusions: list[str]) -> None:
    shared = Page.from_html(URL, f"<body>{''.join(soup)}<p>")
    before = etree.tostring(shared.root)
    extract(Wrapper("//body", "test", tuple(exclusions)), shared)
    assert etree.tostring(shared.root) == before


@pytest.mark.parametrize("count", [1, 3, 30])
def test_reading_parts_of_a_page_leaves_it_in_order(count: int) -> None:
    """libxslt numbers elements, and libxml2 sorts by these numbers."""
    boxes = "".join(f"<div class=n><p>{number}</p></div>" for number in range(count))
    page = Page.from_html(
        URL, f"<body>{boxes}<div class=art>{'<p>text</p>' * 5}</div><div class=z><p>end</p></div></body>"
    )
    for path in ("//body", "//div[@class='art']", "//div[@class='z']", "//div[@class='art']/p[3]"):
        assert extract(Wrapper(path, "test"), page) is not None
        assert page.root.xpath("//p") == list(page.root.iter("p"))
        assert extract_text(Wrapper("//p", "test"), page) == "0"


@pytest.mark.parametrize("tag", ["foo:bar", "x{y}", 'a"b', "a:b:c", "p"])
def test_strange_names_on_the_way(tag: str) -> None:
    page = Page.from_html(URL, f"<body><i>no</i><{tag}><b>no</b><em>yes <b>indeed</b></em></{tag}>no</body>")
    article = extract(Wrapper("//em", "test"), page)
    assert article is not None
    assert (article.text, article.html) == ("yes indeed", "<em>yes <b>indeed</b></em>")


BLOCKS = {
    "headings": ("<h2>One</h2>two<h3>three</h3>", "One\ntwo\nthree"),
    "list": ("<ul><li>One<li>two<ol><li>three</ol></ul>", "One\ntwo\nthree"),
    "definitions": ("<dl><dt>One<dd>two</dl>", "One\ntwo"),
    "table": ("<table><tr><th>One<th>two<tr><td>3<td>4</table>", "One\ntwo\n3\n4"),
    "code": ("<p>One</p><pre><code>if a:\n    b()</code></pre><p>two", "One\nif a:\n    b()\ntwo"),
    "inline-code": ("<p>Call <code>b()</code> now", "Call b() now"),
    "quote": ("One<blockquote><p>two</p>three</blockquote>", "One\ntwo\nthree"),
    "figure": ("<figure><img src=a><figcaption>One</figcaption></figure>two", "One\ntwo"),
}


@pytest.mark.parametrize(("html", "text"), BLOCKS.values(), ids=BLOCKS)
def test_blocks_stand_on_lines_of_their_own(html: str, text: str) -> None:
    assert extract_text(Wrapper("//main", "test"), Page.from_html(URL, f"<body><main>{html}</main></body>")) == text
