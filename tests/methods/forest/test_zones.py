import pytest

from scrapy_forest.methods.forest.options import PAPER, ForestOptions
from scrapy_forest.methods.forest.terminal_paths import significant_leaves
from scrapy_forest.methods.forest.zones import leaves_that_count, line_terms
from scrapy_forest.model.page import Page

LINE = "alpha beta gamma delta epsilon zeta eta theta iota kappa"  # ten terms, just enough
ARTICLE = f"<p>{LINE}</p>" * 5


def page_of(html: str) -> Page:
    return Page.from_html("https://example.com/", f"<html><body>{html}</body></html>")


def counts(html: str, options: ForestOptions) -> bool:
    """Whether the one text that starts with "spot" counts."""
    page = page_of(html)
    (spot,) = (number for number, leaf in enumerate(page.outline.leaves) if leaf.startswith("spot"))
    return leaves_that_count(page, options)[spot]


@pytest.mark.parametrize(
    "html",
    [
        f"<nav>spot {LINE}</nav>",
        f"<form><div><p>spot {LINE}</p></div></form>",
        f"<header>spot {LINE}</header>",
        f"<footer>spot {LINE}</footer>",
        f"<aside>spot {LINE}</aside>",
        f"<div role=navigation>spot {LINE}</div>",
        f"<div hidden>spot {LINE}</div>",
        f"<div aria-hidden=true>spot {LINE}</div>",
        f"<div style='display: none'>spot {LINE}</div>",
        f"<div class='Cookie-Notice'>spot {LINE}</div>",
        f"<div id=comments>spot {LINE}</div>",
        f"<p>{LINE} <a href=x>spot {LINE}</a></p>",
        "<p>spot on</p>",
    ],
)
def test_zones(html):
    assert not counts(html + ARTICLE, ForestOptions())
    assert counts(html + ARTICLE, PAPER)


@pytest.mark.parametrize(
    "html",
    [
        f"<p>spot {LINE}</p>",
        "<p>spot <b>alpha beta</b> gamma <i>delta epsilon</i> zeta eta theta iota</p>",
        f"<div style='display:block'>spot {LINE}</div>",
    ],
)
def test_no_zones(html):
    assert counts(html + ARTICLE, ForestOptions())


@pytest.mark.parametrize(("inside", "outside", "expected"), [(2, 1, True), (1, 1, False), (1, 2, False)])
def test_a_zone_with_more_than_half_of_the_text_is_none(inside, outside, expected):
    box = f"<form>{f'<p>{LINE}</p>' * (inside - 1)}<p>spot {LINE[6:]}</p></form>"  # without "alpha ", as long as LINE
    assert counts(box + f"<p>{LINE}</p>" * outside, ForestOptions()) is expected


@pytest.mark.parametrize("name", ["commentary", "commentator-bio", "correspondent", "responsive"])
def test_names_that_only_look_like_comments(name):
    assert counts(f"<div class='{name}'>spot {LINE}</div>{ARTICLE}", ForestOptions())


@pytest.mark.parametrize(
    ("option", "html"),
    [
        ("skip_zones", f"<nav>spot {LINE}</nav>"),
        ("skip_comments", f"<div class=comments>spot {LINE}</div>"),
        ("skip_links", f"<p>{LINE} <a>spot</a></p>"),
        ("skip_anchor_lists", f"<ul><li><a>spot {LINE}</a></li></ul>"),
    ],
)
def test_each_has_its_option(option, html):
    off = dict.fromkeys(("skip_zones", "skip_comments", "skip_links", "skip_anchor_lists"), False)
    assert counts(html + ARTICLE, ForestOptions(**off))
    assert not counts(html + ARTICLE, ForestOptions(**{**off, option: True}))


def test_lists_of_anchors_are_nothing_but_links():
    options = ForestOptions(skip_links=False, skip_anchor_lists=True, min_line=0)
    assert counts(f"<ul><li>read <a>spot {LINE}</a></li></ul>{ARTICLE}", options)


def test_a_line_is_all_text_of_one_block():
    page = page_of("<div>one two <b>three</b><p>four</p> five</div>")
    assert dict(zip(page.outline.leaves, line_terms(page), strict=True)) == {
        "one two ": 4,
        "three": 4,
        "four": 1,
        " five": 4,
    }


def test_if_only_zones_hold_signifiers_they_count():
    page = page_of(f"<nav>spot {LINE}</nav><p>nothing here at all</p>")
    assert significant_leaves(page, {"spot": 1.0}, ForestOptions()) == [1, 0]
