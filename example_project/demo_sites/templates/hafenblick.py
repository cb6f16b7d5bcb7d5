"""Hafenblick: the news of a port town, with two templates on one host.

News (template a) and reviews and recipes (template b) share nothing but the frame.  Both have what is common on such
sites: a small advert within the text.
"""

from __future__ import annotations

from html import escape
from typing import Final

from demo_sites.articles import Article
from demo_sites.feeds import ATOM, write_atom
from demo_sites.host import Host, Routes, page_id
from demo_sites.templates.theme import Listing, Theme, article_link, format_date, json_ld, link, list_items

ROUTES: Final = Routes(
    article="/{section}/{article.slug}-{id}.html",
    other_article="/genuss/{article.slug}/",
    tag="/thema/{name}/",
    section="/{name}/",
    author="/autor/{name}/",
    page="/seite-{number}.html",
    about="/impressum.html",
    feed="/feed.atom",
)
STYLE: Final = """body{font:16px/1.5 "Helvetica Neue",Arial,sans-serif;margin:0;background:#eef2f5;color:#10202c}
.l-grid{display:grid;grid-template-columns:1fr 300px;gap:24px;max-width:1100px;margin:24px auto}
.c-article,.review{background:#fff;padding:24px}.c-article__lead{font-weight:bold}.c-ad,.box-ad{color:#888;font-size:13px}
.review{border-top:6px solid #c33}.c-header{background:#0b3954;color:#fff;padding:12px 24px}.c-header a{color:#fff}
"""
SHARES: Final = ("WhatsApp", "E-Mail", "Drucken")
ADVERT_AFTER: Final = 2  # paragraphs


def write_article(host: Host, article: Article) -> str:
    """The page of a news article, or of a review or recipe."""
    if article.template == "b":
        return _frame(host, f"{article.title} – Genuss – {host.site.name}", _review(host, article))
    return _frame(host, f"{article.title} | {host.site.name}", _news(host, article), _news_head(host, article))


def write_listing(host: Host, listing: Listing) -> str:
    """The index, a topic, a section or an author."""
    teasers = "\n".join(_teaser(host, article) for article in listing.articles)
    pages = " ".join(link(host.page_path(number), str(number)) for number in range(1, host.page_count + 1))
    pager = f'<nav class="c-pager">Seiten: {pages}</nav>' if listing.number else ""
    heading = "Aktuelle Meldungen" if listing.number else escape(listing.title)
    main = f'<section class="c-stream"><h1 class="c-stream__title">{heading}</h1>\n{teasers}\n{pager}</section>'
    return _frame(host, f"{listing.title} | {host.site.tagline}", main)


def write_about(host: Host) -> str:
    """The imprint that German law asks for."""
    main = f'<section class="c-page"><h1>Impressum</h1><p>{escape(host.site.about)}</p></section>'
    return _frame(host, f"Impressum | {host.site.name}", main)


def write_feeds(host: Host) -> list[tuple[str, str, str]]:
    """One feed for both templates, all excerpts."""
    return [(ROUTES.feed, ATOM, write_atom(host, lambda _: False))]


def _frame(host: Host, title: str, main: str, head: str = "") -> str:
    site = host.site
    menu = [link("/", "Startseite"), *(link(host.section_path(each), each) for each in host.sections)]
    recent = list_items(article_link(host, article) for article in host.recent(6))
    topics = " ".join(link(host.tag_path(tag), tag, 'class="c-topics__tag"') for tag in host.tags)
    return f"""<!doctype html>
<html lang="{site.language}">
<head>
<meta charset="utf-8">
<title>{escape(title)}</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/style.css">
<link rel="alternate" type="application/atom+xml" title="{escape(site.name)}" href="{ROUTES.feed}">
{head}</head>
<body>
<div class="c-cookie">Wir und unsere Partner verwenden Cookies, um Inhalte zu messen. \
<button>Alle akzeptieren</button> <button>Nur notwendige</button> {link(ROUTES.about, "Mehr erfahren")}</div>
<header class="c-header"><a class="c-header__logo" href="/">{escape(site.name)}</a>
<span class="c-header__claim">{escape(site.tagline)}</span>
<nav class="c-nav"><ul>{list_items(menu, 'class="c-nav__item"')}</ul></nav></header>
<div class="l-grid">
<main class="l-main">
{main}
</main>
<aside class="l-side">
<section class="c-box"><h2>Meistgelesen</h2><ol>{recent}</ol></section>
<section class="c-box c-box--ad"><small>Anzeige</small><p>{escape(site.adverts[0])}</p></section>
<section class="c-box"><h2>Themen</h2><p class="c-topics">{topics}</p></section>
<section class="c-box"><h2>Hochwasser heute</h2><table><tr><td>Vormittag</td><td>06:42 Uhr</td></tr>\
<tr><td>Abend</td><td>19:08 Uhr</td></tr></table></section>
</aside>
</div>
<footer class="c-footer">© {escape(site.name)} Verlag · {link(ROUTES.about, "Impressum")} · \
{link(ROUTES.about, "Datenschutz")} · Alle Rechte vorbehalten. Nachdruck nur mit Genehmigung der Redaktion.</footer>
</body>
</html>
"""


def _news_head(host: Host, article: Article) -> str:
    facts = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article.title,
        "description": article.summary,
        "datePublished": article.date.isoformat(),
        "articleSection": article.section,
        "author": [{"@type": "Person", "name": name} for name in article.authors],
        "publisher": {"@type": "Organization", "name": host.site.name},
    }
    return f"""<meta name="description" content="{escape(article.summary)}">
<meta name="keywords" content="{escape(", ".join(article.tags))}">
<link rel="canonical" href="{host.article_url(article)}">
{json_ld(facts)}
"""


def _news(host: Host, article: Article) -> str:
    time = f"{format_date(article.date, 'de')}, {article.date:%H:%M} Uhr"
    return f"""<article class="c-article" data-id="{page_id(article)}">
<header class="c-article__head">
<span class="c-article__kicker">{link(host.section_path(article.section), article.section)}</span>
<h1 class="c-article__title">{escape(article.title)}</h1>
<p class="c-article__lead">{escape(article.summary)}</p>
<p class="c-article__meta">Von {_authors(host, article)} · <time datetime="{article.date.isoformat()}">{time}</time></p>
</header>
{_share_bar(host, article)}
<div class="c-article__body">
{_with_advert(host, article, "c-ad c-ad--inline")}
</div>
<p class="c-article__tags">Mehr zum Thema: {_tags(host, article)}</p>
</article>
{_newsletter()}
{_more(host, article, "Das könnte Sie auch interessieren")}
{_comments(host, article)}"""


def _review(host: Host, article: Article) -> str:
    stars = "★" * (3 + article.number % 3)
    return f"""<div class="review" itemscope itemtype="https://schema.org/Review">
<div class="review-top"><p class="review-kind">{escape(article.section)} <span class="review-stars">{stars}</span></p>
<h2 class="review-name" itemprop="name">{escape(article.title)}</h2></div>
<div class="review-columns">
<div class="review-text" itemprop="reviewBody">
{_with_advert(host, article, "box-ad")}
</div>
<div class="review-card"><p>Text: <span itemprop="author">{_authors(host, article)}</span></p>
<p>Erschienen am <span itemprop="datePublished" content="{article.date.isoformat()}">\
{format_date(article.date, "de")}</span></p><p>Stichworte: {_tags(host, article)}</p>
<p><button>Merken</button> <button>Drucken</button></p></div>
</div>
</div>
{_more(host, article, "Mehr aus Küche und Kultur")}
{_newsletter()}"""


def _with_advert(host: Host, article: Article, classes: str) -> str:
    """The body with a box of two words after its first paragraphs; blocks are lines that start with <p>."""
    lines = article.body.splitlines()
    ends = [place for place, line in enumerate(lines, 1) if line.startswith("<p>")]
    name = host.advert_on(article).partition(":")[0]
    advert = f'<div class="{classes}">Anzeige {escape(name)}</div>'
    place = ends[min(ADVERT_AFTER, len(ends)) - 1]
    return "\n".join([*lines[:place], advert, *lines[place:]])


def _authors(host: Host, article: Article) -> str:
    return " und ".join(link(host.author_path(each), each, 'rel="author"') for each in article.authors)


def _tags(host: Host, article: Article) -> str:
    return ", ".join(link(host.tag_path(tag), tag) for tag in article.tags)


def _share_bar(host: Host, article: Article) -> str:
    path = host.article_path(article)
    shares = (
        link(f"{path}?teilen={name.lower()}", name, 'rel="nofollow"') for name in ("WhatsApp", "E-Mail", "Drucken")
    )
    return f'<ul class="c-share">{list_items(shares)}</ul>'


def _newsletter() -> str:
    return """<section class="c-newsletter"><h3>Der Morgen am Hafen</h3><p>Jeden Werktag um sechs Uhr die wichtigsten \
Nachrichten aus der Stadt, kostenlos und jederzeit kündbar.</p><form action="/" method="post"><input type="email" \
name="mail" placeholder="Ihre E-Mail-Adresse"><button>Anmelden</button></form></section>"""


def _more(host: Host, article: Article, heading: str) -> str:
    items = list_items(f"{article_link(host, each)}<p>{escape(each.summary)}</p>" for each in host.related(article))
    return f'<section class="c-more"><h3>{heading}</h3><ul>{items}</ul></section>'


def _comments(host: Host, article: Article) -> str:
    comments = "\n".join(
        f'<div class="c-comment"><p class="c-comment__who">{escape(each.author)} schrieb am {escape(each.date)}</p>'
        f'<p class="c-comment__text">{escape(each.text)}</p></div>'
        for each in host.comments_on(article)
    )
    count = len(host.comments_on(article))
    return f'<section class="c-comments"><h3>Leserkommentare ({count})</h3>\n{comments}\n</section>'


def _teaser(host: Host, article: Article) -> str:
    return f"""<div class="c-teaser"><span class="c-teaser__kicker">{escape(article.section)}</span>
<h2 class="c-teaser__title">{article_link(host, article)}</h2>
<p>{escape(article.summary)} <span class="c-teaser__date">{format_date(article.date, "de")}</span></p></div>"""


THEME: Final = Theme(ROUTES, write_article, write_listing, write_about, write_feeds, STYLE)
