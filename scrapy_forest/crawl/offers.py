"""Offers: pages on their way from the response to the pipeline, each with the item that it is to fill.

A page is offered because a feed entry links to it, or because some other spider says that it is an article.  An offer
carries either a parsed page (its template's wrapper is known, it streams through) or a ticket for the buffer (it
waits), or, where the page could not be had, only what the feed says.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from scrapy_forest.crawl.buffer import Ticket
from scrapy_forest.induction.templates import Signature
from scrapy_forest.model.article import Article
from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.page import Page

if TYPE_CHECKING:
    from scrapy_forest.crawl.groups import Batch, Group

NOTHING: Final = Signature({})  # of a page that was not looked at


@dataclass(slots=True, eq=False)
class Offer:
    """One page that is to become an article."""

    key: str  # of the ledger
    url: str  # that answered, after redirects
    item: Any  # to be filled; what it is only the Scrapy side knows
    downloaded: datetime
    feed: str | None = None
    entry: FeedEntry | None = None
    revision: int = 1
    is_entitled: bool = True  # to teach the template of its host
    signature: Signature = NOTHING
    group: Group | None = None
    document: Document | None = None  # the page, if its wrapper was known when it came
    page: Page | None = None  # the same parsed, if it is light
    ticket: Ticket | None = None  # the page, if it had to wait
    full: Article | None = None  # made from the feed, where the page cannot be had
    batch: Batch | None = None  # the offers that were released together, and share one induction

    def let_go(self) -> None:
        """Forget the page, which is large: offer and item refer to each other, and live until a full collection."""
        self.page = self.document = self.batch = self.ticket = self.full = None
