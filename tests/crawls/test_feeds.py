"""``scrapy crawl feeds`` from feed to line."""

import json

import pytest
from website import Answer, page, paragraph, rss, text, title


def test_every_entry_becomes_a_line(project, site):
    entries = site.add_articles(12)
    crawl = project.crawl(feeds=site.add_feed("/feed", entries))
    assert crawl.code == 0
    assert crawl.urls == sorted(entry["link"] for entry in entries)
    assert crawl.stats["forest/wrappers/induced"] == 1
    item = next(item for item in crawl.items if item["url"].endswith("/post/3"))
    assert item["headline"] == title(3)
    assert item["articleBody"] == text(3)
    assert item["feed"]["url"] == site.origin + "/feed"
    assert item["metadata"]["wrapper"] == {
        "host": site.permit,
        "template": "t1",
        "version": 1,
        "method": "forest-tfidf",
    }
    assert item["metadata"]["fields"]["articleBody"]["source"] == "wrapper"
    assert "entry-content" in item["metadata"]["fields"]["articleBody"]["xpath"]
    assert item["metadata"]["flags"] == []


def test_nothing_new_is_nothing_fetched(project, site):
    entries = site.add_articles(4)
    feed = site.add_feed("/feed", entries)
    project.crawl(feeds=feed)
    before = project.export.read_bytes()
    site.hits.clear()
    crawl = project.crawl(feeds=feed)
    assert set(site.hits) == {"/robots.txt", "/feed"}
    assert crawl.counts("skipped") == {"known": 4}
    assert project.export.read_bytes() == before


def test_n13_an_unchanged_feed_is_not_sent_again(project, site):
    feed = site.add_feed(
        "/feed", site.add_articles(3), headers={"ETag": '"v1"', "Last-Modified": "Mon, 02 Mar 2026 10:00:00 GMT"}
    )
    project.crawl(feeds=feed)
    asked = {}

    def answer(request):
        asked.update(request.headers)
        return Answer(status=304)

    site.answers["/feed"] = answer
    crawl = project.crawl(feeds=feed)
    assert asked["If-None-Match"] == '"v1"'
    assert asked["If-Modified-Since"] == "Mon, 02 Mar 2026 10:00:00 GMT"
    assert crawl.stats["forest/feeds/not_modified"] == 1
    assert crawl.items == []


def test_a_known_template_streams_through(project, site):
    entries = site.add_articles(5)
    feed = site.add_feed("/feed", entries)
    project.crawl(feeds=feed)
    new = site.add_articles(1, start=5)
    site.add_feed("/feed", [*new, *entries])
    crawl = project.crawl(feeds=feed)
    assert crawl.urls == [new[0]["link"]]
    assert "forest/wrappers/induced" not in crawl.stats
    assert crawl.items[0]["articleBody"] == text(5)
    assert crawl.items[0]["metadata"]["flags"] == []


def test_one_feed_over_several_hosts(project, site, other_site):
    project.sites = (site, other_site)
    entries = site.add_articles(4) + other_site.add_articles(4, start=50, template="b")
    crawl = project.crawl(feeds=site.add_feed("/feed", entries))
    hosts = {
        (item["metadata"]["wrapper"]["host"], item["metadata"]["fields"]["articleBody"]["xpath"])
        for item in crawl.items
    }
    assert len(crawl.items) == 8
    assert {host for host, _ in hosts} == {site.permit, other_site.permit}
    assert len(hosts) == 2


def test_p21_two_templates_on_one_host(project, site):
    entries = site.add_articles(6) + site.add_articles(6, start=6, template="b")
    crawl = project.crawl(feeds=site.add_feed("/feed", entries[::2] + entries[1::2]))
    assert len(crawl.items) == 12
    assert crawl.stats["forest/wrappers/induced"] == 2
    assert all(item["articleBody"] == text(int(item["url"].rpartition("/")[2])) for item in crawl.items)


def test_p20_a_single_page_is_flagged_and_joins_the_next(project, site):
    entries = site.add_articles(1)
    feed = site.add_feed("/feed", entries)
    first = project.crawl(feeds=feed)
    assert first.items[0]["metadata"]["flags"] == ["single-page"]
    assert first.items[0]["metadata"]["wrapper"]["version"] is None
    assert first.items[0]["metadata"]["probability"] is None
    site.add_feed("/feed", entries + site.add_articles(1, start=1))
    second = project.crawl(feeds=feed)
    assert second.items[0]["metadata"]["flags"] == []  # the page of the first crawl is the second sample
    assert second.items[0]["metadata"]["wrapper"]["version"] == 1


def test_p20_two_identical_pages_teach_nothing(project, site):
    link = site.add("/one", page(1))
    entries = [{"title": "A", "link": link}, {"title": "B", "link": site.add("/two", page(1))}]
    crawl = project.crawl(feeds=site.add_feed("/feed", entries))
    assert [item["metadata"]["flags"] for item in crawl.items] == [["single-page"]] * 2
    assert "forest/wrappers/induced" not in crawl.stats


def test_every_entry_that_is_no_article_has_its_reason(project, site):
    good = site.add_articles(3)
    bad = [
        {"title": "podcast", "link": site.origin + "/episode.mp3"},
        {"title": "comment", "link": good[0]["link"] + "#comment-12"},
        {"title": "no link"},
        {"title": "script", "link": "javascript:alert(1)"},
        {"title": "long", "link": site.origin + "/" + "x" * 3000},
        {"title": "pdf", "link": site.add("/paper", b"%PDF-1.4 x", content_type="application/pdf")},
        {"title": "disguised", "link": site.add("/picture", b"\x89PNG\r\n\x1a\n" + bytes(200))},
        {"title": "empty", "link": site.add("/empty", "<!-- nothing -->")},
        {"title": "forbidden", "link": site.add("/private/1", page(90))},
        {"title": "private", "link": "http://127.0.0.1:1/"},
        {"title": "file", "link": "file:///etc/hostname"},
        {"title": "again", "link": good[0]["link"] + "?utm_source=rss"},
        {"title": "gone", "link": site.origin + "/gone"},
        {"title": "broken", "link": site.add("/broken", page(91), status=500)},
    ]
    site.add("/robots.txt", "User-agent: *\nDisallow: /private/", content_type="text/plain")
    crawl = project.crawl(feeds=site.add_feed("/feed", [*bad[:7], *good, *bad[7:]]), settings={"RETRY_TIMES": 0})
    assert crawl.urls == sorted(entry["link"] for entry in good)
    assert crawl.counts("skipped") == {
        "media_link": 1,
        "comment": 1,
        "no_link": 1,
        "bad_scheme": 2,
        "url_too_long": 1,
        "duplicate": 1,
        "not_html": 2,
        "empty_page": 1,
        "robots": 1,
        "private_address": 1,
    }
    assert crawl.counts("errors") == {"http_404": 1, "http_500": 1}
    assert "Hosts that gave no article (1): '127.0.0.1:1'" in crawl.log


def test_a_link_that_grows_too_long_when_it_is_escaped(project, site):
    link = site.origin + "/" + "あ" * 300
    crawl = project.crawl(feeds=site.add_feed("/feed", [*site.add_articles(2), {"title": "kana", "link": link}]))
    assert crawl.counts("skipped") == {"url_too_long": 1}
    assert len(crawl.items) == 2


def test_half_a_character_does_not_cost_the_article(project, site):
    entries = site.add_articles(3)
    data = '<script type="application/ld+json">{"@type": "Article", "articleSection": "a\\ud800b"}</script></head>'
    for number in range(3):
        site.add(f"/post/{number}", page(number).replace("</head>", data))
    crawl = project.crawl(feeds=site.add_feed("/feed", entries))
    assert {item["articleSection"] for item in crawl.items} == {"a?b"}


def test_two_items_of_one_response_are_two_in_the_books(project, site):
    crawl = project.crawl("user_code.TwiceSpider", url=site.add("/one", page(1)))
    assert crawl.stats["forest/pages"] == crawl.stats["forest/items"] == len(crawl.items) == 2


def test_what_was_refused_is_fetched_once_it_is_allowed(project, site, other_site):
    entries = site.add_articles(2) + other_site.add_articles(2, start=2)
    feed = site.add_feed("/feed", entries)
    site.add("/robots.txt", "User-agent: *\nDisallow: /post/1", content_type="text/plain")
    first = project.crawl(feeds=feed)
    assert first.counts("skipped") == {"robots": 1, "private_address": 2}
    project.sites = (site, other_site)
    second = project.crawl(feeds=feed, settings={"ROBOTSTXT_OBEY": False})
    assert sorted(first.urls + second.urls) == sorted(entry["link"] for entry in entries)


def test_an_error_is_tried_again_by_later_crawls_a_few_times(project, site):
    entries = site.add_articles(3)
    site.add("/post/1", status=503)
    feed = site.add_feed("/feed", entries)
    settings = {"RETRY_TIMES": 0, "FOREST_TRIES": 2}
    assert project.crawl(feeds=feed, settings=settings).counts("errors") == {"http_503": 1}
    assert project.crawl(feeds=feed, settings=settings).counts("errors") == {"http_503": 1}
    assert project.crawl(feeds=feed, settings=settings).counts("skipped") == {"known": 2, "given_up": 1}
    assert site.hits["/post/1"] == 2


def test_what_failed_is_tried_again_even_when_the_feed_has_not_changed(project, site):
    entries = site.add_articles(3)
    site.add("/post/1", status=503)
    feed = site.add_feed("/feed", entries, headers={"ETag": '"1"'})
    project.crawl(feeds=feed, settings={"RETRY_TIMES": 0})
    site.answers["/feed"] = Answer(status=304)
    site.add_articles(1, start=1)
    crawl = project.crawl(feeds=feed)
    assert crawl.urls == [entries[1]["link"]]
    assert crawl.items[0]["headline"] == title(1)


@pytest.mark.parametrize("revisions", [False, True])
def test_a_changed_entry_is_a_new_revision_if_asked_for(project, site, revisions):
    entries = site.add_articles(3)
    feed = site.add_feed("/feed", entries)
    project.crawl(feeds=feed)
    entries[1]["description"] = "Corrected: " + entries[1]["description"]
    site.add_feed("/feed", entries)
    crawl = project.crawl(feeds=feed, settings={"FOREST_REVISIONS": revisions})
    assert [item["metadata"]["revision"] for item in crawl.items] == ([2] if revisions else [])


FULL = "".join(f"<p>{paragraph(7, part)}</p>" for part in range(5))


@pytest.mark.parametrize(
    ("answer", "is_from_feed"),
    [
        (Answer(status=404), True),
        (Answer(status=403), True),
        (Answer(b"%PDF-1.4", content_type="application/pdf"), True),
        (
            Answer(
                page(7)
                .replace(f"<p>{paragraph(7, 0)}</p>", "<p>Subscribe to read on, dear reader.")
                .split("<p>")[0]
                .encode()
            ),
            True,
        ),
        (Answer(page(7).encode()), False),
    ],
    ids=["gone", "walled by status", "no page", "walled by page", "whole"],
)
def test_a_feed_with_the_full_text_is_a_second_source(project, site, answer, is_from_feed):
    entries = site.add_articles(4)
    entries.append({"title": title(7), "link": site.origin + "/seven", "content:encoded": FULL})
    site.answers["/seven"] = answer
    crawl = project.crawl(feeds=site.add_feed("/feed", entries))
    item = next(item for item in crawl.items if item["url"].endswith("/seven"))
    assert item["articleBody"] == text(7)
    assert ("from-feed" in item["metadata"]["flags"]) == is_from_feed
    assert item["metadata"]["fields"]["articleBody"]["source"] == ("feed" if is_from_feed else "wrapper")


def test_two_links_that_lead_to_one_page_are_one_article(project, site):
    entries = site.add_articles(3)
    for name in ("x", "y"):
        site.add(f"/proxy/{name}", status=302, headers={"Location": entries[0]["link"]})
    proxies = [{"title": "t", "link": f"{site.origin}/proxy/{name}"} for name in ("x", "y")]
    crawl = project.crawl(feeds=site.add_feed("/feed", [*proxies, *entries[1:]]))
    assert crawl.urls == sorted(entry["link"] for entry in entries)
    assert crawl.counts("skipped") == {"duplicate": 1}


def test_links_are_resolved_against_where_the_feed_was_found(project, site):
    site.add_articles(2)
    site.add_feed("/blog/feed.xml", [{"title": "a", "link": "../post/0"}, {"title": "b", "link": "/post/1"}])
    feed = site.add("/feed", status=301, headers={"Location": "/blog/feed.xml"})
    assert project.crawl(feeds=feed).urls == [f"{site.origin}/post/0", f"{site.origin}/post/1"]


@pytest.mark.parametrize("kind", ["lines", "opml"])
def test_feeds_from_a_file(project, site, kind):
    feeds = [site.add_feed("/one", site.add_articles(2)), site.add_feed("/two", site.add_articles(2, start=2))]
    lines = "# mine\n" + "\n".join(feeds)
    outlines = "".join(f"<outline xmlUrl={url!r}/>" for url in feeds)
    opml = f"<opml version='2.0'><body><outline text='x'>{outlines}</outline></body></opml>"
    file = project.directory / "feeds"
    file.write_text(lines if kind == "lines" else opml)
    assert len(project.crawl(file=str(file)).items) == 4


@pytest.mark.parametrize("place", ["/named.xml", "/atom.xml"])
def test_feeds_of_a_site_are_found(project, site, place):
    site.add_feed(place, site.add_articles(3))
    site.add_feed("/comments/feed", [])
    link = f'<link rel="alternate" type="application/rss+xml" href="{place}">' if place == "/named.xml" else ""
    comments = (
        '<link rel="alternate" type="application/rss+xml" title="Comments" href="/comments/feed">' if link else ""
    )
    home = site.add("/", f"<html><head><title>Home</title>{link}{comments}</head><body><p>Hello</p></body></html>")
    assert len(project.crawl(sites=home).items) == 3
    assert site.hits["/comments/feed"] == 0


def test_a_site_without_feed_is_told(project, site):
    crawl = project.crawl(sites=site.add("/", "<html><body><p>Hello</p></body></html>"))
    assert crawl.stats["forest/sites/without_feed"] == 1
    assert "No feed found" in crawl.log


def test_what_is_no_feed_keeps_the_state(project, site):
    entries = site.add_articles(2)
    feed = site.add_feed("/feed", entries, headers={"ETag": '"1"'})
    project.crawl(feeds=feed)
    site.add("/feed", "<html><body><form>Log in</form></body></html>")
    crawl = project.crawl(feeds=feed)
    assert crawl.stats["forest/feeds/not_a_feed"] == 1
    asked = []
    site.answers["/feed"] = lambda request: asked.append(request.headers["If-None-Match"]) or Answer(status=304)
    project.crawl(feeds=feed)
    assert asked == ['"1"']


def test_n14_a_feed_that_is_gone_is_retired(project, site):
    feed = site.add("/feed", status=410)
    site.add("/feed", status=500)
    project.crawl(feeds=feed, settings={"RETRY_TIMES": 0})  # does not count
    site.add("/feed", status=410)
    for _ in range(3):
        assert project.crawl(feeds=feed).stats["forest/feeds/failed/http_410"] == 1
    crawl = project.crawl(feeds=feed)
    assert crawl.stats["forest/feeds/retired"] == 1
    assert site.hits["/feed"] == 4


def test_n15_retry_after_is_honoured(project, site):
    answers = iter([Answer(status=429, headers={"Retry-After": "1"})])
    entries = site.add_articles(2)
    calm = site.answers["/post/1"]
    site.answers["/post/1"] = lambda _: next(answers, calm)
    crawl = project.crawl(feeds=site.add_feed("/feed", entries))
    assert len(crawl.items) == 2
    assert crawl.stats["forest/retry_after"] == 1
    assert crawl.seconds > 1


def test_n15_a_long_pause_is_left_to_the_next_crawl(project, site):
    entries = site.add_articles(4)
    feed = site.add_feed("/feed", entries)
    calm = site.answers["/post/1"]
    site.add("/post/1", status=429, headers={"Retry-After": "7200"})
    settings = {"CONCURRENT_REQUESTS": 1, "FOREST_TRIES": 2}
    first = project.crawl(feeds=feed, settings=settings)
    assert site.hits["/post/1"] == 1
    assert first.counts("errors")
    for _ in range(2):  # while the pause lasts
        project.crawl(feeds=feed, settings=settings)
    site.answers["/post/1"] = calm
    project.crawl(feeds=feed)
    assert sorted(item["url"] for item in project.items()) == sorted(entry["link"] for entry in entries)


def test_n20_other_hosts_learn_nothing_of_the_reader(project, site, other_site):
    project.sites = (site, other_site)
    seen = []
    entries = [
        {"title": "t", "link": entry["link"].replace("127.0.0.1", "localhost")} for entry in other_site.add_articles(2)
    ]
    calm = other_site.answers["/post/0"]
    other_site.answers["/post/0"] = lambda request: seen.append(dict(request.headers)) or calm
    feed = site.add_feed("/my-secret-feed", entries, headers={"Set-Cookie": "a=b"})
    settings = {"FOREST_ALLOW_PRIVATE": [site.permit, f"localhost:{other_site.port}"]}
    assert len(project.crawl(feeds=feed, settings=settings).items) == 2
    assert not {"Referer", "Cookie", "Authorization"} & seen[0].keys()


def test_lines_are_valid_json_with_all_fields(project, site):
    project.crawl(feeds=site.add_feed("/feed", site.add_articles(2)))
    from scrapy_forest.items import ArticleItem

    for line in project.export.read_bytes().splitlines():
        assert list(json.loads(line)) == list(ArticleItem.__dataclass_fields__)


def test_a_feed_without_titles_and_summaries(project, site):
    entries = [{"link": entry["link"]} for entry in site.add_articles(3)]
    crawl = project.crawl(feeds=site.add("/feed", rss(entries)))
    assert {item["headline"] for item in crawl.items} == {title(0), title(1), title(2)}
    assert {item["metadata"]["fields"]["headline"]["source"] for item in crawl.items} == {"html"}
