"""From articles and templates to the bytes of every page, the same bytes each time."""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Final

from demo_sites.articles import SITES, read_site
from demo_sites.host import PAGE_LENGTH, Host
from demo_sites.templates.theme import Listing, Theme
from demo_sites.templates.themes import THEMES

# One grey dot; what the pictures show does not matter, that they are there does.
PICTURE: Final = b64decode(
    "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP////////////////////////////////////////////////////////////////////////////////"
    "//////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA="
)
SITEMAP_SITE: Final = "hafenblick"
_PICTURE_PATH: Final = re.compile(r'src="(/img/[\w.-]+)"')


@dataclass(frozen=True, slots=True)
class Response:
    """What the server answers; only what has a date, the feeds, is answered with 304 to whoever knows it."""

    body: bytes
    content_type: str
    modified: datetime | None = None
    status: int = 200

    @property
    def etag(self) -> str:
        """A strong validator: equal only for equal bytes."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:20]}"'


def build(base: Mapping[str, str]) -> dict[tuple[str, str], Response]:
    """All responses of the sites in ``base`` (site to origin, without a slash at its end), by site and path.

    Paths are as a request writes them: percent-encoded.
    """
    return {(key, path): response for key, host in hosts(base).items() for path, response in _pages(host)}


def hosts(base: Mapping[str, str]) -> dict[str, Host]:
    """The sites at their origins, in the order of ``SITES``."""
    return {key: Host(read_site(key), base[key], THEMES[key].routes) for key in SITES if key in base}


def feed_urls(base: Mapping[str, str]) -> list[str]:
    """The address of each site's feed of articles."""
    return [host.url(host.routes.feed) for host in hosts(base).values()]


def _pages(host: Host) -> Iterator[tuple[str, Response]]:
    theme = THEMES[host.site.key]
    for article in host.site.articles:
        yield host.article_path(article), _html(theme.article(host, article), theme)
        for path in _PICTURE_PATH.findall(article.body):
            yield path, Response(PICTURE, "image/jpeg")
    for listing in _listings(host):
        yield listing.path, _html(theme.listing(host, listing), theme)
    yield host.routes.about, _html(theme.about(host), theme)
    yield from _feeds(host, theme)
    yield from _files(host, theme)


def _html(text: str, theme: Theme) -> Response:
    return Response(text.encode(theme.encoding), f"text/html; charset={theme.encoding}")


def _listings(host: Host) -> Iterator[Listing]:
    articles = host.site.articles
    for number in range(1, host.page_count + 1):
        shown = articles[(number - 1) * PAGE_LENGTH : number * PAGE_LENGTH]
        yield Listing(host.page_path(number), host.site.name, shown, number)
    for tag in host.tags:
        yield Listing(host.tag_path(tag), tag, tuple(each for each in articles if tag in each.tags))
    for section in host.sections:
        yield Listing(host.section_path(section), section, tuple(each for each in articles if each.section == section))
    for author in host.authors:
        yield Listing(host.author_path(author), author, tuple(each for each in articles if author in each.authors))


def _feeds(host: Host, theme: Theme) -> Iterator[tuple[str, Response]]:
    modified = max(article.date for article in host.site.listed)
    for path, content_type, text in theme.feeds(host):
        yield path, Response(text.encode(theme.encoding), f"{content_type}; charset={theme.encoding}", modified)


def _files(host: Host, theme: Theme) -> Iterator[tuple[str, Response]]:
    robots = "User-agent: *\nAllow: /\n"
    if host.site.key == SITEMAP_SITE:
        robots += f"Sitemap: {host.url('/sitemap.xml')}\n"
        yield "/sitemap.xml", Response(_sitemap(host).encode(), "application/xml; charset=utf-8")
    yield "/robots.txt", Response(robots.encode(), "text/plain; charset=utf-8")
    yield "/style.css", Response(theme.style.encode(), "text/css; charset=utf-8")
    yield "/favicon.ico", Response(PICTURE, "image/jpeg")


def _sitemap(host: Host) -> str:
    places = "\n".join(
        f"<url><loc>{escape(host.article_url(article))}</loc><lastmod>{article.date.isoformat()}</lastmod></url>"
        for article in host.site.articles
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}\n</urlset>\n'
    )
