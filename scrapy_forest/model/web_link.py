"""Links that lead to the web, and nowhere else."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

_HTTP: Final = re.compile(r"https?://", re.I)
# Most links need no parser, which takes ten times as long: whole ones, and those that hang on a page or a host.
_PLAIN: Final = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(?:[/?#][^\x00-\x20\\]*)?")
_ORIGIN: Final = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(?=[/?#]|$)")
_USER: Final = re.compile(r"\A(\s*[\w+.-]*:?[/\\]*)[^/\\?#]*@")
_HANGING: Final = re.compile(r"(?:#|/(?![/.]))(?:(?!/\.)[^\x00-\x20\\])*")


def web_link(base: str, link: str) -> str | None:
    """The link made absolute, None unless it leads to a host by http(s).

    >>> web_link("https://a.com/1", " 2\\n"), web_link("https://a.com", "data:,"), web_link("https://a.com", "//[")
    ('https://a.com/2', None, None)
    """
    link = link.strip()
    if _PLAIN.fullmatch(link):
        return link
    if _HANGING.fullmatch(link) and (origin := _ORIGIN.match(base)):
        return (base.partition("#")[0] if link[0] == "#" else origin[0]) + link
    try:
        link = link if _HTTP.match(link) else urljoin(base, link)
        return link if _HTTP.match(link) and urlsplit(link).hostname else None
    except ValueError:
        return None


def without_password(link: str) -> str:
    """The link as it may be shown and logged: what stands before the host is nobody else's business.

    >>> without_password("https://me:secret@a.com/@b"), without_password("https://a.com/?to=@b")
    ('https://***@a.com/@b', 'https://a.com/?to=@b')
    """
    return _USER.sub(r"\1***@", link, count=1)


def host_of(link: str) -> str:
    """The host of a link, empty if it has none.

    >>> host_of("https://WWW.a.com:8080/b"), host_of("//[")
    ('www.a.com', '')
    """
    try:
        return urlsplit(link).hostname or ""
    except ValueError:
        return ""
