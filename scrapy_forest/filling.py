"""From an article to its item: zyte-common-items' names, ISO 8601 dates, and where each value comes from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from scrapy_forest.crawl.extraction import Extraction
from scrapy_forest.crawl.offers import Offer
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
from scrapy_forest.model.article import Article
from scrapy_forest.model.wrapper import Wrapper

NAMES: Final[Mapping[str, str]] = {
    "headline": "headline",
    "date_published": "datePublished",
    "date_published_raw": "datePublishedRaw",
    "date_modified": "dateModified",
    "authors": "authors",
    "language": "inLanguage",
    "description": "description",
    "text": "articleBody",
    "html": "articleBodyHtml",
    "main_image": "mainImage",
    "images": "images",
    "videos": "videos",
    "keywords": "keywords",
    "section": "articleSection",
    "canonical_url": "canonicalUrl",
}


def fill(item: ArticleItem, offer: Offer, extraction: Extraction) -> None:
    """Fill what the spider has left empty."""
    for name, value in item_values(extraction.article).items():
        if getattr(item, name) is None:
            setattr(item, name, value)
    if item.feed is None and offer.feed is not None:
        item.feed = feed_item(offer)
    item.metadata = metadata_item(offer, extraction)


def item_values(article: Article) -> dict[str, Any]:
    """The values of an article by the item's names; None for what it does not have."""
    values = {name: getattr(article, own) or None for own, name in NAMES.items()}
    values["datePublished"] = iso(article.date_published)
    values["dateModified"] = iso(article.date_modified)
    values["authors"] = [AuthorItem(name) for name in article.authors] or None
    values["mainImage"] = ImageItem(article.main_image) if article.main_image else None
    values["images"] = [ImageItem(url) for url in article.images] or None
    values["videos"] = [VideoItem(url) for url in article.videos] or None
    values["keywords"] = list(article.keywords) or None
    return values


def feed_item(offer: Offer) -> FeedItem:
    """What the feed says."""
    entry = offer.entry
    if entry is None or offer.feed is None:
        raise ValueError(f"no feed entry for {offer.url!r}")
    return FeedItem(offer.feed, entry.id or None, entry.link, iso(entry.published), entry.summary or None)


def metadata_item(offer: Offer, extraction: Extraction) -> MetadataItem:
    """How the item came about."""
    wrapper, group = extraction.wrapper, offer.group
    fields = {
        NAMES[name]: FieldItem(origin.source, origin.xpath, origin.confidence)
        for name, origin in extraction.article.fields.items()
        if name in NAMES
    }
    confidence = support(wrapper)
    for name in ("articleBody", "articleBodyHtml"):
        if name in fields and fields[name].source == "wrapper":
            fields[name].confidence = confidence
    return MetadataItem(
        dateDownloaded=iso(offer.downloaded),
        probability=confidence,
        agreement=None if extraction.agreement is None else round(extraction.agreement, 3),
        revision=offer.revision,
        flags=list(extraction.flags),
        wrapper=WrapperItem(group.host, group.name, wrapper.version or None, wrapper.method)
        if wrapper and group
        else None,
        fields=fields,
    )


def support(wrapper: Wrapper | None) -> float | None:
    """The share of samples on which a wrapper's expression finds its node and no other.

    Not a calibrated probability yet, but what is known: below 1, the template has exceptions.  None for a wrapper that
    was made for one page alone, about which nothing is known.
    """
    if wrapper is None or not wrapper.version:
        return None
    found, samples = wrapper.evidence.get("found"), wrapper.evidence.get("samples")
    if not isinstance(found, int) or not isinstance(samples, int) or not 0 <= found <= samples or not samples:
        return None  # written by hand
    return round(found / samples, 3)


def iso(moment: datetime | None) -> str | None:
    """ISO 8601, with Z for UTC."""
    return moment.isoformat().replace("+00:00", "Z") if moment else None
