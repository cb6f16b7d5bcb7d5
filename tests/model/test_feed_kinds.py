"""What is a feed and what is not, wherever it starts: F16 and F23."""

from __future__ import annotations

import pytest

from scrapy_forest.model.feed import Feed, read_feed

URL = "https://example.com/feed"
ITEM = "<item><title>a</title><link>https://example.com/1</link></item>"
RSS = f"<rss version='2.0'><channel>{ITEM}</channel></rss>"
ENTRY = "<entry><title>a</title><link href='https://example.com/1'/></entry>"

NO_FEEDS = {
    "F16-html-page": ("<!DOCTYPE html><html><head><title>Log in</title></head><body>…</body></html>", "not_a_feed"),
    "F16-html-without-doctype": ("<html><body>503</body></html>", "not_a_feed"),
    "F16-html-that-shows-a-feed": (f"<html><body><pre>{RSS}</pre></body></html>", "not_a_feed"),
    "F16-xhtml": ('<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><feed/></html>', "not_a_feed"),
    "F16-text": ("Service unavailable", "not_a_feed"),
    "F16-sitemap": ("<urlset><url><loc>https://example.com/</loc></url></urlset>", "not_a_feed"),
    "F16-opml": ('<opml><body><outline xmlUrl="https://example.com/rss"/></body></opml>', "not_a_feed"),
    "F16-json": ('{"error": "<rssx>"}', "not_a_feed"),
    "F23-json-feed": ('{"version": "https://jsonfeed.org/version/1.1", "items": []}', "json_feed"),
    "F23-json-feed-1": ('\ufeff {"version": "https://jsonfeed.org/version/1"}', "json_feed"),
}


@pytest.mark.parametrize(("text", "problem"), NO_FEEDS.values(), ids=NO_FEEDS)
def test_no_feed(text: str, problem: str) -> None:
    assert read_feed(URL, text.encode(), "application/rss+xml") == Feed(URL, problems=(problem,))


FEEDS = {
    "F23-rss": (RSS, "rss20"),
    "F23-rss-of-no-version": (f"<rss><channel>{ITEM}</channel></rss>", "rss"),
    "F23-rdf": (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
        f"<channel/>{ITEM}</rdf:RDF>",
        "rss10",
    ),
    "F23-rss-0.90": (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
        f' xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel/>{ITEM}</rdf:RDF>',
        "rss090",
    ),
    "F23-atom": (f'<feed xmlns="http://www.w3.org/2005/Atom">{ENTRY}</feed>', "atom10"),
    "F23-atom-with-prefix": (
        '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>a</a:title>'
        '<a:link href="https://example.com/1"/></a:entry></a:feed>',
        "atom10",
    ),
    "F23-atom-without-namespace": (f"<feed>{ENTRY}</feed>", "atom"),
    "spaces-before": (f" \n\n<?xml version='1.0'?>{RSS}", "rss20"),
    "warning-before": (f"<br />\n<b>Warning</b>: headers already sent{RSS}", "rss20"),
    "comment-before": (f"<!-- made by a program -->{RSS}", "rss20"),
    "doctype-before": (f"<!DOCTYPE rss [<!ELEMENT rss ANY><!ENTITY a 'b'>]>{RSS}", "rss20"),
    "comment-after": (f"{RSS}<!-- cached in 0.1 s -->", "rss20"),
    "html-after": (f"{RSS}<script>x</script></html>", "rss20"),
    "upper-case": ("<RSS version='2.0'><channel>" + ITEM + "</channel></RSS>", "rss20"),
}


@pytest.mark.parametrize(("text", "dialect"), FEEDS.values(), ids=FEEDS)
def test_feed(text: str, dialect: str) -> None:
    feed = read_feed(URL, text.encode())
    assert [(entry.title, entry.link) for entry in feed.entries] == [("a", "https://example.com/1")]
    assert (feed.dialect, feed.problems) == (dialect, ())


def test_f23_bare_channel() -> None:
    feed = read_feed(URL, f"<channel><title>T</title>{ITEM}</channel>".encode())
    assert (feed.title, len(feed.entries), feed.dialect) == ("T", 1, "rss")


MALFORMED = {
    "unescaped-html": "<description><p>One<br>two</description>",
    "undeclared-prefix": "<dc:creator>Jane</dc:creator>",
    "attribute-without-quotes": "<enclosure url=https://example.com/1.mp3>",
    "stray-end": "</b>",
    "bare-less-than": "<description>1 < 2</description>",
}


@pytest.mark.parametrize("markup", MALFORMED.values(), ids=MALFORMED)
def test_feed_that_is_not_well_formed(markup: str) -> None:
    items = f"{ITEM.replace('</item>', markup + '</item>')}{ITEM}"
    feed = read_feed(URL, f"<rss version='2.0'><channel>{items}</channel></rss>".encode())
    assert [entry.link for entry in feed.entries] == ["https://example.com/1"] * 2
    assert feed.problems == ("bad_markup",)
