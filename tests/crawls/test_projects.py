"""The plugin in other people's projects."""

import subprocess
import sys
from pathlib import Path

import pytest
from website import text

from scrapy_forest.configuration import COMPONENTS, EXPORTERS, LIMITS, SPIDERS
from scrapy_forest.network.handlers import HANDLERS

EXPLICIT = {
    "ADDONS": {},
    "SPIDER_MODULES": [SPIDERS],
    **{name: dict(components) for name, components in COMPONENTS.items()},
    "DOWNLOAD_HANDLERS": dict(HANDLERS),
    "FEED_EXPORTERS": dict(EXPORTERS),
    **LIMITS,
}


def number(item) -> int:
    return int(item["url"].rpartition("/")[2])


def test_n09_the_explicit_configuration_does_the_same(project, site, other_site):
    feed = site.add_feed("/feed", [*site.add_articles(4), *other_site.add_articles(1)])
    crawl = project.crawl(feeds=feed, settings=EXPLICIT)
    assert crawl.counts("skipped") == {"private_address": 1}
    assert other_site.connections == 0
    assert [item["articleBody"] for item in sorted(crawl.items, key=number)] == [text(n) for n in range(4)]


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ("DOWNLOADER_MIDDLEWARES", "scrapy_forest.downloadermiddlewares.SampleMiddleware"),
        ("SPIDER_MIDDLEWARES", "scrapy_forest.spidermiddlewares.TemplateMiddleware"),
        ("ITEM_PIPELINES", "scrapy_forest.pipelines.ArticlePipeline"),
        ("EXTENSIONS", "scrapy_forest.extensions.ForestExtension"),
        ("DOWNLOAD_HANDLERS", "DOWNLOAD_HANDLERS"),
        ("FEED_EXPORTERS", "FEED_EXPORTERS"),
        ("DOWNLOAD_TIMEOUT", "DOWNLOAD_TIMEOUT = 30"),
    ],
)
def test_n09_a_missing_part_is_told_at_the_start(project, site, missing, named):
    settings = {name: value for name, value in EXPLICIT.items() if name != missing}
    process = project.start(feeds=site.add_feed("/feed", []), settings=settings)
    assert process.wait(30) != 0
    log = (project.directory / "log.txt").read_text()
    assert named in log
    assert 'ADDONS = {"scrapy_forest.Addon": 500}' in log or "DOWNLOAD_HANDLERS" in log
    assert site.hits == {}


def test_a_store_that_cannot_be_opened_ends_the_crawl(project, site):
    process = project.start(feeds=site.add_feed("/feed", []), settings={"FOREST_STORE": str(project.directory)})
    assert process.wait(30) != 0
    assert str(project.directory) in (project.directory / "log.txt").read_text()
    assert site.hits["/feed"] == 0


def test_a_wrong_setting_is_named(project, site):
    process = project.start(feeds=site.add_feed("/feed", []), settings={"FOREST_METHOD": "magic"})
    assert process.wait(30) != 0
    assert "FOREST_METHOD is 'magic', but should be one of forest-tfidf" in (project.directory / "log.txt").read_text()


def test_a_crawl_spider_of_somebody_else(project, site):
    links = "".join(f"<a href='{entry['link']}'>x</a>" for entry in site.add_articles(6))
    start = site.add("/list/1", f"<html><body>{links}</body></html>")
    crawl = project.crawl("user_code.NewsSpider", start=start)
    articles = [item for item in crawl.items if "articleBody" in item]
    assert {number(item): item["articleBody"] for item in articles} == {n: text(n) for n in range(6)}
    assert {item["headline"] for item in articles} == {"My own headline"}  # what the spider filled stays
    assert len(crawl.items) == 12  # other items pass
    assert crawl.stats["forest/pages"] == 6
    assert articles[0]["feed"] is None


def test_a_spider_that_sets_the_request_meta(project, site):
    urls = [entry["link"] for entry in site.add_articles(3)]
    crawl = project.crawl("user_code.MetaSpider", urls=",".join(urls))
    assert crawl.urls == sorted(urls)
    assert crawl.stats["forest/pages"] == 3


def test_a_callback_that_raises_costs_its_page(project, site):
    urls = [entry["link"] for entry in site.add_articles(2)]
    process = project.start("user_code.BrokenSpider", urls=",".join(urls))
    assert process.wait(30) == 0
    assert "a mistake in a callback" in (project.directory / "log.txt").read_text()
    assert project.items() == []


def test_switched_off(project, site):
    urls = [entry["link"] for entry in site.add_articles(2)]
    crawl = project.crawl("user_code.MetaSpider", urls=",".join(urls), settings={"FOREST_ENABLED": False})
    assert crawl.items == []
    assert not any(name.startswith("forest") for name in crawl.stats)


def test_what_a_pipeline_drops_is_not_fetched_again(project, site):
    feed = site.add_feed("/feed", site.add_articles(4))
    settings = {"ITEM_PIPELINES": {"user_code.DropEven": 500}}
    crawl = project.crawl(feeds=feed, settings=settings)
    assert sorted(map(number, crawl.items)) == [1, 3]
    assert crawl.counts("skipped") == {"dropped": 2}
    assert project.crawl(feeds=feed, settings=settings).counts("skipped") == {"known": 4}
    assert site.hits["/post/0"] == 1


def test_a_pipeline_before_ours_may_drop_a_whole_batch(project, site):
    feed = site.add_feed("/feed", site.add_articles(14))
    crawl = project.crawl(feeds=feed, settings={"ITEM_PIPELINES": {"user_code.DropFirst": 50}})
    assert crawl.counts("skipped") == {"dropped": 10}
    assert len(crawl.items) == 4


def test_items_may_become_something_else(project, site):
    feed = site.add_feed("/feed", site.add_articles(3))
    crawl = project.crawl(feeds=feed, settings={"ITEM_PIPELINES": {"user_code.ToDict": 500}})
    assert [item["words"] for item in crawl.items] == [200] * 3
    assert crawl.stats["forest/items"] == 3


def test_a_pipeline_that_raises_costs_its_item(project, site):
    feed = site.add_feed("/feed", site.add_articles(3))
    process = project.start(feeds=feed, settings={"ITEM_PIPELINES": {"user_code.Fail": 500}})
    assert process.wait(30) == 0
    assert sorted(map(number, project.items())) == [0, 2]
    assert "1 errors (1 pipeline)" in (project.directory / "log.txt").read_text()
    crawl = project.crawl(feeds=feed)  # tried again
    assert list(map(number, crawl.items)) == [1]


def test_no_export_at_all(project, site):
    feed = site.add_feed("/feed", site.add_articles(3))
    assert project.crawl(feeds=feed, settings={"FEEDS": {}}).stats["forest/items"] == 3
    assert project.crawl(feeds=feed, settings={"FEEDS": {}}).counts("skipped") == {"known": 3}


START = 'open("started", "a").write("once\\n")\n'
PROCESS = """
from scrapy.crawler import CrawlerProcess
process = CrawlerProcess({settings!r})
process.crawl("feeds", feeds={feed!r})
process.start()
"""
RUNNER = """
from scrapy.utils.reactor import install_reactor
install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
from scrapy.crawler import CrawlerRunner
from twisted.internet import reactor
runner = CrawlerRunner({settings!r})
runner.crawl("feeds", feeds={feed!r}).addBoth(lambda _: reactor.stop())
reactor.run()
"""


@pytest.mark.parametrize("script", [PROCESS, RUNNER], ids=["CrawlerProcess", "CrawlerRunner"])
def test_n09_an_unguarded_script_runs_once(project, site, other_site, script):
    """Our workers do not run it again; and the address guard is there."""
    feed = site.add_feed("/feed", [*site.add_articles(3), *other_site.add_articles(2)])
    file = project.directory / "script.py"
    file.write_text(START + script.format(settings=project.settings(), feed=feed))
    done = subprocess.run([sys.executable, file], cwd=project.directory, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (project.directory / "started").read_text() == "once\n"
    assert len(project.items()) == 3
    assert other_site.connections == 0


def test_n09_in_a_new_project(project, site, other_site):
    scrapy = str(Path(sys.executable).parent / "scrapy")
    subprocess.run([scrapy, "startproject", "fresh", "."], cwd=project.directory, check=True, capture_output=True)
    settings = project.directory / "fresh" / "settings.py"
    lines = f"ADDONS = {{'scrapy_forest.Addon': 500}}\nFOREST_ALLOW_PRIVATE = [{site.permit!r}]\n"
    settings.write_text(settings.read_text() + lines + "DOWNLOAD_DELAY = AUTOTHROTTLE_START_DELAY = 0\n")
    feed = site.add_feed("/feed", [*site.add_articles(3), *other_site.add_articles(1)])
    command = [scrapy, "crawl", "feeds", "-a", f"feeds={feed}", "-o", "articles.jsonl"]
    done = subprocess.run(command, cwd=project.directory, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert len(project.items()) == 3
    assert other_site.connections == 0
    assert (project.directory / ".scrapy" / "forest.sqlite").exists()


def test_without_feeds_the_crawl_says_what_to_do(project):
    process = project.start()
    assert process.wait(30) != 0
    assert "-a feeds=URL" in (project.directory / "log.txt").read_text()
