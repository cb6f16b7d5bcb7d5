"""Feeds that expand, nest, lie about themselves or raise, with entries around that must be read all the same."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Final

from hostile.inputs import MEGABYTE, READ, TOO_LARGE, Input

XML, LIMITS, TEXTS, ENTRIES = "feeds: XML", "feeds: limits", "feeds: encodings", "feeds: entries"
ATOM: Final = "http://www.w3.org/2005/Atom"
LINK: Final = "<link>https://example.com/good</link>"
GOOD: Final = f"<item><title>good</title>{LINK}</item>"
LAST: Final = "<item><title>last</title><link>https://example.com/last</link></item>"
BOTH: Final = ("good | https://example.com/good", "last | https://example.com/last")
SECRET: Final = "the words of a file"  # noqa: S105 - of this one, which no feed may have opened


def rss(*items: str, before: str = "", root: str = "rss version='2.0'") -> bytes:
    name = root.split()[0]
    return f"{before}<{root}><channel><title>T</title>{''.join(items)}</channel></{name}>".encode(
        "utf-8", "surrogatepass"
    )


def feed(row: str, name: str, group: str, body: bytes, *words: str, holds: tuple[str, ...] = BOTH) -> Input:
    return Input(
        row, name, "feed", group, partial(bytes, body), words or (READ,), holds, never=SECRET, content_type=None
    )


def inputs() -> Iterator[Input]:
    yield from entities()
    yield from references()
    yield from nestings()
    yield from limits()
    yield from encodings()
    yield from no_feeds()
    yield from entries()
    yield from dates()


def entities() -> Iterator[Input]:
    for name, levels, laugh in (
        ("a billion laughs", 9, "ha"),
        ("a million laughs", 6, "ha"),
        ("quadratic", 1, "h" * 50_000),
    ):
        tower = f'<!ENTITY e0 "{laugh}">' + "".join(
            f'<!ENTITY e{level + 1} "{f"&e{level};" * 10}">' for level in range(levels)
        )
        doctype = f"<?xml version='1.0'?><!DOCTYPE rss [{tower}]>"
        for field in ("title", "description"):
            bomb = f"<item><title>x</title><{field}>{f'&e{levels};' * 5_000}</{field}></item>"
            words = (READ, "field_truncated")
            yield feed("F03", f"{name} in a {field}", XML, rss(GOOD, bomb, LAST, before=doctype), *words)
    here = Path(__file__).as_uri()
    external = {
        "a file as entity": (f'<!DOCTYPE rss [<!ENTITY x SYSTEM "{here}">]>', "&x;"),
        "an address as entity": ('<!DOCTYPE rss [<!ENTITY x SYSTEM "http://127.0.0.1:9/x">]>', "&x;"),
        "a parameter entity": (f'<!DOCTYPE rss [<!ENTITY % x SYSTEM "{here}"> %x;]>', "&x;"),
        "a DTD by file": (f'<!DOCTYPE rss SYSTEM "{here}">', "&x;"),
        "a DTD by address": ('<!DOCTYPE rss SYSTEM "http://127.0.0.1:9/x">', ""),
        "XInclude": ("", f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{here}" parse="text"/>'),
        "a style sheet": (f'<?xml-stylesheet href="{here}"?>', ""),
    }
    for name, (before, inside) in external.items():
        item = f"<item><title>x {inside}</title></item>"
        yield feed("F04", name, XML, rss(GOOD, item, LAST, before=before))
    backslash = r'<!DOCTYPE rss [<!ENTITY p "C:\data">]>'
    yield feed("F06", "an entity with a backslash", XML, rss(GOOD, LAST, before=backslash))
    point = '<gml:Point srsName="urn:x"><gml:pos>1 2</gml:pos></gml:Point>'
    where = f'<item><title>x</title><g:where xmlns:g="http://www.georss.org/georss">{point}</g:where></item>'
    root = "rss version='2.0' xmlns:gml='http://www.opengis.net/gml'"
    yield feed("F06", "a place that is no number", XML, rss(GOOD, where, LAST, root=root), READ, "partial")
    for name in ("authors", "links", "updated_parsed", "title_detail", "content"):
        own = f"<item><{name} a='1'>x</{name}></item>"
        yield feed("F06", f"an element <{name}>", XML, rss(GOOD, own, LAST), READ, "partial")


def references() -> Iterator[Input]:
    for reference in ("&#xD800;", "&#x110000;", "&#xFFFFFFFF;", "&nope;"):
        for field in ("title", "link", "guid"):
            item = f"<item><{field}>https://example.com/a{reference}z</{field}></item>"
            yield feed("F05", f"{reference} in a {field}", XML, rss(GOOD, item, LAST))
    for name, character in (("NUL", "\0"), ("a vertical tab", "\x0b"), ("a surrogate", "\ud800"), ("U+FFFF", "\uffff")):
        body = rss(GOOD.replace("<item>", f"<item>{character}"), f"<item><title>a{character}</title></item>", LAST)
        yield feed("F11", name, TEXTS, body)


def nestings() -> Iterator[Input]:
    deep, end = "<a>" * 100_000, "</a>" * 100_000
    cases = {
        "before the first entry": (rss(deep, end, GOOD, LAST), "too_deep", ()),
        "around an entry": (rss(deep, GOOD, end, LAST), "too_deep", ()),
        "never closed": (rss(deep, GOOD), "too_deep", ()),
        "in a description": (
            rss(GOOD, f"<item><description>{deep}{end}</description></item>", LAST),
            "too_deep",
            BOTH[:1],
        ),
        "in CDATA": (rss(GOOD, f"<item><description><![CDATA[{deep}]]></description></item>", LAST), READ, BOTH),
        "unclosed comments": (rss(GOOD, "<!--" * 40_000), "bad_markup", BOTH[:1]),
        "unclosed sections": (rss(GOOD, "<![CDATA[" * 500_000), "bad_markup", BOTH[:1]),
        "unclosed tags": (rss(GOOD, "<a " * 40_000), "bad_markup", BOTH[:1]),
    }
    for name, (body, word, holds) in cases.items():
        words = (word, f"{word},partial", f"bad_markup,{word}", f"empty,{word}")
        told = name if "unclosed" in name else f"100,000 elements {name}"
        is_heavy = name in ("unclosed sections", "unclosed tags")
        yield replace(feed("F07", told, XML, body, *words, holds=holds), is_heavy=is_heavy)


def limits() -> Iterator[Input]:
    atom = f"<feed xmlns='{ATOM}'/>".encode()
    empty = {"no bytes": b"", "spaces": b" \r\n", "no entries": rss(), "no Atom entries": atom}
    for name, body in empty.items():
        yield feed("F01", name, LIMITS, body, "empty", "empty,partial", holds=())
    big = partial(many, 100_000, 430)
    yield Input("F08", "50 MB", "feed", LIMITS, big, (TOO_LARGE,), is_heavy=True)
    yield Input("F08", "50 MB, no limit", "feed", LIMITS, big, ("truncated",), is_lifted=True, is_heavy=True)
    yield Input(
        "F08", "9 MB of 80,000 entries", "feed", LIMITS, partial(many, 80_000, 0), ("truncated",), is_heavy=True
    )
    yield Input("F08", "1,200 entries", "feed", LIMITS, partial(many, 1_200, 10), ("truncated",), ("1199 | ",))
    fields = {
        "description": ("<description>{}</description>", 9 * MEGABYTE),
        "CDATA": ("<description><![CDATA[<p>{}</p>]]></description>", 9 * MEGABYTE),
        "title": ("<title>{}</title>", MEGABYTE),
        "guid": ("<guid>{}</guid>", MEGABYTE),
        "author": ("<author>{}</author>", MEGABYTE),
        "category": ("<category>{}</category>", MEGABYTE),
        "content": ('<x:encoded xmlns:x="http://purl.org/rss/1.0/modules/content/">{}</x:encoded>', 2 * MEGABYTE),
    }
    for name, (field, size) in fields.items():
        make = partial(with_field, field, size)
        words = ("field_truncated",)
        yield Input(
            "F09", f"a {name} of {size // MEGABYTE} MB", "feed", LIMITS, make, words, BOTH, is_heavy=size > 2 * MEGABYTE
        )
    huge = partial(with_field, fields["description"][0], 50 * MEGABYTE)
    yield Input("F09", "a description of 50 MB", "feed", LIMITS, huge, (TOO_LARGE,), is_heavy=True)
    yield Input(
        "F09",
        "a description of 50 MB, no limit",
        "feed",
        LIMITS,
        huge,
        ("truncated",),
        BOTH[:1],
        is_lifted=True,
        is_heavy=True,
    )
    whole = rss(*[GOOD] * 30, f"<item><title>torn</title>{LINK}</item>")
    for name, lost in (("the last entry", 60), ("its link", 35), ("the end tag", 5)):
        yield feed("F10", f"cut in {name}", LIMITS, whole[:-lost], "partial", holds=BOTH[:1])
    yield feed(
        "F10", "cut in the first entry", LIMITS, b"<rss><channel><item><title>a</ti", "bad_markup,partial", holds=()
    )


def many(count: int, size: int) -> bytes:
    start = datetime(2020, 1, 1, tzinfo=timezone.utc)
    return rss(
        *(
            f"<item><title>{number}</title><pubDate>{start + timedelta(minutes=number):%d %b %Y %H:%M} GMT</pubDate>"
            f"<link>https://example.com/{number}</link>{'x' * size}</item>"
            for number in range(count)
        )
    )


def with_field(field: str, size: int) -> bytes:
    return rss(GOOD, f"<item>{field.format('word ' * (size // 5))}</item>", LAST)


def encodings() -> Iterator[Input]:
    marks = {
        "UTF-8 with a mark": ("utf-8", codecs.BOM_UTF8),
        "UTF-16 LE with a mark": ("utf-16-le", codecs.BOM_UTF16_LE),
        "UTF-16 BE with a mark": ("utf-16-be", codecs.BOM_UTF16_BE),
        "UTF-16 without a mark": ("utf-16-le", b""),
    }
    for name, (encoding, mark) in marks.items():
        yield feed("F12", name, TEXTS, mark + titled("žluťoučký 木").encode(encoding), holds=("žluťoučký 木 | ",))
    charsets = {
        # title, encoding of the bytes, XML declaration, charset in the header
        "windows-1252, declared UTF-8": ("F13", "café “x” €", "cp1252", "utf-8", "utf-8"),
        "windows-1252, undeclared": ("F13", "café “x” €", "cp1252", None, None),
        "GBK": ("F14", "中文标题", "gbk", "gbk", None),
        "Shift-JIS": ("F14", "日本語の題", "shift_jis", "Shift_JIS", None),
        "EUC-KR": ("F14", "한국어 제목", "euc_kr", "euc-kr", None),
        "KOI8-R": ("F14", "Русский заголовок", "koi8_r", "KOI8-R", None),
        "a header against the declaration": ("F14", "Русский заголовок", "cp1251", "koi8-r", "windows-1251"),
        "a charset of no text": ("F14", "café", "utf-8", "hex", "zip"),
    }
    for name, (row, title, encoding, declared, header) in charsets.items():
        body = titled(title, f'<?xml version="1.0" encoding="{declared}"?>' if declared else "").encode(encoding)
        content_type = f"text/xml; charset={header}" if header else None
        yield Input(
            row, name, "feed", TEXTS, partial(bytes, body), (READ,), (f"{title} | ",), content_type=content_type
        )
    for content_type in ("text/html", "text/plain", "application/octet-stream", "image/png", "", None, ";;"):
        name = f"served as {content_type!r}"
        yield Input("F15", name, "feed", TEXTS, partial(rss, GOOD, LAST), (READ,), BOTH, content_type=content_type)


def titled(title: str, declaration: str = "") -> str:
    return f"{declaration}<rss version='2.0'><channel><item><title>{title}</title>{LINK}</item></channel></rss>"


def no_feeds() -> Iterator[Input]:
    path = str(Path(__file__))
    for text in (path, f"file://{path}", f"file:{path}", "http://127.0.0.1:9/x", "feed:http://127.0.0.1:9/x"):
        for encoding in ("utf-8", "utf-16"):
            name = f"nothing but {text.replace(path, 'a file name')}, in {encoding}"
            yield feed("F02", name, ENTRIES, text.encode(encoding), "not_a_feed", holds=())
    others = {
        "a login page": "<!doctype html><html><head><title>Log in</title></head></html>",
        "a page that shows a feed": f"<html><body><pre>{rss(GOOD).decode()}</pre></body></html>",
        "a sitemap": "<urlset><url><loc>https://example.com/</loc></url></urlset>",
        "an error in JSON": '{"error": "<rssx>"}',
    }
    for name, text in others.items():
        yield feed("F16", name, ENTRIES, text.encode(), "not_a_feed", holds=())


def entries() -> Iterator[Input]:
    base = (
        f"<feed xmlns='{ATOM}' xml:base='https://b.example/x/'><entry><title>a</title><link href='1'/></entry></feed>"
    )
    yield feed("F17", "a base of the feed", ENTRIES, base.encode(), holds=("a | https://b.example/x/1",))
    for name, link, expected in (
        ("a path", "/1", "https://example.com/1"),
        ("a host", "//example.org/1", "https://example.org/1"),
        ("spaces around", "\n https://example.org/1 \n", "https://example.org/1"),
        ("a base that is none", "http://[::1", "bad_link"),
    ):
        yield _link("F17", name, link, f"a | {expected}")
    guids = {
        "a guid for a link": ("<guid>https://example.com/1</guid>", "a | https://example.com/1"),
        "a guid that is no link": ("<guid isPermaLink='false'>https://example.com/1</guid>", "a | no_link"),
        "neither link nor guid": ("", "a | no_link"),
    }
    for name, (field, expected) in guids.items():
        yield feed(
            "F18", name, ENTRIES, rss(GOOD, f"<item><title>a</title>{field}</item>", LAST), holds=(*BOTH, expected)
        )
    one = "<item><title>a</title><guid>1</guid><link>https://example.com/1</link></item>"
    for name, other in {
        "the same link": one,
        "another fragment": one.replace("com/1", "com/1#more"),
        "another utm_source": one.replace("com/1", "com/1?utm_source=rss"),
    }.items():
        yield feed("F19", name, ENTRIES, rss(GOOD, one, other, LAST), holds=(*BOTH, "skipped/duplicate: 1"))
    for link in ("https://example.com:99999/", "http://[::1", "https://"):
        yield _link("F20", f"a link {link}", link, "a | bad_link")
    for link in ("javascript:alert(1)", "mailto:a@example.com", "file:///etc/hostname"):
        yield _link("F20", f"a link {link}", link, "a | bad_scheme")
    yield _link("F20", "an empty link", "", "a | no_link")
    yield _link("F21", "a link of 2,084 characters", f"https://example.com/{'a' * 2064}", "a | url_too_long")
    yield _link("F21", "a link of 1 MB", f"https://example.com/{'a' * MEGABYTE}", "a | url_too_long")
    yield _link("F22", "a comment", "https://example.com/1#comment-5", "skipped/comment: 1")
    for ending in ("pdf", "mp3", "jpg", "mp4"):
        yield _link("F22", f"a link to a {ending}", f"https://example.com/1.{ending}", "skipped/media_link: 1")
    enclosure = "<item><title>a</title><enclosure url='https://example.com/1.mp3' type='audio/mpeg'/></item>"
    yield feed(
        "F22", "a podcast without pages", ENTRIES, rss(GOOD, enclosure, LAST), holds=(*BOTH, "skipped/media_link: 1")
    )
    rels = "".join(f"<link rel='{rel}' href='/{rel}'/>" for rel in ("self", "enclosure", "alternate", "edit"))
    atom = f"<feed xmlns='{ATOM}'><entry><title>a</title>{rels}</entry></feed>"
    yield feed("F23", "Atom with many links", ENTRIES, atom.encode(), holds=("a | https://example.com/alternate",))
    rdf = "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'"
    rss10 = f"<rdf:RDF {rdf}><channel/>{GOOD}{LAST}</rdf:RDF>"
    yield feed("F23", "RSS 1.0", ENTRIES, rss10.encode())
    json_feed = b'{"version": "https://jsonfeed.org/version/1.1", "items": []}'
    yield feed("F23", "a JSON Feed", ENTRIES, json_feed, "json_feed", holds=())


def _link(row: str, name: str, link: str, expected: str) -> Input:
    item = f"<item><title>a</title><link>{link}</link></item>"
    return feed(row, name, ENTRIES, rss(GOOD, item, LAST), holds=(*BOTH, expected))


def dates() -> Iterator[Input]:
    later = datetime.now(timezone.utc) + timedelta(days=400)
    cases = {
        "no date": "",
        "the year 9999": "Fri, 31 Dec 9999 23:59:59 -1200",
        "the year 1": "0001-01-01T00:00:00+12:00",
        "1 MB of digits": "1" * MEGABYTE,
        "1 MB of weekdays": "Mon, " * 200_000,
        "1 MB of dashes": "2024-" * 200_000,
        "next year": f"{later:%Y-%m-%dT%H:%M:%SZ}",
        "words": "yesterday",
        "a zone of 99 hours": "2024-01-31T00:00:00+99:99",
        "digits of another script": "٢٠٢٤-٠٢-٠٣",
    }
    for name, date in cases.items():
        item = f"<item><title>a</title><pubDate>{date}</pubDate>{LINK.replace('good', 'a')}</item>"
        yield feed("F24", name, ENTRIES, rss(GOOD, item, LAST), holds=(*BOTH, "a | https://example.com/a"))
