"""Selections find what libxml2 finds, and soon, on hostile pages as well."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml.etree import _Element

from scrapy_forest.errors import InvalidWrapper
from scrapy_forest.model.grammar import MAX_LENGTH, MAX_STEPS, MAX_TESTS
from scrapy_forest.model.page import Page
from scrapy_forest.model.selection import Selection, selection

URL = "https://a.example/"
ELEMENTS = 20_000
LIMIT = 3  # seconds of the processor; all take less than one where it is not busy
TAG = '<div class="a b" id="x">'
CELL = f"{TAG}<p class=a>t</p></div>"
HOSTILE = {
    "flat": "<p class=a id=x>t" * ELEMENTS,
    "deep": (TAG * 1_900 + "t" + "</div>" * 1_900) * 10,
    "half deep": (TAG * 200 + "t" + "</div>" * 200) * 100,
    "bushy": (TAG * 20 + CELL * 40 + "</div>" * 20) * 200,
    "one long class": f"<p class='{'a' * 900_000}'>t",
}
CLASS = "contains(concat(' ', normalize-space(@class), ' '), ' a ')"
QUICK = [
    f"//*[{CLASS}]",
    f"(//*[{CLASS}])[1]",
    f"//div[@id='x']//*[{CLASS}]",
    "//div//div//div//div//div//p",
    "//*//*//*[1]",
    "//*[@id='x']/*[1]/*[last()]",
    "//div | //p | //div/p",
    "//div/..",
    "//div[count(div) = 1][div]",
    "//*[*[*[*[@id]]]]",
    "//*[count(*) > 3][self::*[count(*) > 3]]/*[last()]",
    "//*[text()]/p[normalize-space(text()) = 't']",
    "//*[" + " or ".join(f"@a{number} = 'b'" for number in range(MAX_TESTS)) + "]",
    f"//*[contains(@class, concat('{'a' * 240}', '{'a' * 230}b'))]",
    f"//*[{' or '.join([CLASS.replace(' a ', f' a{number} ') for number in range(20)])}]",
]


@pytest.fixture(scope="module")
def pages() -> dict[str, _Element]:
    return {name: Page.from_html(URL, f"<body>{html}").root for name, html in HOSTILE.items()}


@pytest.mark.parametrize("xpath", QUICK, ids=lambda text: text[:60])
@pytest.mark.parametrize("name", HOSTILE)
def test_x03_what_is_quick_is_quick(pages: dict[str, _Element], name: str, xpath: str) -> None:
    assert len(xpath) <= MAX_LENGTH
    expression = Selection(xpath)
    assert expression.plan.is_quick
    start = process_time()
    expression(pages[name])
    assert process_time() - start < LIMIT


def test_x03_a_long_way_through_many_nodes_ends(pages: dict[str, _Element]) -> None:
    expression = Selection("//div" + "/div" * (MAX_STEPS - 1))
    start = process_time()
    with pytest.raises(InvalidWrapper, match="more nodes"):
        expression(pages["deep"])
    assert process_time() - start < LIMIT


PIECES = st.sampled_from(
    "//div //p //* /div /* /.. /p[1] /*[last()] /*[2] //div[1] //p[@a] //*[p] //*[not(@a)]".split()
)
STARTS = st.sampled_from(["", ".", "/*", "(//div)[2]", "(.//p)[last()]", "*", "//ancestor::div", "//p/.."])
PATHS = st.builds(lambda start, steps: start + "".join(steps) or ".", STARTS, st.lists(PIECES, max_size=4))
XPATHS = st.lists(PATHS, min_size=1, max_size=2).map(" | ".join)
TREES = st.recursive(
    st.just(()), lambda children: st.lists(st.tuples(st.sampled_from("dpa"), children), max_size=3), max_leaves=12
)


def grow(parent: _Element, tree: object) -> _Element:
    for kind, below in tree:  # type: ignore[attr-defined]
        tag, attributes = ("p", {"a": "b"}) if kind == "a" else ({"d": "div", "p": "p"}[kind], {})
        grow(etree.SubElement(parent, tag, attributes), below)
    return parent


@settings(max_examples=200, deadline=None)
@given(TREES, XPATHS, st.integers(0))
def test_it_selects_what_libxml2_selects(tree: object, xpath: str, start: int) -> None:
    root = grow(etree.Element("body"), tree)
    nodes = list(root.iter())
    node = nodes[start % len(nodes)]
    assert Selection(xpath)(node) == etree.XPath(xpath)(node)


@pytest.mark.parametrize(
    ("xpath", "found"),
    [
        ("//b | //i", ["i1", "b1", "i2"]),
        ("//p/* | //i", ["i1", "b1", "i2"]),
        ("//div//i", ["i2"]),
        ("//node()[@id='b1']", ["b1"]),
        ("//node() | //text()/..", None),
    ],
)
def test_selection(xpath: str, found: list[str] | None) -> None:
    root = Page.from_html(URL, "<body><p><i id=i1></i><b id=b1></b></p><div><div><i id=i2></i></div></div>").root
    if found is None:
        with pytest.raises(InvalidWrapper):
            Selection(xpath)
    else:
        assert [each.get("id") for each in Selection(xpath)(root)] == found


def test_expressions_are_compiled_once() -> None:
    assert selection("//article") is selection("//article")
