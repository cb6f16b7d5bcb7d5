import pytest

from scrapy_forest.methods.forest.element_type import element_type, naming_type, tolerant_form
from scrapy_forest.model.page import Page


def first(page: Page, tag: str) -> int:
    return next(number for number, each in enumerate(page.outline.elements) if each.tag == tag)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("post wrapper-02", "post"),  # the paper's example, on page two
        ("post wrapper-09", "post"),  # and on page nine
        ("entry-4711", "entry-"),
        ("  story  ", "story"),
        ("2024", ""),
        ("", ""),
    ],
)
def test_tolerant_form(value, expected):
    assert tolerant_form(value) == expected


@pytest.mark.parametrize(
    ("html", "tolerant", "expected"),
    [
        ('<p class="post wrapper-02">x', True, 'p[@class="post"]'),
        ('<p class="post wrapper-02">x', False, 'p[@class="post wrapper-02"]'),
        ('<p style="color: red" class="a b" id="n7">x', True, 'p[@class="a" and @id="n" and @style="color:"]'),
        ("<p>x", True, 'p[@dfs="2"]'),
        ('<p class="12">x', True, 'p[@class=""]'),
    ],
)
def test_element_type_has_all_attributes_or_the_dfs_number(html, tolerant, expected):
    page = Page.from_html("https://example.com", f"<html><body>{html}</html>")
    number = first(page, "p")
    assert element_type(page.outline.elements[number], number + 1, tolerant=tolerant) == expected


@pytest.mark.parametrize("name", ["{}", "{z}", "{", 'a"b', "@x", ":y"])
def test_strange_attribute_names_do_not_matter(name):
    page = Page.from_html("https://example.com", f"<html><body><p {name}=1 class='a'>x</html>")
    assert 'class="a"' in element_type(page.outline.elements[1], 2)


@pytest.mark.parametrize(
    ("html", "tag", "expected"),
    [
        ('<div class="a" style="b" itemprop="text">x</div>', "div", 'div[@class="a" and @itemprop="text"]'),
        ('<div id="main"><section><p>x</p></section></div>', "p", 'div[@id="main"]/section/p'),
        ("<div><div><div><div><div><p>x", "p", "div/div/div/p"),
        ("<p>x", "p", "body/p"),
        ('<section class="main"><div id="4711">x', "div", 'section[@class="main"]/div'),  # a number is no name
    ],
)
def test_naming_type_climbs_to_a_name(html, tag, expected):
    page = Page.from_html("https://example.com", f"<html><body>{html}</html>")
    assert naming_type(page.outline, first(page, tag)) == expected
