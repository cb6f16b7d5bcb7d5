"""X03: what a wrapper may say, each refusal with what is wrong and where."""

from __future__ import annotations

import re
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from scrapy_forest.errors import InvalidWrapper
from scrapy_forest.induction.generalise import generalise
from scrapy_forest.model.grammar import (
    FAR_AXES,
    FUNCTIONS,
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_STEPS,
    MAX_TESTS,
    NEAR_AXES,
    read_xpath,
)
from scrapy_forest.model.page import Page
from scrapy_forest.model.selection import Selection
from scrapy_forest.model.wrapper import MAX_EXCLUSIONS, Wrapper

DOCS = Path(__file__).parents[2] / "docs"
SITES = Path(__file__).parent.parent / "sites"
HAS_CLASS = "contains(concat(' ', normalize-space(@class), ' '), ' {} ')"

# What people write, and whether it is quick.
ALLOWED = {
    "//article": True,
    "//div[@id='story']/p[2]": True,
    f"//div[{HAS_CLASS.format('post')} and {HAS_CLASS.format('full')}]//section": True,
    f"(//div[{HAS_CLASS.format('post')}])[1]": True,
    "(//main)[last()]/div": True,
    "/html/body/div[2]/div": True,
    "/*/body[1]/div[3]": True,
    "body/main": True,
    ".": True,
    "./p": True,
    ".//aside | .//form | .//*[@role='navigation']": True,
    ".//p[@class='share' or starts-with(@id, 'ad-')]": True,
    ".//p[not(@class)][position() < 3]": True,
    ".//li[position() mod 2 = 1]": True,
    ".//p[last() - 1]": True,
    ".//div[count(p) > 3]": True,
    ".//div[count(p[@class='x']) >= 2]": True,
    ".//p[normalize-space(text()) = 'Advertisement']": True,
    ".//p[string-length(@title) > 10]": True,
    ".//p[not(text())]": True,
    ".//*[name() = 'svg' or local-name() = 'math']": True,
    ".//div/..": True,
    ".//child::p/self::p": True,
    "descendant::p": True,
    """.//p[@class="it's"]""": True,
    """.//p[@class=concat('a"b', "'", 'c')]""": True,
    ".//p[@div = 'and']/div/and": True,
    "//and[@or]": True,
    ".//p[contains(., 'Advertisement')]": False,
    ".//p[string-length(normalize-space()) = 0]": False,
    ".//p[translate(@class, 'ABC', 'abc') = 'b']": False,
    ".//h2[.='Related']/following-sibling::*": False,
    ".//*[preceding-sibling::h2[contains(., 'Related')]]": False,
    ".//p[not(ancestor::blockquote)]": False,
    ".//div[.//form]": False,
    ".//div[a/img]": False,
    ".//p/ancestor::div[1]": False,
    ".//p/ancestor-or-self::*[@id]": False,
    ".//hr/preceding-sibling::p[1]": False,
    ".//node()[@class='x']": False,
    "(//main | //article)[1]": False,
    "(//main//article)[1]": False,
    "//p[b | i]": False,
    "//p[@a = @b]": False,
    "//p[contains(@class, @id)]": False,
    "//p[contains(@class, normalize-space(@id))]": False,
    f"//p[contains(@class, '{'a' * 600}')]": False,
    f"//p[contains('{'a' * 600}', 'a')]": True,
    "//p/../a": False,
    "//p/..": True,
    "//p[..]": True,
    "//p[parent::div[count(p) > 3]]": False,
    "//p/parent::div[count(p) > 3]": False,
    "//p[self::*[count(b) > 3]]": True,
    "//*[*[*[*[@a]]]]": True,
}
REFUSED = {
    # what lxml and XSLT add
    "//p[re:test(., '^(a+)+$')]": "prefixes are not allowed",
    "re:replace(//p, 'a', 'g', '')": "prefixes",
    "//foo:bar": "prefixes",
    "//*[foo:*]": "prefixes",
    "document('https://a.example/')": "a step is no function",
    "//p[document('https://a.example/')]": "the function 'document' is not allowed",
    "//p[key('a', 'b')]": "'key'",
    "//p[id('a')]": "'id'",
    "id('a')": "a step is no function",
    "//p[system-property('x')]": "'system-property'",
    "//p[$x]": "a step is missing",
    "$x": "a step is missing",
    # what takes long
    "//*[count(preceding::*) > 3]": "axis is not allowed",
    "//p/following::*": "axis is not allowed",
    "//p[namespace::*]": "axis is not allowed",
    "//*[.//*[.//*]]": "looks around from too many nodes",
    "//*[following-sibling::*[preceding-sibling::*]]": "looks around",
    "//*[a[b//c[d//e]]]": "looks around",
    "//p/following-sibling::*[preceding-sibling::p]": "looks around",
    "//*[.//a or .//b or .//c or .//d or .//e or .//f or .//g or .//h or .//i]": "looks around",
    "//p[//h1]": "a path in a predicate starts at the node",
    "//p[/html]": "starts at the node",
    "//p" + "[@a]" * (MAX_TESTS + 1): "paths in predicates",
    "/".join(["*"] * (MAX_STEPS + 1)): "steps",
    "//p" + "[p" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1): "levels of brackets",
    "(" * 1_000 + "//p" + ")" * 1_000: "levels of brackets",
    "//p[" + "-" * 2_000 + "1 + @a[" * 20: "levels of brackets",
    "//p" + " " * MAX_LENGTH: "characters",
    # what selects no elements
    "//p/text()": "only elements can be selected",
    "//p/@class": "only elements",
    "@class": "only elements",
    "count(//p)": "a step is no function",
    "string(//p)": "a step is no function",
    "//comment()": "a step is no function",
    "1": "a step is missing",
    "'a'": "a step is missing",
    "/": "a step is missing",
    "": "a step is missing",
    "//p = 1": "should end here",
    "//p + 1": "should end here",
    "//p | 3": "a step is missing",
    "-//p": "a step is missing",
    # what is no XPath
    "//": "a step is missing",
    "//a[": "a step is missing",
    "//a]": "should end here",
    "//a[]": "a step is missing",
    "a b": "should end here",
    "//a[@id='x]": "no part of XPath starts here",
    ".story": "should end here",
    "#a": "no part of XPath",
    "a\0b": "no part of XPath",
    "\ud800": "no part of XPath",
    "//a[b c]": "']' is missing",
    "//a[contains(@b)]": "another number of arguments",
    "//a[not()]": "another number of arguments",
    "//a[count('b')]": "only nodes are counted",
    "//a[@b/c]": "nothing comes after an attribute",
    "//a[.[b]]": "']' is missing",
    "//a[1 1]": "']' is missing",
    "//a[div div]": "a step is missing",
    "//a[(b)[1]]": "']' is missing",
    "//a/": "a step is missing",
    "//a[text('b')]": "')' is missing",
}


@pytest.mark.parametrize(("xpath", "is_quick"), ALLOWED.items())
def test_x03_what_people_write(xpath: str, is_quick: bool) -> None:
    assert read_xpath(xpath).is_quick is is_quick
    Selection(xpath)(Page.from_html("https://a.example/", "<p>a").root)


@pytest.mark.parametrize(("xpath", "problem"), REFUSED.items(), ids=lambda text: ascii(text[:60]))
def test_x03_refused(xpath: str, problem: str) -> None:
    with pytest.raises(InvalidWrapper, match=re.escape(problem)):
        read_xpath(xpath)


def test_the_documentation_tells_all_of_it() -> None:
    told = (DOCS / "wrappers.md").read_text(encoding="utf-8")
    words = set(re.findall(r"`([a-z-]+)`", told))
    assert (FUNCTIONS.keys() | FAR_AXES | NEAR_AXES) - {"attribute"} <= words
    for number in (MAX_LENGTH, MAX_STEPS, MAX_TESTS, MAX_DEPTH, MAX_EXCLUSIONS):
        assert f"{number:,} " in told
    example = told.partition("```json\n")[2].partition("```")[0]
    assert Wrapper.from_json(example).to_json() == example.strip()


def test_x03_the_error_says_where() -> None:
    with pytest.raises(InvalidWrapper, match=r"at character 8, near \"//div\[@\$x = 'a'\]\": a step is missing"):
        read_xpath("//div[@$x = 'a']")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_what_libxml2_knows(name: str) -> None:
    function = FUNCTIONS[name]
    arguments = ["." if name in ("count", "name", "local-name") else "'a'"] * function.least
    call = f"{name}({', '.join(arguments)})"
    kinds = {
        "boolean": "boolean({0}) = ({0})",
        "number": "string(number({0})) = string({0})",
        "string": "string({0}) = {0}",
    }
    root = etree.XML("<a><b/></a>")
    assert etree.XPath(f"/a/b[{kinds[function.gives].format(call)}]", regexp=False)(root)


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("/*.[]()@|=<'\"-: 1ap") | st.characters(exclude_categories=()), max_size=30))
def test_x03_any_text_is_read_or_refused(text: str) -> None:
    try:
        expression = Selection(text)
    except InvalidWrapper:
        return
    expression(Page.from_html("https://a.example/", "<p>a").root)


WORDS = st.sampled_from(
    "// / . .. * p div @class text() node() [ ] ( ) | and or not( contains( count( ' a' = < + - 1 , position() last()"
    " ancestor:: following-sibling:: child:: descendant:: :: mod".split(" ")
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_x03_what_is_allowed_is_xpath(text: str) -> None:
    try:
        expression = Selection(text)
    except InvalidWrapper:
        return
    etree.XPath(text, regexp=False)
    expression(Page.from_html("https://a.example/", "<p>a").root)


def test_x03_reading_takes_no_time() -> None:
    xpath = f"//div[{HAS_CLASS.format('post')} and {HAS_CLASS.format('full')}]/div[2]"
    start = process_time()
    for _ in range(100):
        read_xpath(xpath)
    assert (process_time() - start) / 100 < 0.001


@pytest.mark.parametrize("file", sorted(SITES.glob("*/pages/*.html")), ids=lambda file: f"{file.parts[-3]}/{file.stem}")
def test_x03_what_is_induced_is_allowed_and_quick(file: Path) -> None:
    """For any element of real pages, not only for articles."""
    page = Page.from_html("https://a.example/", file.read_bytes())
    found = [generalise([node]) for node in page.body.iter()]
    assert all(read_xpath(each.xpath).is_quick for each in found if each)
    assert any(found)
