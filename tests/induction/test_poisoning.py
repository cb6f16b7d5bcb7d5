"""A minority of forged samples changes nothing (X05): one of five, whichever it is, whatever is done to it."""

from copy import deepcopy
from pathlib import Path

import pytest
from lxml import html

from scrapy_forest.induction.induce import induce
from scrapy_forest.methods.catalogue import FOREST_FEEDS, FOREST_TFIDF
from scrapy_forest.model.feed import read_feed
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample

SITES = sorted((Path(__file__).parents[1] / "sites").iterdir())
PAGES = 5
SPAM = "Buy cheap pills at our wonderful pharmacy today because every customer enjoys amazing discounts."


def moved(body, article):
    """The text stands elsewhere."""
    other = elsewhere(body, article)
    for child in list(article):
        other.append(child)
    article.text = "gone"


def flooded(body, article):
    """Far more text elsewhere."""
    fill(elsewhere(body, article), 100)


def renamed(body, article):  # noqa: ARG001
    """The article has another name."""
    article.attrib.clear()
    article.set("class", "forged")


def hidden(body, article):
    """The text stands twice, first where nobody sees it."""
    trap = html.Element("div", {"class": "forged", "style": "display: none"})
    trap.extend(deepcopy(list(article)))
    body.insert(0, trap)


def replaced(body, article):  # noqa: ARG001
    """Advertisements instead of the article."""
    del article[:]
    fill(article, 30)


def swollen(body, article):  # noqa: ARG001
    """Advertisements in a box inside of it."""
    article.append(article.makeelement("div", {"class": "forged"}))
    fill(article[-1], 60)


FORGERIES = [moved, flooded, renamed, hidden, replaced, swollen]


def fill(element, count):
    for number in range(count):
        paragraph = html.Element("p")
        paragraph.text = f"{SPAM} {number}"
        element.append(paragraph)


def elsewhere(body, article):
    """The last box of the page that has nothing to do with the article."""
    inside, around = set(article.iter()), set(article.iterancestors())
    boxes = [box for box in body.iter("footer", "aside", "div", "section") if box not in inside | around]
    return boxes[-1] if boxes else body


def forge(page, wrapper, forgery):
    tree = html.document_fromstring(html.tostring(page.root))
    (article, *_) = tree.xpath(wrapper.content)
    forgery(tree.body, article)
    return Page.from_html(page.url, html.tostring(tree))


def samples_of(site):
    feed = read_feed("https://example.com/feed", (site / "feed.xml").read_bytes())
    files = sorted(site.glob("pages/0*.html"))[:PAGES]
    return [
        Sample(Page.from_html(entry.link, file.read_bytes()), entry)
        for entry, file in zip(feed.entries, files, strict=False)
    ]


def wrappers_with(samples, forgery, method, count):
    """Wrappers with ``count`` forged pages in a row, from each page on."""
    clean = induce(samples, method)
    forged = [Sample(forge(sample.page, clean, forgery), sample.entry) for sample in samples]
    for start in range(len(samples)):
        places = {(start + number) % len(samples) for number in range(count)}
        yield induce([forged[n] if n in places else sample for n, sample in enumerate(samples)], method).content


@pytest.mark.parametrize("method", [FOREST_TFIDF, FOREST_FEEDS], ids=lambda method: method.name)
@pytest.mark.parametrize("site", SITES, ids=lambda site: f"X05 {site.name}")
def test_one_of_five(site, method):
    samples = samples_of(site)
    assert len(samples) == PAGES
    clean = induce(samples, method).content
    changed = [forgery.__name__ for forgery in FORGERIES if {*wrappers_with(samples, forgery, method, 1)} != {clean}]
    assert changed == []


def test_three_of_five_are_what_the_site_looks_like():
    samples = samples_of(next(site for site in SITES if site.name == "wordpress-blog"))
    assert {*wrappers_with(samples, renamed, FOREST_TFIDF, 3)} != {induce(samples, FOREST_TFIDF).content}
