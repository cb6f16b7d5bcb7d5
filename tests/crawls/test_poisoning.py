"""Feeds of others lead to pages of a host, and do not teach its wrapper (X04)."""

import sqlite3
from contextlib import closing

from website import paragraph, text, title


def forged(number):
    """A page in the site's template, with its text where it does not belong."""
    body = "".join(f"<p>{paragraph(number, part)}</p>" for part in range(5))
    return (
        f"<!DOCTYPE html><html lang=en><head><title>{title(number)} – Test</title></head><body class=single>"
        f"<div class=page><header class=top><nav class=menu></nav></header><main class=main>"
        f"<article class=post><h1>{title(number)}</h1><div class=entry-content><p>Read on</p></div>"
        f"<div class=share>{body}</div></article></main><aside class=sidebar></aside><footer class=bottom></footer>"
        f"</div></body></html>"
    )


def test_x04_pages_that_others_choose_change_nothing(project, site, other_site):
    project.sites = (site, other_site)
    entries = site.add_articles(3)
    own = site.add_feed("/feed", entries)
    links = [site.add(f"/forged/{number}", forged(number)) for number in range(20, 45)]
    site.add("/redirect", status=302, headers={"Location": "/forged/20"})
    evil = other_site.add_feed("/feed", [{"title": "x", "link": link} for link in [*links, f"{site.origin}/redirect"]])
    first = project.crawl(feeds=evil)
    assert len(first.items) == 25  # the redirect leads to one that is there already
    second = project.crawl(feeds=f"{evil},{own}")
    bodies = {item["url"]: item["articleBody"] for item in second.items}
    assert bodies == {entry["link"]: text(number) for number, entry in enumerate(entries)}
    with closing(sqlite3.connect(project.directory / "forest.sqlite")) as store:
        versions = store.execute("SELECT wrapper FROM wrappers ORDER BY version").fetchall()
    assert ["entry-content" in wrapper for (wrapper,) in versions] == [False, True]
