import pytest

from scrapy_forest.methods.forest.options import ForestOptions
from scrapy_forest.methods.forest.signifiers import find_signifiers, heaviest, ngrams, tfidf
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample


def sample(text: str, head: str = "", **known: object) -> Sample:
    html = f"<html lang='en'><head>{head}</head><body><p>{text}</p></body></html>"
    return Sample(Page.from_html("https://example.com/", html), **known)


def test_tfidf_takes_what_is_frequent_here_and_rare_elsewhere():
    samples = [sample("pumpkin pumpkin news halloween"), sample("beer beer beer news tent")]
    pumpkin, beer = find_signifiers(samples, ForestOptions(signifiers=1))
    assert list(pumpkin) == ["pumpkin"]
    assert list(beer) == ["beer"]


def test_a_term_of_all_pages_is_no_signifier():
    assert all(
        "news" not in each for each in find_signifiers([sample("news one"), sample("news two")], ForestOptions())
    )


def test_one_page_alone_goes_by_frequency():
    assert tfidf([{"a": 2, "b": 1}]) == [{"a": 2.0, "b": 1.0}]


@pytest.mark.parametrize(("top", "expected"), [(1, ["b"]), (2, ["b", "a"]), (None, ["b", "a", "c"]), (0, [])])
def test_heaviest(top, expected):
    assert list(heaviest({"a": 1.0, "b": 2.0, "c": 1.0, "d": 0.0}, top)) == expected


ENTRY = FeedEntry(title="Halloween parties", summary="The origins of trick-or-treating")
HEAD = (
    "<title>Head title</title><meta name='description' content='Pumpkins'>"
    "<meta name='keywords' content='lantern, ghosts'><meta property='og:title' content='Graph'>"
)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("feed", {"halloween", "parti", "origin", "trick", "treat"}),
        ("metadata", {"head", "titl", "pumpkin", "lantern", "ghost", "graph"}),
        ("anchors", {"link", "anchor"}),
        ("keywords", {"search"}),
    ],
)
def test_sources(source, expected):
    told = sample("body", HEAD, entry=ENTRY, anchors=("Linked anchors",), keywords=("searched",))
    (found,) = find_signifiers([told], ForestOptions(source=source, signifiers=None))
    assert set(found) == expected


@pytest.mark.parametrize("source", ["feed", "metadata", "anchors", "keywords"])
def test_a_source_that_says_nothing_gives_no_signifiers(source):
    assert find_signifiers([sample("body")], ForestOptions(source=source)) == [{}]


def test_bigrams():
    (found,) = find_signifiers([sample("x", entry=ENTRY)], ForestOptions(source="feed", ngram=2, signifiers=None))
    assert "halloween parti" in found


@pytest.mark.parametrize(("size", "expected"), [(1, ["a", "b", "c"]), (2, ["a b", "b c"]), (3, ["a b c"]), (4, [])])
def test_ngrams(size, expected):
    assert list(ngrams(["a", "b", "c"], size)) == expected
