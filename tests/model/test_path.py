from __future__ import annotations

from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from scrapy_forest.model.page import Page
from scrapy_forest.model.path import (
    Condition,
    Equals,
    HasToken,
    StartsWith,
    Step,
    conditions_of,
    is_plain_name,
    is_usable_value,
    literal,
    tokens,
)

INJECTIONS = [
    'x"] | //script | //*["',
    "x'] | //script | //*['",
    """x'"] | //script | //*["'""",
    "x') or name()='script' or contains('",
    "x', 'x') or true() or contains('x",
    "]]>|//script",
    "{x}",
    "concat('a')",
    "$x",
    "\N{GRINNING FACE}'\"",
    "x\u2028|//script",
]
# What XML can hold, with a preference for what means something in XPath.
XML_TEXT = st.text(
    st.sampled_from("'\"[]|/()@$ \t\r\nab")
    | st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
)


def holds(condition: Condition, value: str | None) -> bool:
    match condition:
        case HasToken(_, token):
            return token in tokens(value or "")
        case Equals(_, expected):
            return value == expected
        case StartsWith(_, prefix):
            return (value or "").startswith(prefix)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        *[("div", True), ("h1", True), ("x-y", True), ("svg", True)],
        *[("", False), ("foo:bar", False), ("x{y}", False), ("a<b", False), ('a"b', False), ("a:b:c", False)],
        *[("{}", False), ("{a}b", False), ("@x", False), (":y", False), ("1a", False), ("-a", False), ("a.b", False)],
        *[("div\n", False), ("a b", False), ("é", False), ("DIV", False), (None, False), (etree.Comment, False)],
    ],
)
def test_is_plain_name(name: object, plain: bool) -> None:
    assert is_plain_name(name) is plain


@pytest.mark.parametrize(
    ("value", "usable"),
    [
        *[
            ("story", True),
            ("it's", True),
            ('a"b', True),
            ("a|b]", True),
            ("北京", True),
            ("😀", True),
            ("a\xa0b", True),
        ],
        *[("", False), ("a\nb", False), ("a\n", False), ("a\0", False), ("a\x1b", False), ("\x7f", False)],
        *[("\ud800", False), ("\ufffe", False), ("a" * 200, True), ("a" * 201, False), ("a" * 10_000, False)],
    ],
)
def test_is_usable_value(value: str, usable: bool) -> None:
    assert is_usable_value(value) is usable


@settings(max_examples=300, deadline=None)
@given(XML_TEXT)
def test_literals_are_what_they_say(value: str) -> None:
    assert etree.XPath(f"string({literal(value)})")(etree.Element("a")) == value


@settings(max_examples=300, deadline=None)
@given(st.lists(XML_TEXT, min_size=1, max_size=5), st.data())
def test_conditions_select_what_python_finds(values: list[str], data: st.DataObject) -> None:
    root = etree.Element("root")
    elements = [root, *(etree.SubElement(root, "a", {"class": value}) for value in values)]
    value = data.draw(st.sampled_from(values))
    found: list[Condition] = [Equals("class", value), StartsWith("class", value[:2])]
    found += [HasToken("class", token) for token in tokens(value)]
    for condition in found:
        expected = [each for each in elements if holds(condition, each.get("class"))]
        expected = [each for each in expected if each is not root or isinstance(condition, StartsWith)]
        assert etree.XPath(f"//*[{condition}]")(root) == expected


@pytest.mark.parametrize("value", INJECTIONS)
@pytest.mark.parametrize("attribute", ["class", "id", "itemprop", "role"])
def test_values_stay_values(value: str, attribute: str) -> None:
    html = f'<script>evil</script><div {attribute}="{escape(value)}">a</div><div {attribute}=x>b</div>'
    page = Page.from_html("http://example.com/", html)
    wanted = page.body.find("div")
    found = conditions_of(wanted)
    assert found
    for condition in found:
        assert holds(condition, wanted.get(attribute))
        selected = etree.XPath(f"//{Step('*', (condition,))}")(page.root)
        assert selected[0] is wanted
        assert "script" not in [each.tag for each in selected]
    assert etree.XPath(f"//{Step('div', tuple(found))}")(page.root) == [wanted]


@pytest.mark.parametrize(
    ("html", "conditions"),
    [
        ("<p>", set()),
        ("<p class=''>", set()),
        ("<p class=' a  b\ta '>", {HasToken("class", "a"), HasToken("class", "b")}),
        ("<p class='a\xa0b'>", {HasToken("class", "a\xa0b")}),
        ("<p id=a itemprop=b role=c>", {Equals("id", "a"), Equals("itemprop", "b"), Equals("role", "c")}),
        ("<p id='a b'>", {Equals("id", "a b")}),
        ("<p id='a\nb' class='c\x0cd e'>", {HasToken("class", "e")}),
        (f"<p id={'a' * 10_000} class='{'b' * 10_000} c'>", {HasToken("class", "c")}),
        ("<p style=a data-x=b {}=1 {z}=2 {=3 {a}b=4 @x=6 :y=7>", set()),
    ],
)
def test_conditions_of(html: str, conditions: set[Condition]) -> None:
    assert conditions_of(Page.from_html("http://example.com/", html).body[0]) == conditions


@pytest.mark.parametrize(
    ("step", "xpath"),
    [
        (Step("div"), "div"),
        (Step("div", position=2), "div[2]"),
        (Step("div", (Equals("id", "a"),)), "div[@id='a']"),
        (Step("div", (Equals("id", "it's"),), 3), 'div[@id="it\'s"][3]'),
        (Step("p", (StartsWith("id", "a"), Equals("role", "b"))), "p[starts-with(@id, 'a') and @role='b']"),
        (Step("p", (HasToken("class", "a"),)), "p[contains(concat(' ', normalize-space(@class), ' '), ' a ')]"),
    ],
)
def test_step(step: Step, xpath: str) -> None:
    assert str(step) == xpath


@pytest.mark.parametrize(
    ("value", "expected"),
    [("", []), (" ", []), ("a", ["a"]), (" a\tb\r\nc ", ["a", "b", "c"]), ("a\xa0b\u2003c", ["a\xa0b\u2003c"])],
)
def test_tokens(value: str, expected: list[str]) -> None:
    assert tokens(value) == expected
