from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.etree import _Element

from scrapy_forest.model.outline import NO_PARENT, Outline
from scrapy_forest.model.page import Page
from scrapy_forest.model.text import SILENT_TAGS

TREES = st.recursive(
    st.text("ab \n\xa0é", max_size=4)
    | st.sampled_from(["<script>a</script>", "<!-- a -->", "<br>", "<svg><p>a</svg>"]),
    lambda children: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from("div span p ul li table td noscript x-y".split()),
        st.lists(children, max_size=4),
    ),
    max_leaves=20,
)


def outline(html: str) -> Outline:
    return Page.from_html("http://example.com/", f"<body>{html}").outline


def loud(element: _Element) -> list[_Element]:
    return [child for child in element if isinstance(child.tag, str) and child.tag not in SILENT_TAGS]


def descendants(element: _Element) -> list[_Element]:
    return [element, *(each for child in loud(element) for each in descendants(child))]


def texts(element: _Element) -> list[str]:
    found = [element.text or ""]
    for child in element:
        found += [*(texts(child) if child in loud(element) else ()), child.tail or ""]
    return [text for text in found if text.strip()]


@pytest.mark.parametrize(
    ("html", "tags", "levels"),
    [
        ("a", ["body"], [1]),
        ("<p>a</p>b<p>c", ["body", "p", "p"], [1, 2, 2]),
        ("<div><p>a<b>b</b></p><p>c</p></div><hr>", ["body", "div", "p", "b", "p", "hr"], [1, 2, 3, 4, 3, 2]),
        ("<script>a</script><p>b<style>c</style></p><noscript><p>d</noscript>", ["body", "p"], [1, 2]),
        ("<template><p>a</template><svg><g>b</g></svg><select><option>c</select>d", ["body"], [1]),
        ("<!-- a --><i>b</i><!-- c -->", ["body", "i"], [1, 2]),
        ("<foo:bar><x{y}>a</x{y}></foo:bar>", ["body", "foo:bar", "x{y}"], [1, 2, 3]),
    ],
)
def test_elements_and_levels(html: str, tags: list[str], levels: list[int]) -> None:
    found = outline(html)
    assert [element.tag for element in found.elements] == tags
    assert found.levels == levels


@pytest.mark.parametrize(
    ("html", "leaves", "owners"),
    [
        ("a", ["a"], ["body"]),
        ("<p>a<b>b</b>c</p>d", ["a", "b", "c", "d"], ["p", "b", "p", "body"]),
        ("a<script>b</script>c", ["a", "c"], ["body", "body"]),
        ("a<!-- b -->c", ["ac"], ["body"]),
        ("<p> \n\xa0</p> a ", [" a "], ["body"]),
        ("<table><tr><td>a<td>b", ["a", "b"], ["td", "td"]),
    ],
)
def test_text_nodes(html: str, leaves: list[str], owners: list[str]) -> None:
    found = outline(html)
    assert found.leaves == leaves
    assert [found.elements[owner].tag for owner in found.owners] == owners


def test_ancestors() -> None:
    found = outline("<div><p><b>a</b></p></div>")
    assert list(found.ancestors(3)) == [3, 2, 1, 0]
    assert list(found.ancestors(0)) == [0]


@settings(max_examples=100, deadline=None)
@given(TREES)
def test_numbers_equal_a_naive_count(html: str) -> None:
    found = outline(html)
    assert found.elements == descendants(found.elements[0])
    assert found.leaves == texts(found.elements[0])
    totals = found.totals([len(leaf) for leaf in found.leaves])
    for index, element in enumerate(found.elements):
        assert found.leaves[found.first_leaf[index] : found.end_leaf[index]] == texts(element)
        assert totals[index] == len("".join(texts(element)))
        assert found.levels[index] == sum(1 for _ in element.iterancestors())
        assert list(found.ancestors(index))[-1] == 0
        parent = found.parents[index]
        assert (parent == NO_PARENT) if index == 0 else (found.elements[parent] is element.getparent())


@settings(max_examples=50, deadline=None)
@given(TREES)
def test_owners_hold_their_text(html: str) -> None:
    found = outline(html)
    for leaf, owner in zip(found.leaves, found.owners, strict=True):
        element = found.elements[owner]
        assert leaf in [element.text, *(child.tail for child in element)]
