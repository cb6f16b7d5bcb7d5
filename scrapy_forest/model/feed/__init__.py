"""Feeds: what a site says about its articles, read from any bytes.

A feed goes through one module a step: ``decoding`` (bytes to text), ``framing`` (the text from the root element to its
end), ``mending`` (XML that a parser survives), ``weight`` (which parser), ``feedparser_reader`` or ``lxml_reader`` (the
raw feed), then ``links``, ``fields`` and ``dates`` (what an entry means).  ``reading`` calls them in that order.
"""

from scrapy_forest.model.feed.reading import read_feed
from scrapy_forest.model.feed.values import Feed, FeedEntry

__all__ = ["Feed", "FeedEntry", "read_feed"]
