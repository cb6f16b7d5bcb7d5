"""The parts of the guard at connection time, without a network."""

import pickle
import subprocess
import sys
from types import SimpleNamespace

import pytest
from scrapy.core.downloader.handlers import http11
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.settings import Settings
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint
from twisted.internet.interfaces import IReactorPluggableNameResolver
from twisted.internet.protocol import Factory
from twisted.internet.testing import MemoryReactorClock
from zope.interface import implementer

from scrapy_forest.errors import ForestError
from scrapy_forest.network import handlers
from scrapy_forest.network.addresses import Permits
from scrapy_forest.network.blocked import BlockedAddress, UnsafeSetup
from scrapy_forest.network.resolving import GuardedEndpoint, find_named_endpoint, find_tunnel_class


class Answers:
    """A resolver that gives one answer after the other."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def resolveHostName(self, receiver, name, portNumber=0, addressTypes=None, transportSemantics="TCP"):  # noqa: ARG002, N802, N803
        receiver.resolutionBegan(None)
        for host in self.answers.pop(0):
            kind = IPv6Address if ":" in host else IPv4Address
            receiver.addressResolved(UNIXAddress(host) if "/" in host else kind("TCP", host, portNumber))
        receiver.resolutionComplete()


@implementer(IReactorPluggableNameResolver)
class FakeReactor(MemoryReactorClock):
    def __init__(self, *answers):
        super().__init__()
        self.nameResolver = Answers(*answers)

    def peers(self):
        return [host for host, *_ in self.tcpClients]


def connect(endpoint):
    errors = []
    endpoint.connect(Factory()).addErrback(lambda failure: errors.append(failure.value))
    return errors


@pytest.mark.parametrize(
    ("answer", "peers"),
    [
        (["8.8.8.8"], ["8.8.8.8"]),
        (["127.0.0.1", "8.8.8.8"], ["8.8.8.8"]),
        (["::1", "2606:4700::1"], ["2606:4700::1"]),
        (["127.0.0.1", "10.0.0.1", "::1"], []),
        (["/run/a.sock"], []),
        ([], []),
    ],
)
def test_private_answers_are_left_out(answer, peers):
    reactor = FakeReactor(answer)
    errors = connect(GuardedEndpoint(HostnameEndpoint(reactor, "a.example", 80), Permits()))
    assert reactor.peers() == peers
    assert [type(error) for error in errors if isinstance(error, BlockedAddress)] == [BlockedAddress] * bool(
        answer and not peers
    )


def test_each_connection_is_checked_again():
    reactor = FakeReactor(["8.8.8.8"], ["127.0.0.1"], ["8.8.4.4"])
    endpoint = GuardedEndpoint(HostnameEndpoint(reactor, "a.example", 8080), Permits())
    assert connect(endpoint) == []
    (error,) = connect(endpoint)
    assert connect(endpoint) == []
    assert (error.reason, error.target) == ("private_address", "a.example:8080")
    assert reactor.peers() == ["8.8.8.8", "8.8.4.4"]


@pytest.mark.parametrize(("port", "peers"), [(80, ["127.0.0.1"]), (81, [])])
def test_a_permit_is_for_the_name_and_port_of_the_link(port, peers):
    reactor = FakeReactor(["127.0.0.1"])
    connect(GuardedEndpoint(HostnameEndpoint(reactor, "bücher.example", port), Permits.parse(["bücher.example:80"])))
    assert reactor.peers() == peers


def test_an_unknown_kind_of_endpoint_is_refused():
    with pytest.raises(UnsafeSetup, match="cannot be checked"):
        find_named_endpoint(TCP4ClientEndpoint(FakeReactor(), "127.0.0.1", 80))


def test_an_unknown_scrapy_is_refused(monkeypatch):
    for name in ("_TunnelingTCP4ClientEndpoint", "TunnelingTCP4ClientEndpoint"):
        monkeypatch.delattr(http11, name, raising=False)
    with pytest.raises(UnsafeSetup, match="no endpoint for proxies"):
        find_tunnel_class()


def test_a_handler_that_switches_itself_off_stops_the_crawl(monkeypatch):
    def from_crawler(_):
        raise NotConfigured("no reactor")

    monkeypatch.setattr(handlers.GuardedDownloadHandler, "from_crawler", from_crawler)
    crawler = SimpleNamespace(settings=Settings({"DOWNLOAD_HANDLERS": handlers.HANDLERS}))
    with pytest.raises(UnsafeSetup, match="no reactor"):
        handlers.check_handlers(crawler)
    assert issubclass(UnsafeSetup, ForestError)


def test_what_was_blocked_says_so():
    error = BlockedAddress("private_address", "http://127.1/\n")
    assert isinstance(error, IgnoreRequest)
    assert str(error) == r"'http://127.1/\n' is blocked: private_address"
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (again.reason, again.target) == ("private_address", "http://127.1/\n")


def test_addresses_need_no_scrapy():
    code = "import sys, scrapy_forest.network.addresses; print({'scrapy', 'twisted'} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert run.stdout.strip() == "set()"
