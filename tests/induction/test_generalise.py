from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from time import monotonic
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml.etree import _Element

from scrapy_forest.induction.generalise import Expression, generalise
from scrapy_forest.model.page import Page

MARK = "data-wanted"  # known to the tests only
NAMING = {"class", "id", "itemprop", "role"}


def parse(html: str) -> _Element:
    return Page.from_html("http://example.com/", f"<body>{html}").root


def wanted(root: _Element) -> _Element:
    return next(each for each in root.iter() if each.get(MARK) is not None)


def learn(pages: Sequence[str]) -> Expression | None:
    return generalise([wanted(parse(page)) for page in pages])


def has_class(*names: str) -> str:
    return " and ".join(f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')" for name in names)


@pytest.mark.parametrize(
    ("pages", "xpath"),
    [
        # a name of its own
        (["<p class=x>a</p><div * class=story>b</div>"], f"//div[{has_class('story')}]"),
        (["<div * id=story class=a>a</div>", "<div * id=story class=b>b</div>"], "//div[@id='story']"),
        (["<div * class='a x'>a</div>", "<div * class='y a'>b</div>"], f"//div[{has_class('a')}]"),
        (["<div * class='a b'>a</div><div class=a></div><div class=b></div>"], f"//div[{has_class('a', 'b')}]"),
        (["<div * class='a1 b'>a</div>"], f"//div[{has_class('b')}]"),
        (["<div * role=main>a</div>", "<div * role=main>b</div>"], "//div[@role='main']"),
        (["<p itemprop=x>a</p><p * itemprop=articleBody>b</p>"], "//p[@itemprop='articleBody']"),
        (["<div * id=post-1>a</div>", "<div * id=post-23>b</div>"], "//div[starts-with(@id, 'post-')]"),
        (["<div * class=entry_1>a</div>", "<div * class=entry_2>b</div>"], "//div[starts-with(@class, 'entry_')]"),
        (["<article * class=a>a</article>"], "//article"),
        (["<p>a<table *><td>b</table>"], "//table"),
        # an ancestor's name
        (["<p>a</p><div id=x><p *>b</p></div>"] * 2, "//div[@id='x']/p"),
        (["<p>a</p><div id=x><ul><li><p *>b</p></ul></div>"] * 2, "//div[@id='x']//p"),
        (["<div>a</div><main><div *>b</div></main>"] * 2, "//main/div"),
        # a position
        (["<p>a</p><div id=x><p>b</p><p *>c</p></div>"] * 2, "//div[@id='x']/p[2]"),
        (["<div class=a *>a</div><div class=a>b</div>"] * 2, "//body/div[1]"),
        # only some of the pages
        (["<p *>a</p>", "<p *>a</p>", "<p>a</p><p>b</p><p *>c</p>"], "//p"),
        # no name that can be written
        (["<x{y} *>a</x{y}>"] * 2, None),
        (["<foo:bar * class=a>a</foo:bar>"] * 2, None),
        (["<div *>a</div>", "<p *>a</p>"], None),
        (["<x{y}><p>a</p></x{y}><x{y} class=a><p>b<p *>c</x{y}>"] * 2, None),
    ],
)
def test_generalise(pages: list[str], xpath: str | None) -> None:
    found = learn([page.replace("*", MARK) for page in pages])
    assert (found and found.xpath) == xpath


@pytest.mark.parametrize(
    ("pages", "alone", "first", "is_clear"),
    [
        (["<div * id=a>a</div>"] * 3, 3, 3, True),
        (["<p>a</p><p *>b</p>"] * 3, 3, 3, False),
        (["<p *>a</p>", "<p>a</p><p><b>b</b></p><p *>c</p>"], 1, 1, False),
        (["<i *>a</i>", "<i>a</i><b><i *>b</i></b>"], 1, 1, False),
    ],
)
def test_how_well_it_fits(pages: list[str], alone: int, first: int, is_clear: bool) -> None:
    found = learn([page.replace("*", MARK) for page in pages])
    assert found
    assert (found.alone, found.first, found.pages, found.is_clear) == (alone, first, len(pages), is_clear)


@pytest.mark.parametrize(
    "value",
    [
        'x"] | //script | //*["',
        "x'] | //script | //*['",
        """x'"] | //script | //*["'""",
        "x') or true() or contains('",
        "a]b|c",
        "a\nb",
        "a\0b",
        "\N{GRINNING FACE}",
        "{}",
        "a:b",
        "x" * 10_000,
        " ",
        "\x0c\x1b",
        "&#xFFFE;",
    ],
)
@pytest.mark.parametrize("attribute", ["id", "class", "itemprop", "role"])
def test_hostile_values(attribute: str, value: str) -> None:
    html = f'<script>evil</script><div><b>a</b><div {MARK} {attribute}="{escape(value)}">b</div></div><div>c</div>'
    found = learn([html, html])
    assert found
    assert found.alone == 2
    assert etree.XPath(found.xpath)(parse(html).getroottree())[0].get(MARK) is not None
    assert len(found.xpath) < 1_000


@pytest.mark.parametrize(("divs", "classes"), [(1_000, 200), (50, 5_000)])
def test_hostile_numbers(divs: int, classes: int) -> None:
    names = " ".join(f"c{number}" for number in range(classes))
    html = f"<div class='{names}'>a</div>" * divs + f"<div class='{names}' {MARK}>b</div>"
    nodes = [wanted(parse(html)) for _ in range(2)]
    start = monotonic()
    found = generalise(nodes)
    assert monotonic() - start < 5
    assert found
    assert found.xpath == f"//body/div[{divs + 1}]"
    assert found.alone == 2


@pytest.mark.parametrize("depth", [1_000, 2_000])
def test_deep_pages(depth: int) -> None:
    found = learn(["<div>" * depth + f"<p {MARK}>a"] * 2)
    assert found
    assert found.xpath == "//p"


# Sites of one template: hostile names and values, some of which change from page to page, and blocks that come and go.
NAMES = st.sampled_from('class id itemprop role style {} {z} { {a}b a"b @x :y xml:id é'.split())
VALUES = st.sampled_from(
    [
        "",
        "a",
        "b",
        "a b",
        "post-#",
        "c# d",
        "it's",
        'a"b',
        """'"]|//script["'""",
        "]",
        "a\nb",
        "a:b",
        "😀",
        "\x0c",
        "é" * 250,
    ]
) | st.text(st.characters(codec="utf-8"), max_size=6)
Node = tuple[str, dict[str, str], bool, Sequence[Any]]
TAGS = st.sampled_from('div div div p span section article main td li b foo:bar x{y} a"b a:b:c x-y'.split())
ATTRIBUTES = st.dictionaries(NAMES, VALUES, max_size=3)
NODES = st.recursive(
    st.tuples(TAGS, ATTRIBUTES, st.booleans(), st.just(())),
    lambda children: st.tuples(TAGS, ATTRIBUTES, st.booleans(), st.lists(children, max_size=4)),
    max_leaves=12,
)


def render(node: Node, path: str, page: int) -> str:
    """One page's form of the template, each element marked with its path in the template."""
    tag, attributes, comes_and_goes, children = node
    if comes_and_goes and page % 2:
        return ""
    own = "".join(f' {name}="{escape(value).replace("#", str(page))}"' for name, value in attributes.items())
    below = "".join(render(child, f"{path}.{number}", page) for number, child in enumerate(children))
    return f"<{tag} {MARK}={path}{own}>text{below}</{tag}>"


def marked(root: _Element) -> dict[str, _Element]:
    return {mark: each for each in root.iter() if (mark := each.get(MARK)) is not None}


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(NODES, min_size=1, max_size=4), st.integers(2, 4), st.integers(0, 30))
def test_any_site(template: list[Node], pages: int, choice: int) -> None:
    site = [f"<script>evil</script>{render(('div', {}, False, template), 'n', page)}" for page in range(pages)]
    nodes = [marked(parse(html)) for html in site]
    shared = sorted(set.intersection(*map(set, nodes)))
    mark = shared[choice % len(shared)]
    found = generalise([page[mark] for page in nodes])
    if found is None:
        return
    selected = [etree.XPath(found.xpath)(parse(html).getroottree()) for html in site]
    first = [bool(elements) and elements[0].get(MARK) == mark for elements in selected]
    alone = [is_first and len(elements) == 1 for is_first, elements in zip(first, selected, strict=True)]
    assert (found.first, found.alone, found.pages) == (sum(first), sum(alone), pages)
    assert found.first
    assert "script" not in [element.tag for elements in selected for element in elements]
    assert attributes_in(found.xpath) <= NAMING


def attributes_in(xpath: str) -> set[str]:
    return set(re.findall(r"@([^\s,)=\]]+)", re.sub(r"'[^']*'|\"[^\"]*\"", "", xpath)))
