"""Pages that are too large, too deep or too crowded, that are no pages, or whose text hangs a careless pattern."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from hostile.inputs import (
    ARTICLE,
    EMPTY,
    HTML,
    MEGABYTE,
    NOT_HTML,
    TAG_TOO_LARGE,
    TOLD,
    TOO_BIG,
    TOO_DEEP,
    TOO_LARGE,
    Input,
    page,
)

SIZE, DEPTH, CROWDED = "size", "nesting", "attributes"
NO_PAGE, DATA, PATTERNS = "no pages", "structured data", "patterns"
PARAGRAPH: Final = (
    "<p>Some words of a <b>small</b> paragraph, one of very many on this page, and all of them are the same.</p>\n"
)


def encoded(**parts: str) -> bytes:
    return page(**parts).encode()


def repeated(text: str, size: int, part: str = "inside", around: str = "{}") -> bytes:
    """A page with a text that is repeated up to a size."""
    return encoded(**{part: around.format(text * (size // len(text)))})


def inputs() -> Iterator[Input]:
    yield from sizes()
    yield from many_elements()
    yield from nestings()
    yield from attributes()
    yield from no_pages()
    yield from linked_data()
    yield from patterns()


def sizes() -> Iterator[Input]:
    large = {
        "P01": {"small elements": partial(repeated, PARAGRAPH), "nothing but <p>": partial(repeated, "<p>")},
        "P07": {
            "one text node": partial(repeated, "word "),
            "one attribute": partial(repeated, "word ", around="<img alt='{}'>"),
            "one comment": partial(repeated, "word ", around="<!-- {} -->"),
            "one script": partial(repeated, "word ", around="<script>{}</script>"),
        },
    }
    for row, makers in large.items():
        for name, make in makers.items():
            yield Input(row, f"50 MB: {name}", "page", SIZE, partial(make, 50 * MEGABYTE), (TOO_LARGE,), is_heavy=True)
            words = (TOO_BIG,) if row == "P01" else (ARTICLE, TOO_BIG)
            lifted = partial(make, 50 * MEGABYTE)
            yield Input(row, f"50 MB, no limit: {name}", "page", SIZE, lifted, words, is_lifted=True, is_heavy=True)
            under = partial(make, 10 * MEGABYTE - 10_000)
            yield Input(row, f"10 MB: {name}", "page", SIZE, under, (*words, TOO_DEEP), is_heavy=True)
    yield Input(
        "P02", "5 MB of paragraphs", "page", SIZE, partial(repeated, PARAGRAPH, 5 * MEGABYTE), (ARTICLE,), is_heavy=True
    )
    plain = partial(repeated, "<p>A paragraph of some length, without any tag in it, and all like this one.</p>\n")
    yield Input("P02", "47,000 plain paragraphs", "page", SIZE, partial(plain, 47_000 * 80), (ARTICLE,), is_heavy=True)


def many_elements() -> Iterator[Input]:
    classes = " ".join(f"c{number}" for number in range(200))
    cases: dict[str, tuple[str, int, tuple[str, ...]]] = {
        "a million br": ("<br>", 1_000_000, (TOO_BIG,)),
        "140,000 br": ("<br>", 140_000, (ARTICLE,)),
        "5,000 div of 200 classes": (f"<div class='{classes}'></div>", 5_000, (ARTICLE,)),
        "5,000 div of 200 classes with text": (f"<div class='{classes}'>words</div>", 5_000, (ARTICLE,)),
        "20,000 unclosed p": ("<p>text", 20_000, (ARTICLE,)),
        "19,000 br, light": ("<br>", 19_000, (ARTICLE,)),
        "9,000 span with text, light": ("<span>a word</span>", 9_000, (ARTICLE,)),
        "9,000 boxes of the article's class, light": ("<div class=story>x</div>", 9_000, (ARTICLE,)),
        "900 boxes of the article's class, open": ("<div class=story>x", 900, (ARTICLE,)),
    }
    for name, (text, count, words) in cases.items():
        is_heavy = count * len(text) > 500_000 or count == 20_000
        make = partial(repeated, text, count * len(text))
        yield Input("P05", name, "page", SIZE, make, words, is_heavy=is_heavy)
    links: dict[str, str] = {
        "100,000 links": '<a href="/a/{0}">The {0}th</a>\n',
        "10,000 images": '<img src="/{0}.jpg" srcset="/{0}.jpg 1x, /{0}-2.jpg 2x" alt="{0}">\n',
        "10,000 videos": '<iframe src="https://www.youtube.com/embed/v{0}"></iframe>\n',
        "9,000 links, light": '<a href="/a/{0}">The {0}th</a>\n',
        "9,000 images, light": '<img src="/{0}.jpg" alt="{0}">\n',
    }
    for name, text in links.items():
        count = int(name.split()[0].replace(",", ""))
        for part in ("before", "inside"):
            make = partial(numbered, text, count, part)
            where = "in the article" if part == "inside" else "before it"
            is_heavy = "light" not in name or "images" in name
            yield Input("P25", f"{name}, {where}", "page", SIZE, make, (ARTICLE,), is_heavy=is_heavy)


def numbered(text: str, count: int, part: str) -> bytes:
    return encoded(**{part: "".join(map(text.format, range(count)))})


def nestings() -> Iterator[Input]:
    cases = {
        "1,000 div": ("<div>", 1_000, ARTICLE),
        "2,000 div": ("<div>", 2_000, ARTICLE),
        "10,000 div": ("<div>", 10_000, TOO_DEEP),
        "100,000 div": ("<div>", 100_000, TOO_DEEP),
        "5,000 tables": ("<table>", 5_000, TOO_DEEP),
        "5,000 tables with cells": ("<table><tr><td>", 5_000, TOO_DEEP),
        "100,000 open b": ("<b>", 100_000, TOO_DEEP),
        "3,000 lists": ("<ul><li>", 3_000, TOO_DEEP),
        "3,000 quotes": ("<blockquote>", 3_000, TOO_DEEP),
        "1,000 fonts": ("<font>", 1_000, ARTICLE),
    }
    for name, (tag, count, word) in cases.items():
        for part in ("before", "inside"):
            where = "in the article" if part == "inside" else "before it"
            yield Input("P06", f"{name}, {where}", "page", DEPTH, partial(nested, tag, count, part), (word,))


def nested(tag: str, count: int, part: str) -> bytes:
    """Closed before the article goes on, except for what nobody closes."""
    tags = [each.rstrip(">") for each in tag.split("<")[1:]]
    end = "" if tag == "<b>" else "".join(f"</{name}>" for name in reversed(tags)) * count
    return encoded(**{part: f"{tag * count}deep{end}"})


def attributes() -> Iterator[Input]:
    names = " ".join(f"a{number}=1" for number in range(100_000))
    tags: dict[str, Callable[[], str]] = {
        "plain": lambda: f"<p {names}>",
        "unclosed": lambda: f"<p {names}",
        "without values": lambda: f"<p {names.replace('=1', '')}>",
        "all the same": lambda: f"<p {'a ' * 100_000}>",
        "parted by slashes": lambda: f"<p/{'a/' * 100_000}>",
        "with > in quotes": lambda: f"<p {names.replace('1 ', chr(34) + '>' + chr(34) + ' ')}>",
        "with < in quotes": lambda: f"<p {names.replace('1 ', chr(34) + '<' + chr(34) + ' ')}>",
        "with <> in quotes": lambda: f"<p {names.replace('1 ', chr(34) + '<>' + chr(34) + ' ')}>",
        "in svg": lambda: f"<svg><path {names}/></svg>",
        "of a script": lambda: f"<script {names}></script>",
        "of the end tag": lambda: f"<p>x</p {names}>",
        "late": lambda: "<p>text" * 10_000 + f"<p {names}>",
        "in capitals": lambda: f"<P {names.upper()}>",
        "over lines": lambda: f"<p\n{names.replace(' ', chr(10))}>",
    }
    for name, tag in tags.items():
        words = (TAG_TOO_LARGE, ARTICLE) if name == "of the end tag" else (TAG_TOO_LARGE,)
        yield Input("P03", f"100,000 attributes, {name}", "page", CROWDED, partial(tagged, tag), words)
    for tags_, each in ((200, 1_000), (200, 900), (150, 900), (1_000, 100)):
        some = " ".join(f"a{number}=1" for number in range(each))
        crowd = f"<span {some}>x</span>" * tags_
        words = (TAG_TOO_LARGE,) if each == 1_000 else (ARTICLE,)
        make = partial(encoded, inside=crowd)
        name = f"{tags_:,} tags of {each:,} attributes"
        yield Input("P04", name, "page", CROWDED, make, words, is_heavy=each == 900)
    short = " ".join(f"{number:x}" for number in range(1_000, 2_900))
    bare = partial(encoded, inside=f"<p {short}>x" * 100)
    yield Input("P04", "100 tags of 1,900 attributes without values", "page", CROWDED, bare, (ARTICLE,), is_heavy=True)
    long = partial(encoded, inside=f"<img src='data:image/png;base64,{'A' * MEGABYTE}'>")
    yield Input("P07", "an image of 1 MB in an attribute", "page", SIZE, long, (ARTICLE,), (TOLD,))


def tagged(tag: Callable[[], str]) -> bytes:
    return encoded(inside=tag())


def no_pages() -> Iterator[Input]:
    empty = {
        "no bytes": b"",
        "spaces": b" \n\t " * 1_000,
        "a byte order mark": b"\xef\xbb\xbf",
        "NULs": b"\0" * 1_000,
        "a comment": b"<!-- nothing -->",
        "an open comment": b"<!-- nothing",
        "a doctype": b"<!doctype html>",
        "a frameset": b"<html><frameset cols='*'><frame src='/a'></frameset></html>",
        "a head alone": b"<html><head><title>x</title></head></html>",
    }
    for name, body in empty.items():
        yield Input("P14", name, "page", NO_PAGE, partial(bytes, body), (EMPTY,))
    nothing = {"a body without text": b"<html><body><div></div></body></html>", "a br": b"<br>"}
    for name, body in nothing.items():
        yield Input("P14", name, "page", NO_PAGE, partial(bytes, body), (EMPTY, "no_article"))
    files = {
        "PDF": ("application/pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"),
        "PNG": ("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        "MP4": ("video/mp4", b"\0\0\0\x20ftypisom\0\0\x02\0"),
        "JPEG": ("image/jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0"),
        "ZIP": ("application/zip", b"PK\x03\x04\x14\0\0\0"),
        "gzip": ("application/gzip", b"\x1f\x8b\x08\0\0\0\0\0"),
    }
    for name, (kind, start) in files.items():
        make = partial(noise, start, 50_000)
        yield Input("P15", name, "page", NO_PAGE, make, (NOT_HTML,), content_type=kind)
        yield Input("P15", f"{name}, called HTML", "page", NO_PAGE, make, (NOT_HTML,))
        yield Input("P15", f"{name}, called nothing", "page", NO_PAGE, make, (NOT_HTML,), content_type=None)
    skipped = (NOT_HTML, "no_article", EMPTY, TOO_DEEP)
    for kind in (HTML, "text/html", None):
        name = f"1 MB of random bytes, called {kind or 'nothing'}"
        make = partial(noise, b"", MEGABYTE)
        yield Input("P16", name, "page", NO_PAGE, make, skipped, content_type=kind, is_heavy=kind is not None)
    few = partial(noise, b"", 50_000)
    yield Input("P16", "50 kB of random bytes", "page", NO_PAGE, few, skipped)
    behind = partial(noise, encoded(), MEGABYTE)
    yield Input("P16", "1 MB of random bytes behind a page", "page", NO_PAGE, behind, (ARTICLE, *skipped), (TOLD,))
    for character in "<&>":
        make = partial(repeated, character, MEGABYTE)
        yield Input("P16", f"1 MB of {character}", "page", NO_PAGE, make, (ARTICLE, TOO_BIG), is_heavy=True)


def noise(start: bytes, size: int) -> bytes:
    return start + random.Random(size).randbytes(size)


def linked_data() -> Iterator[Input]:
    cycle = {"@context": "https://schema.org", "@graph": [{"@id": "#a", "@type": "Article", "author": {"@id": "#a"}}]}
    pair = [{"@id": "#a", "isPartOf": {"@id": "#b"}}, {"@id": "#b", "isPartOf": {"@id": "#a"}, "@type": "NewsArticle"}]
    people = [{"@type": "Person", "name": f"Person {number}"} for number in range(20_000)]
    data = {
        "200,000 open brackets": "[" * 200_000,
        "200,000 open objects": '{"a":' * 200_000,
        "a number of 100,000 digits": '{"@type": "Article", "wordCount": ' + "9" * 100_000 + "}",
        "an exponent of 100,000 digits": '{"@type": "Article", "datePublished": 1e' + "9" * 100_000 + "}",
        "an @id that names itself": json.dumps(cycle),
        "two @id that name each other": json.dumps({"@graph": pair}),
        "900 levels": '{"@type": "Article", "mainEntity": ' * 900 + "1" + "}" * 900,
        "20,000 authors": json.dumps({"@type": "Article", "author": people}),
        "a surrogate": r'{"@type": "Article", "headline": "a\ud800b", "author": "\udfff"}',
        "NaN and Infinity": '{"@type": "Article", "datePublished": NaN, "headline": -Infinity}',
        "a date of 900 kB": json.dumps({"@type": "Article", "datePublished": "2024-" * 180_000}),
        "types of all kinds": '{"@type": [null, 1, {}, "Article"], "headline": [[]], "author": [1, null, [[]]]}',
    }
    for name, text in data.items():
        make = partial(encoded, head=f'<script type="application/ld+json">{text}</script>')
        yield Input("P17", name, "page", DATA, make, (ARTICLE,), (TOLD,))
    blocks = '<script type="application/ld+json">{"@type": "Article", "headline": "x"}</script>' * 5_000
    yield Input("P17", "5,000 blocks", "page", DATA, partial(encoded, head=blocks), (ARTICLE,), (TOLD,))
    open_script = partial(encoded, inside='<script type="application/ld+json">{"@type": ')
    yield Input("P17", "a script without its end", "page", DATA, open_script, (ARTICLE, EMPTY, "no_article"))


TEXTS: Final = {"spaces": " ", **{text: text for text in ("2024-", "http://a.", "a@", "1,", "-", "By a, ")}}
PLACES: Final = {
    "the article": ("inside", "<p>{}</p>"),
    "the title": ("head", "<title>{}</title>"),
    "a date": ("head", "<meta property='article:published_time' content='{}'>"),
    "an author": ("head", "<meta name=author content='{}'>"),
    "a byline": ("inside", "<a rel=author>{}</a>"),
    "a class": ("inside", "<p class='{}'>x</p>"),
    "a link": ("inside", "<a href='{}'>x</a>"),
    "an image": ("inside", "<img srcset='{}'>"),
}


def patterns() -> Iterator[Input]:
    for name, text in TEXTS.items():
        make = partial(repeated, text, 2_000_000, around="<p>{}</p>")
        yield Input("P24", f"2 MB of {name!r}", "page", PATTERNS, make, (ARTICLE,), is_heavy=True)
    for number, (place, (part, around)) in enumerate(PLACES.items()):
        for name, text in TEXTS.items():
            if place in ("a date", "the article", "an author") or list(TEXTS).index(name) in (0, number % len(TEXTS)):
                make, told = partial(repeated, text, 900_000, part, around), f"900 kB of {name!r} in {place}"
                yield Input("P24", told, "page", PATTERNS, make, (ARTICLE,), is_heavy=part == "inside")
        make = partial(repeated, "2024-", 90_000, part, around)
        yield Input("P24", f"90 kB of '2024-' in {place}", "page", PATTERNS, make, (ARTICLE,))
