"""Hostile pages, all the way: a wrapper that selects what it should, or a clear error, and soon."""

from time import monotonic, process_time

import pytest
from lxml import etree

from scrapy_forest.errors import ForestError, PageTooDeep, TagTooLarge
from scrapy_forest.induction.induce import induce
from scrapy_forest.model.article import extract
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample

SUBJECTS = ("glacier moraine crevasse", "pumpkin lantern candle", "sourdough flour oven", "bicycle saddle handlebar")
LIMIT = 5  # seconds

# Each is the tag of the element that holds the article.
TAGS = {
    "both quotes in a class": """div class="it's &quot;main&quot;" """,
    "both quotes in an id": """div id="a'b&quot;c" """,
    "an expression in a class": """div class="x&quot;] | //script | //*[&quot;" """,
    "brackets and bars": "div class='a]|[b'",
    "a class of 10,000 characters": f"div class='{'x' * 10_000}'",
    "an emoji as a class": "div class='🎃'",
    "a newline between classes": "div class='one\ntwo'",
    "{} as an attribute name": "div {}=1 class=story",
    "braces in attribute names": "div {z}=5 {=7 {a}b=9 class=story",
    "punctuation as attribute names": 'div @x=1 :y=2 a"b=3 class=story',
    "a NUL in a class": "div class='sto\0ry'",
    "a lone surrogate in a class": "div class='a\ud800b'",
    "a surrogate by reference": "div class='a&#xD800;b'",
    "a name with a colon": "foo:bar class=story",
    "a name with braces": "x{y} class=story",
    "a name with a quote": 'a"b class=story',
    "no name at all": "div",
}


def page(subject: str, tag: str = "div class=story", before: str = "") -> str:
    words = subject.split()
    text = "".join(
        f"<p>About the {word} there is much to tell, and the {word} itself tells it best.</p>" for word in words
    )
    name = tag.split(" ")[0]
    return (
        f"<html lang=en><body>{before}<div id=menu><a href=/>Home</a> <script>var menu = 1</script></div>"
        f"<div id=outer><h2>Read this</h2><{tag}>{text}</{name}></div><div id=end>The end</div></body></html>"
    )


def wrapper_of(pages):
    return induce([Sample(Page.from_html(f"https://example.com/{n}", html)) for n, html in enumerate(pages)])


@pytest.fixture(autouse=True)
def soon():
    start = monotonic()
    yield
    assert monotonic() - start < LIMIT


@pytest.mark.parametrize("tag", TAGS.values(), ids=TAGS)
def test_the_wrapper_selects_the_article(tag):
    *samples, unseen = (page(subject, tag) for subject in SUBJECTS)
    wrapper = wrapper_of(samples)
    article = extract(wrapper, Page.from_html("https://example.com/new", unseen))
    assert article is not None
    *heading, first, second, third = article.text.splitlines()
    assert heading in ([], ["Read this"])  # of the box around it, where the element itself cannot be named
    assert [line.split()[2] for line in (first, second, third)] == ["bicycle", "saddle", "handlebar"]
    assert all(node.tag != "script" for node in etree.HTML("<script>x</script>").xpath(wrapper.content))


@pytest.mark.parametrize(
    ("before", "error"),
    [
        ("<div>" * 100_000, PageTooDeep),
        ("<b>" * 100_000, PageTooDeep),
        ("<p " + " ".join(f"a{number}=1" for number in range(100_000)) + ">", TagTooLarge),
        ("<p " + "a " * 100_000 + ">", TagTooLarge),
    ],
    ids=["100,000 nested div", "100,000 open b", "100,000 attributes", "100,000 times the same attribute"],
)
def test_a_clear_error(before, error):
    with pytest.raises(error, match=r"https://example\.com/0"):
        wrapper_of([page(subject, before=before) for subject in SUBJECTS])


@pytest.mark.parametrize(
    "before",
    ["<div>" * 2_000 + "</div>" * 2_000, "\0" * 1_000, "\ud800\udfff", "&#0;&#xD800;&#x110000;", "<br>" * 20_000],
    ids=["2,000 nested", "NULs", "surrogates", "references", "20,000 br"],
)
def test_noise_before_the_article(before):
    *samples, unseen = (page(subject, before=before) for subject in SUBJECTS)
    article = extract(wrapper_of(samples), Page.from_html("https://example.com/new", unseen))
    assert article is not None
    assert article.text.startswith("About the bicycle")
    article.text.encode()


def test_boxes_in_boxes():
    start = process_time()
    wrapper_of([page(SUBJECTS[0], before="<div class=story>x" * 1_900)])
    assert process_time() - start < 2


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"%PDF-1.7\n", b"\x89PNG\r\n\x1a\n\0\0", bytes(range(256)) * 400])
def test_what_is_no_page_is_an_error_or_nothing(body):
    try:
        found = Page.from_html("https://example.com/", body)
    except ForestError:
        return
    assert extract(wrapper_of([page(subject) for subject in SUBJECTS]), found) is None


def test_x05_one_page_of_too_many_boxes_does_not_end_the_learning():
    boxes = "<div class=story>" * 50 + "</div>" * 50
    *samples, last = (page(subject) for subject in SUBJECTS)
    forged = page("granite quarry chisel", before=f"{boxes * 2_100}")
    wrapper = wrapper_of([*samples, last, forged])
    article = extract(wrapper, Page.from_html("https://example.com/new", page(SUBJECTS[3])))
    assert article is not None
    assert article.text.startswith("About the bicycle")
