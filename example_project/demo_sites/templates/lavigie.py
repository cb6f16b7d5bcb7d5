"""La Vigie: a French magazine from a site builder: div in div, numbered classes, no structured data.

The class around the text has the number of the page in it.  Photo posts (template b) name theirs in another way.
"""

from __future__ import annotations

from html import escape
from typing import Final

from demo_sites.articles import Article
from demo_sites.feeds import ATOM, write_atom
from demo_sites.host import Host, Routes, page_id
from demo_sites.templates.theme import Listing, Theme, article_link, format_date, link

ROUTES: Final = Routes(
    article="/{date:%Y}/{article.slug},{id}.html",
    other_article="/images/{article.slug},{id}.html",
    tag="/mot/{name}",
    section="/rubrique/{name}",
    author="/signature/{name}",
    page="/page/{number}",
    about="/a-propos",
    feed="/atom.xml",
)
STYLE: Final = """body{font:18px/1.6 "Source Serif Pro",serif;margin:0}
.b1{max-width:960px;margin:auto}.b12{float:left;width:640px}
.b13{float:right;width:260px;font-size:15px}.b90{clear:both;border-top:1px solid #999}
.t1{font-size:2em}[class^=recit]{width:520px}
"""


def write_article(host: Host, article: Article) -> str:
    """The page of an article or of a photo post."""
    main = _photo_post(host, article) if article.template == "b" else _article(host, article)
    return _frame(host, f"{article.title} - {host.site.name}", main)


def write_listing(host: Host, listing: Listing) -> str:
    """The index, a tag, a section or an author."""
    teasers = "\n".join(
        f'<div class="b50"><div class="t3">{article_link(host, article)}</div>'
        f'<div class="b51">{escape(article.summary)}</div>'
        f'<div class="b52">{format_date(article.date, "fr")}</div></div>'
        for article in listing.articles
    )
    numbers = range(1, host.page_count + 1) if listing.number else ()
    pages = " ".join(link(host.page_path(number), f"page {number}") for number in numbers)
    heading = "À la une" if listing.number else escape(listing.title)
    main = f'<div class="b49"><div class="t2">{heading}</div>\n{teasers}\n<div class="b53">{pages}</div></div>'
    return _frame(host, f"{listing.title} - {host.site.tagline}", main)


def write_about(host: Host) -> str:
    """About the magazine."""
    main = f'<div class="b60"><div class="t1">À propos</div><div class="b61">{escape(host.site.about)}</div></div>'
    return _frame(host, f"À propos - {host.site.name}", main)


def write_feeds(host: Host) -> list[tuple[str, str, str]]:
    """Whole articles and excerpts, as the editors decided for each."""
    return [(ROUTES.feed, ATOM, write_atom(host, lambda article: article.is_full))]


def _frame(host: Host, title: str, main: str) -> str:
    site = host.site
    sections = "".join(f'<div class="m2">{link(host.section_path(each), each)}</div>' for each in host.sections)
    recent = "".join(f'<div class="b31">{article_link(host, article)}</div>' for article in host.recent(6))
    adverts = "".join(f'<div class="p7">{escape(advert)}</div>' for advert in site.adverts[:2])
    return f"""<!DOCTYPE html>
<html lang="{site.language}">
<head>
<meta charset="utf-8">
<title>{escape(title)}</title>
<link rel="stylesheet" href="/style.css">
<link rel="alternate" type="application/atom+xml" title="{escape(site.name)}" href="{ROUTES.feed}">
</head>
<body>
<div class="b1">
<div class="b2"><div class="b3"><a href="/">{escape(site.name)}</a></div>
<div class="b4">{escape(site.tagline)}</div></div>
<div class="m1"><div class="m2"><a href="/">Accueil</a></div>{sections}
<div class="m2"><a href="/a-propos">À propos</a></div></div>
<div class="b10">
<div class="b12">
{main}
</div>
<div class="b13">
<div class="b30"><div class="t4">Derniers articles</div>{recent}</div>
<div class="b33"><div class="t4">Annonces</div>{adverts}</div>
<div class="b36"><div class="t4">La lettre de la vigie</div><div>Chaque dimanche, trois lectures et une image \
choisies par la rédaction.</div><form action="/" method="post"><input name="courriel">\
<button>Je m'inscris</button></form></div>
</div>
</div>
<div class="b90">© {escape(site.name)}, tous droits réservés. <a href="/a-propos">Mentions légales</a></div>
<div class="b95"><div class="b96">Nous utilisons des témoins de connexion pour compter nos lecteurs, \
rien de plus.</div><button>D'accord</button></div>
</div>
</body>
</html>
"""


def _article(host: Host, article: Article) -> str:
    return f"""<div class="b20 n{page_id(article)}">
<div class="b21">{link(host.section_path(article.section), article.section)}</div>
<div class="t1">{escape(article.title)}</div>
<div class="b22"><div class="b23">par {_authors(host, article)}</div><div class="b24">{_published(article)}</div></div>
<div class="b25"><div class="texte-{page_id(article)}">
{article.body}
</div></div>
<div class="b27">Mots-clés : {_tags(host, article)}</div>
<div class="b28"><a href="?partage=1">Partager</a> <a href="?partage=2">Envoyer à un ami</a> \
<a href="?partage=3">Imprimer</a></div>
</div>
{_related(host, article)}
{_comments(host, article)}"""


def _photo_post(host: Host, article: Article) -> str:
    return f"""<div class="b40 n{page_id(article)}">
<div class="recit-{page_id(article)}">
{article.body}
</div>
<div class="b45"><div class="t5">{escape(article.title)}</div>
<div class="b46">Photographies : {_authors(host, article)}</div><div class="b46">{_published(article)}</div>
<div class="b47">{_tags(host, article)}</div></div>
</div>
{_related(host, article)}"""


def _authors(host: Host, article: Article) -> str:
    return " et ".join(link(host.author_path(each), each) for each in article.authors)


def _published(article: Article) -> str:
    return f"Publié le {format_date(article.date, 'fr')} à {article.date.hour} h {article.date:%M}"


def _tags(host: Host, article: Article) -> str:
    return ", ".join(link(host.tag_path(tag), tag) for tag in article.tags)


def _related(host: Host, article: Article) -> str:
    items = "".join(
        f'<div class="b71"><div class="t6">{article_link(host, each)}</div>'
        f'<div class="b72">{escape(each.summary)}</div></div>'
        for each in host.related(article)
    )
    return f'<div class="b70"><div class="t4">À lire aussi</div>{items}</div>'


def _comments(host: Host, article: Article) -> str:
    items = "\n".join(
        f'<div class="b81"><div class="b82">{escape(each.author)}, le {escape(each.date[:10])}</div>'
        f'<div class="b83">{escape(each.text)}</div></div>'
        for each in host.comments_on(article)
    )
    return f'<div class="b80"><div class="t4">Vos réactions</div>\n{items}\n</div>'


THEME: Final = Theme(ROUTES, write_article, write_listing, write_about, write_feeds, STYLE)
