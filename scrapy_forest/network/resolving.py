"""The check at the moment of connecting: what a name resolves to.

A check of the link is not enough. A name may point to a private address, to several of which one is private, or to a
public one when asked first and to a private one when asked again (DNS rebinding). So there is one look-up, the one
whose answer is connected to, and private answers are left out of it. Addresses in links go the same way.

Every connection that Scrapy's HTTP/1.1 handler makes (2.14 to 2.19) comes from its connection pool, which gets an
endpoint and asks it to connect. The pool here puts a guard around each endpoint. Twisted has no public way to change
the resolver of an endpoint, so its ``_reactor`` is replaced by one that differs in ``nameResolver`` alone. The resolver
asked is always the one installed on the reactor, since projects install their own.

A proxy is the user's choice and is connected to wherever it is. It looks up the names in its own network, so that only
the check of the link is left: who crawls through a proxy should let the proxy refuse private addresses as well.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, TypeAlias

from scrapy.core.downloader.handlers import http11
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.interfaces import (
    IHostnameResolver,
    IReactorPluggableNameResolver,
    IResolutionReceiver,
    IStreamClientEndpoint,
)
from twisted.python.failure import Failure
from twisted.web.client import HTTPConnectionPool
from zope.interface import implementer  # type: ignore[import-untyped]

from scrapy_forest.network.addresses import Permits, is_public
from scrapy_forest.network.blocked import BlockedAddress, UnsafeSetup
from scrapy_forest.network.heads import limit_head

__all__ = ["GuardedEndpoint", "GuardedPool", "PublicResolver", "find_named_endpoint"]

PROXY_KEY: Final = b"http-proxy"  # how Scrapy's agent for http proxies marks its connections; no URL scheme gets there
TUNNEL_NAMES: Final = ("_TunnelingTCP4ClientEndpoint", "TunnelingTCP4ClientEndpoint")  # since 2.16, until 2.15

# Twisted's interfaces are zope's: mypy cannot tell that a class provides one.
Receiver: TypeAlias = Any  # IResolutionReceiver
Resolver: TypeAlias = Any  # IHostnameResolver
Endpoint: TypeAlias = Any  # IStreamClientEndpoint


@implementer(IResolutionReceiver)
class PublicReceiver:
    """Passes on the public addresses among the answers of a look-up."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self.passed = 0
        self.refused = 0

    def resolutionBegan(self, resolutionInProgress: object) -> None:  # noqa: N802, N803 - Twisted's names
        """Tell the receiver that the look-up is under way."""
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: object) -> None:  # noqa: N802
        """Pass an address on, or leave it out."""
        if isinstance(address, IPv4Address | IPv6Address) and is_public(address.host):
            self.passed += 1
            self._receiver.addressResolved(address)
        else:
            self.refused += 1

    def resolutionComplete(self) -> None:  # noqa: N802
        """Tell the receiver that there are no more addresses."""
        self._receiver.resolutionComplete()


@implementer(IHostnameResolver)
class PublicResolver:
    """A resolver that leaves out private addresses, unless the host and port are permitted."""

    def __init__(self, resolver: Resolver, permits: Permits) -> None:
        self._resolver = resolver
        self._permits = permits
        self._receivers: list[PublicReceiver] = []

    @property
    def is_refusing(self) -> bool:
        """Whether there were addresses, and none of them public."""
        return any(receiver.refused and not receiver.passed for receiver in self._receivers)

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Receiver,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[Any]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        """Look a name up."""
        receiver = resolutionReceiver
        if not self._permits.allows(hostName, portNumber):
            receiver = PublicReceiver(resolutionReceiver)
            self._receivers.append(receiver)
        return self._resolver.resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)


@implementer(IReactorPluggableNameResolver)
class GuardedReactor:
    """The reactor, with another resolver."""

    def __init__(self, reactor: Any, resolver: PublicResolver) -> None:
        self._reactor = reactor
        self.nameResolver = resolver

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)


@implementer(IStreamClientEndpoint)
class GuardedEndpoint:
    """An endpoint that connects to public addresses only, and says so when there are no others."""

    def __init__(self, endpoint: Endpoint, permits: Permits) -> None:
        self._endpoint = endpoint
        self._named: Any = find_named_endpoint(endpoint)
        self._reactor = self._named._reactor
        self._permits = permits

    def __repr__(self) -> str:
        return repr(self._endpoint)

    def connect(self, protocolFactory: object) -> Deferred[Any]:  # noqa: N803
        """Connect; each call looks the name up and checks the answer again."""
        resolver = PublicResolver(self._reactor.nameResolver, self._permits)
        self._named._reactor = GuardedReactor(self._reactor, resolver)
        connecting: Deferred[Any] = self._endpoint.connect(protocolFactory)
        return connecting.addErrback(self._explain, resolver)

    def _explain(self, failure: Failure, resolver: PublicResolver) -> Failure:
        """Twisted says that the name is unknown; it is known too well."""
        if resolver.is_refusing:
            raise BlockedAddress("private_address", f"{self._named._hostText}:{self._named._port}")
        return failure


def find_named_endpoint(endpoint: object) -> HostnameEndpoint:
    """The endpoint that looks the name up: the given one, or the one inside it under TLS."""
    named = getattr(endpoint, "_wrappedEndpoint", endpoint)
    if isinstance(named, HostnameEndpoint) and {"_reactor", "_hostText", "_port"} <= vars(named).keys():
        return named
    raise UnsafeSetup(f"connections would be made by {endpoint!r}, whose addresses cannot be checked")


def find_tunnel_class() -> type[Any]:
    """Scrapy's endpoint for https through a proxy."""
    for name in TUNNEL_NAMES:
        found = getattr(http11, name, None)
        if isinstance(found, type):
            return found
    raise UnsafeSetup("this Scrapy has no endpoint for proxies under a known name")


class GuardedPool(HTTPConnectionPool):
    """A connection pool like the given one, new connections of which are checked, and heads of answers limited.

    Connections kept open stay under their scheme, host and port, and were checked when they were made.
    """

    def __init__(self, pool: HTTPConnectionPool, permits: Permits) -> None:
        # All of its settings, whichever Scrapy makes; it has no connections yet.
        self.__dict__.update(vars(pool))
        self._permits = permits
        self._tunnel = find_tunnel_class()
        self.is_in_use = False

    def getConnection(self, key: Hashable, endpoint: Endpoint) -> Deferred[Any]:  # noqa: N802
        """Supply a connection for one request."""
        self.is_in_use = True
        is_proxy = isinstance(endpoint, self._tunnel) or (isinstance(key, tuple) and key[:1] == (PROXY_KEY,))
        checked: Endpoint = endpoint if is_proxy else GuardedEndpoint(endpoint, self._permits)
        connecting: Deferred[Any] = super().getConnection(key, checked)
        return connecting.addCallback(limit_head)
