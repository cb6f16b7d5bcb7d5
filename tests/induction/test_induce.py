import pytest
from lxml import etree

from scrapy_forest.errors import NoCandidate, NotEnoughSamples, UnknownMethod
from scrapy_forest.induction.induce import choose, induce
from scrapy_forest.methods.candidate import Candidate
from scrapy_forest.methods.catalogue import FOREST_FEEDS, METHODS
from scrapy_forest.methods.method import Method
from scrapy_forest.model.article import extract
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample
from scrapy_forest.model.wrapper import Wrapper

SUBJECTS = ("glacier moraine crevasse", "pumpkin lantern candle", "sourdough flour oven")


def page(subject: str, before: str = "") -> Page:
    words = subject.split()
    text = "".join(
        f"<p>About the {word} there is much to tell, and the {word} itself tells it best.</p>" for word in words
    )
    html = f"<html lang='en'><body>{before}<div class='a'><div class='story main'>{text}</div></div></body></html>"
    return Page.from_html(f"https://example.com/{words[0]}", html)


SAMPLES = [Sample(page(subject)) for subject in SUBJECTS]


def test_a_wrapper_finds_the_article_on_a_page_it_never_saw():
    article = extract(induce(SAMPLES), page("bicycle saddle handlebar", before="<div class='advert'>Buy!</div>"))
    assert article is not None
    assert article.text.startswith("About the bicycle")
    assert "Buy" not in article.text


def test_what_a_wrapper_tells():
    wrapper = induce(SAMPLES)
    assert wrapper.method == "forest-tfidf"
    assert wrapper.evidence["samples"] == wrapper.evidence["documents"] == 3
    assert wrapper.evidence["pattern"] == '//div[@class="story"]'
    assert Wrapper.from_json(wrapper.to_json()) == wrapper


def test_its_xpath_is_plain_and_finds_the_same_node_in_bare_lxml():
    wrapper = induce(SAMPLES)
    tree = etree.HTML(etree.tostring(SAMPLES[0].page.root))
    (node,) = tree.xpath(wrapper.content)
    assert node.get("class") == "story main"


@pytest.mark.parametrize("name", METHODS)
def test_methods_have_their_name_in_the_wrapper(name):
    samples = [Sample(page(subject), FeedEntry(title=subject)) for subject in SUBJECTS]
    assert induce(samples, METHODS[name]).method == name


def test_no_samples():
    with pytest.raises(NotEnoughSamples):
        induce([])


def test_methods_go_by_name_too():
    assert induce(iter(SAMPLES), "forest-tfidf-paper").method == "forest-tfidf-paper"
    with pytest.raises(UnknownMethod, match=r"no method is called 'tree'; there are forest-tfidf, "):
        induce(SAMPLES, "tree")


def test_no_candidate_names_the_method():
    with pytest.raises(NoCandidate, match="forest-feeds"):
        induce(SAMPLES, FOREST_FEEDS)  # no entry, no signifiers


PAGES = [
    etree.HTML("<div class='x'><p>1</p><p>2</p></div><b>3</b>"),
    etree.HTML("<b>0</b><div class='x'><p>1</p><p>2</p></div>"),
]


def candidate(path: str, score: float) -> Candidate:
    return Candidate(path, score, tuple(root.xpath(path)[0] for root in PAGES))


@pytest.mark.parametrize(
    ("scores", "nearly", "expected"),
    [
        ({"//p[2]": 1.0, "//div": 0.9}, 0.8, "//div"),  # nearly as good, and has a name
        ({"//p[2]": 1.0, "//div": 0.7}, 0.8, "//p[2]"),
        ({"//p[2]": 1.0, "//div": 1.0}, None, "//p[2]"),
        ({"//p[2]": 1.0, "//p[1]": 0.5, "//div": 0.95}, 0.8, "//div"),  # scores need not fall
        ({"//div": 1.0, "//p[2]": 0.9}, 0.8, "//div"),
    ],
)
def test_choose(scores, nearly, expected):
    chosen = choose([candidate(path, score) for path, score in scores.items()], nearly)
    assert chosen is not None
    assert chosen[0].label == expected


def test_a_page_served_twice_is_one_sample():
    wrapper = induce([SAMPLES[0], SAMPLES[1], Sample(page(SUBJECTS[0]))])
    assert wrapper.evidence["samples"] == 2
    assert "story" in wrapper.content


def test_choose_from_nothing():
    assert choose([], 0.8) is None


def test_a_candidate_that_cannot_be_named_is_passed_over():
    root = etree.HTML("<x:y>a</x:y><div>b</div>")
    strange, plain = (
        Candidate(tag, score, (root.xpath(path)[0],))
        for tag, score, path in (
            ("strange", 1.0, "//*[name()='x:y']"),
            ("plain", 0.1, "//div"),
        )
    )
    chosen = choose([strange, plain], 0.8)
    assert chosen is not None
    assert chosen[0].label == "plain"


def test_any_ranking_is_a_method():
    method = Method("mine", lambda samples: [Candidate("body", 1.0, tuple(sample.page.body for sample in samples))])
    assert induce(SAMPLES, method).content == "//body"
