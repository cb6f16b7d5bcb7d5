import pytest

from scrapy_forest.model.discovery import USUAL_PLACES, find_feeds, usual_places
from scrapy_forest.model.page import Page

RSS = '<link rel="alternate" type="application/rss+xml" href="{}">'


def feeds_of(head, body="", url="https://a.example/blog/"):
    return find_feeds(Page.from_html(url, f"<html><head>{head}</head><body>{body}<p>text</p></body></html>"))


@pytest.mark.parametrize(
    ("head", "feeds"),
    [
        ("", []),
        (RSS.format("/feed"), ["https://a.example/feed"]),
        (RSS.format("feed"), ["https://a.example/blog/feed"]),
        (RSS.format("https://feeds.example/a"), ["https://feeds.example/a"]),
        (RSS.format("//feeds.example/a"), ["https://feeds.example/a"]),
        (RSS.format(" /feed\n"), ["https://a.example/feed"]),
        (RSS.format(""), []),
        ('<link rel="alternate" type="application/rss+xml">', []),
        ('<base href="/news/">' + RSS.format("feed"), ["https://a.example/news/feed"]),
        (RSS.format("https://comments.example/feed"), ["https://comments.example/feed"]),
        (RSS.format("/1") + RSS.format("/2") + RSS.format("/1"), ["https://a.example/1", "https://a.example/2"]),
        ('<link REL="Alternate home" TYPE="Application/Atom+XML; charset=utf-8" href="/a">', ["https://a.example/a"]),
        ('<link rel="alternate" type="application/rdf+xml" href="/a">', ["https://a.example/a"]),
        ('<link rel="alternate" type="text/html" hreflang="de" href="/de">', []),
        ('<link rel="alternate" href="/feed">', []),
        ('<link rel="stylesheet" type="application/rss+xml" href="/feed">', []),
        (RSS.format("javascript:alert(1)"), []),
        (RSS.format("file:///etc/passwd"), []),
        (RSS.format("http://[/"), []),
        (RSS.format("/comments/feed"), []),
        (RSS.format("/feed?type=Comment"), []),
        (RSS.format("/commenter/feed"), ["https://a.example/commenter/feed"]),
        (RSS.format("/feed").replace("<link", '<link title="Blog » Kommentar-Feed"'), []),
        (RSS.format("/feed").replace("<link", '<link title="Comments on a post"'), []),
        (RSS.format("/feed").replace("<link", '<link title="The blog"'), ["https://a.example/feed"]),
    ],
)
def test_feeds_that_a_page_names(head, feeds):
    assert feeds_of(head) == feeds


def test_also_outside_of_the_head():
    assert feeds_of("", RSS.format("/feed")) == ["https://a.example/feed"]


@pytest.mark.parametrize(
    "url", ["https://a.example", "https://a.example/", "https://a.example/blog/post?page=2#top", "https://a.example/.."]
)
def test_usual_places_are_at_the_root(url):
    assert usual_places(url) == [f"https://a.example{place}" for place in USUAL_PLACES]
