"""Which addresses and links a crawler may follow when anybody can write the links.

Public means the global unicast space less the special-purpose registries of IANA (RFC 6890 and its updates). The tables
are our own: ``ipaddress.is_global`` alone changed between Python releases and passes multicast and 6to4.

A host has many spellings, and the resolvers in use (``getaddrinfo``, ``gethostbyname``) take those of ``inet_aton``:
``127.1``, ``2130706433``, ``0x7f.1``, ``0177.0.0.1``. Scrapy folds full-width digits, circled digits and ideographic
full stops before it asks them. Whatever ends in a number and is no address is refused, as in the WHATWG URL standard.

Names say nothing about their address until they are looked up; ``resolving`` checks the answers. Only the names of
loopback are known here, because with a proxy nobody else would look.
"""

from __future__ import annotations

import re
import stringprep
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from scrapy_forest.errors import ForestError

__all__ = ["DEFAULT_PORTS", "MalformedPermit", "Permits", "Refusal", "check_url", "is_public", "literal_address"]

Refusal: TypeAlias = Literal["bad_scheme", "bad_url", "credentials", "private_address"]

DEFAULT_PORTS: Final = {"http": 80, "https": 443}  # these schemes and no other
MAX_PORT: Final = 65535
MAX_HOST: Final = 253  # characters of a name in the DNS, RFC 1035; also keeps int() from long work

REFUSED_V4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network, RFC 791; Linux connects 0.0.0.0 to itself
        "10.0.0.0/8",  # private, RFC 1918
        "100.64.0.0/10",  # shared by carriers, RFC 6598; one cloud's metadata is at 100.100.100.200
        "127.0.0.0/8",  # loopback, RFC 1122
        "168.63.129.16/32",  # public by number, but only Azure's own host services answer there
        "169.254.0.0/16",  # link-local, RFC 3927; metadata of most clouds
        "172.16.0.0/12",  # private, RFC 1918
        "192.0.0.0/24",  # protocol assignments, RFC 6890; one cloud's metadata
        "192.0.2.0/24",  # documentation, RFC 5737
        "192.88.99.0/24",  # relays of 6to4, withdrawn by RFC 7526
        "192.168.0.0/16",  # private, RFC 1918
        "198.18.0.0/15",  # benchmarks, RFC 2544
        "198.51.100.0/24",  # documentation, RFC 5737
        "203.0.113.0/24",  # documentation, RFC 5737
        "224.0.0.0/4",  # multicast, RFC 5771
        "240.0.0.0/4",  # reserved, RFC 1112, with the broadcast address
    )
)
GLOBAL_UNICAST: Final = IPv6Network("2000::/3")  # all that IANA gives out, RFC 4291
REFUSED_V6: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments, RFC 2928: Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # documentation, RFC 3849
        "3fff::/20",  # documentation, RFC 9637
    )
)
NAT64: Final = IPv6Network("64:ff9b::/96")  # RFC 6052; what DNS64 answers for every IPv4 site

LOOPBACK_NAMES: Final = frozenset(["localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"])

_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_HOST = re.compile(r"[a-z0-9_\-.\u0080-\U0010ffff]+")  # of ASCII, what names in use have


def is_public(ip: str) -> bool:
    """Whether an address is one of the public internet; what is no address is not.

    >>> is_public("1.1.1.1"), is_public("100.64.0.1"), is_public("64:ff9b::10.0.0.1")
    (True, False, False)
    """
    try:
        address = ip_address(ip)
    except ValueError:
        return False
    inner = address if isinstance(address, IPv4Address) else _embedded(address)
    if inner is not None:
        return not any(inner in network for network in REFUSED_V4)
    return address in GLOBAL_UNICAST and not any(address in network for network in REFUSED_V6)


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that packets to an IPv6 address end up at: v4-mapped, 6to4, NAT64.

    Teredo has one too, and is refused altogether.
    """
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def literal_address(host: str) -> str | None:
    """The address a host's spelling means, without a look-up; None for other names.

    >>> literal_address("0x7f.1"), literal_address("[::FFFF:7f00:1]"), literal_address("example.com")
    ('127.0.0.1', '::ffff:7f00:1', None)
    """
    return _read_address(_fold(host))


def _fold(host: str) -> str:
    """A host as the resolver gets it, or stricter: one spelling for all that Scrapy and IDNA take for the same."""
    visible = "".join(character for character in unquote(host) if not stringprep.in_table_b1(character))
    folded = unicodedata.normalize("NFKC", visible).casefold().replace("。", ".")
    if folded.startswith("[") and folded.endswith("]"):
        folded = folded[1:-1]
    return folded.removesuffix(".")


def _read_address(folded: str) -> str | None:
    if len(folded) > MAX_HOST:
        return None
    if ":" in folded:
        return _read_v6(folded)
    if folded in LOOPBACK_NAMES or folded.endswith(".localhost"):
        return "127.0.0.1"
    return _read_v4(folded)


def _read_v6(folded: str) -> str | None:
    try:
        return str(IPv6Address(folded.partition("%")[0]))  # a zone only says which of our own links to use
    except AddressValueError:
        return None


def _read_v4(folded: str) -> str | None:
    """``inet_aton``: one to four numbers in any base, the last fills the bytes that are left."""
    numbers = [_read_number(part) for part in folded.split(".")]
    *firsts, last = numbers
    if len(numbers) > 4 or last is None or last >= 256 ** (5 - len(numbers)):
        return None
    value = last
    for place, number in enumerate(firsts):
        if number is None or number > 255:
            return None
        value += number << 8 * (3 - place)
    return str(IPv4Address(value))


def _read_number(part: str) -> int | None:
    if not _NUMBER.fullmatch(part):
        return None
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    if part.startswith("0"):
        return None if "8" in part or "9" in part else int(part, 8)
    return int(part)


def _is_host(folded: str) -> bool:
    """Whether a folded host is an address or could be the name of one."""
    if _read_address(folded) is not None:
        return True
    if len(folded) > MAX_HOST or not _HOST.fullmatch(folded):
        return False
    *_, last = labels = folded.split(".")
    return all(labels) and not _NUMBER.fullmatch(last)


class MalformedPermit(ForestError, ValueError):
    """An entry of FOREST_ALLOW_PRIVATE that is not host:port."""

    def __init__(self, entry: str) -> None:
        super().__init__(entry)
        self.entry = entry

    def __str__(self) -> str:
        return f"FOREST_ALLOW_PRIVATE: {self.entry!r} is not host:port, such as 'localhost:8000' or '[::1]:8000'"


@dataclass(frozen=True, slots=True)
class Permits:
    """Hosts with their port that may be reached though they are private.

    A permit is for the host as links name it: ``localhost:8000`` does not allow ``127.0.0.1:8000``, nor a name that
    somebody else's DNS points there.
    """

    entries: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def parse(cls, entries: Iterable[str]) -> Permits:
        """Read ``host:port`` entries.

        >>> Permits.parse(["LOCALHOST:8000"]).allows("localhost", 8000)
        True
        """
        return cls(frozenset(_read_permit(entry) for entry in entries))

    def allows(self, host: str, port: int) -> bool:
        """Whether the user allowed this host and port."""
        return bool(self.entries) and (_spell(host), port) in self.entries


def _has_ascii_form(host: str) -> bool:
    """Whether the name can be asked for; if not, Scrapy logs a traceback, and the name as it is."""
    try:
        return host.isascii() or bool(host.encode("idna"))
    except UnicodeError:
        return False


def _read_permit(entry: str) -> tuple[str, int]:
    host, _, port = entry.strip().rpartition(":")
    is_bare_v6 = ":" in host and not host.startswith("[")  # ::1:80 could be an address without port
    if is_bare_v6 or not _is_host(_fold(host)) or not re.fullmatch("[0-9]{1,5}", port):
        raise MalformedPermit(entry)
    if not 0 < int(port) <= MAX_PORT:
        raise MalformedPermit(entry)
    return _spell(host), int(port)


def _spell(host: str) -> str:
    """The one spelling of a host that permits are compared by: names in ASCII, addresses in their standard form.

    Twisted turns ``xn--`` names back into Unicode before it asks the resolver, links have them in either form.
    """
    folded = _fold(host)
    if folded in LOOPBACK_NAMES or folded.endswith(".localhost"):
        return folded
    try:
        return _read_address(folded) or folded.encode("idna").decode("ascii")
    except UnicodeError:  # a name that IDNA 2003 cannot encode is compared as it is
        return folded


def check_url(url: str, permits: Permits) -> Refusal | None:
    """Why a link must not be followed; None when nothing in it speaks against that.

    >>> check_url("http://127.1/", Permits()), check_url("file:///etc/passwd", Permits())
    ('private_address', 'bad_scheme')
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "bad_url"
    if parts.scheme not in DEFAULT_PORTS:
        return "bad_scheme" if parts.scheme else "bad_url"
    if "@" in parts.netloc:
        return "credentials"
    folded = _fold(parts.hostname or "")
    if port == 0 or not _is_host(folded) or not _has_ascii_form(folded) or ("[" in parts.netloc and ":" not in folded):
        return "bad_url"
    address = _read_address(folded)
    if address is None or is_public(address):
        return None
    return None if permits.allows(folded, port or DEFAULT_PORTS[parts.scheme]) else "private_address"
