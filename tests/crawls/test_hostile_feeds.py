"""A feed of links that nobody should follow, between good ones (F20 to F22, N01 to N06), through the real spider.

Nothing may reach the private server, and no file of this machine may be read.
"""

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass

import pytest
from conftest import Crawl, Project
from website import Answer, Website, page, title, website

CONTENT = "only-this-machine-knows"
SPELLINGS = [
    *["127.0.0.1", "127.1", "127.0.1", "2130706433", "017700000001", "0x7f000001", "0X7F.1", "0177.0.0.1", "0177.0x1"],
    *["127.0.0.1.", "127.0.0.01", "127.255.255.254", "0", "00", "0x0", "0.0", "①②⑦.⓪.⓪.①", "１２７.０.０.１"],
    *["127。0。0。1", "127｡0｡0｡1", "127．1", "12\u00ad7.0.0.1", "%31%32%37.0.0.1", "127%2e1", "localhost"],
    *["LOCALHOST.", "ｌｏｃａｌｈｏｓｔ", "a.localhost", "localhost.localdomain", "[::1]", "[::]"],
    *["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[2002:7f00:1::]"],
    *["[64:ff9b::7f00:1]"],
]
RANGES = [
    *["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1", "100.100.100.200"],
    *["[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[fe80::1%25eth0]", "224.0.0.1", "239.255.255.255", "[ff02::1]"],
    *["[64:ff9b::a9fe:a9fe]", "[64:ff9b::10.0.0.1]"],
]
FILES = ["file:{file}", "file://{file}", "FILE://{file}", "file://localhost{file}", "file://good.example{file}"]
FILES += ["File://127.0.0.1{file}", "file:///..{file}", "file:////{file}", "{file}", "view-source:file://{file}"]
SCHEMES = """data:text/html,<p>x</p> ftp://127.0.0.1:{inner}/ s3://bucket/key gopher://127.0.0.1:{inner}/_x about:blank
jar:http://127.0.0.1:{inner}/!/x view-source:http://127.0.0.1:{inner}/ feed:http://127.0.0.1:{inner}/ ws://127.0.0.1:{inner}/
feed://127.0.0.1:{inner}/ javascript:alert(1) mailto:a@good.example tel:1 blob:http://127.0.0.1:{inner}/x""".split()
# Each with a number of its own: what has been asked for once is not asked for again.
PRIVATE = [f"http://{host}:{{inner}}/{{n}}" for host in SPELLINGS] + [f"http://{host}/{{n}}" for host in RANGES]
NAMED = ["http://loop.example:{inner}/{n}", "https://loop.example:{inner}/{n}"]
BY_WAY = ["http://127.0.0.1:{inner}/{n}", "http://2130706433:{inner}/{n}", "http://[::1]:{inner}/{n}", *NAMED]
BY_WAY += [f"http://{host}/{{n}}" for host in RANGES[:6]]
BAD = ["http://good.example:99999/", "http://good.example:abc/", "http://[::1/", "http://", "http://:80/"]
MEDIA = ["{good}/a.mp3", "{good}/a.PDF?x=1", "{good}/a.png#x", "{good}/a.mp4", "{good}/a.jpeg"]
COMMENTS = ["{good}/post/0#comment-12", "{good}/post/1#c7"]


def ends():
    """Each link, and the word that its entry has to end by."""
    found = dict.fromkeys(PRIVATE + NAMED, "private_address")
    found |= dict.fromkeys(MEDIA, "media_link") | dict.fromkeys(COMMENTS, "comment")
    found |= dict.fromkeys(FILES + SCHEMES, "bad_scheme") | dict.fromkeys(BAD, "bad_link")
    found["{file}"] = "http_404"  # a path of the feed's host
    return found | {"{good}/" + "x" * 3000: "url_too_long"}


LINKS = ends()
WAYS = {f"{way} {to}": "private_address" for way in ("302", "307", "refresh") for to in BY_WAY}
# To other schemes Scrapy does not redirect: what is left is an answer without a page, or the page itself.
WAYS |= {f"{way} file://{{file}}": end for way, end in {"302": "http_302", "307": "http_307", "refresh": None}.items()}


@dataclass
class Outcome:
    """The crawl, and what the private server saw of it."""

    crawl: Crawl
    inner: Website
    goods: list[str]
    reasons: dict[str, str | None]  # of entries whose pages were asked for, by title


def lead(way, to):
    """An answer that leads elsewhere."""
    if way == "refresh":
        return Answer(page(60).replace("<head>", f"<head><meta http-equiv=refresh content='0; url={to}'>").encode())
    return Answer(status=int(way), headers={"Location": to})


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    directory = tmp_path_factory.mktemp("hostile")
    file = directory / "secret.txt"
    file.write_text(CONTENT)
    with website() as site, website() as inner:
        origin = f"http://good.example:{site.port}"
        words = {"file": file, "inner": inner.port, "good": origin}
        goods = [f"{origin}/post/{number}" for number in range(8)]
        entries = [{"title": link, "link": link.format(n=number, **words)} for number, link in enumerate(LINKS)]
        for number, name in enumerate(WAYS, len(LINKS)):
            way, to = name.format(n=number, **words).split(" ", 1)
            site.answers[f"/way/{number}"] = lead(way, to)
            entries.append({"title": name, "link": f"{origin}/way/{number}"})
        for number in range(8):
            site.add(f"/post/{number}", page(number))
        good = [{"title": title(number), "link": link} for number, link in enumerate(goods)]
        middle = len(entries) // 2
        site.add_feed("/feed", [*good[:3], *entries[:middle], *good[3:5], *entries[middle:], *good[5:]])
        feed = site.answers["/feed"].body.decode()
        items = "".join(f'<item><title>podcast</title><enclosure url="{origin}/{n}.ogg"/></item>' for n in range(3))
        site.answers["/feed"].body = feed.replace("</channel>", f"{items}</channel>").encode()
        project = Project(directory, site)
        settings = {
            "EXTENSIONS": {"surroundings.Names": 0, "surroundings.Watch": 0},
            "WATCHED": str(file),
            "FOREST_ALLOW_PRIVATE": [f"good.example:{site.port}"],
            "LOG_LEVEL": "DEBUG",
        }
        crawl = project.crawl(feeds=f"{origin}/feed", settings=settings, timeout=200)
        with closing(sqlite3.connect(directory / "forest.sqlite")) as store:
            rows = dict(store.execute("SELECT link, reason FROM ledger"))
        reasons = {entry["title"]: rows[entry["link"]] for entry in entries if entry["link"] in rows}
        yield Outcome(crawl, inner, goods, reasons)


def test_f20_good_entries_before_and_after_become_items(outcome):
    assert set(outcome.goods) <= set(outcome.crawl.urls)
    assert len(outcome.crawl.items) == len(outcome.goods) + 1  # the page with a refresh to a file


@pytest.mark.parametrize("name", [*(name for name, end in LINKS.items() if end == "private_address"), *WAYS])
def test_n03_n04_n05_n06_where_links_lead(outcome, name):
    assert outcome.reasons[name] == {**LINKS, **WAYS}[name]


def test_f20_f21_f22_n01_n02_all_others_are_counted(outcome):
    expected = Counter([*LINKS.values(), *WAYS.values(), *["media_link"] * 3])
    errors = {end: number for end, number in expected.items() if end and end.startswith("http_")}
    assert outcome.crawl.counts("errors") == errors
    assert outcome.crawl.counts("skipped") == {end: expected[end] for end in expected.keys() - errors.keys() - {None}}
    assert outcome.crawl.stats["forest/entries"] == expected.total() + len(outcome.goods)


def test_n03_nothing_private_is_connected_to(outcome):
    assert len([name for name, end in LINKS.items() if end == "private_address"]) >= 40
    assert (outcome.inner.connections, outcome.inner.hits) == (0, Counter())


def test_n01_no_file_is_read(outcome):
    assert outcome.crawl.stats["watch/opened"] == 1  # by the watch itself
    assert CONTENT not in outcome.crawl.log
    assert all(CONTENT not in str(item) for item in outcome.crawl.items)
