"""Real crawls: what is connected to when links, redirects and the DNS point at private addresses (N01 to N09, N20)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scrapy_forest.network.guard import PRIORITY
from scrapy_forest.network.handlers import HANDLERS

RIG = Path(__file__).parent / "rig.py"
GUARD = {
    "DOWNLOAD_HANDLERS": HANDLERS,
    "DOWNLOADER_MIDDLEWARES": {"scrapy_forest.network.guard.GuardMiddleware": PRIORITY},
}
QUICK = {
    "ROBOTSTXT_OBEY": True,
    "RETRY_ENABLED": False,
    "DOWNLOAD_TIMEOUT": 5,
    "HTTPPROXY_ENABLED": False,  # the rig sets proxies itself; the environment of the test run must not
    "COOKIES_ENABLED": False,  # so that a Cookie header goes out as it is; the jar has its own rules
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "REMOTE_CONTROL_ENABLED": False,
    "EXTENSIONS": {},
}

NAMES = {
    "site.example": [["93.184.216.34"]],
    "other.example": [["93.184.216.35"]],
    "robots.example": [["93.184.216.34"]],
    "loop.example": [["127.0.0.1"]],
    "ten.example": [["10.0.0.1"]],
    "six.example": [["::1"]],
    "mapped.example": [["::ffff:127.0.0.1"]],
    "nat64.example": [["64:ff9b::7f00:1"]],
    "several.example": [["127.0.0.1", "::1", "192.168.0.1"]],
    "mixed.example": [["127.0.0.1", "93.184.216.34", "::1"]],
    "rebind.example": [["93.184.216.34"], ["127.0.0.1"]],
    "gone.example": [[]],
    "intranet.example": [["127.0.0.1/allowed"]],
}
SPELLINGS = [
    *["127.0.0.1", "127.1", "127.0.1", "2130706433", "017700000001", "0x7f000001", "0X7F000001", "0x7f.0x0.0x0.0x1"],
    *["0x7f.1", "0177.0.0.1", "0177.0x0.1", "127.0.0.1.", "0", "0.0.0.0", "00", "0x0", "127.2", "127.255.255.254"],  # noqa: S104
    *["①②⑦.⓪.⓪.①", "１２７.０.０.１", "127。0。0。1", "127｡0｡0｡1", "127．1", "12\u00ad7.0.0.1", "%31%32%37.0.0.1"],
    *[
        "localhost",
        "LOCALHOST",
        "localhost.",
        "ｌｏｃａｌｈｏｓｔ",
        "a.localhost",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
    ],
    *["[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "user@127.0.0.1", "a:b@127.1"],
    *["10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255"],
    *["[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[ff02::1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b::a00:1]"],
]
WAYS = [None, "302", "307", "refresh"]
PRIVATE_NAMES = ["loop", "ten", "six", "mapped", "nat64", "several"]
SECRETS = {"Authorization": "a", "Cookie": "b=c", "Proxy-Authorization": "d"}


def spelled_cases():
    return {f"{host} {way}": {"url": f"http://{host}:{{inner}}/", "way": way} for host in SPELLINGS for way in WAYS}


def named_cases():
    hosts = [f"{name}.example" for name in PRIVATE_NAMES]
    return {
        f"{scheme} {host} {way}": {"url": f"{scheme}://{host}:{{inner}}/", "way": way}
        for scheme in ("http", "https")
        for host in hosts
        for way in WAYS
    }


OTHER_SCHEMES = [
    *["file:/etc/hostname", "file:///etc/hostname", "FILE:///etc/hostname", "file://localhost/etc/hostname"],
    *["file://site.example/etc/hostname", "data:text/html,x", "ftp://site.example/", "s3://bucket/key"],
    *["gopher://127.0.0.1:{inner}/", "jar:http://127.0.0.1:{inner}/!/x", "view-source:http://127.0.0.1:{inner}/"],
    *["feed:http://127.0.0.1:{inner}/", "about:blank", "ws://127.0.0.1:{inner}/"],
]
OTHER_CASES = {
    "public": {"url": "http://site.example/"},
    "public redirected": {"url": "http://other.example/", "way": "302"},
    "mixed": {"url": "http://mixed.example/"},
    "gone": {"url": "http://gone.example/"},
    "robots": {"url": "http://robots.example/", "robots": True},
    "robots of a private name": {"url": "http://loop.example:{inner}/", "robots": True},
    "rebind": {"url": "http://rebind.example/", "then": "rebind again"},
    "media": {"url": "http://127.0.0.1:{inner}/", "engine": True},
    "media redirected": {"url": "http://127.0.0.1:{inner}/", "engine": True, "way": "302"},
    **{f"scheme {url}": {"url": url} for url in OTHER_SCHEMES},
    "proxy": {"url": "http://site.example/proxied", "meta": {"proxy": "http://127.0.0.1:{allowed}"}},
    "proxy by name": {"url": "http://site.example/", "meta": {"proxy": "http://loop.example:{allowed}"}},
    "proxy to private": {"url": "http://127.0.0.1:{inner}/", "meta": {"proxy": "http://127.0.0.1:{allowed}"}},
    "tunnel": {"url": "https://site.example/", "meta": {"proxy": "http://127.0.0.1:{allowed}"}},
    "tunnel to private": {"url": "https://127.0.0.1:{inner}/", "meta": {"proxy": "http://127.0.0.1:{allowed}"}},
    **{f"secrets {way}": {"url": "http://other.example/b", "way": way, "headers": SECRETS} for way in WAYS[1:]},
}
LATER = {"rebind again": {"url": "http://rebind.example:{inner}/"}}
CASES = spelled_cases() | named_cases() | OTHER_CASES


def crawl(cases, settings):
    plan = {"cases": cases, "later": LATER, "names": NAMES, "settings": QUICK | settings}
    run = subprocess.run(
        [sys.executable, RIG],
        input=json.dumps(plan),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        env=environment(),
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout) | {"log": run.stderr}


def environment():
    return {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}


@pytest.fixture(scope="module")
def guarded():
    return crawl(CASES, GUARD)


def test_n03_n06_nothing_private_is_connected_to(guarded):
    assert guarded["connections"]["inner"] == 0
    allowed = ["127.0.0.1", guarded["ports"]["allowed"]]
    assert [peer for peer in guarded["peers"] if peer != allowed] == []


def test_scrapy_finds_nothing_outdated(guarded):
    assert "Deprecat" not in guarded["log"]


def test_each_case_ends(guarded):
    assert guarded["outcomes"].keys() == CASES.keys() | LATER.keys()


@pytest.mark.parametrize("url", OTHER_SCHEMES)
def test_n01_n02_other_schemes(guarded, url):
    """Redirects and refreshes to them Scrapy does not follow."""
    assert guarded["outcomes"][f"scheme {url}"] == ["BlockedAddress", "bad_scheme"]


@pytest.mark.parametrize("name", spelled_cases())
def test_n03_n04_n05_spellings(guarded, name):
    error, reason = guarded["outcomes"][name]
    # ValueError: no Request can be made of the link; Scrapy's redirect passes that on.
    assert (error, reason) in {("BlockedAddress", "private_address"), ("BlockedAddress", "credentials")} or (
        error == "ValueError" and ("@" in name or ":" in name)
    )


@pytest.mark.parametrize("name", named_cases())
def test_n05_n06_names(guarded, name):
    assert guarded["outcomes"][name] == ["BlockedAddress", "private_address"]


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("public", ["page", None]),
        ("public redirected", ["page", None]),
        ("mixed", ["page", None]),
        ("robots", ["page", None]),
        ("robots of a private name", ["BlockedAddress", "private_address"]),
        ("rebind", ["page", None]),
        ("rebind again", ["BlockedAddress", "private_address"]),
        ("media", ["BlockedAddress", "private_address"]),
        ("media redirected", ["BlockedAddress", "private_address"]),
        ("proxy", ["page", None]),
        ("proxy by name", ["page", None]),
        ("proxy to private", ["BlockedAddress", "private_address"]),
        ("tunnel to private", ["BlockedAddress", "private_address"]),
    ],
)
def test_n06_n07_other_ways(guarded, name, outcome):
    assert guarded["outcomes"][name] == outcome


def test_other_failures_stay_what_they_are(guarded):
    assert guarded["outcomes"]["gone"][0] in {"CannotResolveHostError", "DNSLookupError"}
    assert guarded["outcomes"]["tunnel"][0] == "TunnelError"


def test_a_proxy_of_the_user_is_connected_to(guarded):
    assert guarded["connections"]["allowed"] == 3
    assert "http://site.example/proxied" in [path for _, path, _ in guarded["seen"]]


def test_blocked_requests_are_counted(guarded):
    blocked = [reason for error, reason in guarded["outcomes"].values() if error == "BlockedAddress"]
    expected = {f"forest/blocked/{reason}": blocked.count(reason) for reason in set(blocked)}
    expected["forest/blocked/private_address"] += 2  # robots.txt of "robots" and of "robots of a private name"
    assert guarded["stats"] == expected


def test_n20_credentials_stay_with_their_host(guarded):
    sent = {host: set() for host, _, _ in guarded["seen"]}
    for host, _, headers in guarded["seen"]:
        sent[host].update(headers)
    secrets = {name.lower() for name in SECRETS}
    assert sent["site.example"] & secrets == {"authorization", "cookie"}
    assert sent["other.example"] & secrets == set()


def test_without_the_guard_the_same_cases_get_in():
    numbers = {
        name: case for name, case in spelled_cases().items() if name[0] in "012①１" and not name.startswith("10.")
    }
    names = {"name": {"url": "http://loop.example:{inner}/"}, "rebind": OTHER_CASES["rebind"]}
    reached = crawl(numbers | names, {"DOWNLOAD_TIMEOUT": 2})
    assert reached["connections"]["inner"] > 50
    assert reached["outcomes"]["name"] == reached["outcomes"]["rebind again"] == ["page", None]


def test_n08_permits_open_one_host_and_port():
    cases = {
        "address": {"url": "http://127.0.0.1:{allowed}/"},
        "address spelled": {"url": "http://0x7f.1:{allowed}/"},
        "address redirected": {"url": "http://127.0.0.1:{allowed}/", "way": "302"},
        "name": {"url": "http://intranet.example/"},
        "other port": {"url": "http://127.0.0.1:{inner}/"},
        "other name": {"url": "http://loop.example:{allowed}/"},
        "localhost": {"url": "http://localhost:{allowed}/"},
        "other port of the name": {"url": "http://intranet.example:{inner}/"},
    }
    result = crawl(cases, GUARD | {"FOREST_ALLOW_PRIVATE": ["127.0.0.1:{allowed}", "intranet.example:80"]})
    pages = [name for name, outcome in result["outcomes"].items() if outcome == ["page", None]]
    assert sorted(pages) == ["address", "address redirected", "address spelled", "name"]
    assert result["connections"]["inner"] == 0
    assert {
        name for name, outcome in result["outcomes"].items() if outcome[0] == "BlockedAddress"
    } == cases.keys() - pages


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"DOWNLOAD_HANDLERS": {}}, "UnsafeSetup", "DOWNLOAD_HANDLERS['http'] is"),
        ({"DOWNLOAD_HANDLERS": HANDLERS | {"https": None}}, "UnsafeSetup", "DOWNLOAD_HANDLERS['https'] is None"),
        ({"FOREST_ALLOW_PRIVATE": ["localhost"]}, "MalformedPermit", "'localhost' is not host:port"),
    ],
)
def test_n09_a_crawl_that_cannot_be_guarded_does_not_start(settings, error, message):
    ((kind, text),) = crawl({"public": {"url": "http://site.example/"}}, GUARD | settings)["problems"]
    assert kind == error
    assert message in text
