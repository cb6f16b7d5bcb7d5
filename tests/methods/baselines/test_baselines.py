import pytest

from scrapy_forest.methods.baselines.coverage import coverage, rank_by_coverage
from scrapy_forest.methods.baselines.description import describe
from scrapy_forest.methods.baselines.sigfeed import find_block
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample

ENTRY = FeedEntry(title="Glacier meltwater", summary="Crevasses of the valley")


def page_of(html: str) -> Page:
    return Page.from_html("https://example.com/", f"<html lang='en'><body>{html}</body></html>")


def test_coverage_counts_each_signifier_once():
    page = page_of("<div><p>glacier glacier glacier</p><p>valley</p></div><p>glacier</p>")
    weights = {"glacier": 3.0, "valley": 1.0}
    found = dict(zip([each.tag for each in page.outline.elements], coverage(page, weights), strict=True))
    assert found["body"] == found["div"] == pytest.approx(1 / 2)  # all weights, over two signifiers
    assert found["p"] == pytest.approx(0.75 / 2)


def test_coverage_without_signifiers_is_zero():
    assert coverage(page_of("<p>glacier</p>"), {}) == [0.0, 0.0]


def test_coverage_ranks_the_lowest_node_that_has_all():
    samples = [
        Sample(page_of(f"<div class='page'><ul><li>News</li></ul><div class='story'><p>{a}</p><p>{b}</p></div></div>"))
        for a, b in (("glacier moraine", "crevasse meltwater"), ("pumpkin lantern", "candle harvest"))
    ]
    best = rank_by_coverage(samples)[0]
    assert {node.get("class") for node in best.nodes} == {"story"}


def test_sigfeed_takes_the_lowest_div_with_most_keywords():
    page = page_of(
        "<div id='outer'><div id='menu'><a>glacier</a></div>"
        "<div id='story'><p>Glacier and meltwater</p><p>crevasses in the valley</p></div></div>"
    )
    block = find_block(Sample(page, ENTRY))
    assert block is not None
    assert block.get("id") == "story"


def test_sigfeed_takes_the_deeper_of_equal_ones():
    page = page_of("<div><div><div id='deep'>glacier</div></div></div><div id='last'>glacier</div>")
    block = find_block(Sample(page, ENTRY))
    assert block is not None
    assert block.get("id") == "deep"


@pytest.mark.parametrize(
    ("html", "entry"),
    [("<div>something else</div>", ENTRY), ("<p>glacier without a div</p>", ENTRY), ("<div>glacier</div>", None)],
)
def test_sigfeed_finds_nothing(html, entry):
    assert find_block(Sample(page_of(html), entry)) is None


def test_description():
    assert describe(ENTRY) == "Glacier meltwater\nCrevasses of the valley"
    assert describe(None) == ""
