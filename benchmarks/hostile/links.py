"""Links that a feed may hold and that nobody may follow; none of them needs a look-up to be refused."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from hostile.inputs import Input

GROUP: Final = "links"
FILES: Final = (
    "file:/etc/hostname",
    "file:///etc/passwd",
    "FILE:///etc/hostname",
    "file://localhost/etc/hostname",
    "file://feeds.example/etc/hostname",
    "file:///proc/self/environ",
    "file:////etc/passwd",
    "file:/%65tc/passwd",
    "\x01file:///etc/passwd",
    " file:///etc/passwd",
)
SCHEMES: Final = (
    "data:text/html,<p>x</p>",
    "data:text/html;base64,PHA+",
    "ftp://127.0.0.1/",
    "ftp://ftp.example.com/a",
    "s3://bucket/key",
    "gopher://127.0.0.1:70/_x",
    "jar:http://example.com/a.jar!/x",
    "view-source:http://example.com/",
    "feed:https://example.com/feed",
    "feed://example.com/feed",
    "about:blank",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "mailto:a@example.com",
    "ws://example.com/",
    "chrome://settings",
    "blob:https://example.com/x",
    "ldap://127.0.0.1/",
    "dict://127.0.0.1:11211/stat",
    "httpx://example.com/",
)
MALFORMED: Final = (
    "https://",
    "http://[::1",
    "http://::1]/",
    "https://example.com:99999/",
    "https://example.com:abc/",
    "https://example.com:0/",
    "http://1.2.3.4.5/",
    "http://256.1.1.1/",
    "http://exa mple.com/",
    "http://example..com/",
    "http://user:pw@example.com/",
    "http://user@127.0.0.1/",
    "http://example.com@127.0.0.1/",
    "http://127.0.0.1\\@example.com/",
    f"http://{'a' * 300}.example/",
    "http://%00/",
    "http://exa%0d%0ample.com/",
)
LOOPBACK: Final = (
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",  # noqa: S104 - nothing is bound
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
    "①②⑦.⓪.⓪.①",
    "１２７．０．０．１",
    "127。0。0。1",
    "127%2e0%2e0%2e1",
    "127.0.0.1.",
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "localhost.localdomain",
    "ip6-localhost",
    "127.0.0.1:22",
)
PRIVATE: Final = (
    "10.0.0.1",
    "10.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "[::ffff:169.254.169.254]",
    "100.64.0.1",
    "100.100.100.200",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "224.0.0.1",
    "[ff02::1]",
    "255.255.255.255",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::1]",
    "[2001:0:7f00:1::1]",
    "198.18.0.1",
    "192.0.2.1",
)
LOCAL: Final = ("private_address", "bad_url", "bad_link")


def inputs() -> Iterator[Input]:
    for link in FILES:
        yield _link("N01", link, "bad_link", "bad_scheme")
    for link in SCHEMES:
        yield _link("N02", link, "bad_link", "bad_scheme")
    for host in LOOPBACK:
        yield _link("N03", f"http://{host}/", *LOCAL)
    yield _link("N03", "//localhost/", *LOCAL)
    for host in PRIVATE:
        yield _link("N04", f"http://{host}/latest/meta-data/", *LOCAL)
    for link in MALFORMED:
        yield _link("N21", link, "bad_link", "bad_url", "credentials", "private_address")


def _link(row: str, link: str, *words: str) -> Input:
    name = link if len(link) < 60 else f"{link[:40]}… of {len(link)} characters"
    return Input(row, repr(name)[1:-1], "link", GROUP, partial(link.encode, "utf-8"), words, content_type=None)
