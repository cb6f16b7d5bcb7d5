from __future__ import annotations

import json
from time import monotonic, process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_forest.errors import InvalidWrapper
from scrapy_forest.model.article import extract
from scrapy_forest.model.page import Page
from scrapy_forest.model.path import literal
from scrapy_forest.model.wrapper import FORMAT, MAX_DEPTH, MAX_EXCLUSIONS, MAX_JSON, Wrapper

PAGE = Page.from_html("http://example.com/", "<div id=a><p>" + "a" * 28 + "!</p></div>")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(), children, max_size=3),
    max_leaves=5,
)
EXPRESSIONS = st.sampled_from(["//article", ".//aside", "(//div)[1]", "//p[@id]|//b"]) | st.builds(
    lambda value: f"//*[@id={literal(value)}]",
    st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")),
)
WRAPPERS = st.builds(
    Wrapper,
    content=EXPRESSIONS,
    method=st.text(),
    exclusions=st.lists(EXPRESSIONS, max_size=3).map(tuple),
    version=st.integers(),
    evidence=st.dictionaries(st.text(), VALUES, max_size=3),
)


def document(**changes: object) -> str:
    whole = {"format": FORMAT, "content": "//article", "method": "forest"} | changes
    return json.dumps({key: value for key, value in whole.items() if value is not ...})


@settings(max_examples=100, deadline=None)
@given(WRAPPERS)
def test_round_trip(wrapper: Wrapper) -> None:
    assert Wrapper.from_json(wrapper.to_json()) == wrapper
    assert Wrapper.from_json(wrapper.to_json()).to_json() == wrapper.to_json()


def test_what_people_read() -> None:
    wrapper = Wrapper("//article[@id='é']", "forest", (".//aside",), 2, {"samples": 3})
    assert wrapper.to_json().splitlines() == [
        "{",
        '  "format": 1,',
        """  "content": "//article[@id='é']",""",
        '  "method": "forest",',
        '  "exclusions": [',
        '    ".//aside"',
        "  ],",
        '  "version": 2,',
        '  "evidence": {',
        '    "samples": 3',
        "  }",
        "}",
    ]


def test_only_two_keys_are_needed() -> None:
    assert Wrapper.from_json(document()) == Wrapper("//article", "forest")


@pytest.mark.parametrize(
    "text",
    [
        *["", " ", "{", "//article", "nothing", '{"format": 1', "\ufeff{}", "\0", "[" * 100_000, '{"a":' * 100_000],
        *["null", "true", "1", '"{}"', "[]", "{}", '[["format", 1]]', "9" * 10_000],
        *[document(format=number) for number in (..., None, 0, 2, -1, 1.0, True, "1", [1])],
        *[document(content=content) for content in (..., None, 1, True, [], ["//a"], {})],
        *[document(method=method) for method in (..., None, 1, [])],
        *[document(version=version) for version in (None, "1", 1.0, 1.5, True, False, [1])],
        *[document(exclusions=exclusions) for exclusions in (None, "//a", {"//a": 1}, [1], [None], ["//a", ["//b"]])],
        *[document(evidence=evidence) for evidence in (None, [], "a", 1)],
        *[document(**{key: 1}) for key in ("", "Content", "_sep", "self", "__class__")],
    ],
)
def test_malformed(text: str) -> None:
    with pytest.raises(InvalidWrapper):
        Wrapper.from_json(text)


@pytest.mark.parametrize(
    "xpath",
    ["", " ", "//", "//a[", "a b", "//a[@id='x]", ".story", "#a", "a\0b", "\ud800", "(" * 100_000, "//a]"],
)
def test_not_xpath(xpath: str) -> None:
    with pytest.raises(InvalidWrapper):
        Wrapper.from_json(document(content=xpath))
    with pytest.raises(InvalidWrapper):
        Wrapper.from_json(document(exclusions=[xpath]))


@pytest.mark.parametrize(
    "xpath",
    [
        "//p[re:test(., '^(a+)+$')]",
        "//p[re:match(., '(a+)+$')]",
        "re:replace(//p, '(a+)+$', 'g', '')",
        "//p[regexp:test(., '^(a+)+$')]",
        "//foo:bar | //p[foo:bar()]",
        "//p[system-property('x')]",
        "document('http://example.com/')",
        "//p[$x]",
        "//p | 3",
    ],
)
def test_x03_beyond_xpath(xpath: str) -> None:
    start = monotonic()
    with pytest.raises(InvalidWrapper):
        extract(Wrapper.from_json(document(content=xpath)), PAGE)
    with pytest.raises(InvalidWrapper):
        extract(Wrapper.from_json(document(content="//div", exclusions=[xpath])), PAGE)
    assert monotonic() - start < 5


@pytest.mark.parametrize(
    "text",
    [
        document(content="//a" + "[1]" * 300_000),
        document(content="//p[.='" + "a" * 1_000_000 + "']"),
        document(content="/" * 1_000_000),
        document(method="a" * MAX_JSON),
        document(evidence={"a": ["b"] * MAX_JSON}),
        document(exclusions=["p"] * (MAX_EXCLUSIONS + 1)),
        document(evidence=json.loads('{"a":' * MAX_DEPTH + "[]" + "}" * MAX_DEPTH)),
    ],
    ids=["predicates", "a literal", "slashes", "a method", "evidence", "exclusions", "nesting"],
)
def test_x03_what_is_too_large_is_refused(text: str) -> None:
    start = process_time()
    with pytest.raises(InvalidWrapper):
        Wrapper.from_json(text)
    assert process_time() - start < 1


def test_what_is_just_small_enough() -> None:
    evidence = json.loads('{"a":' * (MAX_DEPTH - 1) + "1" + "}" * (MAX_DEPTH - 1))
    wrapper = Wrapper("//p", "a", (".//b",) * MAX_EXCLUSIONS, evidence=evidence)
    assert Wrapper.from_json(wrapper.to_json()) == wrapper


@pytest.mark.parametrize(
    ("exclusions", "is_quick"),
    [
        ((), True),
        ((".//aside",) * MAX_EXCLUSIONS, True),
        ((".//p[contains(., 'advert')]",), False),
        ((".//p[@a or @b or @c or @d]",) * 10, True),
        ((".//p[@a or @b or @c or @d]",) * 11, False),
        ((" | ".join([".//a"] * 10),) * 5, True),
        ((" | ".join([".//a"] * 10),) * 7, False),
        ((f".//a[contains(@b, '{'c' * 50}')]",) * 9, True),
        ((f".//a[contains(@b, '{'c' * 50}')]",) * 10, False),
        ((".//a[contains(concat(@b, 'c'), 'd')]",), True),
        ((".//a[contains(concat(@b, @b), 'd')]",), False),  # as long as all of them
    ],
)
def test_whether_it_is_quick(exclusions: tuple[str, ...], is_quick: bool) -> None:
    assert Wrapper("//main", "by hand", exclusions).is_quick is is_quick
