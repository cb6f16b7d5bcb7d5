"""X01 and X02: whatever elements and attributes are called, an expression selects what is meant, and nothing else."""

from __future__ import annotations

from collections import Counter
from html import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml.etree import _Element

from scrapy_forest.errors import NoCandidate
from scrapy_forest.induction.generalise import generalise
from scrapy_forest.induction.induce import induce
from scrapy_forest.model.article import extract
from scrapy_forest.model.page import Page
from scrapy_forest.model.path import Step, conditions_of, is_plain_name
from scrapy_forest.model.sample import Sample
from scrapy_forest.model.selection import Selection

URL = "https://a.example/"
MARK = "data-number"
EXAMPLES, ELEMENTS = 170, 30
WANTED = 10_000
SUBJECTS = ("glacier moraine crevasse", "pumpkin lantern candle", "sourdough flour oven")
INJECTIONS = [
    'x"] | //script | //*["',
    "x'] | //script | //*['",
    """x'"] | //script | //*["'""",
    "x')] | //script[contains(@class, '",
    "x ') or true() or contains(' ",
    "') or name()='script' or ('",
    "x]|//script|//*[",
]
ALPHABET = st.sampled_from("""'"[]|/()@$=<>{}:.*-_ \t\n\x0c\0ab1é😀\ufffe""")
TEXTS = st.text(ALPHABET, min_size=1, max_size=8) | st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)
NAMES = st.sampled_from(["div", "p", "section", "x-y", "article"]) | TEXTS.map(lambda text: f"x{text}")
ATTRIBUTES = st.sampled_from(["class", "id", "itemprop", "role"]) | TEXTS
ODD = st.tuples(NAMES, ATTRIBUTES, TEXTS | st.sampled_from(INJECTIONS))

tried: Counter[str] = Counter()


def page_of(elements: list[tuple[str, str, str]]) -> Page:
    """Names go into the markup as they are, and may break it; values are quoted."""
    body = "".join(
        f'<{tag} {MARK}={number} {name}="{escape(value)}">t</{tag}>'
        for number, (tag, name, value) in enumerate(elements)
    )
    return Page.from_html(URL, f"<body><script class=x>evil</script>{body}<script>evil</script>")


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(ODD, min_size=ELEMENTS, max_size=ELEMENTS))
def check_names_and_values(elements: list[tuple[str, str, str]]) -> None:
    page = page_of(elements)
    nodes = [node for node in page.body.iter() if node.get(MARK) is not None]
    tried["names and values"] += 2 * len(elements)
    for node in nodes:
        conditions = conditions_of(node)
        step = Step(str(node.tag) if is_plain_name(node.tag) else "*", tuple(conditions))
        found = Selection(f"//{step}")(page.root)
        assert found == etree.XPath(f"//{step}", regexp=False)(page.root)
        assert found == [each for each in page.root.iter() if fits(each, step)]
        assert not conditions or "script" not in [each.tag for each in found]
    check_expression(page, nodes, page_of(elements))


def fits(node: _Element, step: Step) -> bool:
    return step.tag in ("*", node.tag) and conditions_of(node) >= set(step.conditions)


def check_expression(page: Page, nodes: list[_Element], again: Page) -> None:
    """What is learned for one of the elements, from two pages."""
    marks = {node.get(MARK): node for node in again.body.iter() if node.get(MARK) is not None}
    node = max(nodes, key=lambda each: len(each.items()), default=None)
    learned = generalise([node, marks[node.get(MARK)]]) if node is not None else None
    if learned is not None:
        found = Selection(learned.xpath)(page.root)
        assert found[0] is node
        assert learned.alone == 2 * (len(found) == 1)
        assert "script" not in [each.tag for each in found]


def test_x02_ten_thousand_names_and_values() -> None:
    tried.clear()
    check_names_and_values()
    assert tried["names and values"] >= WANTED


@pytest.mark.parametrize("value", INJECTIONS)
@pytest.mark.parametrize("attribute", ["class", "id", "itemprop", "role"])
def test_x01_a_script_is_never_selected(attribute: str, value: str) -> None:
    def page(subject: str) -> Page:
        text = "".join(
            f"<p>About the {word} there is much to tell, and the {word} tells it.</p>" for word in subject.split()
        )
        html = f'<div><a href=/>Home</a></div><div {attribute}="{escape(value)}">{text}</div><div>The end</div>'
        return Page.from_html(URL + subject[:3], f"<body><script>evil</script>{html}<script>evil</script>")

    pages = [page(subject) for subject in SUBJECTS]
    try:
        wrapper = induce([Sample(each) for each in pages])
    except NoCandidate:
        pytest.fail("nothing was learned")
    for each in pages:
        assert [node.tag for node in Selection(wrapper.content)(each.root)] == ["div"]
        article = extract(wrapper, each)
        assert article is not None
        assert "evil" not in article.text
