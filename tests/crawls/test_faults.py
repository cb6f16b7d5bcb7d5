"""K07: whatever raises costs the page it raised for, is counted, and is made good by the next crawl."""

from collections import Counter

import pytest

OURS = "scrapy_forest"
# Those of one page each, and what the books say of it.  In learning, one page is as good as all of its template.
FAULTS = {
    f"{OURS}.network.guard.GuardMiddleware.process_request": "download",
    f"{OURS}.downloadermiddlewares.RetryAfterMiddleware.process_request": "download",
    f"{OURS}.downloadermiddlewares.SampleMiddleware.process_response": "download",
    f"{OURS}.network.handlers.GuardedDownloadHandler.download_request": "download",
    f"{OURS}.spiders.feeds.FeedsSpider.parse_article": "callback",
    f"{OURS}.crawl.forest.Forest.receive": "page_crash",
    f"{OURS}.crawl.extraction.Extractor.examine": "page_crash",
    f"{OURS}.crawl.forest.Forest.extract": "pipeline",
    f"{OURS}.crawl.extraction.Extractor.extract": "pipeline",
    f"{OURS}.pipelines.ArticlePipeline.process_item": "pipeline",
    f"{OURS}.crawl.outbox.Outbox.send": "export",
    f"{OURS}.crawl.sinks.Sink.append": "export",
    f"{OURS}.exporters.ArticleLinesExporter._line_of": "export",
    f"{OURS}.exporters.ArticleLinesExporter.export_item": "export",  # as somebody's subclass, or Scrapy before it
}
FEED_FAULTS = {f"{OURS}.crawl.ledger.Ledger.take_up": "/other"}
GOOD = 3


def url(number):
    return f"/post/{number}"


@pytest.fixture
def first(project, site):
    """A crawl in which each fault strikes once; it logs tracebacks, as it should."""
    entries = site.add_articles(len(FAULTS) + GOOD)
    feeds = [site.add_feed("/feed", entries), site.add_feed("/other", site.add_articles(2, start=90))]
    faults = {point: url(number) for number, point in enumerate(FAULTS)} | FEED_FAULTS
    settings = {"EXTENSIONS": {"faults.Faults": 0}, "FAULTS": faults, "FOREST_SAMPLES": 3, "RETRY_ENABLED": False}
    process = project.start(feeds=",".join(feeds), settings=settings)
    assert process.wait(120) == 0
    return ",".join(feeds), (project.directory / "log.txt").read_text()


def test_k07_every_hook_raises_once(project, site, first):
    feeds, log = first
    done = {item["url"] for item in project.items()}
    assert {site.origin + url(number) for number in range(len(FAULTS), len(FAULTS) + GOOD)} <= done
    for point in (*FAULTS, *FEED_FAULTS):
        assert f"on purpose: {point}" in log, point
    expected = Counter(FAULTS.values())
    told = ", ".join(f"{count} {reason}" for reason, count in sorted(expected.items()))
    assert f"= {len(done)} items + 0 skipped + {expected.total()} errors ({told})" in log
    assert "2 feeds: 0 unchanged, 1 failed" in log
    for number in range(len(FAULTS)):
        assert site.origin + url(number) in log
    project.crawl(feeds=feeds)
    numbers = [*range(len(FAULTS) + GOOD), 90, 91]
    assert sorted(item["url"] for item in project.items()) == sorted(site.origin + url(number) for number in numbers)
