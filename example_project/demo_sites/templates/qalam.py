"""Qalam: an Arabic magazine, written from right to left, with microdata instead of JSON-LD."""

from __future__ import annotations

from html import escape
from typing import Final

from demo_sites.articles import Article
from demo_sites.feeds import RDF, write_rdf
from demo_sites.host import Host, Routes
from demo_sites.templates.theme import Listing, Theme, article_link, format_date, link, list_items

ROUTES: Final = Routes(
    article="/maqalat/{article.slug}",
    tag="/wasm/{name}",
    section="/qism/{name}",
    author="/katib/{name}",
    page="/safha/{number}",
    about="/man-nahnu",
    feed="/rss.rdf",
)
STYLE: Final = """body{font:18px/1.9 "Noto Naskh Arabic","Amiri",serif;margin:0;background:#fbf8f1;color:#222}
.ghilaf{max-width:1040px;margin:auto;padding:0 16px}.aamida{display:flex;gap:40px}.amud-raisi{flex:1;min-width:0}
.amud-janibi{width:250px;font-size:16px}a{color:#0f6b5c}.nass p{text-align:justify}
nav li{display:inline;margin-left:16px}
"""


def write_article(host: Host, article: Article) -> str:
    """The page of an article."""
    head = f"""<meta name="description" content="{escape(article.summary)}">
<meta property="og:title" content="{escape(article.title)}">
<meta property="og:locale" content="ar_AR">
<link rel="canonical" href="{host.article_url(article)}">
"""
    return _frame(host, f"{article.title} | {host.site.name}", _article(host, article), head)


def write_listing(host: Host, listing: Listing) -> str:
    """The index, a tag, a section or an author."""
    heading = "أحدث المقالات" if listing.number else escape(listing.title)
    items = "\n".join(
        f'<div class="bitaqa"><h3>{article_link(host, article)}</h3><p>{escape(article.summary)}</p>'
        f"<small>{format_date(article.date, 'ar')}</small></div>"
        for article in listing.articles
    )
    pages = [link(host.page_path(number), f"صفحة {number}") for number in range(1, host.page_count + 1)]
    pager = f'<p class="safahat">{" ".join(pages)}</p>' if listing.number else ""
    return _frame(host, f"{listing.title} | {host.site.tagline}", f"<h2>{heading}</h2>\n{items}\n{pager}")


def write_about(host: Host) -> str:
    """Who makes the magazine."""
    main = f'<div class="safha-thabita"><h1>من نحن</h1><p>{escape(host.site.about)}</p></div>'
    return _frame(host, f"من نحن | {host.site.name}", main)


def write_feeds(host: Host) -> list[tuple[str, str, str]]:
    """RSS 1.0, as magazines of that age still have it."""
    return [(ROUTES.feed, RDF, write_rdf(host))]


def _frame(host: Host, title: str, main: str, head: str = "") -> str:
    site = host.site
    menu = [
        link("/", "الرئيسية"),
        *(link(host.section_path(section), section) for section in host.sections),
        link(ROUTES.about, "من نحن"),
    ]
    recent = list_items(article_link(host, article) for article in host.recent(6))
    cloud = " ".join(link(host.tag_path(tag), tag, 'class="wasm"') for tag in host.tags)
    return f"""<!DOCTYPE html>
<html lang="{site.language}" dir="{site.direction}">
<head>
<meta charset="utf-8">
<title>{escape(title)}</title>
{head}<link rel="alternate" type="application/rdf+xml" title="{escape(site.name)}" href="{ROUTES.feed}">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<div class="ghilaf">
<header role="banner"><a class="shiar" href="/">{escape(site.name)}</a><p>{escape(site.tagline)}</p>
<nav role="navigation"><ul>{list_items(menu)}</ul></nav></header>
<div class="aamida">
<div class="amud-raisi" role="main">
{main}
</div>
<div class="amud-janibi" role="complementary">
<div class="sunduq"><h4>الأحدث</h4><ul>{recent}</ul></div>
<div class="sunduq ialan"><h4>إعلان</h4><p>{escape(site.adverts[0])}</p></div>
<div class="sunduq"><h4>الوسوم</h4><p>{cloud}</p></div>
<div class="sunduq"><h4>النشرة البريدية</h4><p>مختارات الأسبوع في بريدك كل خميس.</p><form action="/" method="post">\
<input type="email" name="barid"><button>اشترك</button></form></div>
</div>
</div>
<footer role="contentinfo"><p>جميع الحقوق محفوظة © {escape(site.name)}</p>{link(ROUTES.about, "اتصل بنا")}</footer>
</div>
<div class="kukiz">يستخدم هذا الموقع ملفات تعريف الارتباط لتحسين تجربتك. <button>موافق</button></div>
</body>
</html>
"""


def _article(host: Host, article: Article) -> str:
    authors = " و".join(
        f'<span itemprop="author">{link(host.author_path(each), each)}</span>' for each in article.authors
    )
    tags = "، ".join(link(host.tag_path(tag), tag, 'rel="tag"') for tag in article.tags)
    time = (
        f'<time itemprop="datePublished" datetime="{article.date.isoformat()}">{format_date(article.date, "ar")}</time>'
    )
    return f"""<div class="maqala" itemscope itemtype="https://schema.org/Article">
<p class="masar">{link("/", "الرئيسية")} / {link(host.section_path(article.section), article.section)}</p>
<h1 itemprop="headline">{escape(article.title)}</h1>
<p class="tawqi">بقلم {authors} — {time}</p>
<div class="nass" itemprop="articleBody">
{article.body}
</div>
<ul class="musharaka">{list_items(_shares(host, article))}</ul>
<p class="wusum">الوسوم: {tags}</p>
</div>
{_read_also(host, article)}
{_comments(host, article)}"""


def _shares(host: Host, article: Article) -> list[str]:
    path = host.article_path(article)
    texts = {"whatsapp": "شارك على واتساب", "telegram": "شارك على تلغرام", "copy": "انسخ الرابط"}
    return [link(f"{path}?share={key}", text, 'rel="nofollow"') for key, text in texts.items()]


def _read_also(host: Host, article: Article) -> str:
    items = list_items(
        f"<h3>{article_link(host, each)}</h3><p>{escape(each.summary)}</p>" for each in host.related(article)
    )
    return f'<div class="iqra-aydan"><h2>اقرأ أيضا</h2><ul>{items}</ul></div>'


def _comments(host: Host, article: Article) -> str:
    comments = "\n".join(
        f'<div class="taliq"><strong>{escape(each.author)}</strong> <em>{escape(each.date)}</em>'
        f"<p>{escape(each.text)}</p></div>"
        for each in host.comments_on(article)
    )
    return f'<div class="taliqat"><h2>التعليقات ({len(host.comments_on(article))})</h2>\n{comments}\n</div>'


THEME: Final = Theme(ROUTES, write_article, write_listing, write_about, write_feeds, STYLE)
