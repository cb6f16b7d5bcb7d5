"""Who may teach the wrapper of a host.

Anybody can link to anybody's pages, and choose which: search results, pages that he wrote himself on somebody else's
site, pages behind an open redirect.  So pages teach the template of the host that answered only if the feed that led to
them is of the same site, or if no feed did: then the user's own spider chose them.

What other feeds lead to (planets, proxies of feeds) is learned as well, from those pages, as long as nothing better is
known.  It is provisional: the host's own feed teaches it anew, and is never outvoted.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final
from urllib.parse import urlsplit

from tldextract import TLDExtract

from scrapy_forest.crawl.groups import host_of

HOSTS: Final = 10_000  # sites that are remembered: a crawl asks for the same few for each page


def is_entitled(feed: str | None, page: str) -> bool:
    """Whether a page may teach, given where its feed was served; None for a page that no feed led to.

    >>> is_entitled("https://feeds.example.co.uk/all", "https://www.example.co.uk/1")
    True
    >>> is_entitled("https://a.github.io/feed", "https://b.github.io/1")
    False
    """
    return feed is None or site_of(host_of(feed)) == site_of(host_of(page))


def is_own_address(page: str, address: str) -> bool:
    """Whether a page may say that this is its address: one of the same host, and not the host itself.

    A site's hosts may be of different people, who could claim the addresses of each other's articles.

    >>> is_own_address("https://www.a.com/1?x=2", "https://a.com/1"), is_own_address("https://a.com/1", "https://a.com/")
    (True, False)
    """
    try:
        parts, host = urlsplit(address), host_of(address)
    except ValueError:  # its port may be any number
        return False
    return host_of(page) == host and bool(parts.path.strip("/") or parts.query)


@lru_cache(HOSTS)
def site_of(host: str) -> str:
    """What somebody has registered, so that all below it is his; a host without that is its own.

    >>> site_of("blog.example.co.uk"), site_of("a.github.io:8000"), site_of("127.0.0.1:8000")
    ('example.co.uk', 'a.github.io', '127.0.0.1:8000')
    """
    parts = _suffixes()(host)
    if parts.suffix or parts.ipv4 or parts.ipv6:
        return parts.top_domain_under_public_suffix or host
    names = ".".join([parts.subdomain, parts.domain]).split(".")
    return ".".join(names[-2:]) if all(names[-2:]) else host  # of a top-level domain that is not on the list


@cache
def _suffixes() -> TLDExtract:
    """The list of public suffixes that is installed: nothing is downloaded, nothing is written."""
    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)
