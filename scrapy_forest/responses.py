"""What a response says about its page."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from scrapy.http import HtmlResponse, TextResponse

from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.sniffing import is_binary

if TYPE_CHECKING:
    from scrapy.http import Response

# Keys of request.meta.  Setting the first one is how any spider says that a page is an article.
FOREST: Final = "forest"
KEY: Final = "forest_key"  # of the ledger
FEED: Final = "forest_feed"  # its URL
SERVED: Final = "forest_served"  # where the feed was served, after redirects
ENTRY: Final = "forest_entry"  # the FeedEntry; from the response on, as requests may wait by the thousand
LANGUAGE: Final = "forest_language"  # of the feed
REVISION: Final = "forest_revision"
TICKET: Final = "forest_ticket"  # the page's place in the buffer

START: Final = 2000  # bytes, in which a page shows its first tag


def is_html(response: Response) -> bool:
    """Whether a response may be a page: by its type, or by how it begins where the type says nothing."""
    if is_binary(response.body) or not isinstance(response, TextResponse):
        return False
    return isinstance(response, HtmlResponse) or b"<html" in response.body[:START].lower()


def document_of(response: Response) -> Document:
    """The page of a response, before it is parsed."""
    content_type = response.headers.get("Content-Type", b"") or b""
    return Document(
        url=response.url,
        body=response.body,
        content_type=content_type.decode("latin-1") or None,
        language=response.meta.get(LANGUAGE),
        entry=entry_of(response),
        feed=response.meta.get(SERVED),
    )


def entry_of(response: Response) -> FeedEntry | None:
    """The feed entry that linked to it."""
    entry = response.meta.get(ENTRY)
    return entry if isinstance(entry, FeedEntry) else None


def now() -> datetime:
    """The time of a download."""
    return datetime.now(timezone.utc).replace(microsecond=0)
