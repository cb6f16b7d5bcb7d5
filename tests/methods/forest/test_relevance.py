from dataclasses import replace

import pytest

from scrapy_forest.methods.forest import FEEDS, PAPER, PAPER_FEEDS, TFIDF, ForestOptions, rank
from scrapy_forest.methods.forest.relevance import occurrences, rank_patterns
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample

TOPICS = {
    "Pumpkins": "pumpkin lantern candle harvest carving autumn seeds orange",
    "Glaciers": "glacier moraine crevasse meltwater valley icefall snowfield ridge",
    "Sourdough": "sourdough starter flour oven crust hydration kneading loaf",
}
MENU = "<ul class='menu'><li><a href='/'>Start</a></li><li><a href='/archive'>Archive</a></li></ul>"


def sample(title: str) -> Sample:
    words = TOPICS[title].split()
    paragraphs = "".join(
        f"<p>Where there is {word}, there is {words[0]} and {words[1]}: so the farmers, bakers and climbers of {title}"
        f" discussed that evening, and nobody listened to the {words[0]} itself, beside the fireplace.</p>"
        for word in words
    )
    others = "".join(f"<li><a href='/{other}'>{other}</a></li>" for other in TOPICS)
    html = (
        f"<html lang='en'><head><title>{title}</title></head><body>{MENU}<div class='page'><h1>{title}</h1>"
        f"<div class='story'>{paragraphs}</div><div class='comments'><p>Nice text, I will read it.</p></div></div>"
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
        {"nodes": "all"},
        {"ngram": 2},
        {"signifiers": 3},
        {"skip_anchor_lists": True},
        {"skip_comments": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("base", [PAPER, PAPER_FEEDS], ids=["tfidf", "feeds"])
def test_every_variation_ranks(base, change):
    scores = [candidate.score for candidate in rank(SAMPLES, replace(base, **change))]
    assert scores
    assert all(score > 0 for score in scores)


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


def test_p_as_terminal_paths():
    options = replace(PAPER, occurrences="paths")
    for each in rank_patterns(occurrences(SAMPLES, options), options):
        paths = sum(found.element.paths for found in each.occurrences)
        assert each.relevance == pytest.approx(sum(found.value for found in each.occurrences) * paths * each.level)


def test_all_nodes_of_a_document_instead_of_the_best():
    best = {each.pattern: each.relevance for each in rank_patterns(occurrences(SAMPLES, PAPER), PAPER)}
    options = replace(PAPER, nodes="all")
    summed = {each.pattern: each.relevance for each in rank_patterns(occurrences(SAMPLES, options), options)}
    assert all(summed[pattern] >= best[pattern] - 1e-9 for pattern in best)


@pytest.mark.parametrize("options", [TFIDF, FEEDS, PAPER, PAPER_FEEDS])
@pytest.mark.parametrize("html", ["<p></p>", "<p>the and of</p>", "<p>word</p>"])
def test_pages_that_say_nothing(options, html):
    samples = [Sample(Page.from_html("https://example.com/", f"<html lang='en'><body>{html}</body></html>"))] * 2
    assert rank(samples, options) == []


def test_no_samples():
    assert rank([], ForestOptions()) == []
