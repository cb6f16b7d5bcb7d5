"""What counts as a page, as a template and as an article of its own: two crawls of one feed (P15, P20, P21, P26)."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass

import pytest
from conftest import Crawl, Project
from website import page, text, title, website

HOSTS = ["feed", "planet", "same", "heavy", "broken", "root", "foreign", "single", "twins", "mixed", "files"]
FILES = {
    "pdf": (b"%PDF-1.7\n" + b"<html>" * 20, "application/pdf"),
    "png": (b"\x89PNG\r\n\x1a\n" + bytes(500), "image/png"),
    "mp4": (b"\x00\x00\x00\x18ftypmp42" + bytes(500), "video/mp4"),
    "zip": (b"PK\x03\x04" + bytes(500), "application/zip"),
}
LABELS = ["text/html", "text/html; charset=utf-8", "its own"]


class World:
    def __init__(self, directory, site):
        self.site, self.project = site, Project(directory, site)

    def link(self, host, path):
        return f"http://{host}.example:{self.site.port}{path}"

    def entry(self, host, path, number, canonical=None, **options):
        """A page at a path, under whatever query, and its entry; ``canonical`` is a link, or a path on its host."""
        html = page(number, **options)
        if canonical:
            html = html.replace("</head>", f"<link rel=canonical href='{canonical}'></head>")
        self.site.add(path, html)
        return {"title": title(number), "link": self.link(host, path)}

    def add_feeds(self):
        same = [self.entry("same", path, 20, canonical="/x") for path in ("/x?from=a", "/x", "/x?from=b")]
        same += [self.entry("same", f"/s/{n}", n, canonical=f"/s/{n}") for n in range(3)]
        heavy = [self.entry("heavy", path, 21, canonical="/h", weight=1_200_000) for path in ("/h?from=a", "/h?from=b")]
        broken = [self.entry("broken", f"/b/{n}", 30 + n, canonical="/b/0") for n in (1, 2, 0, 3)]
        root = [self.entry("root", f"/r/{n}", 40 + n, canonical="/") | {"title": "Photo"} for n in range(3)]
        foreign = [self.entry("foreign", "/f/1", 20, canonical=self.link("same", "/x"))]
        single = [self.entry("single", "/1", 50)]
        twins = [self.entry("twins", f"/t/{n}", 51) | {"title": f"twin {n}"} for n in range(2)]
        mixed = [self.entry("mixed", f"/m/{n}", 60 + n, template="ab"[n % 2]) for n in range(12)]
        files = [self.entry("files", f"/p/{n}", 80 + n) for n in range(3)]
        for name, (body, own) in FILES.items():
            for number, label in enumerate(LABELS):
                self.site.add(f"/{name}/{number}", body, content_type=own if label == "its own" else label)
                files.append({"title": f"{name} as {label}", "link": self.link("files", f"/{name}/{number}")})
        entries = [*same, *heavy, *broken, *root, *foreign, *single, *twins, *mixed, *files]
        self.site.add_feed("/feed", entries)
        late = self.entry("same", "/x?late=1", 20, canonical="/x")
        news = self.entry("broken", "/b/4", 34, canonical="/b/0")
        self.site.add_feed("/late", [late, news, {"title": title(20), "link": self.link("same", "/x")}])

    def crawl(self, feed):
        settings = {
            "EXTENSIONS": {"surroundings.Names": 0},
            "FOREST_ALLOW_PRIVATE": [f"{host}.example:{self.site.port}" for host in HOSTS],
        }
        return self.project.crawl(feeds=feed, settings=settings, timeout=200)

    def query(self, statement):
        with closing(sqlite3.connect(self.project.directory / "forest.sqlite")) as store:
            return store.execute(statement).fetchall()


@dataclass
class Outcome:
    world: World
    first: Crawl
    second: Crawl

    def items(self, host):
        return [item for item in self.first.items if f"//{host}.example:" in item["url"]]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    with website() as site:
        world = World(tmp_path_factory.mktemp("articles"), site)
        world.add_feeds()
        first = world.crawl(world.link("feed", "/feed"))
        yield Outcome(world, first, world.crawl(world.link("planet", "/late")))


def test_p15_files_are_no_pages(outcome):
    assert outcome.first.counts("skipped")["not_html"] == len(FILES) * len(LABELS)
    assert len(outcome.items("files")) == 3
    samples = [url for (url,) in outcome.world.query("SELECT url FROM samples WHERE host LIKE 'files.%'")]
    assert sorted(samples) == [outcome.world.link("files", f"/p/{number}") for number in range(3)]


@pytest.mark.parametrize("host", ["single", "twins"])
def test_p20_one_page_is_not_enough(outcome, host):
    """However often it comes."""
    assert [item["metadata"]["flags"] for item in outcome.items(host)] == [["single-page"]] * (1 + (host == "twins"))
    assert outcome.world.query(f"SELECT * FROM wrappers WHERE host LIKE '{host}.%'") == []  # noqa: S608 - ours


def test_p21_two_templates_in_one_host(outcome):
    items = outcome.items("mixed")
    assert {item["metadata"]["wrapper"]["template"] for item in items} == {"t1", "t2"}
    assert len({item["metadata"]["fields"]["articleBody"]["xpath"] for item in items}) == 2
    for item in items:
        assert item["articleBody"] == text(60 + int(item["url"].rpartition("/")[2]))


@pytest.mark.parametrize(("host", "number"), [("same", 20), ("heavy", 21)])
def test_p26_one_article_under_several_links(outcome, host, number):
    assert [item["articleBody"] for item in outcome.items(host)].count(text(number)) == 1


def test_p26_also_in_a_later_crawl(outcome):
    assert outcome.first.counts("skipped")["duplicate"] == 3
    assert outcome.second.counts("skipped") == {"duplicate": 1, "known": 1}


@pytest.mark.parametrize(("host", "items"), [("broken", 4), ("root", 3), ("foreign", 1), ("same", 4)])
def test_p26_a_canonical_link_that_is_not_to_be_believed_costs_nothing(outcome, host, items):
    assert len(outcome.items(host)) == items


def test_p26_not_in_a_later_crawl_either(outcome):
    assert outcome.second.urls == [outcome.world.link("broken", "/b/4")]
