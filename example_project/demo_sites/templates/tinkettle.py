"""The Tin Kettle: a blog as WordPress makes them, with a layout of its own for photo posts (template b)."""

from __future__ import annotations

from html import escape
from typing import Final

from demo_sites.articles import Article
from demo_sites.feeds import RSS, excerpt, write_comment_rss, write_rss
from demo_sites.host import Host, Routes, page_id, path_name
from demo_sites.templates.theme import Listing, Theme, article_link, format_date, json_ld, link, list_items

ROUTES: Final = Routes(
    article="/{date:%Y}/{date:%m}/{article.slug}/",
    tag="/tag/{name}/",
    section="/category/{name}/",
    author="/author/{name}/",
    page="/page/{number}/",
    about="/about/",
    feed="/feed/",
    comment_feed="/comments/feed/",
)
STYLE: Final = """body{font:17px/1.6 Georgia,serif;color:#2b2b2b;margin:0 auto;max-width:1080px;padding:0 1em}
.site-content{display:flex;gap:3em}.content-area{flex:1;min-width:0}.widget-area{width:260px;font-size:15px}
.menu{list-style:none;display:flex;gap:1.5em;padding:0}img{max-width:100%}a{color:#9a4a1c}
.cookie-bar{position:fixed;bottom:0;left:0;right:0;background:#222;color:#fff;padding:.5em}
"""
SHARES: Final = ("Mastodon", "Bluesky", "Email", "Print")


def write_article(host: Host, article: Article) -> str:
    """The page of a post."""
    number = page_id(article)
    is_photo = article.template == "b"
    kind = "image" if is_photo else "standard"
    classes = f"post-template-default single single-post postid-{number} single-format-{kind}"
    main = _photo_post(host, article) if is_photo else _post(host, article)
    return _frame(host, f"{article.title} – {host.site.name}", classes, main, _article_head(host, article))


def write_listing(host: Host, listing: Listing) -> str:
    """The index, a tag, a category or an author."""
    classes = "home blog hfeed" if listing.number == 1 else "archive hfeed"
    heading = "" if listing.number else f'<h1 class="page-title">{escape(listing.title)}</h1>'
    posts = "\n".join(_teaser(host, article) for article in listing.articles)
    main = f"{heading}\n{posts}\n{_pagination(host, listing.number)}"
    title = host.site.name if listing.number == 1 else f"{listing.title} – {host.site.name}"
    return _frame(host, title, classes, main)


def write_about(host: Host) -> str:
    """Who writes here."""
    main = f"""<article id="post-2" class="post-2 page type-page status-publish hentry">
<header class="entry-header"><h1 class="entry-title">About us</h1></header>
<div class="entry-content"><p>{escape(host.site.about)}</p></div>
</article>"""
    return _frame(host, f"About us – {host.site.name}", "page-template-default page page-id-2", main)


def write_feeds(host: Host) -> list[tuple[str, str, str]]:
    """Articles and comments."""
    return [(ROUTES.feed, RSS, write_rss(host, excerpt)), ("/comments/feed/", RSS, write_comment_rss(host))]


def _frame(host: Host, title: str, classes: str, main: str, head: str = "") -> str:
    site = host.site
    menu = [
        link("/", "Home"),
        *(link(host.section_path(each), each) for each in host.sections),
        link("/about/", "About"),
    ]
    return f"""<!DOCTYPE html>
<html lang="{site.language}">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
{head}<link rel="alternate" type="application/rss+xml" title="{escape(site.name)} » Feed" href="{host.url("/feed/")}">
<link rel="alternate" type="application/rss+xml" title="{escape(site.name)} » Comments Feed" \
href="{host.url("/comments/feed/")}">
<link rel="stylesheet" id="kettle-style-css" href="/style.css">
<script>window._wpemojiSettings={{"baseUrl":"{host.url("/emoji/")}","ext":".png"}};</script>
</head>
<body class="{classes}">
<div id="page" class="site">
  <a class="skip-link screen-reader-text" href="#content">Skip to content</a>
  <header id="masthead" class="site-header">
    <p class="site-title"><a href="/" rel="home">{escape(site.name)}</a></p>
    <p class="site-description">{escape(site.tagline)}</p>
    <nav id="site-navigation" class="main-navigation"><ul id="primary-menu" class="menu">
{list_items(menu, 'class="menu-item"')}
    </ul></nav>
  </header>
  <div id="content" class="site-content">
  <div id="primary" class="content-area">
    <main id="main" class="site-main">
{main}
    </main>
  </div>
{_sidebar(host)}
  </div>
  <footer id="colophon" class="site-footer"><div class="site-info">© {escape(site.name)} · \
{link("/about/", "About")} · Proudly powered by tea</div></footer>
</div>
<div id="cookie-law-info-bar" class="cookie-bar"><span>This website uses cookies to improve your experience. We'll \
assume you're ok with this, but you can opt out if you wish. {link("/about/", "Read more")} \
<button>Accept</button></span></div>
</body>
</html>
"""


def _article_head(host: Host, article: Article) -> str:
    url = host.article_url(article)
    date = article.date.isoformat()
    facts = {
        "@context": "https://schema.org",
        "@type": "BlogPosting",
        "headline": article.title,
        "datePublished": date,
        "author": [{"@type": "Person", "name": author} for author in article.authors],
        "keywords": list(article.tags),
        "mainEntityOfPage": url,
    }
    return f"""<meta name="description" content="{escape(article.summary)}">
<link rel="canonical" href="{url}">
<meta property="og:type" content="article">
<meta property="og:title" content="{escape(article.title)}">
<meta property="og:description" content="{escape(article.summary)}">
<meta property="og:url" content="{url}">
<meta property="article:published_time" content="{date}">
{json_ld(facts)}
"""


def _post(host: Host, article: Article) -> str:
    number = page_id(article)
    tags = " ".join(f"tag-{path_name(tag)}" for tag in article.tags)
    return f"""<article id="post-{number}" class="post-{number} post type-post format-standard hentry {tags}">
<header class="entry-header">
<h1 class="entry-title">{escape(article.title)}</h1>
<div class="entry-meta"><span class="posted-on">Posted on {_time(host, article)}</span> {_byline(host, article)}</div>
</header>
<div class="entry-content">
{article.body}
</div>
{_share_bar(host, article)}
{_related(host, article)}
<footer class="entry-footer"><span class="tags-links">Tagged {_tag_links(host, article)}</span></footer>
</article>
{_post_navigation(host, article)}
{_comments(host, article)}"""


def _photo_post(host: Host, article: Article) -> str:
    number = page_id(article)
    return f"""<div class="photo-post" id="photo-{number}">
<div class="photo-stage">
<h1 class="photo-title">{escape(article.title)}</h1>
<div class="photo-story">
{article.body}
</div>
</div>
<dl class="photo-facts">
<dt>Taken by</dt><dd>{_author_links(host, article)}</dd>
<dt>Published</dt><dd>{_time(host, article)}</dd>
<dt>Filed under</dt><dd>{link(host.section_path(article.section), article.section)}</dd>
<dt>Tags</dt><dd>{_tag_links(host, article)}</dd>
</dl>
<ul class="photo-strip">
{list_items(article_link(host, each) for each in host.related(article, 4))}
</ul>
</div>
{_post_navigation(host, article)}
{_comments(host, article)}"""


def _teaser(host: Host, article: Article) -> str:
    number = page_id(article)
    return f"""<article id="post-{number}" class="post-{number} post type-post hentry">
<header class="entry-header"><h2 class="entry-title">{article_link(host, article, 'rel="bookmark"')}</h2>
<div class="entry-meta">Posted on {_time(host, article)} {_byline(host, article)}</div></header>
<div class="entry-summary"><p>{escape(article.summary)} \
{link(host.article_path(article), "Continue reading →")}</p></div>
</article>"""


def _time(host: Host, article: Article) -> str:
    shown = format_date(article.date, "en")
    time = f'<time class="entry-date published" datetime="{article.date.isoformat()}">{shown}</time>'
    return f'<a href="{host.article_path(article)}" rel="bookmark">{time}</a>'


def _byline(host: Host, article: Article) -> str:
    return f'<span class="byline">by <span class="author vcard">{_author_links(host, article)}</span></span>'


def _author_links(host: Host, article: Article) -> str:
    return " and ".join(link(host.author_path(each), each, 'class="url fn n"') for each in article.authors)


def _tag_links(host: Host, article: Article) -> str:
    return ", ".join(link(host.tag_path(tag), tag, 'rel="tag"') for tag in article.tags)


def _share_bar(host: Host, article: Article) -> str:
    path = host.article_path(article)
    shares = (link(f"{path}?share={name.lower()}", name, 'rel="nofollow" class="share-icon"') for name in SHARES)
    return f"""<div class="sharedaddy sd-sharing"><h3 class="sd-title">Share this:</h3>
<ul>{list_items(shares)}</ul></div>"""


def _related(host: Host, article: Article) -> str:
    posts = "\n".join(
        f'<div class="jp-relatedposts-post"><h4>{article_link(host, each)}</h4>'
        f'<p class="jp-relatedposts-excerpt">{escape(each.summary)}</p></div>'
        for each in host.related(article)
    )
    return f'<div id="jp-relatedposts" class="jp-relatedposts">\n<h3>Related</h3>\n{posts}\n</div>'


def _post_navigation(host: Host, article: Article) -> str:
    older, newer = host.neighbours(article)
    before = link(host.article_path(older), f"← {older.title}", 'rel="prev"') if older else ""
    after = link(host.article_path(newer), f"{newer.title} →", 'rel="next"') if newer else ""
    return f'<nav class="navigation post-navigation" aria-label="Posts">{before} {after}</nav>'


def _comments(host: Host, article: Article) -> str:
    comments = host.comments_on(article)
    items = "\n".join(
        f'<li id="comment-{page_id(article)}{place}" class="comment depth-1"><div class="comment-author vcard">'
        f'<b class="fn">{escape(comment.author)}</b> <span class="says">says:</span></div>'
        f'<div class="comment-metadata">{escape(comment.date)}</div>'
        f'<div class="comment-content"><p>{escape(comment.text)}</p></div>'
        '<div class="reply"><a href="#respond" rel="nofollow">Reply</a></div></li>'
        for place, comment in enumerate(comments, 1)
    )
    said = f'<h2 class="comments-title">{len(comments)} thoughts</h2>\n<ol class="comment-list">\n{items}\n</ol>'
    return f"""<div id="comments" class="comments-area">
{said if comments else ""}
<div id="respond" class="comment-respond"><h3 class="comment-reply-title">Leave a Reply</h3>
<form action="/" method="post" class="comment-form"><p class="comment-notes">Your email address will not be published. \
Required fields are marked *</p><textarea name="comment" rows="8" cols="45"></textarea>\
<input type="submit" value="Post Comment"></form></div>
</div>"""


def _sidebar(host: Host) -> str:
    recent = list_items(article_link(host, article) for article in host.recent())
    cloud = " ".join(link(host.tag_path(tag), tag, 'class="tag-cloud-link"') for tag in host.tags)
    advert = escape(host.site.adverts[0])
    return f"""<aside id="secondary" class="widget-area">
<section id="search-2" class="widget widget_search"><form role="search" action="/"><input type="search" name="s" \
placeholder="Search …"></form></section>
<section id="recent-posts-2" class="widget widget_recent_entries"><h2 class="widget-title">Recent Posts</h2>
<ul>{recent}</ul></section>
<section id="tag_cloud-2" class="widget widget_tag_cloud"><h2 class="widget-title">Tags</h2>
<div class="tagcloud">{cloud}</div></section>
<section id="text-4" class="widget widget_text"><h2 class="widget-title">Our sponsor</h2><p>{advert}</p></section>
<section id="newsletter-3" class="widget widget_newsletter"><h2 class="widget-title">Letters from the kitchen</h2>
<p>Once a month we write about what simmers on the stove and what broke in the shed.</p><form action="/" method="post">\
<input type="email" name="email"><button>Subscribe</button></form></section>
</aside>"""


def _pagination(host: Host, number: int) -> str:
    if not number:
        return ""
    older = link(host.page_path(number + 1), "Older posts", 'class="prev"') if number < host.page_count else ""
    newer = link(host.page_path(number - 1), "Newer posts", 'class="next"') if number > 1 else ""
    return f'<nav class="navigation posts-navigation">{older} {newer}</nav>'


THEME: Final = Theme(ROUTES, write_article, write_listing, write_about, write_feeds, STYLE)
