"""The feeds of the sites: RSS 2.0, RSS 1.0 and Atom, with excerpts, whole articles or nothing but titles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from email.utils import format_datetime
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from demo_sites.articles import Article
from demo_sites.host import Host, page_id

RSS: Final = "application/rss+xml"
RDF: Final = "application/rdf+xml"
ATOM: Final = "application/atom+xml"

Describe = Callable[[Host, Article], Sequence[str]]


def excerpt(_: Host, article: Article) -> list[str]:
    """The summary alone."""
    return [element("description", article.summary)]


def full_content(host: Host, article: Article) -> list[str]:
    """The summary and the whole article."""
    body = absolute_sources(host, article.body).replace("]]>", "]]]]><![CDATA[>")
    return [*excerpt(host, article), f"<content:encoded><![CDATA[{body}]]></content:encoded>"]


def title_only(_: Host, __: Article) -> list[str]:
    """Nothing: feeds of titles exist."""
    return []


def write_rss(host: Host, describe: Describe, encoding: str = "UTF-8") -> str:
    """RSS 2.0 of the listed articles."""
    items = [_rss_item(host, article, describe(host, article)) for article in host.site.listed]
    return _rss(host, host.routes.feed, host.site.name, items, encoding)


def write_comment_rss(host: Host) -> str:
    """RSS 2.0 of what readers said, as WordPress offers it: a feed whose entries are no articles."""
    path = host.routes.comment_feed or ""
    items = [
        _item(
            element("title", f"Comment on {article.title} by {comment.author}"),
            element("link", f"{host.article_url(article)}#comment-{page_id(article)}{place}"),
            element("guid", f"{host.article_url(article)}#comment-{page_id(article)}{place}"),
            element("dc:creator", comment.author),
            element("description", comment.text),
        )
        for article in host.site.listed
        for place, comment in enumerate(host.comments_on(article), 1)
    ]
    return _rss(host, path, f"Comments for {host.site.name}", items, "UTF-8")


def write_rdf(host: Host) -> str:
    """RSS 1.0 of the listed articles, with excerpts."""
    site, url = host.site, host.url(host.routes.feed)
    order = "\n".join(f"<rdf:li rdf:resource={quoteattr(host.article_url(each))}/>" for each in site.listed)
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"'
            f' xmlns:dc="http://purl.org/dc/elements/1.1/" xml:lang="{site.language}">',
            f"<channel rdf:about={quoteattr(url)}>",
            element("title", site.name),
            element("link", host.url("/")),
            element("description", site.tagline),
            element("dc:language", site.language),
            f"<items><rdf:Seq>\n{order}\n</rdf:Seq></items>",
            "</channel>",
            *(_rdf_item(host, article) for article in site.listed),
            "</rdf:RDF>\n",
        ]
    )


def write_atom(host: Host, is_full: Callable[[Article], bool]) -> str:
    """Atom of the listed articles: the whole article or an excerpt, as ``is_full`` says."""
    site, url = host.site, host.url(host.routes.feed)
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{site.language}">',
            element("id", host.url("/")),
            element("title", site.name),
            element("subtitle", site.tagline),
            f'<link rel="self" type="{ATOM}" href={quoteattr(url)}/>',
            f'<link rel="alternate" type="text/html" href={quoteattr(host.url("/"))}/>',
            element("updated", max(article.date for article in site.listed).isoformat()),
            *(_atom_entry(host, article, is_full=is_full(article)) for article in site.listed),
            "</feed>\n",
        ]
    )


def element(name: str, text: str) -> str:
    """An element with nothing but text."""
    return f"<{name}>{escape(text)}</{name}>"


def absolute_sources(host: Host, body: str) -> str:
    """The body with pictures that are found from anywhere, as a feed needs them."""
    return body.replace('src="/', f'src="{host.url("/")}')


def _rss(host: Host, path: str, title: str, items: list[str], encoding: str) -> str:
    return "\n".join(
        [
            f'<?xml version="1.0" encoding="{encoding}"?>',
            '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
            ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">',
            "<channel>",
            element("title", title),
            f'<atom:link href={quoteattr(host.url(path))} rel="self" type="{RSS}"/>',
            element("link", host.url("/")),
            element("description", host.site.tagline),
            element("language", host.site.language),
            *items,
            "</channel>",
            "</rss>\n",
        ]
    )


def _item(*parts: str) -> str:
    return "\n".join(["<item>", *parts, "</item>"])


def _rss_item(host: Host, article: Article, description: Sequence[str]) -> str:
    return _item(
        element("title", article.title),
        element("link", host.article_url(article)),
        element("guid", host.article_url(article)),
        element("pubDate", format_datetime(article.date)),
        *(element("dc:creator", author) for author in article.authors),
        *(element("category", tag) for tag in article.tags),
        *description,
    )


def _rdf_item(host: Host, article: Article) -> str:
    url = host.article_url(article)
    return "\n".join(
        [
            f"<item rdf:about={quoteattr(url)}>",
            element("title", article.title),
            element("link", url),
            element("description", article.summary),
            *(element("dc:creator", author) for author in article.authors),
            element("dc:date", article.date.isoformat()),
            *(element("dc:subject", tag) for tag in article.tags),
            "</item>",
        ]
    )


def _atom_entry(host: Host, article: Article, *, is_full: bool) -> str:
    url = host.article_url(article)
    body = escape(absolute_sources(host, article.body))
    return "\n".join(
        [
            "<entry>",
            element("id", url),
            element("title", article.title),
            f'<link rel="alternate" type="text/html" href={quoteattr(url)}/>',
            element("published", article.date.isoformat()),
            element("updated", article.date.isoformat()),
            *(f"<author>{element('name', author)}</author>" for author in article.authors),
            *(f"<category term={quoteattr(tag)}/>" for tag in article.tags),
            f'<content type="html">{body}</content>' if is_full else element("summary", article.summary),
            "</entry>",
        ]
    )
