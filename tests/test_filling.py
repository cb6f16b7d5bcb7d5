from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone

import pytest

from scrapy_forest.crawl.extraction import FROM_FEED, SINGLE_PAGE, Extraction
from scrapy_forest.crawl.groups import Group
from scrapy_forest.crawl.offers import NOTHING, Offer
from scrapy_forest.filling import NAMES, feed_item, fill, iso, item_values, metadata_item, support
from scrapy_forest.induction.templates import Template
from scrapy_forest.items import ArticleItem, AuthorItem, FeedItem, ImageItem, VideoItem, WrapperItem
from scrapy_forest.model.article import Article
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.metadata import Field
from scrapy_forest.model.wrapper import Wrapper

URL = "https://a.example/1"
NOON = datetime(2024, 5, 1, 12, tzinfo=timezone.utc)
WRAPPER = Wrapper("//article", "forest-tfidf", version=3, evidence={"samples": 3, "found": 2})
ARTICLE = Article(
    URL,
    "The text",
    html="<p>The text</p>",
    headline="Headline",
    authors=("Ann", "Ben"),
    date_published=NOON,
    date_published_raw="1 May",
    date_modified=NOON + timedelta(days=1),
    language="en",
    description="What it is about",
    main_image="https://a.example/1.png",
    images=("https://a.example/1.png", "https://a.example/2.png"),
    videos=("https://a.example/1.mp4",),
    keywords=("mill", "sea"),
    section="News",
    canonical_url=URL,
    fields={
        "text": Field("wrapper", "//article"),
        "html": Field("wrapper", "//article"),
        "headline": Field("feed"),
        "date_published": Field("json-ld", None, 0.5),
    },
)
EXTRACTION = Extraction(ARTICLE, WRAPPER, 0.66666)
ENTRY = FeedEntry("id", "https://a.example/1?utm_source=x", summary="A summary", published=NOON)


def make_offer(**values):
    group = Group("a.example", "t2", Template(NOTHING), WRAPPER)
    return Offer("key", URL, None, **{"downloaded": NOON, "group": group, **values})


def test_each_field_of_an_article_has_a_name_in_the_item():
    assert set(NAMES) == {field.name for field in fields(Article)} - {"url", "fields"}
    assert set(NAMES.values()) == {field.name for field in fields(ArticleItem)} - {"url", "feed", "metadata"}


def test_values():
    assert item_values(ARTICLE) == {
        "headline": "Headline",
        "datePublished": "2024-05-01T12:00:00Z",
        "datePublishedRaw": "1 May",
        "dateModified": "2024-05-02T12:00:00Z",
        "authors": [AuthorItem("Ann"), AuthorItem("Ben")],
        "inLanguage": "en",
        "description": "What it is about",
        "articleBody": "The text",
        "articleBodyHtml": "<p>The text</p>",
        "mainImage": ImageItem("https://a.example/1.png"),
        "images": [ImageItem("https://a.example/1.png"), ImageItem("https://a.example/2.png")],
        "videos": [VideoItem("https://a.example/1.mp4")],
        "keywords": ["mill", "sea"],
        "articleSection": "News",
        "canonicalUrl": URL,
    }


def test_what_is_not_there_is_none():
    values = item_values(Article(URL, "text"))
    assert {name for name, value in values.items() if value is not None} == {"articleBody"}


def test_filling_an_empty_item():
    item = ArticleItem(url=URL)
    fill(item, make_offer(), EXTRACTION)
    assert {name: getattr(item, name) for name in NAMES.values()} == item_values(ARTICLE)
    assert item.feed is None
    assert item.metadata == metadata_item(make_offer(), EXTRACTION)


def test_what_the_spider_has_filled_stays():
    own = FeedItem("https://own.example/")
    item = ArticleItem(url="https://own.example/1", headline="", keywords=[], authors=[AuthorItem("Me")], feed=own)
    fill(item, make_offer(feed="https://a.example/feed", entry=ENTRY), EXTRACTION)
    assert (item.url, item.headline, item.keywords) == ("https://own.example/1", "", [])
    assert item.authors == [AuthorItem("Me")]
    assert item.feed is own
    assert item.articleBody == "The text"


def test_what_the_feed_says():
    item = ArticleItem(url=URL)
    fill(item, make_offer(feed="https://a.example/feed", entry=ENTRY), EXTRACTION)
    assert item.feed == FeedItem("https://a.example/feed", "id", ENTRY.link, "2024-05-01T12:00:00Z", "A summary")
    assert feed_item(make_offer(feed="f", entry=FeedEntry())) == FeedItem("f")


@pytest.mark.parametrize("values", [{"feed": "f"}, {"entry": ENTRY}, {}])
def test_no_feed_item_without_a_feed(values):
    with pytest.raises(ValueError, match="no feed entry"):
        feed_item(make_offer(**values))


def test_how_it_came_about():
    metadata = metadata_item(make_offer(revision=2), replace(EXTRACTION, flags=("one", "two")))
    assert metadata.dateDownloaded == "2024-05-01T12:00:00Z"
    assert (metadata.probability, metadata.agreement) == (0.667, 0.667)
    assert (metadata.revision, metadata.flags) == (2, ["one", "two"])
    assert metadata.wrapper == WrapperItem("a.example", "t2", 3, "forest-tfidf")
    sources = {name: (field.source, field.xpath, field.confidence) for name, field in metadata.fields.items()}
    assert sources == {
        "articleBody": ("wrapper", "//article", 0.667),
        "articleBodyHtml": ("wrapper", "//article", 0.667),
        "headline": ("feed", None, None),
        "datePublished": ("json-ld", None, 0.5),
    }


def test_an_item_from_the_feed_has_no_wrapper():
    article = Article(URL, "The text", fields={"text": Field("feed")})
    metadata = metadata_item(make_offer(), Extraction(article, None, None, (FROM_FEED,)))
    assert (metadata.wrapper, metadata.probability, metadata.agreement) == (None, None, None)
    assert metadata.fields["articleBody"].confidence is None


def test_a_wrapper_of_one_page_has_no_version():
    wrapper = replace(WRAPPER, version=0)
    metadata = metadata_item(make_offer(), Extraction(ARTICLE, wrapper, None, (SINGLE_PAGE,)))
    assert metadata.wrapper == WrapperItem("a.example", "t2", None, "forest-tfidf")
    assert metadata.probability is None


@pytest.mark.parametrize(
    ("evidence", "share"),
    [
        ({"samples": 4, "found": 4}, 1.0),
        ({"samples": 3, "found": 1}, 0.333),
        ({"samples": 4, "found": 0}, 0.0),
        ({"samples": 0, "found": 0}, None),
        ({"samples": 4}, None),
        ({"found": 4}, None),
        ({"samples": "4", "found": 4}, None),
        ({}, None),  # written by hand
    ],
)
def test_support(evidence, share):
    assert support(replace(WRAPPER, evidence=evidence)) == share


def test_no_support_without_a_version():
    assert support(None) is None
    assert support(replace(WRAPPER, version=0)) is None


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (None, None),
        (NOON, "2024-05-01T12:00:00Z"),
        (NOON.replace(microsecond=5), "2024-05-01T12:00:00.000005Z"),
        (NOON.astimezone(timezone(timedelta(hours=2))), "2024-05-01T14:00:00+02:00"),
    ],
)
def test_iso(moment, text):
    assert iso(moment) == text


@pytest.mark.parametrize("found", [10**400, -1, 4, True, "1", None])
def test_x03_evidence_that_makes_no_sense_gives_no_number(found):
    wrapper = Wrapper("//p", "planted", version=1, evidence={"samples": 3, "found": found})
    assert support(wrapper) in (None, 0.333)  # JSON's true is Python's 1
