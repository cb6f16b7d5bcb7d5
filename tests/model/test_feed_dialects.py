"""Feeds as sites write them: each dialect in full, through feedparser and through the lxml reader."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from scrapy_forest.model.feed import Feed, FeedEntry, read_feed

URL = "https://example.com/blog/feed.xml"


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[arg-type, misc]


RSS_091 = """<?xml version="1.0"?>
<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">
<rss version="0.91"><channel><title>Old News</title><link>https://example.com/</link><language>en-us</language>
<item><title>First</title><link>https://example.com/1</link><description>About the first.</description></item>
<item><title>Second</title><link>https://example.com/2</link></item></channel></rss>"""

RSS_092 = """<rss version="0.92"><channel><title>Old News</title>
<item><title>First</title><link>https://example.com/1</link><category domain="x">Birds</category>
<category>Trees</category><enclosure url="https://example.com/1.mp3" length="9" type="audio/mpeg"/></item>
</channel></rss>"""

RSS_10 = """<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel rdf:about="https://example.com/"><title>Waldblatt</title><link>https://example.com/</link>
<dc:language>de</dc:language><items><rdf:Seq><rdf:li rdf:resource="https://example.com/1"/></rdf:Seq></items></channel>
<item rdf:about="https://example.com/1"><title>Eichen</title><link>https://example.com/1</link>
<description>Über &lt;b&gt;Eichen&lt;/b&gt;.</description><dc:creator>Anna Wald</dc:creator>
<dc:subject>Baum</dc:subject>
<dc:date>2024-02-03T04:05:06+01:00</dc:date>
<content:encoded><![CDATA[<p>Über <b>Eichen</b>.</p>]]></content:encoded></item></rdf:RDF>"""

RSS_20 = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"
 xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>Wood &amp; Co</title><link>https://example.com/</link><language>pt-BR</language>
<atom:link href="https://example.com/blog/feed.xml" rel="self" type="application/rss+xml"/>
<item><title>Oaks &amp;amp; elms</title><link>https://example.com/1?a=1&amp;b=2</link>
<guid isPermaLink="false">id-1</guid><pubDate>Sat, 03 Feb 2024 04:05:06 -0500</pubDate>
<dc:creator><![CDATA[Jane Doe]]></dc:creator><category><![CDATA[Trees]]></category><category>Wood</category>
<category>Trees</category>
<description><![CDATA[<p>One.</p><p>Two &amp; three.</p>]]></description>
<media:content url="https://example.com/1.jpg"><media:title>An oak</media:title>
<media:description>Not the summary</media:description></media:content>
<content:encoded><![CDATA[<p onclick="x()">One <a href="/oak">oak</a>.</p><script>x</script>]]></content:encoded></item>
<item><title>Elms</title><link/><guid>https://example.com/2</guid><author>joe@example.com (Joe Public)</author></item>
</channel></rss>"""

ATOM_03 = """<feed version="0.3" xmlns="http://purl.org/atom/ns#" xml:lang="fr"><title>Forêt</title>
<link rel="alternate" type="text/html" href="https://example.com/"/>
<entry><title>Un</title><link rel="alternate" type="text/html" href="https://example.com/1"/>
<id>tag:example.com,2004:1</id><issued>2004-05-06T07:08:09Z</issued><modified>2004-05-07T00:00:00Z</modified>
<author><name>Luc Bois</name><email>luc@example.com</email></author>
<summary type="text/plain">Le premier.</summary></entry></feed>"""

ATOM_10 = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-GB" xml:base="https://example.com/wood/">
<title type="html">Wood &amp;amp; &lt;i&gt;words&lt;/i&gt;</title><id>urn:feed</id>
<updated>2024-03-01T00:00:00Z</updated>
<author><name>The Editors</name></author>
<link rel="self" href="feed.atom"/><link href="."/>
<entry><title>Oaks</title><id>urn:1</id><link rel="enclosure" type="audio/mpeg" href="1.mp3"/>
<link rel="edit" href="edit/1"/><link rel="replies" type="text/html" href="1#comments"/>
<link rel="alternate" type="application/pdf" href="1.pdf"/><link rel="alternate" type="text/html" href="1.html"/>
<published>2024-02-03T04:05:06.789Z</published><updated>2024-02-04T00:00:00+02:00</updated>
<category term="trees" label="Trees"/><category term="wood"/>
<summary>Oaks &lt; elms</summary>
<content type="xhtml">
<div xmlns="http://www.w3.org/1999/xhtml"><p>See <a href="elm">the <em>elm</em></a>.</p></div></content></entry>
<entry xml:base="/elsewhere/"><title type="text">Elms</title><id>urn:2</id><link href="2"/>
<author><name>Ann</name></author><author><name>Bob</name></author><updated>2024-02-05T00:00:00Z</updated>
<content type="html">&lt;p&gt;An &lt;img src="elm.png" alt="elm"&gt;&lt;/p&gt;</content></entry></feed>"""

DIALECTS = {
    "rss-0.91": (
        RSS_091,
        Feed(
            URL, "Old News", "en", "rss091u",
            (
                FeedEntry("", "https://example.com/1", "First", "About the first."),
                FeedEntry("", "https://example.com/2", "Second"),
            ),
        ),
    ),
    "rss-0.92": (
        RSS_092,
        Feed(
            URL, "Old News", None, "rss092",
            (FeedEntry("", "https://example.com/1", "First", tags=("Birds", "Trees")),),
        ),
    ),
    "rss-1.0": (
        RSS_10,
        Feed(
            URL, "Waldblatt", "de", "rss10",
            (
                FeedEntry(
                    id="https://example.com/1",
                    link="https://example.com/1",
                    title="Eichen",
                    summary="Über Eichen.",
                    content="<p>Über <b>Eichen</b>.</p>",
                    authors=("Anna Wald",),
                    published=utc(2024, 2, 3, 3, 5, 6),
                    updated=utc(2024, 2, 3, 3, 5, 6),
                    tags=("Baum",),
                ),
            ),
        ),
    ),
    "rss-2.0": (
        RSS_20,
        Feed(
            URL, "Wood & Co", "pt", "rss20",
            (
                FeedEntry(
                    id="id-1",
                    link="https://example.com/1?a=1&b=2",
                    title="Oaks & elms",
                    summary="One.\nTwo & three.",
                    content='<p>One <a href="https://example.com/oak">oak</a>.</p>',
                    authors=("Jane Doe",),
                    published=utc(2024, 2, 3, 9, 5, 6),
                    tags=("Trees", "Wood"),
                ),
                FeedEntry("https://example.com/2", "https://example.com/2", "Elms", authors=("Joe Public",)),
            ),
        ),
    ),
    "atom-0.3": (
        ATOM_03,
        Feed(
            URL, "Forêt", "fr", "atom03",
            (
                FeedEntry(
                    id="tag:example.com,2004:1",
                    link="https://example.com/1",
                    title="Un",
                    summary="Le premier.",
                    authors=("Luc Bois",),
                    published=utc(2004, 5, 6, 7, 8, 9),
                    updated=utc(2004, 5, 7),
                ),
            ),
        ),
    ),
    "atom-1.0": (
        ATOM_10,
        Feed(
            URL, "Wood & words", "en", "atom10",
            (
                FeedEntry(
                    id="urn:1",
                    link="https://example.com/wood/1.html",
                    title="Oaks",
                    summary="Oaks < elms",
                    content='<p>See <a href="https://example.com/wood/elm">the <em>elm</em></a>.</p>',
                    authors=("The Editors",),
                    published=utc(2024, 2, 3, 4, 5, 6),
                    updated=utc(2024, 2, 3, 22),
                    tags=("Trees", "wood"),
                ),
                FeedEntry(
                    id="urn:2",
                    link="https://example.com/elsewhere/2",
                    title="Elms",
                    content='<p>An <img src="https://example.com/elsewhere/elm.png" alt="elm"></p>',
                    authors=("Ann", "Bob"),
                    updated=utc(2024, 2, 5),
                ),
            ),
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("xml", "expected"), DIALECTS.values(), ids=DIALECTS)
@pytest.mark.usefixtures("reader")
def test_dialect(xml: str, expected: Feed) -> None:
    assert read_feed(URL, xml.encode()) == expected
