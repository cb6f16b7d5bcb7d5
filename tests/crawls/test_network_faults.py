"""What networks and servers do wrong (N11 to N18, N20, N21): two crawls of one feed, each entry of which is a fault.

Each fault has a host of its own, or pauses and time-outs of one would be those of another.
"""

import socket
import sqlite3
import ssl
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from itertools import chain, repeat

import pytest
from conftest import Crawl, Project
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from scrapy.settings import default_settings
from website import Answer, Asked, Raw, page, rss, text, title, website

SETTINGS = {
    "DOWNLOAD_MAXSIZE": 300_000,
    "DOWNLOAD_TIMEOUT": 3,
    "AUTOTHROTTLE_ENABLED": True,  # shortens delays whenever a page comes
    "AUTOTHROTTLE_START_DELAY": 0.01,
    "AUTOTHROTTLE_MAX_DELAY": 0.1,
    "EXTENSIONS": {"surroundings.Names": 0, "surroundings.Peak": 0},
    "ROBOTSTXT_OBEY": False,  # whose failures Scrapy logs with a traceback
}
LONGEST = 300.0  # seconds of a crawl: two time-outs in a row, on a machine that does a lot besides
PAUSE = 5  # seconds that servers ask for
GOODS = BUSY = 8  # pages of a good host, of one that asks for a pause

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
HALF = page(70).encode()[:1500]
SHORT = Raw(OK + b"Content-Length: 9999\r\n\r\n" + HALF)
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"%x\r\n%s\r\n" % (len(HALF), HALF)
DRIP = Raw(OK + b"Content-Length: 9999\r\n\r\n", b"<", pause=0.3)
GOOD = Answer(page(71).encode())


def redirect(to):
    return Answer(status=302, headers={"Location": to})


def later(seconds, status):
    return Answer(status=status, headers={"Retry-After": seconds})


def in_turn(*answers):
    """One answer after the other, and the last one again and again."""
    left = chain(answers, repeat(answers[-1]))

    def answer(handler):
        each = next(left)
        return each(handler) if callable(each) else each

    return answer


def ask_for_a_date(_):
    when = datetime.now(timezone.utc) + timedelta(seconds=PAUSE)
    return later(format_datetime(when, usegmt=True), 503)


@dataclass(frozen=True)
class Fault:
    """What a server does, what becomes of the entry (a reason, None for an item), and how often it is asked."""

    answer: object
    end: str | None
    hits: int | None = None


FAULTS = {
    "n11-endless": Fault(Raw(OK + b"\r\n", b"<p>" * 20_000), "too_large"),
    "n11-drip": Fault(DRIP, "timeout", 3),
    "n11-silent": Fault(Raw(pause=0.3), "timeout", 3),
    "n11-head-drip": Fault(Raw(OK, b"X: y\r\n", pause=0.3), "timeout", 3),
    "n11-head-flood": Fault(Raw(OK, b"X-Y: " + b"z" * 5000 + b"\r\n"), "too_large"),
    "n11-continue": Fault(Raw(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100), "too_large"),
    "n12-short": Fault(SHORT, "connection", 3),
    "n12-broken-chunk": Fault(Raw(CHUNKED + b"zz\r\n"), "connection", 3),
    "n12-no-last-chunk": Fault(Raw(CHUNKED), "connection", 3),
    "n12-short-once": Fault(in_turn(SHORT, GOOD), None, 2),
    "n14-gone": Fault(Answer(status=410), "http_410", 1),
    "n14-missing": Fault(Answer(status=404), "http_404", 1),
    "n15-long": Fault(later("3600", 429), "http_429", 1),
    "n15-long-503": Fault(later("3600", 503), "http_503", 1),
    "n15-garbage": Fault(in_turn(later("\x01 soon;", 429), GOOD), None, 2),
    "n15-date": Fault(in_turn(ask_for_a_date, GOOD), None, 2),
    "n16-flaky": Fault(in_turn(*[Answer(status=500)] * 3, GOOD), "http_500", 3),
    "n17-loop": Fault(redirect("/n17-back"), "redirects", 2),
    "n17-self": Fault(redirect("/n17-self"), "redirects", 1),
    "n17-fragment": Fault(redirect("/n17-fragment#again"), "redirects", 1),
    "n17-refresh": Fault(Answer(b"<meta http-equiv=refresh content='0; url=/n17-refresh'>"), "redirects", 1),
    "n17-21": Fault(redirect("/n17-20"), "redirects", 21),
    "n17-20": Fault(redirect("/n17-19"), None),
    "n18-refused": Fault(None, "refused"),
    "n18-tls-on-plain": Fault(None, "tls"),
    "n18-expired": Fault(None, None),  # by default Scrapy does not look at certificates
    "n18-reset": Fault(Raw(is_reset=True), "connection", 3),
    "n18-garbage": Fault(Raw(b"\x00\xff\r\n\r\n"), "connection", 3),
    "n18-closed": Fault(Raw(), "connection", 3),
    "n18-dns": Fault(None, "dns"),
    "n20-here": Fault(None, None),
    "n21-userinfo": Fault(None, "credentials", 0),
    "n21-user": Fault(None, "credentials", 0),
    "n21-host": Fault(None, "bad_link", 0),
    "n21-encoded-host": Fault(None, "bad_url", 0),
    "n21-crlf": Fault(None, "http_404"),
    "n21-raw-crlf": Fault(None, "http_404"),
    "n21-nul": Fault(None, "http_404"),
    "n21-tab": Fault(None, "http_404"),
    "n21-space": Fault(None, "http_404"),
    "n21-redirect": Fault(redirect("/n21-to%0d%0aX-Injected:%201"), "http_404"),
    "n21-raw-redirect": Fault(Raw(b"HTTP/1.1 302 Found\r\nLocation: /n21 to\x00x\rX-Injected: 1\r\n\r\n"), "http_404"),
}
HOSTS = {
    "n18-dns": "no-such-name.invalid",
    "n18-feed-dns": "no-such-name.invalid",
    "n21-userinfo": "user:secret@n21-userinfo.example",
    "n21-user": "user@n21-user.example",
    "n21-host": "n21-host.example\tX-Injected: 1",
    "n21-encoded-host": "n21-encoded-host.example%0d%0aX-Injected",
}
PATHS = {
    "n21-crlf": "n21-crlf%0d%0aX-Injected:%201%0d%0a%0d%0aGET%20/x",
    "n21-raw-crlf": "n21-raw-crlf\r\nX-Injected: 1\r\n\r\n",
    "n21-nul": "n21-nul%00%0aX-Injected:%201",
    "n21-tab": "n21-tab\tX-Injected:\t1",
    "n21-space": "n21-space HTTP/1.1 X-Injected: 1",
}
FEEDS = {
    "n11-feed-endless": (Raw(OK + b"\r\n", b"<rss>" * 10_000), "failed/too_large"),
    "n11-feed-drip": (DRIP, "failed/timeout"),
    "n12-feed-short": (Raw(OK + b"Content-Length: 9999\r\n\r\n<rss><channel><item>"), "failed/connection"),
    "n13-always-304": (Answer(status=304), "failed/http_304"),
    "n14-feed-gone": (Answer(status=410), "failed/http_410"),
    "n17-feed-self": (redirect("/n17-feed-self"), "failed/redirects"),
    "n18-feed-dns": (None, "failed/dns"),
    "n20-feed": (None, "empty"),
}
HEADERS = {"accept", "accept-language", "user-agent", "accept-encoding", "host", "connection"}
HEADERS |= {"if-none-match", "if-modified-since", "cache-control"}


def expired_certificate(directory):
    """Of nobody that anybody knows, and long over."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "expired")])
    names = x509.SubjectAlternativeName([x509.DNSName("n18-verified.example")])
    began = datetime(2020, 1, 1, tzinfo=timezone.utc)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(began).not_valid_after(began + timedelta(1)).add_extension(names, critical=False)
    certificate = builder.sign(key, hashes.SHA256())
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    file = directory / "certificate.pem"
    file.write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()) + certificate.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


def free_port():
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class World:
    """The sites, their feed, and the crawls."""

    def __init__(self, directory, site, secure):
        self.site = site
        self.project = Project(directory, site, secure)
        self.ports = {"n18-refused": free_port(), "n18-expired": secure.port, "n18-verified": secure.port}
        secure.answers["/n18-expired"] = secure.answers["/n18-verified"] = GOOD
        self.links = {name: self.link(name) for name in FAULTS}
        self.goods = [self.link("good", f"post/{number}") for number in range(GOODS)]
        self.busy = [self.link("n15-busy", f"busy/{number}") for number in range(BUSY)]
        self.feed, self.unasked = self.link("feed"), self.link("n13-unasked")
        self.build()

    def link(self, name, path=None):
        scheme = "https" if name in ("n18-expired", "n18-verified", "n18-tls-on-plain") else "http"
        host, port = HOSTS.get(name, f"{name}.example"), self.ports.get(name, self.site.port)
        return f"{scheme}://{host}:{port}/{path or PATHS.get(name, name)}"

    def build(self):
        site, answers = self.site, self.site.answers
        answers |= {f"/{name}": fault.answer for name, fault in FAULTS.items() if fault.answer}
        answers |= {f"/{name}": answer for name, (answer, _) in FEEDS.items() if answer}
        answers |= {"/n17-back": redirect("/n17-loop"), "/n17-0": GOOD}
        answers |= {f"/n17-{number}": redirect(f"/n17-{number - 1}") for number in range(1, 21)}
        there = redirect(self.link("n20-there"))
        answers |= {"/n20-here": Answer(status=302, headers={**there.headers, "Set-Cookie": "secret=1"})}
        answers |= {"/n20-there": GOOD, "/n13-listed": GOOD}
        answers["/n20-feed"] = redirect(self.link("n20-there", "n20-empty"))
        site.add_feed("/n20-empty", [])
        answers |= {f"/post/{number}": Answer(page(number).encode()) for number in range(GOODS)}
        # The last ones are on their way when the first asks for a pause, and come while that lasts.
        answers |= {f"/busy/{n}": Answer(page(80 + n).encode(), stall=0.5 * (n > 4)) for n in range(1, BUSY)}
        answers["/busy/0"] = in_turn(later(str(PAUSE), 429), Answer(page(80).encode()))
        links = [*self.goods[:4], *self.links.values(), *self.busy, *self.goods[4:]]
        entries = [{"title": title(number), "link": link} for number, link in enumerate(links)]
        site.add_feed("/feed", entries, headers={"ETag": '"1"'})
        listed = Answer(rss([{"title": "a", "link": self.link("n13-listed")}]).encode(), content_type="text/xml")
        answers["/n13-unasked"] = lambda handler: (
            listed if handler.headers["Cache-Control"] == "no-cache" else Answer(status=304)
        )

    def crawl(self, *feeds, **settings):
        names = [*FAULTS, *FEEDS, "good", "feed", "n15-busy", "n13-unasked", "n13-listed", "n20-there", "n18-verified"]
        hosts = (HOSTS.get(name, f"{name}.example").rpartition("@")[2] for name in names)
        permits = {f"{host}:{port}" for host in hosts for port in {self.site.port, *self.ports.values()}}
        allowed = [permit for permit in permits if "Injected" not in permit]
        settings = SETTINGS | {"FOREST_ALLOW_PRIVATE": allowed} | settings
        return self.project.crawl(feeds=feeds, settings=settings, timeout=LONGEST)

    def query(self, statement):
        with closing(sqlite3.connect(self.project.directory / "forest.sqlite")) as store:
            return store.execute(statement).fetchall()


@dataclass
class Outcome:
    """Two crawls of the same feed."""

    world: World
    first: Crawl
    second: Crawl
    reasons: dict[str, str | None]  # by link, after the first
    hits: Counter[str]  # of the first
    asked: list[Asked]  # by both

    def asked_of(self, name):
        return [asked for asked in self.asked if asked.host == f"{name}.example"]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    directory = tmp_path_factory.mktemp("faults")
    with website() as site, website(expired_certificate(directory)) as secure:
        world = World(directory, site, secure)
        first = world.crawl(world.feed, world.unasked, *map(world.link, FEEDS))
        hits = Counter(asked.host.removesuffix(".example") for asked in site.asked)
        reasons = dict(world.query("SELECT link, reason FROM ledger"))
        site.answers["/feed"] = Answer(status=304)
        site.add_feed("/more", [{"title": "verified", "link": world.link("n18-verified")}])
        more = world.link("feed", "more")
        second = world.crawl(world.feed, more, DOWNLOAD_VERIFY_CERTIFICATES=True, DOWNLOAD_TIMEOUT=2, RETRY_TIMES=0)
        yield Outcome(world, first, second, reasons, hits, list(site.asked))


@pytest.mark.parametrize("name", FAULTS)
def test_faults(outcome, name):
    fault, link = FAULTS[name], outcome.world.links[name]
    if fault.end == "bad_link":
        assert outcome.first.counts("skipped")["bad_link"] == 1
    else:
        assert outcome.reasons["".join(link.splitlines())] == fault.end
    assert fault.hits in (None, outcome.hits[name])


@pytest.mark.parametrize("name", FEEDS)
def test_feeds(outcome, name):
    end = FEEDS[name][1]
    assert outcome.first.stats[f"forest/feeds/{end}"] == Counter(end for _, end in FEEDS.values())[end]
    assert end == "empty" or f"{outcome.world.link(name)!r}" in outcome.first.log


def test_n11_others_go_on(outcome):
    bodies = {item["url"]: item["articleBody"] for item in outcome.first.items}
    assert [bodies[link] for link in outcome.world.goods] == [text(number) for number in range(GOODS)]
    assert outcome.first.stats["peak/megabytes"] < 150  # of which a crawl that does nothing has 100


def test_n12_half_a_page_is_not_learned_from(outcome):
    samples = {url for (url,) in outcome.world.query("SELECT url FROM samples")}
    assert not any("n12" in url and "once" not in url for url in samples)
    assert text(70)[:100] not in outcome.world.project.export.read_text()


def test_n13_an_unchanged_feed_is_not_read_again(outcome):
    assert outcome.second.stats["forest/feeds/not_modified"] == 1
    assert outcome.second.counts("skipped").get("known") is None


def test_n13_unchanged_but_unknown(outcome):
    """No copy, and a 304 that nobody asked for: one more request, for all of it."""
    asked = [each.headers for each in outcome.asked_of("n13-unasked")]
    assert [headers.get("Cache-Control") for headers in asked] == [None, "no-cache"]
    assert not any("If-None-Match" in headers for headers in asked)
    assert outcome.world.link("n13-listed") in outcome.first.urls
    assert outcome.hits["n13-always-304"] == 2


def test_n14_what_is_gone_is_not_asked_for_again(outcome):
    assert len(outcome.asked_of("n14-gone")) == len(outcome.asked_of("n14-missing")) == 1


def test_n15_a_pause_is_made(outcome):
    """Though pages that were on their way have AutoThrottle make the delay shorter."""
    asked = sorted(outcome.asked_of("n15-busy"), key=lambda each: each.when)
    again = max(each.when for each in asked if each.path == "/busy/0")
    paused = min(each.when for each in asked if each.path == "/busy/0")
    assert again - paused > PAUSE - 0.5
    assert not [each for each in asked if paused + PAUSE / 2 < each.when < paused + PAUSE - 0.5]  # some were under way
    assert set(outcome.world.busy) <= set(outcome.first.urls)


def test_n15_a_date_is_a_pause(outcome):
    first, again = (each.when for each in outcome.asked_of("n15-date"))
    assert again - first > PAUSE - 1.5  # a date has whole seconds


def test_n15_other_hosts_are_unaffected(outcome):
    paused = min(each.when for each in outcome.asked_of("n15-busy"))
    assert max(each.when for each in outcome.asked_of("good")) < paused + PAUSE


def test_n16_an_item_once(outcome):
    link = outcome.world.links["n16-flaky"]
    assert [item["url"] for item in outcome.world.project.items()].count(link) == 1
    assert link in outcome.second.urls
    assert len(outcome.asked_of("n16-flaky")) == 4


def test_n17_twenty_hops_at_most(outcome):
    assert outcome.hits["n17-21"] == 21
    assert outcome.world.link("n17-20", "n17-0") in outcome.first.urls


@pytest.mark.skipif(not hasattr(default_settings, "DOWNLOAD_VERIFY_CERTIFICATES"), reason="this Scrapy cannot")
def test_n18_certificates_are_verified_if_asked_for(outcome):
    assert outcome.second.counts("errors")["tls"] == 2


def test_n20_other_hosts_get_no_secrets(outcome):
    of_page, of_feed = (asked.headers.keys() for asked in outcome.asked_of("n20-there"))
    assert not {"Cookie", "Authorization", "Referer"} & {*of_page, *of_feed}


def test_n21_nothing_is_injected(outcome):
    for asked in outcome.asked:
        assert {name.lower() for name in asked.headers} <= HEADERS
        assert asked.line.endswith(b" HTTP/1.1\r\n")
        assert asked.line.count(b" ") == 2
        assert all(0x20 <= byte < 0x7F for byte in asked.line.removesuffix(b"\r\n"))
