"""X11 and X14: what comes from the web stays inside of its log line, and passwords stay out of all of them."""

import re

from website import Answer, page

FORGED = "\n1999-01-01 00:00:00 [root] CRITICAL: forged \x1b[2J\x1b[31m\u202egnorw\u202c\u2028\x9b31m\x85"
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
# XML cannot hold ESC, but readers that mend feeds may let references through.
IN_XML = FORGED.replace("\n", "&#10;").replace("\x1b", "&#27;").replace("\x9b", "&#155;").replace("\x85", "&#133;")


def raw_rss(site, items):
    entries = "".join(
        f"<item><title>{IN_XML}</title><author>{IN_XML}</author><link>{link}</link><guid>{IN_XML}{number}</guid></item>"
        for number, link in enumerate(items)
    )
    body = f'<?xml version="1.0"?><rss version="2.0"><channel><title>{IN_XML}</title>{entries}</channel></rss>'
    return site.add("/feed", body, content_type="application/rss+xml")


def hostile_answers(site):
    title = f"<title>{FORGED}</title><h1>{FORGED}</h1>"
    for number in range(4):
        site.add(f"/post/{number}", page(number).replace("<h1>", f"{title}<h1>"))
    head = {"X-Note": "\x1b[31m", "Content-Encoding": "\x1b[31mforged", "ETag": '"\x1b[31m"'}
    site.add("/encoded", page(5), headers=head)
    site.add("/moved", "", status=302, headers={"Location": "/post/\x1b[31m\u202e".encode().decode("latin-1")})
    site.add("/later", "", status=503, headers={"Retry-After": "\x1b[31m99999"})
    site.add("/type", page(6), content_type="text/html; charset=\x1b[31mforged")
    site.add("/nothing", b"")
    site.add("/named", Answer().body, status=404)
    site.add("/robots.txt", f"User-agent: *\n{FORGED}\nSitemap: {FORGED}\nDisallow: /x{FORGED}\n".encode())


def test_x11_nothing_of_the_web_forges_a_log_line(project, site):
    hostile_answers(site)
    paths = ["/post/0", "/post/1", "/post/2", "/post/3", "/encoded", "/moved", "/later", "/type", "/nothing", "/none"]
    links = [site.origin + path for path in paths]
    links += [f"{site.origin}/{IN_XML}", f"http://{IN_XML}/", "http://a&#x202e;b.example/", "http://[&#10;1999/"]
    links += [f"{site.origin}/a%0a1999-01-01%20forged", f"javascript:{IN_XML}", f"file:///{IN_XML}", f"{IN_XML}"]
    feeds = [raw_rss(site, links), site.add("/html", f"<html><title>{FORGED}</title>"), f"{site.origin}/no\x1bfeed"]
    settings = {"LOG_LEVEL": "DEBUG", "RETRY_ENABLED": False}
    crawl = project.crawl(settings=settings, feeds=",".join(feeds))
    assert crawl.stats["forest/items"] >= 4
    assert "gnorw" in crawl.log  # quoted, it does stand there
    assert not [line for line in crawl.log.split("\n") if CONTROLS.search(line)]
    assert not [line for line in crawl.log.split("\n") if line.startswith("1999")]
    assert not [name for name in crawl.stats if CONTROLS.search(name) or "forged" in name or len(name) > 100]


def test_x14_passwords_in_feed_urls_are_nowhere(project, site):
    site.add_articles(3)
    site.add_feed("/feed", [])
    host = site.permit
    feeds = [f"http://somebody:sesame@{host}/feed", f"http://{host}/feed"]
    crawl = project.crawl(settings={"LOG_LEVEL": "DEBUG"}, feeds=",".join(feeds))
    assert crawl.stats["forest/feeds/failed/credentials"] == 1
    assert "***@" in crawl.log
    for text in (crawl.log, str(crawl.stats), str(crawl.items)):
        assert "sesame" not in text
