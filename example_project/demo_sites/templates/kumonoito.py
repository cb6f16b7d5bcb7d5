"""Kumo no ito: a Japanese blog on a hosting service, with a table of contents before the text."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from demo_sites.articles import Article
from demo_sites.feeds import RSS, full_content, write_rss
from demo_sites.host import Host, Routes, page_id
from demo_sites.templates.theme import Listing, Theme, article_link, format_date, link, list_items

ROUTES: Final = Routes(
    article="/entry/{date:%Y}/{date:%m}/{date:%d}/{article.slug}",
    tag="/archive/tag/{name}",
    section="/archive/category/{name}",
    author="/archive/author/{name}",
    page="/archive/page/{number}",
    about="/about",
    feed="/rss",
)
STYLE: Final = """body{font:16px/1.9 "Hiragino Sans","Noto Sans JP",sans-serif;margin:0;color:#333}
#container{max-width:1000px;margin:auto}#content-inner{display:flex;gap:32px}#wrapper{flex:1;min-width:0}#box2{width:240px}
.entry-content pre{background:#f4f6f8;padding:12px;overflow:auto}.toc{border:1px solid #ddd;padding:8px 24px}
"""
_HEADING: Final = re.compile(r"<h2>(.*?)</h2>")


def write_article(host: Host, article: Article) -> str:
    """The page of an entry."""
    url = host.article_url(article)
    head = f"""<meta property="og:type" content="article">
<meta property="og:title" content="{escape(article.title)}">
<meta property="og:description" content="{escape(article.summary)}">
<meta property="og:url" content="{url}">
<meta property="article:published_time" content="{article.date.isoformat()}">
{"".join(f'<meta property="article:tag" content="{escape(tag)}">' for tag in article.tags)}
<link rel="canonical" href="{url}">
"""
    return _frame(host, f"{article.title} - {host.site.name}", "page-entry", _entry(host, article), head)


def write_listing(host: Host, listing: Listing) -> str:
    """The index, a tag, a category or an author."""
    entries = "\n".join(
        f'<section class="archive-entry"><div class="archive-date">{_time(article)}</div>'
        f'<h2 class="entry-title">{article_link(host, article, "class=entry-title-link")}</h2>'
        f'<p class="entry-description">{escape(article.summary)}</p></section>'
        for article in listing.articles
    )
    is_last = listing.number in (0, host.page_count)
    pager = "" if is_last else link(host.page_path(listing.number + 1), "次のページ", 'rel="next"')
    heading = "記事一覧" if listing.number else f"{escape(listing.title)} の記事"
    main = f'<h2 class="archive-heading">{heading}</h2>\n{entries}\n<div class="pager">{pager}</div>'
    return _frame(host, f"{listing.title} - {host.site.tagline}", "page-archive", main)


def write_about(host: Host) -> str:
    """About the blog."""
    title = "このブログについて"
    main = f'<article class="entry"><h1 class="entry-title">{title}</h1><p>{escape(host.site.about)}</p></article>'
    return _frame(host, f"{title} - {host.site.name}", "page-about", main)


def write_feeds(host: Host) -> list[tuple[str, str, str]]:
    """The whole articles."""
    return [(ROUTES.feed, RSS, write_rss(host, full_content))]


def _frame(host: Host, title: str, kind: str, main: str, head: str = "") -> str:
    site = host.site
    categories = list_items(link(host.section_path(section), section) for section in host.sections)
    recent = list_items(article_link(host, article, 'class="recent-entries-title-link"') for article in host.recent())
    return f"""<!DOCTYPE html>
<html lang="{site.language}" data-layout="2col">
<head>
<meta charset="utf-8"/>
<title>{escape(title)}</title>
{head}<link rel="alternate" type="application/rss+xml" title="{escape(site.name)}" href="{host.url(ROUTES.feed)}"/>
<link rel="stylesheet" href="/style.css"/>
</head>
<body class="{kind}">
<div id="container">
<div id="blog-title"><h1 id="title"><a href="/">{escape(site.name)}</a></h1>
<h2 id="blog-description">{escape(site.tagline)}</h2></div>
<div id="top-editarea"><ul class="gnav"><li><a href="/">トップ</a></li>\
<li><a href="/about">このブログについて</a></li></ul></div>
<div id="content-inner">
<div id="wrapper">
{main}
</div>
<div id="box2">
<div class="hatena-module"><div class="module-title">最新記事</div><ul>{recent}</ul></div>
<div class="hatena-module"><div class="module-title">カテゴリー</div><ul>{categories}</ul></div>
<div class="hatena-module module-ad">{escape(site.adverts[0])}</div>
<div class="hatena-module"><div class="module-title">検索</div>\
<form action="/"><input type="text" name="q"></form></div>
</div>
</div>
<footer id="footer">© {escape(site.name)} 無断転載はご遠慮ください。</footer>
</div>
</body>
</html>
"""


def _entry(host: Host, article: Article) -> str:
    authors = "、".join(link(host.author_path(each), each, 'class="author"') for each in article.authors)
    tags = " ".join(link(host.tag_path(tag), f"#{tag}", 'class="entry-tag"') for tag in article.tags)
    older, newer = host.neighbours(article)
    pager = [
        article_link(host, each, f'class="pager-{name}"') for each, name in ((newer, "next"), (older, "prev")) if each
    ]
    return f"""<article class="entry" data-uuid="{page_id(article)}2026">
<header class="entry-header"><div class="entry-date">{_time(article)}</div>
<h1 class="entry-title">{article_link(host, article, 'class="entry-title-link"')}</h1>
<div class="entry-categories">{link(host.section_path(article.section), article.section)}</div></header>
{_contents(article)}
<div class="entry-content">
{_with_anchors(article.body)}
</div>
<footer class="entry-footer"><p class="entry-footer-section">{authors} {_time(article)}</p>
<div class="entry-tags">{tags}</div>
<div class="social-buttons"><a href="?share=b">ブックマーク</a> <a href="?share=line">LINEで送る</a></div>
{_comments(host, article)}</footer>
</article>
<div class="related-entries"><h3>関連記事</h3><ul>{list_items(_related(host, article))}</ul></div>
<div class="pager">{" ".join(pager)}</div>"""


def _time(article: Article) -> str:
    return f'<time datetime="{article.date.isoformat()}">{format_date(article.date, "ja")}</time>'


def _contents(article: Article) -> str:
    headings = _HEADING.findall(article.body)
    if not headings:
        return ""
    items = list_items(f'<a href="#midashi-{place}">{text}</a>' for place, text in enumerate(headings, 1))
    return f'<div class="toc"><p class="toc-title">目次</p><ol>{items}</ol></div>'


def _with_anchors(body: str) -> str:
    """The body with headings that the table of contents can point to."""
    pieces = body.split("<h2>")
    return pieces[0] + "".join(f'<h2 id="midashi-{place}">{piece}' for place, piece in enumerate(pieces[1:], 1))


def _related(host: Host, article: Article) -> list[str]:
    return [f'{article_link(host, each)}<p class="desc">{escape(each.summary)}</p>' for each in host.related(article)]


def _comments(host: Host, article: Article) -> str:
    items = "\n".join(
        f'<li class="entry-comment"><p class="comment-user-name">{escape(each.author)}</p>'
        f'<div class="comment-content"><p>{escape(each.text)}</p></div>'
        f'<p class="comment-metadata">{escape(each.date[:10])}</p></li>'
        for each in host.comments_on(article)
    )
    write = '<a class="leave-comment" href="#">コメントを書く</a>'
    return f'<div class="comment-box"><ul class="comment">{items}</ul>{write}</div>'


THEME: Final = Theme(ROUTES, write_article, write_listing, write_about, write_feeds, STYLE)
