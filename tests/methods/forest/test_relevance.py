from dataclasses import replace

import pytest

from scrapy_forest.methods.forest import FEEDS, PAPER, PAPER_FEEDS, TFIDF, ForestOptions, rank
from scrapy_forest.methods.forest.relevance import RankedPattern, deepest_first, occurrences, rank_patterns
from scrapy_forest.methods.forest.structural_pattern import StructuralPattern
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample

TOPICS = {
    "Pumpkins": "pumpkin lantern candle harvest carving autumn seeds orange",
    "Glaciers": "glacier moraine crevasse meltwater valley icefall snowfield ridge",
    "Sourdough": "sourdough starter flour oven crust hydration kneading loaf",
}
MENU = "<ul class='menu'><li><a href='/'>Start</a></li><li><a href='/archive'>Archive</a></li></ul>"


def sample(title: str, css: str = "story") -> Sample:
    words = TOPICS[title].split()
    paragraphs = "".join(
        f"<p>Where there is {word}, there is {words[0]} and {words[1]}: so the farmers, bakers and climbers of {title}"
        f" discussed that evening, and nobody listened to the {words[0]} itself, beside the fireplace.</p>"
        for word in words
    )
    others = "".join(f"<li><a href='/{other}'>{other}</a></li>" for other in TOPICS)
    html = (
        f"<html lang='en'><head><title>{title}</title></head><body>{MENU}<div class='page'><h1>{title}</h1>"
        f"<div class='{css}'>{paragraphs}</div><div class='comments'><p>Nice text, I will read it.</p></div></div>"
        f"<ul class='recent'>{others}</ul></body></html>"
    )
    entry = FeedEntry(title=title, summary=f"About {words[0]} {words[1]}, and what the farmers said.")
    return Sample(
        Page.from_html(f"https://example.com/{title}", html), entry, anchors=(title,), keywords=tuple(words[:3])
    )


SAMPLES = [sample(title) for title in TOPICS]


@pytest.mark.parametrize("options", [TFIDF, FEEDS, PAPER], ids=["tfidf", "feeds", "paper"])
def test_the_story_ranks_first(options):
    best = rank(SAMPLES, options)[0]
    assert [node.get("class") for node in best.nodes] == ["story"] * 3
    assert best.evidence["documents"] == 3


@pytest.mark.parametrize("source", ["metadata", "anchors", "keywords"])
def test_other_sources_of_signifiers_find_it_too(source):
    assert {node.get("class") for node in rank(SAMPLES, replace(FEEDS, source=source))[0].nodes} <= {"story", "page"}


@pytest.mark.parametrize(
    "change",
    [
        {"measure": "J"},
        {"measure": "U"},
        {"measure": "share"},
        {"tolerant": False},
        {"attributes": "naming"},
        {"level_in_pattern": False},
        {"level": "none"},
        {"level": "deepest"},
        {"occurrences": "paths"},
        {"ngram": 2},
        {"signifiers": 3},
    ],
    ids=str,
)
def test_every_option_changes_the_ranking(change):
    samples = [sample(title, css="story no-1") for title in TOPICS]
    base = [(each.label, each.score) for each in rank(samples, PAPER)]
    assert [(each.label, each.score) for each in rank(samples, replace(PAPER, **change))] != base


def test_equation_5():
    (pattern,) = (
        each for each in rank_patterns(occurrences(SAMPLES, PAPER), PAPER) if each.pattern.type == 'div[@class="story"]'
    )
    informativeness = sum(each.value for each in pattern.occurrences)
    assert pattern.relevance == pytest.approx(informativeness * 3 * 3)  # documents, level
    assert pattern.level == 3


def test_without_the_level_factor():
    options = replace(PAPER, level="none")
    for each in rank_patterns(occurrences(SAMPLES, options), options):
        assert each.relevance == pytest.approx(sum(found.value for found in each.occurrences) * len(each.occurrences))


def two_boxes() -> list[Sample]:
    """Two pages with two boxes of one kind, whose signifiers stand in one and in three text nodes."""
    texts = (("alpha", "beta"), ("gamma", "delta"))
    return [
        Sample(
            Page.from_html(
                f"https://example.com/{one}",
                f"<html><body><div class='box'><p>{one}</p></div>"
                f"<div class='box'><p>{one}</p><p>{other}</p><p>{other}</p></div> about contact news</body></html>",
            )
        )
        for one, other in texts
    ]


def relevance_of_boxes(**change: object) -> tuple[float, float]:
    """Relevance of the boxes, and the sum of their best values."""
    options = replace(PAPER, level="none", **change)
    (boxes,) = (
        each
        for each in rank_patterns(occurrences(two_boxes(), options), options)
        if each.pattern.type == 'div[@class="box"]'
    )
    return boxes.relevance, sum(each.value for each in boxes.occurrences)


def test_p_as_documents_or_as_terminal_paths():
    by_documents, values = relevance_of_boxes()
    by_paths, _ = relevance_of_boxes(occurrences="paths")
    assert by_documents == pytest.approx(values * 2)
    assert by_paths == pytest.approx(values * 2 * (1 + 3))  # all paths through either box, on two pages


def test_the_best_node_of_a_document_or_all_of_them():
    best, _ = relevance_of_boxes(measure="share")
    every, _ = relevance_of_boxes(measure="share", nodes="all")
    assert best == pytest.approx(2 * 0.75 * 2)  # three of four signifiers, on two pages
    assert every == pytest.approx(2 * (0.75 + 0.25) * 2)


def test_of_nested_nodes_with_the_same_signifiers_the_inner_one():
    html = "<html><body><div class='x'>menu about<div class='x'><p>{} {}</p></div></div></body></html>"
    samples = [
        Sample(Page.from_html("https://example.com/", html.format(*words)))
        for words in (("alpha", "beta"), ("gamma", "delta"))
    ]
    options = replace(TFIDF, attributes="naming", min_line=0)
    (found,) = (each for each in rank(samples, options) if each.label == '//div[@class="x"]')
    assert {node.getparent().tag for node in found.nodes} == {"div"}


@pytest.mark.parametrize(("near", "expected"), [(0.5, "c"), (0.6, "b"), (0.9, "b"), (1.0, "a")])
def test_the_deepest_of_those_that_are_nearly_best(near, expected):
    scores = {"a": (1.0, 2), "b": (0.9, 3), "c": (0.5, 5), "d": (0.4, 9)}
    ranked = [RankedPattern(StructuralPattern(name), (), score, level) for name, (score, level) in scores.items()]
    found = [each.pattern.type for each in deepest_first(ranked, near)]
    assert found[0] == expected
    assert sorted(found) == ["a", "b", "c", "d"]
    assert deepest_first([], near) == []


@pytest.mark.parametrize("options", [TFIDF, FEEDS, PAPER, PAPER_FEEDS])
@pytest.mark.parametrize("html", ["<p></p>", "<p>the and of</p>", "<p>word</p>"])
def test_pages_that_say_nothing(options, html):
    samples = [Sample(Page.from_html("https://example.com/", f"<html lang='en'><body>{html}</body></html>"))] * 2
    assert rank(samples, options) == []


def test_no_samples():
    assert rank([], ForestOptions()) == []
