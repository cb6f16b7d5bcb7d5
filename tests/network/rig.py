"""One crawl in its own process, with servers, a resolver and counters around it; JSON in, JSON out.

Three servers on loopback. ``outer`` plays all public sites: connections to PUBLIC addresses end there. ``inner`` is
the private service that nobody may reach. ``allowed`` is a private service that a permit may open. In URLs, ``{inner}``
and ``{allowed}`` stand for the ports. The resolver is the test's own, installed on the reactor as projects do.
"""

import json
import sys
from collections import Counter
from urllib.parse import quote

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.utils.reactor import install_reactor

install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

from twisted.internet import reactor  # noqa: E402
from twisted.internet.address import IPv4Address, IPv6Address  # noqa: E402
from twisted.internet.interfaces import IHostnameResolver  # noqa: E402
from twisted.web.resource import Resource  # noqa: E402
from twisted.web.server import Site  # noqa: E402
from zope.interface import implementer  # noqa: E402

NOWHERE = ("127.0.0.1", 1)  # where connections to other private addresses go, were they not stopped
PUBLIC = ("93.184.216.34", "93.184.216.35")


class CountingSite(Site):
    connections = 0

    def buildProtocol(self, addr):  # noqa: N802
        self.connections += 1
        return super().buildProtocol(addr)


class Pages(Resource):
    """/302, /307 and /refresh lead to ``to``; other paths are pages. robots.example redirects its robots.txt."""

    isLeaf = True  # noqa: N815 - Twisted's name

    def __init__(self, seen, ports):
        super().__init__()
        self.seen = seen
        self.ports = ports

    def render(self, request):
        host, path = request.getRequestHostname().decode(), request.path.decode()
        names = (name.decode().lower() for name, _ in request.requestHeaders.getAllRawHeaders())
        self.seen.append([host, path, sorted(names)])
        to = request.args.get(b"to", [b""])[0]
        request.setHeader("content-type", "text/html; charset=utf-8")
        request.setHeader("connection", "close")  # so that the next request looks the name up again
        if request.method == b"CONNECT":
            path = "/404"  # no tunnels
        if path == "/robots.txt":
            status = 302 if host == "robots.example" else 404
            path, to = f"/{status}", f"http://127.0.0.1:{self.ports['inner']}/robots.txt".encode()
        if path in ("/302", "/307", "/404"):
            request.setResponseCode(int(path[1:]))
            request.setHeader("location", to)
            return b""
        if path == "/refresh":
            return b"<html><head><meta http-equiv=refresh content='0; url=%s'></head></html>" % to
        return b"<html><body>page</body></html>"


@implementer(IHostnameResolver)
class Names:
    """Answers from a table; the n-th look-up of a name gets the n-th answer, then the last again."""

    def __init__(self, table, ports, fallback):
        self.table = table
        self.ports = ports
        self.fallback = fallback
        self.asked = Counter()

    def resolveHostName(self, receiver, name, portNumber=0, addressTypes=None, transportSemantics="TCP"):  # noqa: N802, N803
        if name not in self.table:
            return self.fallback.resolveHostName(receiver, name, portNumber, addressTypes, transportSemantics)
        answers = self.table[name]
        answer = answers[min(self.asked[name], len(answers) - 1)]
        self.asked[name] += 1
        receiver.resolutionBegan(self)
        for ip in answer:
            host, _, port = ip.partition("/")  # 127.0.0.1/allowed: another port than the link's
            kind = IPv6Address if ":" in host else IPv4Address
            receiver.addressResolved(kind("TCP", host, self.ports[port] if port else portNumber))
        receiver.resolutionComplete()
        return self

    def cancel(self):
        raise NotImplementedError


class Rig:
    def __init__(self, plan):
        self.plan = plan
        self.seen = []
        self.peers = []
        self.outcomes = {}
        self.ports = {}
        self.sites = {name: CountingSite(Pages(self.seen, self.ports)) for name in ("outer", "inner", "allowed")}
        for name, site in self.sites.items():
            self.ports[name] = reactor.listenTCP(0, site, interface="127.0.0.1").getHost().port

    def fill(self, text):
        for name, port in self.ports.items():
            text = text.replace("{" + name + "}", str(port))
        return text

    def url(self, case):
        url = self.fill(case["url"])
        return f"http://site.example/{case['way']}?to={quote(url, safe='')}" if case.get("way") else url

    def install(self):
        """After CrawlerProcess has installed its own resolver."""
        reactor.installNameResolver(Names(self.plan["names"], self.ports, reactor.nameResolver))
        connect = reactor.connectTCP

        def connect_to(host, port, *args, **kwargs):
            if host in PUBLIC:
                return connect("127.0.0.1", self.ports["outer"], *args, **kwargs)
            self.peers.append([host, port])
            is_here = host.startswith("127.") or host in ("0.0.0.0", "::1", "::", "localhost")  # noqa: S104
            return connect(*((host, port) if is_here else NOWHERE), *args, **kwargs)

        reactor.connectTCP = connect_to

    def report(self, crawler):
        stats = crawler.stats.get_stats()
        return {
            "outcomes": self.outcomes,
            "connections": {name: site.connections for name, site in self.sites.items()},
            "ports": self.ports,
            "peers": self.peers,
            "seen": self.seen,
            "stats": {name: value for name, value in stats.items() if name.startswith("forest/")},
        }


class CasesSpider(scrapy.Spider):
    name = "cases"
    rig: Rig

    async def start(self):
        self.rig.install()
        for name, case in self.rig.plan["cases"].items():
            if case.get("engine"):
                await self.download(name, case)
            elif request := self.build(name, case):
                yield request

    def build(self, name, case):
        meta = {key: self.rig.fill(value) for key, value in case.get("meta", {}).items()}
        meta |= {"dont_obey_robotstxt": not case.get("robots"), "name": name}
        headers = case.get("headers")
        try:
            return scrapy.Request(
                self.rig.url(case), self.parse, headers=headers, meta=meta, errback=self.fail, dont_filter=True
            )
        except ValueError as error:
            self.rig.outcomes[name] = [type(error).__name__, None]

    async def download(self, name, case):
        """As robots.txt and the media pipelines do."""
        try:
            await self.crawler.engine.download_async(self.build(name, case))
        except Exception as error:  # noqa: BLE001 - what comes is what is asked
            self.rig.outcomes[name] = [type(error).__name__, getattr(error, "reason", None)]
        else:
            self.rig.outcomes[name] = ["page", None]

    def parse(self, response):
        name = response.meta["name"]
        self.rig.outcomes[name] = ["page", None]
        again = self.rig.plan["cases"][name].get("then")
        if again:
            yield self.build(again, self.rig.plan["later"][again])

    def fail(self, failure):
        reason = getattr(failure.value, "reason", None)
        self.rig.outcomes[failure.request.meta["name"]] = [type(failure.value).__name__, reason and str(reason)]


def crawl(plan):
    settings = dict(plan["settings"])
    rig = Rig(plan)
    settings["FOREST_ALLOW_PRIVATE"] = [rig.fill(entry) for entry in settings.get("FOREST_ALLOW_PRIVATE", [])]
    process = CrawlerProcess({"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, **settings})
    crawler = process.create_crawler(CasesSpider)
    started = process.crawl(crawler, rig=rig)
    problems = []
    started.addErrback(lambda failure: problems.append([failure.type.__name__, str(failure.value)]))
    process.start()
    return {"problems": problems} if problems else rig.report(crawler)


if __name__ == "__main__":
    json.dump(crawl(json.load(sys.stdin)), sys.stdout)
