"""Harrowmere Field Notes: a page of 2005, tables in tables, font tags, one class in all, bytes in windows-1252."""

from __future__ import annotations

from html import escape
from typing import Final

from demo_sites.articles import Article
from demo_sites.feeds import RSS, title_only, write_rss
from demo_sites.host import Host, Routes
from demo_sites.templates.theme import Listing, Theme, article_link, format_date, link

ENCODING: Final = "windows-1252"
ROUTES: Final = Routes(
    article="/archives/{date:%Y}/{id:06d}.html",
    tag="/keywords/{name}.html",
    section="/sections/{name}.html",
    author="/people/{name}.html",
    page="/index{number}.html",
    about="/about.html",
    feed="/index.xml",
)
STYLE: Final = "body{background:#fffff0}\n"
FONT: Final = '<font face="Verdana, Arial" size="2">'
SMALL: Final = '<font face="Verdana, Arial" size="1" color="#666666">'


def write_article(host: Host, article: Article) -> str:
    """The page of a note."""
    older, newer = host.neighbours(article)
    steps = [article_link(host, each) for each in (older, newer) if each]
    authors = " and ".join(link(host.author_path(each), each) for each in article.authors)
    tags = ", ".join(link(host.tag_path(tag), tag) for tag in article.tags)
    main = f"""<table width="100%" border="0" cellpadding="4" cellspacing="0">
<tr><td bgcolor="#e0e8d0"><font face="Georgia" size="5"><b>{escape(article.title)}</b></font></td></tr>
<tr><td>{SMALL}{format_date(article.date, "en")} | by {authors} | {_section(host, article)}</font></td></tr>
<tr><td class="bodytext">{FONT}
{article.body}
</font></td></tr>
<tr><td>{SMALL}Keywords: {tags}<br><a href="?email">Email this note</a> | \
<a href="?print">Printer version</a></font></td></tr>
<tr><td align="center">{SMALL}{" | ".join(steps)}</font></td></tr>
</table>
{_comments(host, article)}"""
    return _frame(host, f"{host.site.name}: {article.title}", main)


def write_listing(host: Host, listing: Listing) -> str:
    """The index, a keyword, a section or an author."""
    rows = "\n".join(
        f'<tr><td width="110" valign="top">{SMALL}{format_date(article.date, "en")}</font></td>'
        f"<td>{FONT}<b>{article_link(host, article)}</b><br>{escape(article.summary)}</font></td></tr>"
        for article in listing.articles
    )
    numbers = range(1, host.page_count + 1) if listing.number else ()
    pages = " ".join(link(host.page_path(number), f"[{number}]") for number in numbers)
    heading = "Latest notes" if listing.number else escape(listing.title)
    main = f"""<font face="Georgia" size="5"><b>{heading}</b></font>
<table width="100%" border="0" cellpadding="4" cellspacing="0">
{rows}
</table>
<center>{FONT}{pages}</font></center>"""
    return _frame(host, f"{host.site.name}: {listing.title}", main)


def write_about(host: Host) -> str:
    """Who we are."""
    main = f'<font face="Georgia" size="5"><b>About</b></font><br><br>{FONT}{escape(host.site.about)}</font>'
    return _frame(host, f"{host.site.name}: About", main)


def write_feeds(host: Host) -> list[tuple[str, str, str]]:
    """Titles and links, nothing else."""
    return [(ROUTES.feed, RSS, write_rss(host, title_only, ENCODING))]


def _frame(host: Host, title: str, main: str) -> str:
    site = host.site
    sections = "<br>\n".join(link(host.section_path(section), section) for section in host.sections)
    recent = "<br>\n".join(article_link(host, article) for article in host.recent(6))
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html lang="{site.language}">
<head>
<meta http-equiv="Content-Type" content="text/html; charset={ENCODING}">
<title>{escape(title)}</title>
<link rel="alternate" type="application/rss+xml" title="RSS" href="{ROUTES.feed}">
<link rel="stylesheet" type="text/css" href="/style.css">
</head>
<body text="#000000" link="#336633" vlink="#669966">
<table width="780" border="0" cellpadding="0" cellspacing="0" align="center">
<tr><td colspan="3" bgcolor="#336633" height="60">\
<font face="Georgia" size="6" color="#ffffff">&nbsp;{escape(site.name)}</font><br>\
<font face="Verdana" size="1" color="#ffffff">&nbsp;&nbsp;{escape(site.tagline)}</font></td></tr>
<tr><td colspan="3" bgcolor="#ccddbb">{FONT}&nbsp;<a href="/">Home</a> | <a href="/about.html">About</a> | \
<a href="/index.xml">RSS</a></font></td></tr>
<tr>
<td width="150" valign="top">
<table width="100%" border="0" cellpadding="4"><tr><td bgcolor="#e0e8d0">{FONT}<b>Sections</b></font></td></tr>
<tr><td>{SMALL}{sections}</font></td></tr>
<tr><td bgcolor="#e0e8d0">{FONT}<b>Recent notes</b></font></td></tr>
<tr><td>{SMALL}{recent}</font></td></tr></table>
</td>
<td width="480" valign="top">
{main}
</td>
<td width="150" valign="top">
<table width="100%" border="1" cellpadding="4"><tr><td>{SMALL}{escape(site.adverts[0])}</font></td></tr></table>
</td>
</tr>
<tr><td colspan="3" align="center">{SMALL}<hr>All text and pictures by the people of {escape(site.name)}. \
Best viewed with any browser at 800 by 600.</font></td></tr>
</table>
</body>
</html>
"""


def _section(host: Host, article: Article) -> str:
    return f"Filed under {link(host.section_path(article.section), article.section)}"


def _comments(host: Host, article: Article) -> str:
    rows = "\n".join(
        f"<tr><td>{FONT}{escape(each.text)}</font><br>"
        f"{SMALL}Posted by {escape(each.author)} on {escape(each.date[:10])}</font></td></tr>"
        for each in host.comments_on(article)
    )
    return f"""<table width="100%" border="0" cellpadding="4" cellspacing="2">
<tr><td bgcolor="#ccddbb">{FONT}<b>Comments</b></font></td></tr>
{rows}
<tr><td>{SMALL}Comments are read before they appear. Be kind to the newts.</font></td></tr>
</table>"""


THEME: Final = Theme(ROUTES, write_article, write_listing, write_about, write_feeds, STYLE, ENCODING)
