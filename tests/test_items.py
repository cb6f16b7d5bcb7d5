from dataclasses import asdict, fields

import pytest
from itemadapter import ItemAdapter

from scrapy_forest.items import (
    ArticleItem,
    AuthorItem,
    FeedItem,
    FieldItem,
    ImageItem,
    MetadataItem,
    VideoItem,
    WrapperItem,
)

LONG = ("articleBody", "articleBodyHtml", "images", "feed", "metadata")
# zyte-common-items' Article, as of 0.27; we have no audios and breadcrumbs.
ZYTE = set(
    "url headline datePublished datePublishedRaw dateModified authors inLanguage description articleBody"
    " articleBodyHtml mainImage images videos keywords articleSection canonicalUrl metadata".split()
)


def full_item():
    return ArticleItem(
        url="https://a.example/1",
        headline="A headline",
        authors=[AuthorItem("Ann")],
        articleBody="body " * 1000,
        articleBodyHtml="<p>html</p> " * 1000,
        mainImage=ImageItem("https://a.example/1.png"),
        images=[ImageItem("https://a.example/1.png")] * 100,
        videos=[VideoItem("https://a.example/1.mp4")],
        feed=FeedItem("https://a.example/feed", summary="summary " * 1000),
        metadata=MetadataItem(wrapper=WrapperItem("a.example", "t1", 1, "m"), fields={"headline": FieldItem("feed")}),
    )


def test_only_a_url_is_needed():
    item = ArticleItem(url="https://a.example/1")
    assert {field.name for field in fields(item) if getattr(item, field.name) is not None} == {"url"}


def test_the_names_are_those_of_zyte_and_the_feed():
    assert {field.name for field in fields(ArticleItem)} == ZYTE | {"feed"}


def test_what_is_long_is_not_logged():
    text = repr(full_item())
    assert "A headline" in text
    assert len(text) < 500
    assert not any(f"{name}=" in text for name in LONG)


def test_the_offer_is_no_field():
    item = full_item()
    item.offer = object()
    assert "offer" not in asdict(item)
    assert "offer" not in ItemAdapter(item).asdict()
    assert "offer" not in repr(item)
    assert item == full_item()  # nor does it count


def test_the_adapter_sees_all_the_way_down():
    data = ItemAdapter(full_item()).asdict()
    assert data == asdict(full_item())
    assert data["metadata"]["wrapper"] == {"host": "a.example", "template": "t1", "version": 1, "method": "m"}
    assert data["authors"] == [{"name": "Ann"}]


@pytest.mark.parametrize("name", ["flags", "fields"])
def test_no_two_items_share_a_list(name):
    assert getattr(MetadataItem(), name) is not getattr(MetadataItem(), name)
