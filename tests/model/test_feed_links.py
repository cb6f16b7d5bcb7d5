"""The page of an entry, or why there is none: F17 to F21 and F23."""

from __future__ import annotations

import pytest

from scrapy_forest.model.feed import read_feed

pytestmark = pytest.mark.usefixtures("reader")
URL = "https://example.com/blog/feed"
ATOM = "http://www.w3.org/2005/Atom"
GOOD = "<item><link>https://example.com/good</link></item>"


def links(*items: str, root: str = "rss") -> list[str | None]:
    """Links of the entries, the problem where there is none."""
    feed = read_feed(URL, f"<{root} version='2.0'><channel>{''.join(items)}</channel></{root.split()[0]}>".encode())
    return [entry.link or entry.problem for entry in feed.entries]


def atom_links(*entries: str, attributes: str = "") -> list[str | None]:
    feed = read_feed(URL, f'<feed xmlns="{ATOM}" {attributes}>{"".join(entries)}</feed>'.encode())
    return [entry.link or entry.problem for entry in feed.entries]


LINKS = {
    "F17-absolute": ("https://example.org/1", "https://example.org/1"),
    "F17-path": ("/1", "https://example.com/1"),
    "F17-relative": ("1", "https://example.com/blog/1"),
    "F17-dots": ("../1", "https://example.com/1"),
    "F17-query": ("?p=1", "https://example.com/blog/feed?p=1"),
    "F17-host": ("//example.org/1", "https://example.org/1"),
    "F17-spaces": ("\n\t https://example.org/1 \n", "https://example.org/1"),
    "F17-broken-line": ("https://example.org/a\n/b", "https://example.org/a/b"),
    "F17-cdata": ("<![CDATA[ https://example.org/1?a&b ]]>", "https://example.org/1?a&b"),
    "F17-ampersand": ("https://example.org/?a=1&amp;b=2", "https://example.org/?a=1&b=2"),
    "F17-bare-ampersand": ("https://example.org/?a=1&copy=2", "https://example.org/?a=1&copy=2"),
    "F17-unicode": ("https://example.org/é?ž=木", "https://example.org/é?ž=木"),
    "F17-upper-case": ("HTTPS://EXAMPLE.ORG/A", "HTTPS://EXAMPLE.ORG/A"),
    "F17-port": ("http://example.org:8080/1", "http://example.org:8080/1"),
    "F20-javascript": ("javascript:alert(1)", "bad_scheme"),
    "F20-mailto": ("mailto:a@example.com", "bad_scheme"),
    "F20-data": ("data:text/html,x", "bad_scheme"),
    "F20-file": ("file:///etc/hostname", "bad_scheme"),
    "F20-file-of-host": ("file://example.com/etc/hostname", "bad_scheme"),
    "F20-ftp": ("ftp://example.com/1", "bad_scheme"),
    "F20-port-99999": ("https://example.com:99999/", "bad_link"),
    "F20-port-0": ("https://example.com:0/", "bad_link"),
    "F20-port-abc": ("https://example.com:abc/", "bad_link"),
    "F20-open-bracket": ("http://[::1", "bad_link"),
    "F20-open-bracket-relative": ("//[::1/", "bad_link"),
    "F20-no-host": ("https://", "bad_link"),
    "F20-space-in-host": ("https://exa mple.com/", "bad_link"),
    "F20-quote-in-host": ("https://exa\"mple.com/", "bad_link"),
    "F20-empty": ("", "no_link"),
    "F20-spaces": ("  ", "no_link"),
    "F21-2083-characters": (f"https://example.com/{'a' * 2063}", f"https://example.com/{'a' * 2063}"),
    "F21-2084-characters": (f"https://example.com/{'a' * 2064}", "url_too_long"),
    "F21-a-megabyte": (f"https://example.com/{'a' * 1_000_000}", "url_too_long"),
}  # fmt: skip


@pytest.mark.parametrize(("link", "expected"), LINKS.values(), ids=LINKS)
def test_link_between_good_ones(link: str, expected: str) -> None:
    good = "https://example.com/good"
    assert links(GOOD, f"<item><title>a</title><link>{link}</link></item>", GOOD) == [good, expected, good]


BASES = {
    "F17-base-of-root": ("xml:base='https://b.example/x/'", "", "https://b.example/x/1"),
    "F17-relative-base-of-root": ("xml:base='/x/'", "", "https://example.com/x/1"),
    "F17-base-of-entry": ("", "xml:base='https://b.example/y/'", "https://b.example/y/1"),
    "F17-base-of-both": ("xml:base='https://b.example/x/'", "xml:base='y/'", "https://b.example/x/y/1"),
    "F17-relative-base-of-entry": ("", "xml:base='y/'", "https://example.com/blog/y/1"),
    "F17-bad-base-of-root": ("xml:base='http://[::1'", "", "https://example.com/blog/1"),
    "F17-bad-base-of-entry": ("", "xml:base='http://[::1'", "https://example.com/blog/1"),
    "F17-empty-base": ("xml:base=''", "", "https://example.com/blog/1"),
}


@pytest.mark.parametrize(("root", "entry", "expected"), BASES.values(), ids=BASES)
def test_base(root: str, entry: str, expected: str) -> None:
    assert atom_links(f"<entry {entry}><link href='1'/></entry>", attributes=root) == [expected]


@pytest.mark.parametrize("element", ["entry", "content"])
def test_f17_base_ends_with_its_element(element: str) -> None:
    entries = "<entry><link href='1'/><content>x</content></entry>".replace(
        f"<{element}", f"<{element} xml:base='https://b.example/'"
    )
    assert atom_links(entries, "<entry><link href='2'/></entry>")[1] == "https://example.com/blog/2"


GUIDS = {
    "F18-permalink": ("<guid>https://example.com/1</guid>", "https://example.com/1"),
    "F18-permalink-true": ("<guid isPermaLink='true'>https://example.com/1</guid>", "https://example.com/1"),
    "F18-permalink-false": ("<guid isPermaLink='false'>https://example.com/1</guid>", "no_link"),
    "F18-no-url": ("<guid>1</guid>", "no_link"),
    "F18-tag": ("<guid>tag:example.com,2024:1</guid>", "no_link"),
    "F18-neither": ("<title>a</title>", "no_link"),
    "F18-empty-link": ("<link/><guid>https://example.com/1</guid>", "https://example.com/1"),
    "F18-blank-link": ("<link> </link><guid>https://example.com/1</guid>", "https://example.com/1"),
    "F22-enclosure-alone": ("<enclosure url='/1.mp3' type='audio/mpeg' length='1'/>", "media_link"),
    "F22-enclosure-and-page": ("<link>/1</link><enclosure url='/1.mp3'/>", "https://example.com/1"),
    "F22-enclosure-and-permalink": ("<guid>https://example.com/1</guid><enclosure url='/1'/>", "https://example.com/1"),
    "F18-link-wins": ("<guid>https://example.com/1</guid><link>/2</link>", "https://example.com/2"),
}


@pytest.mark.parametrize(("markup", "expected"), GUIDS.values(), ids=GUIDS)
def test_guid(markup: str, expected: str) -> None:
    assert links(f"<item>{markup}</item>", GOOD) == [expected, "https://example.com/good"]


def test_f18_ids_are_kept_as_written() -> None:
    feed = read_feed(URL, b"<rss version='2.0'><channel><item><guid>1</guid></item></channel></rss>")
    assert feed.entries[0].id == "1"


REPEATED = {
    "F19-link": ("<link>/1</link>", "<link>/1</link>"),
    "F19-fragment": ("<link>/1</link>", "<link>/1#more</link>"),
    "F19-utm": ("<link>/1</link>", "<link>/1?utm_source=rss</link>"),
    "F19-guid": ("<guid>1</guid><link>/1</link>", "<guid>1</guid><link>/2</link>"),
}


@pytest.mark.parametrize("markup", REPEATED.values(), ids=REPEATED)
def test_repeated_entries_are_all_read_as_written(markup: tuple[str, str]) -> None:
    one, two = (f"<item>{each}</item>" for each in markup)
    assert links(one, two) == [*links(one), *links(two)]  # which of them are one article is for the crawl to say


RELS = {
    "F23-first-alternate": ("<link href='/1'/><link href='/2'/>", "https://example.com/1"),
    "F23-alternate-among-others": (
        "<link rel='self' href='/s'/><link rel='enclosure' href='/e'/><link rel='replies' href='/r'/>"
        "<link rel='alternate' href='/1'/><link rel='edit' href='/edit'/>",
        "https://example.com/1",
    ),
    "F23-html-before-others": (
        "<link type='application/pdf' href='/1.pdf'/><link type='text/html' href='/1'/>",
        "https://example.com/1",
    ),
    "F23-pdf-alone": ("<link type='application/pdf' href='/1.pdf'/>", "https://example.com/1.pdf"),
    "F23-rel-in-capitals": ("<link rel='ALTERNATE' type='TEXT/HTML' href='/1'/>", "https://example.com/1"),
    "F23-self-alone": ("<link rel='self' href='/s'/>", "no_link"),
    "F22-enclosure-alone": ("<link rel='enclosure' href='/1.mp3'/>", "media_link"),
    "F22-enclosure-and-urn": ("<id>urn:uuid:1</id><link rel='enclosure' href='/1.mp3'/>", "media_link"),
    "F23-id-for-link": ("<id>https://example.com/1</id>", "https://example.com/1"),
    "F23-urn-for-link": ("<id>urn:uuid:1</id>", "no_link"),
}


@pytest.mark.parametrize(("markup", "expected"), RELS.values(), ids=RELS)
def test_rel(markup: str, expected: str) -> None:
    assert atom_links(f"<entry><title>a</title>{markup}</entry>") == [expected]


def test_f23_rdf_about() -> None:
    namespaces = "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'"
    body = f"<rdf:RDF {namespaces}><item rdf:about='https://example.com/1'><title>a</title></item></rdf:RDF>"
    assert read_feed(URL, body.encode()).entries[0].link == "https://example.com/1"


def test_link_of_a_feed_without_url() -> None:
    body = b"<rss version='2.0'><channel><item><link>/1</link></item><item><link>http://a.com</link></item></channel></rss>"
    assert [entry.link or entry.problem for entry in read_feed("", body).entries] == ["bad_link", "http://a.com"]
