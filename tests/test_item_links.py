"""X09: whatever a page and its feed say, the links of an item lead to the web, and its HTML is safe."""

import json
import re
from html import escape

import pytest
from lxml.html import fragment_fromstring

from scrapy_forest.crawl.extraction import Extraction
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.exporters import plain
from scrapy_forest.filling import fill
from scrapy_forest.items import ArticleItem
from scrapy_forest.model.article import extract, from_entry
from scrapy_forest.model.feed import read_feed
from scrapy_forest.model.page import Page
from scrapy_forest.model.wrapper import Wrapper

URL = "https://a.example/1"
FEED = "https://a.example/feed"
BAD_LINKS = [
    *(
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "\x01javascript:a",
    ),
    *(
        "data:text/html,<script>alert(1)</script>",
        "data:image/svg+xml,<svg onload=alert(1)>",
        "vbscript:a",
        "blob:https://a/1",
    ),
    *("file:///etc/passwd", "ftp://a.example/", "view-source:https://a.example/", "mailto:a@a.example", "about:blank"),
    *(
        "https:",
        "https://",
        "http:///a",
        "https:javascript:alert(1)",
        "http://[",
        "//[",
        "http://a.example:99999999999/",
    ),
    *(
        "'\"><img src=x onerror=alert(1)>",
        "https://a.example/'\"><script>alert(1)</script>",
        "</script><script>alert(1)</script>",
    ),
]
MARKUP = "<img src=x onerror=alert(1)><script>alert(1)</script>"
WEB = re.compile(r"https?://[^/?#\s\\<>\"']+")
LINKS = {"url", "link", "canonicalUrl"}


def page(link):
    quoted = escape(link)
    data = {
        "@type": "NewsArticle",
        "headline": MARKUP,
        "author": {"name": MARKUP, "url": link},
        "image": [link, {"url": link}],
        "url": link,
        "video": {"contentUrl": link},
        "mainEntityOfPage": link,
    }
    written = json.dumps(data).replace("<", "\\u003c")
    metas = "".join(
        f"<meta property='{name}' content='{quoted}'>"
        for name in ("og:image", "og:image:secure_url", "twitter:image", "og:video", "og:video:url", "og:url", "author")
    )
    return (
        f"<html><head><base href='{quoted}'><link rel=canonical href='{quoted}'><title>{escape(MARKUP)}</title>{metas}"
        f"<script type='application/ld+json'>{written}</script></head><body><main>"
        f"Text {MARKUP} <img src='{quoted}'><img srcset='{quoted} 2x' data-src='{quoted}'><a href='{quoted}'>a</a>"
        f"<video src='{quoted}' poster='{quoted}'><source src='{quoted}'></video><iframe src='{quoted}'></iframe>"
        f"<a rel=author href='{quoted}'>{escape(MARKUP)}</a></main></body></html>"
    )


def feed(link):
    quoted = escape(link.replace("\x01", ""))
    content = escape(f"<p>Text</p><a href='{quoted}'>a</a><img src='{quoted}'>{MARKUP}")
    return (
        f"<rss version='2.0' xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel><item><link>{URL}</link>"
        f"<guid>{quoted}</guid><title>{escape(MARKUP)}</title><author>{escape(MARKUP)}</author>"
        f"<enclosure url='{quoted}' type='image/png'/><content:encoded>{content}</content:encoded>"
        "</item></channel></rss>"
    ).encode()


def item_of(article, entry):
    item = ArticleItem(url=article.url)
    fill(item, Offer("key", URL, item, None, feed=FEED, entry=entry), Extraction(article, None, None))
    return {name: plain(value) for name, value in vars(item).items() if name != "offer"}


def links_in(value, name=""):
    if isinstance(value, dict):
        yield from (link for key, each in value.items() for link in links_in(each, key))
    elif isinstance(value, list):
        yield from (link for each in value for link in links_in(each, name))
    elif name in LINKS and value is not None:
        yield value


@pytest.mark.parametrize("source", ["page", "feed"])
@pytest.mark.parametrize("link", BAD_LINKS, ids=ascii)
def test_x09_links_of_items_lead_to_the_web(link, source):
    [entry] = read_feed(FEED, feed(link)).entries
    if source == "page":
        article = extract(Wrapper("//main", "test"), Page.from_html(URL, page(link)), entry)
    else:
        article = from_entry(entry, URL)
    item = item_of(article, entry)
    found = list(links_in(item))
    assert {URL, FEED} <= set(found)
    assert all(WEB.match(each) for each in found), found
    for node in fragment_fromstring(item["articleBodyHtml"], create_parent=True).iter():
        assert node.tag not in ("script", "iframe", "svg", "video", "source", "base", "meta", "link")
        assert set(node.keys()) <= {"href", "src", "alt"}
        assert all(map(WEB.match, node.values()))


def test_x09_a_link_that_is_good_comes_through():
    """So the test above sees what there is to see."""
    good = "https://cdn.example/a.png"
    [entry] = read_feed(FEED, feed(good)).entries
    item = item_of(extract(Wrapper("//main", "test"), Page.from_html(URL, page(good)), entry), entry)
    assert (item["mainImage"], item["videos"]) == ({"url": good}, [{"url": good}])
    assert {"url": good} in item["images"]
    assert item["feed"]["link"] == URL
