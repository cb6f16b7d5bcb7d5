"""Lets no test out: connections to anything but this machine, and look-ups of names, fail and are written down.

Python imports a module of this name when it starts.  The root conftest installs it for its own process, and puts this
directory on PYTHONPATH, so that the processes which tests start have it as well: crawls, workers, commands.
"""

from __future__ import annotations

import os
import socket
import sys
from ipaddress import IPv4Address, IPv6Address, ip_address

RECORD = "FOREST_TESTS_NETWORK"  # the environment variable that names the file for violations
# Names that never exist outside, so that code may ask for them: RFC 2606 and 6761.
RESERVED = ("example", "invalid", "localhost", "test")
LOCAL = ("", "localhost", "ip6-localhost")


def watch(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook: all sockets of Python come through here, whoever makes them."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        family, address = getattr(arguments[0], "family", None), arguments[1]
        if family in (socket.AF_INET, socket.AF_INET6) and address and not is_local(str(address[0])):
            note(event, address)
            raise PermissionError(f"the tests do not connect to {address!r}")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        host = arguments[0].decode("latin-1") if isinstance(arguments[0], bytes) else arguments[0]
        if host and not is_local(str(host)) and address_of(str(host)) is None:
            last = str(host).rstrip(".").rpartition(".")[2].lower()
            if last not in RESERVED and not last.isdigit():  # "127.0.0.1." is a name to the system
                note(event, host)
            raise socket.gaierror(socket.EAI_NONAME, f"the tests do not look up {host!r}")


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    address = address_of(host)
    if address is None:
        return host.lower().rstrip(".") in LOCAL
    mapped = getattr(address, "ipv4_mapped", None)
    # To all that is near, TCP makes no connection: the system refuses by itself.
    return (mapped or address).is_loopback or address.is_unspecified or host == "255.255.255.255"


def address_of(host: str) -> IPv4Address | IPv6Address | None:
    """The address that stands for itself, in any spelling: nobody need look it up."""
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        pass
    try:
        return ip_address(socket.inet_aton(host))  # 127.1, 0x7f000001
    except (OSError, UnicodeError):
        return None


def note(event: str, target: object) -> None:
    """Write a violation down: whoever tried may swallow the error."""
    if path := os.environ.get(RECORD):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{event} {target!r} by {sys.argv[:2]}\n")


def install() -> None:
    """Once in a process; it cannot be taken out again."""
    if not hasattr(sys, "forest_tests_guard"):
        sys.forest_tests_guard = True  # type: ignore[attr-defined]
        sys.addaudithook(watch)


install()
