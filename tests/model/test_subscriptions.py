from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.errors import InvalidSubscriptions
from scrapy_forest.model.subscriptions import read_subscriptions, split_urls

A, B = "https://a.example/feed", "http://b.example/rss?x=1&y=2"


def opml(*outlines, head="<?xml version='1.0'?>"):
    return f"{head}<opml version='2.0'><head><title>T</title></head><body>{''.join(outlines)}</body></opml>"


def outline(url, attribute="xmlUrl"):
    return f'<outline type="rss" text="x" {attribute}="{url.replace("&", "&amp;")}"/>'


@pytest.mark.parametrize(
    ("text", "feeds"),
    [
        (A, [A]),
        (f"{A}\n{B}\n", [A, B]),
        (f"{A}\r\n{B}\r\n", [A, B]),
        (f"\ufeff{A}", [A]),
        (f"\n\n  {A}  \n\t\n", [A]),
        (f"# my feeds\n{A}\n  # {B}\n", [A]),
        (f"{A} the best one\n{B}\tthe other", [A, B]),
        (f"{A}\n{B}\n{A}", [A, B]),
        ("HTTPS://A.example/feed", ["HTTPS://A.example/feed"]),
        ("https://bücher.example/ä", ["https://bücher.example/ä"]),
        ("http://localhost:8000/feed", ["http://localhost:8000/feed"]),
    ],
)
def test_one_a_line(text, feeds):
    assert read_subscriptions(text.encode()) == feeds


@pytest.mark.parametrize(
    ("text", "feeds"),
    [
        (opml(outline(A), outline(B)), [A, B]),
        (opml(outline(A), outline(A)), [A]),
        (opml(f'<outline text="News">{outline(A)}<outline text="Old">{outline(B)}</outline></outline>'), [A, B]),
        (opml(outline(A, "xmlurl"), outline(B, "XMLURL")), [A, B]),
        (opml('<outline text="a note"/>', outline(A)), [A]),
        (opml('<outline text="x" htmlUrl="https://a.example/" xmlUrl=""/>', outline(A)), [A]),
        (opml(outline(f" {A}\n")), [A]),
        (opml(outline(A), head=""), [A]),
        (opml(outline(A), head="\n<?xml version='1.0'?>\n<!-- exported -->\n<!DOCTYPE opml>\n"), [A]),
        (opml(outline(A)).upper().replace(A.upper(), A).replace("OUTLINE", "outline"), [A]),
        (opml(outline(A), "<outline xmlUrl=")[:-20], [A]),  # cut off
        (opml(outline("https://a.example/ä")), ["https://a.example/ä"]),
    ],
    ids="two twice nested case note empty spaces headless prolog capitals cut unicode".split(),
)
def test_opml(text, feeds):
    assert read_subscriptions(text.encode()) == feeds


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_opml_in_another_encoding(encoding):
    text = opml(outline("https://a.example/é"), head=f"<?xml version='1.0' encoding='{encoding}'?>")
    assert read_subscriptions(text.encode(encoding)) == ["https://a.example/é"]


def test_what_opml_has_for_other_programs_is_told_and_left_out(caplog):
    assert read_subscriptions(opml(outline(A), outline("feed://b.example/")).encode()) == [A]
    assert "feed://b.example/" in caplog.text


def test_opml_with_a_subset():
    assert read_subscriptions(opml(outline(A), head="<!DOCTYPE opml [<!ENTITY a 'b>'>]>").encode()) == [A]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no feed"),
        (b"  \n# nothing\n", "no feed"),
        (opml().encode(), "no feed"),
        (b"a.example/feed", "'a.example/feed' is no http"),
        (b"ftp://a.example/feed", "no http"),
        (b"file:///etc/passwd", "no http"),
        (b"https://", "no http"),
        (b"https:///feed", "no http"),
        (f"{A}\nnonsense".encode(), "'nonsense'"),
        (opml(outline("javascript:alert(1)")).encode(), "no feed"),
        (b"<html><body>no list</body></html>", "no http"),
        (b"\x00\xff\xfe", "no http"),
        (b"x" * 10_000, "xxx' is no"),
    ],
)
def test_what_is_no_list_of_feeds(body, said):
    with pytest.raises(InvalidSubscriptions, match=said) as raised:
        read_subscriptions(body)
    assert len(str(raised.value)) < 300


def test_entities_are_not_expanded(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("https://secret.example/")
    doctype = f"<!DOCTYPE opml SYSTEM '{secret.as_uri()}'>"
    assert read_subscriptions(opml(outline(A), head=doctype).encode()) == [A]
    attack = f"<!DOCTYPE opml [<!ENTITY x SYSTEM '{secret.as_uri()}'>]>"
    with pytest.raises(InvalidSubscriptions):
        read_subscriptions(opml(outline("&x;").replace("&amp;", "&"), head=attack).encode())


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("", []),
        (" , ", []),
        (A, [A]),
        (f"{A},{B}", [A, B]),
        (f"{A}, {B} ,", [A, B]),
        (f"{A}\n{B}", [A, B]),
        ("https://a.example/1%2C2", ["https://a.example/1%2C2"]),
    ],
)
def test_urls_of_a_command_line(text, urls):
    assert split_urls(text) == urls


@pytest.mark.parametrize("text", ["a.example", f"{A},b", "https://a.example/1,2", "feed://a.example/"])
def test_what_is_no_url(text):
    with pytest.raises(InvalidSubscriptions):
        split_urls(text)


URLS = st.from_regex(r"https?://[a-z0-9.-]+(/[a-zA-Z0-9._~?=&-]*)?", fullmatch=True)


@given(st.lists(URLS, min_size=1))
def test_a_list_and_its_opml_say_the_same(urls):
    once = list(dict.fromkeys(urls))
    assert read_subscriptions("\n".join(urls).encode()) == once
    assert read_subscriptions(opml(*map(outline, urls)).encode()) == once


@given(st.binary(max_size=200), st.sampled_from([b"", b"<opml >", b"https://a.example/\n"]))
def test_bytes_give_feeds_or_say_what_is_wrong(body, start):
    with suppress(InvalidSubscriptions):
        assert all(url.lower().startswith("http") for url in read_subscriptions(start + body))


@given(st.text(max_size=100))
def test_anything_after_the_start_of_opml(text):
    with suppress(InvalidSubscriptions):
        assert all(map(str.strip, read_subscriptions(f"<opml >{text}".encode("utf-8", "replace"))))
