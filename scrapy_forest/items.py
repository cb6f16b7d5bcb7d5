"""The article item: zyte-common-items' ``Article`` names, so that code written for those reads ours unchanged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_forest.crawl.offers import Offer


@dataclass
class AuthorItem:
    """A person or an organisation that wrote the article."""

    name: str


@dataclass
class ImageItem:
    """A picture."""

    url: str


@dataclass
class VideoItem:
    """A film, or the page of a player that shows it."""

    url: str


@dataclass
class FeedItem:
    """What the feed says; kept whole, so that it can be compared with what the page says."""

    url: str  # of the feed
    entryId: str | None = None
    link: str | None = None
    published: str | None = None
    summary: str | None = None


@dataclass
class WrapperItem:
    """The wrapper that found the body."""

    host: str
    template: str
    version: int | None  # None for one that was made for this page alone
    method: str


@dataclass
class FieldItem:
    """Where the value of a field comes from."""

    source: str  # "feed", "json-ld", "opengraph", "meta", "html" or "wrapper"
    xpath: str | None = None
    confidence: float | None = None


@dataclass
class MetadataItem:
    """How the item came about."""

    dateDownloaded: str | None = None
    probability: float | None = None  # share of the wrapper's samples on which it found its node and no other
    agreement: float | None = None  # share of the telling words of the feed's summary that stand in the body
    revision: int = 1
    flags: list[str] = field(default_factory=list)
    wrapper: WrapperItem | None = None
    fields: dict[str, FieldItem] = field(default_factory=dict)


@dataclass
class ArticleItem:
    """An article; dates are ISO 8601.

    A spider yields ``ArticleItem(url=response.url)`` from a callback, and the pipeline fills the rest.  A field that
    the spider has filled itself stays as it is.  What is long is not in its repr, as Scrapy logs each item.
    """

    url: str
    headline: str | None = None
    datePublished: str | None = None
    datePublishedRaw: str | None = None
    dateModified: str | None = None
    authors: list[AuthorItem] | None = None
    inLanguage: str | None = None
    description: str | None = None
    articleBody: str | None = field(default=None, repr=False)
    articleBodyHtml: str | None = field(default=None, repr=False)
    mainImage: ImageItem | None = None
    images: list[ImageItem] | None = field(default=None, repr=False)
    videos: list[VideoItem] | None = None
    keywords: list[str] | None = None
    articleSection: str | None = None
    canonicalUrl: str | None = None
    feed: FeedItem | None = field(default=None, repr=False)
    metadata: MetadataItem | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        # The page, on its way from the response to the pipeline.  Not a field: no exporter and no asdict() sees it.
        self.offer: Offer | None = None
