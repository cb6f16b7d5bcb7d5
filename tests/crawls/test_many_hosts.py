"""Feeds of many hosts at a time, and some that hang (K09, N19)."""

from dataclasses import dataclass

import pytest
from conftest import Crawl, Project
from website import Raw, paragraph, text, title, website

HOSTS = 45
PAGES = 3
SLOW = 5  # hosts that send a byte now and then
SLOW_PAGES = 40  # of each
AT_ONCE = 8  # requests that a host gets at a time, by Scrapy's default
SECONDS = 6.0  # until a download is given up
DRIP = Raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n", b"<", pause=0.5)


@dataclass
class Outcome:
    crawl: Crawl
    pace: float  # seconds from the first request to the last one for a good page
    asked: dict[str, int]  # how often each host was asked for a page


def add_feed(site, host, paths):
    numbers = [int(path.rpartition("/")[2]) for path in paths]
    entries = [
        {"title": title(number), "link": f"http://{host}:{site.port}{path}", "description": paragraph(number, 0)}
        for number, path in zip(numbers, paths, strict=True)
    ]
    site.add_feed(f"/feed/{host}", entries)
    return f"http://{host}:{site.port}/feed/{host}"


def crawl_hosts(directory, slow=0):
    directory.mkdir()
    hosts = [f"host{number:02}.example" for number in range(HOSTS)] + [f"slow{n}.example" for n in range(slow)]
    with website() as site:
        site.answers |= {f"/slow/{number}": DRIP for number in range(SLOW_PAGES)}
        links = {host: [f"/slow/{number}" for number in range(SLOW_PAGES)] for host in hosts[HOSTS:]}
        for place, host in enumerate(hosts[:HOSTS]):
            entries = site.add_articles(PAGES, start=PAGES * place)
            links[host] = [entry["link"].removeprefix(site.origin) for entry in entries]
        feeds = [add_feed(site, host, paths) for host, paths in links.items()]
        settings = {
            "EXTENSIONS": {"surroundings.Names": 0},
            "FOREST_ALLOW_PRIVATE": [f"{host}:{site.port}" for host in hosts],
            "DOWNLOAD_TIMEOUT": SECONDS,
        }
        crawl = Project(directory, site).crawl(feeds=feeds, settings=settings, timeout=240)
        good = [asked.when for asked in site.asked if asked.path.startswith("/post/")]
        slow_ones = [asked.host for asked in site.asked if asked.path.startswith("/slow/")]
        return Outcome(crawl, max(good) - site.asked[0].when, {host: slow_ones.count(host) for host in slow_ones})


@pytest.fixture(scope="module")
def normal(tmp_path_factory):
    return crawl_hosts(tmp_path_factory.mktemp("hosts") / "normal")


@pytest.fixture(scope="module")
def dripping(tmp_path_factory):
    return crawl_hosts(tmp_path_factory.mktemp("hosts") / "dripping", SLOW)


@pytest.mark.parametrize("which", ["normal", "dripping"])
def test_k09_every_host_gets_its_articles(request, which):
    """And the books balance, which every crawl here is asked for."""
    crawl = request.getfixturevalue(which).crawl
    bodies = {item["url"].rpartition("/post/")[2]: item["articleBody"] for item in crawl.items}
    assert bodies == {str(number): text(number) for number in range(HOSTS * PAGES)}
    wrappers = crawl.counts("wrappers")  # three short pages of so few words do not always show their template
    assert wrappers["induced"] + wrappers.get("failed", 0) == HOSTS


def test_n19_slow_hosts_do_not_hold_up_the_others(normal, dripping):
    print(f"{normal.pace:.1f} s, with {SLOW} slow hosts {dripping.pace:.1f} s")
    assert dripping.pace < normal.pace / 0.8 + SECONDS / 2  # one time-out, waited for, would be too much


def test_n19_slow_hosts_are_given_up(dripping):
    # The first time-outs come together, and while they are counted others take their places.
    assert all(asked < 4 * AT_ONCE for asked in dripping.asked.values())
    errors = dripping.crawl.counts("errors")
    assert errors.keys() == {"timeout", "slow_host"}
    assert sum(errors.values()) == SLOW * SLOW_PAGES
