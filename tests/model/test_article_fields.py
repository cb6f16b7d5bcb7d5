"""Articles with all their fields, where each is from, and their way through JSON."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_forest.model.article import Article, extract, from_entry
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.model.metadata import Field
from scrapy_forest.model.page import Page
from scrapy_forest.model.wrapper import Wrapper

URL = "https://www.example.com/2024/a.html"
WRAPPER = Wrapper("//main", "test")
DAY = datetime(2024, 2, 29, tzinfo=timezone.utc)


def article_of(head: str = "", body: str = "", content: str = "<p>Text", entry: FeedEntry | None = None) -> Article:
    html = f"<html><head>{head}</head><body>{body}<main>{content}</main></body></html>"
    article = extract(WRAPPER, Page.from_html(URL, html), entry)
    assert article is not None
    return article


def ld(**data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", **data})}</script>'


FIELDS = {
    "headline-json-ld": (ld(headline="A") + "<meta property=og:title content=B>", "", "headline", "A", "json-ld"),
    "headline-og": ("<meta property=og:title content=B><title>C</title>", "", "headline", "B", "opengraph"),
    "headline-twitter": ("<meta name=twitter:title content=B>", "", "headline", "B", "meta"),
    "headline-h1": ("<title>Else</title>", "<h1>B</h1>", "headline", "B", "html"),
    "headline-title": ("<title> C\n d </title>", "", "headline", "C d", "html"),
    "headline-of-title": ("<title>C | Site</title>", "<h1>D</h1><h2>C</h2>", "headline", "C", "html"),
    "headline-with-site": ("<meta property=og:title content='C - Site'>", "<h2>C</h2>", "headline", "C", "opengraph"),
    "home-link-is-no-headline": ("<title>C</title>", "<h1><a href=/>Site</a></h1>", "headline", "C", "html"),
    "escaped-twice": (ld(headline="A &amp; B"), "", "headline", "A & B", "json-ld"),
    "authors-json-ld": (ld(author=[{"name": "A"}, "B", {"name": ["C"]}]), "", "authors", ("A", "B", "C"), "json-ld"),
    "authors-meta": ("<meta name=Author content='Jane'>", "", "authors", ("Jane",), "meta"),
    "author-link": ("<meta property=article:author content=https://facebook.com/x>", "", "authors", (), None),
    "author-and-paper": (ld(author="Jane | The Daily"), "", "authors", ("Jane",), "json-ld"),
    "author-rel": ("", "<a rel='nofollow author' href=/j>Jane</a>", "authors", ("Jane",), "html"),
    "date-json-ld": (ld(datePublished="2024-02-29T00:00:00.000Z"), "", "date_published", DAY, "json-ld"),
    "date-og": ("<meta property=article:published_time content=2024-02-29>", "", "date_published", DAY, "opengraph"),
    "date-meta": ("<meta name=date content='2024-02-29T01:00:00+01:00'>", "", "date_published", DAY, "meta"),
    "date-time": ("", "<time datetime=2024-02-29>today</time>", "date_published", DAY, "html"),
    "date-9999": (ld(datePublished="9999-12-31"), "", "date_published", None, None),
    "date-garbage-then-good": (
        ld(datePublished="soon") + "<meta name=date content=2024-02-29>", "", "date_published", DAY, "meta"),
    "modified": (ld(dateModified="2024-02-29"), "", "date_modified", DAY, "json-ld"),
    "keywords-text": (ld(keywords="a, b,a"), "", "keywords", ("a", "b"), "json-ld"),
    "keywords-list": (ld(keywords=["a", "b"]), "", "keywords", ("a", "b"), "json-ld"),
    "keywords-og": ("<meta property=article:tag content=a><meta property=article:tag content=b>", "", "keywords",
        ("a", "b"), "opengraph"),
    "keywords-rel": ("", "<a rel=tag href=/a>a</a><a rel='category tag' href=/b>b</a>", "keywords", ("a", "b"), "html"),
    "section": ("<meta property=article:section content=Sport>", "", "section", "Sport", "opengraph"),
    "description": ("<meta name=description content=D>", "", "description", "D", "meta"),
    "main-image": (ld(image={"url": "/i.png"}), "", "main_image", "https://www.example.com/i.png", "json-ld"),
    "main-image-data": ("<meta property=og:image content=data:image/png,x>", "", "main_image", None, None),
    "canonical": ("<link rel=canonical href=/c>", "", "canonical_url", "https://www.example.com/c", "html"),
    "canonical-www": ("<link rel=canonical href=https://example.com/c>", "", "canonical_url", "https://example.com/c",
        "html"),
    "canonical-foreign": ("<link rel=canonical href=https://evil.example/c>", "", "canonical_url", None, None),
    "canonical-og": ("<meta property=og:url content=https://www.example.com/o>", "", "canonical_url",
        "https://www.example.com/o", "opengraph"),
    "video-og": ("<meta property=og:video content=https://v.example/v.mp4>", "", "videos",
        ("https://v.example/v.mp4",), "opengraph"),
}  # fmt: skip


@pytest.mark.parametrize(("head", "body", "name", "value", "source"), FIELDS.values(), ids=FIELDS)
def test_field(head: str, body: str, name: str, value: object, source: str | None) -> None:
    article = article_of(head, body)
    assert getattr(article, name) == value
    assert (article.fields[name].source if name in article.fields else None) == source


def test_the_feed_comes_first() -> None:
    entry = FeedEntry(title="F", summary="S", authors=("J",), published=DAY, updated=DAY, tags=("t",))
    article = article_of(
        ld(headline="A", author="B", keywords="k", datePublished="2020-01-01", description="d"), entry=entry
    )
    assert (article.headline, article.description, article.authors) == ("F", "S", ("J",))
    assert (article.date_published, article.date_modified, article.keywords) == (DAY, DAY, ("t",))
    assert article.date_published_raw is None
    assert {article.fields[name] for name in ("headline", "authors", "date_published")} == {Field("feed")}


def test_the_page_fills_what_the_feed_lacks() -> None:
    article = article_of(ld(headline="A", author="B"), entry=FeedEntry(title="F"))
    assert (article.headline, article.authors) == ("F", ("B",))


def test_raw_date() -> None:
    article = article_of(body="<time datetime='29. Februar'>")
    assert (article.date_published, article.date_published_raw) == (None, "29. Februar")
    article = article_of(ld(datePublished="2024-02-29"))
    assert (article.date_published, article.date_published_raw) == (DAY, "2024-02-29")


def test_language() -> None:
    page = Page.from_html(URL, "<html lang=de-AT><body><main>Text</main></body></html>", language="en")
    article = extract(WRAPPER, page)
    assert article is not None
    assert (article.language, article.fields["language"]) == ("de", Field("html", "/html"))
    article = extract(WRAPPER, Page.from_html(URL, "<main>Text</main>", language="en"))
    assert article is not None
    assert (article.language, article.fields["language"]) == ("en", Field("feed"))


def test_the_closest_markup_counts() -> None:
    lists = "<ul><li><h1>Other</h1><time datetime=2020-01-01></time><a rel=tag>no</a></ul>"
    near = "<h1>Mine</h1><time datetime=2024-02-29></time><a rel=tag>yes</a>"
    html = f"<body>{lists}<div>{near}<main>Text</main></div>{lists}</body>"
    article = extract(WRAPPER, Page.from_html(URL, html))
    assert article is not None
    assert (article.headline, article.date_published, article.keywords) == ("Mine", DAY, ("yes",))


@pytest.mark.parametrize("tag", ["div", "x{y}", "a:b"])
def test_xpaths_lead_to_the_elements(tag: str) -> None:
    page = Page.from_html(
        URL, f"<head><meta name=x><meta name=author content=Jane></head><{tag}><h1>A</h1><main>Text</main></{tag}>"
    )
    article = extract(WRAPPER, page)
    assert article is not None
    for name, value in (("authors", "Jane"), ("headline", "A")):
        (node,) = page.root.xpath(article.fields[name].xpath)
        assert (node.get("content") or node.text) == value
    assert article.fields["text"] == article.fields["html"] == Field("wrapper", "//main")


def test_content_fields() -> None:
    article = article_of(
        "<base href=/b/>",
        content="<p>Text <a href=c>c</a><img src=d.png><img src=e.png width=1 height=1>"
        "<iframe src=//www.youtube.com/embed/1></iframe><iframe src=https://ads.example></iframe>"
        "<video><source src=f.mp4></video>",
    )
    base = "https://www.example.com/b"
    assert article.html == f'<main><p>Text <a href="{base}/c">c</a><img src="{base}/d.png"></p></main>'
    assert article.images == (f"{base}/d.png",)
    assert article.main_image == f"{base}/d.png"
    assert article.fields["main_image"].source == "wrapper"
    assert article.videos == ("https://www.youtube.com/embed/1", f"{base}/f.mp4")


def test_left_out_is_left_out_everywhere() -> None:
    page = Page.from_html(URL, "<main><p>Text<aside>No<img src=a><iframe src=//vimeo.com/1></iframe></aside></main>")
    article = extract(Wrapper("//main", "test", (".//aside",)), page)
    assert article is not None
    assert (article.text, article.images, article.videos) == ("Text", (), ())
    assert "No" not in article.html


def test_the_name_of_the_site_is_further_away() -> None:
    body = "<div><h1>The Long Name</h1></div><div><h2>C</h2><main>Text<h2>The Long</h2></main></div>"
    article = extract(WRAPPER, Page.from_html(URL, f"<title>C - The Long Name</title>{body}"))
    assert article is not None
    assert article.headline == "C"


def test_every_value_has_an_origin() -> None:
    article = article_of(
        ld(headline="A", author="B", datePublished="2024-02-29"), "<a rel=tag>t</a>", "<p>T<img src=a>"
    )
    data = article.to_dict()
    assert set(article.fields) == {name for name, value in data.items() if value and name not in ("url", "fields")}


def test_from_entry() -> None:
    content = '<p>Full <img src="https://example.com/i.png"></p><script>x</script>'
    article = from_entry(FeedEntry(title="F", content=content, published=DAY), URL)
    assert article is not None
    assert (article.url, article.text, article.headline, article.date_published) == (URL, "Full", "F", DAY)
    assert article.html == '<p>Full <img src="https://example.com/i.png"></p>'
    assert article.main_image == "https://example.com/i.png"
    assert {field.source for field in article.fields.values()} == {"feed"}


@pytest.mark.parametrize("content", ["", " ", "<p></p>", "<img src=a>", "<!-- a -->", "<div>" * 3_000 + "a"])
def test_from_an_entry_without_content(content: str) -> None:
    assert from_entry(FeedEntry(title="F", content=content), URL) is None


TEXTS = st.text(max_size=10)
NAMES = st.lists(TEXTS, max_size=3).map(tuple)
MAYBE = st.none() | TEXTS
ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.none() | st.datetimes(timezones=ZONES)
ORIGINS = st.builds(Field, TEXTS, MAYBE, st.none() | st.floats(0, 1))
ARTICLES = st.builds(
    Article, TEXTS, TEXTS, html=TEXTS, headline=MAYBE, authors=NAMES, date_published=MOMENTS, date_published_raw=MAYBE,
    date_modified=MOMENTS, language=MAYBE, description=MAYBE, main_image=MAYBE, images=NAMES, videos=NAMES,
    keywords=NAMES, section=MAYBE, canonical_url=MAYBE, fields=st.dictionaries(TEXTS, ORIGINS, max_size=3),
)  # fmt: skip


@given(ARTICLES)
@settings(max_examples=200)
def test_round_trip(article: Article) -> None:
    data = json.loads(json.dumps(article.to_dict()))
    assert data == article.to_dict()
    assert Article.from_dict(data) == article


def test_missing_keys_take_their_defaults() -> None:
    assert Article.from_dict({"url": URL, "text": "a"}) == Article(URL, "a")
