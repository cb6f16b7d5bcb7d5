"""N10 and X16: answers that are small and unpack to 300 MB end soon, in little memory, and by name."""

import gzip
import re
from importlib.util import find_spec
from pathlib import Path
from time import process_time

import pytest
from scrapy import Spider
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Request
from scrapy.utils.test import get_crawler
from website import page

from scrapy_forest.configuration import LIMITS

SIZE = 300 * 1024 * 1024
PART = 10 * 1024 * 1024
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def unzipped():
    return gzip.compress(bytes(PART), mtime=0) * (SIZE // PART)  # gzip files may follow each other


def brotlied():
    import brotli

    return brotli.compress(bytes(SIZE), quality=2)


def zstandarded():
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return zstd.compress(bytes(SIZE))


BOMBS = {"gzip": unzipped, "gzip, gzip": lambda: gzip.compress(unzipped())}
if find_spec("brotli"):
    BOMBS["br"] = brotlied
if find_spec("compression") or find_spec("backports"):
    BOMBS["zstd"] = zstandarded


@pytest.fixture(scope="module")
def bombs():
    return {encoding: make() for encoding, make in BOMBS.items()}


def peak():
    """The most memory that this process has had since the mark was last put back, in bytes; Linux only."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is measured on Linux")
@pytest.mark.parametrize("encoding", BOMBS)
def test_n10_bombs_are_refused_soon(bombs, encoding):
    middleware = HttpCompressionMiddleware.from_crawler(get_crawler(settings_dict=dict(LIMITS)))
    middleware.open_spider(Spider("bombs"))
    request = Request("https://a.example/")
    response = HtmlResponse(request.url, headers={"Content-Encoding": encoding}, body=bombs[encoding], request=request)
    Path("/proc/self/clear_refs").write_text("5")
    before, start = peak(), process_time()
    with pytest.raises(IgnoreRequest, match="DOWNLOAD_MAXSIZE"):
        middleware.process_response(request, response)
    assert process_time() - start < 2  # 0.1 s where nobody else works
    assert peak() - before < 50 * 1024 * 1024


def test_n10_a_crawl_goes_on_after_bombs(project, site, bombs):
    entries = site.add_articles(4)
    for number, (encoding, body) in enumerate(bombs.items()):
        link = site.add(f"/bomb/{number}", body, headers={"Content-Encoding": encoding})
        entries.insert(1, {"title": "A bomb", "link": link})
    harmless = site.add("/small", gzip.compress(page(9).encode()), headers={"Content-Encoding": "gzip"})
    feeds = [site.add_feed("/feed", [*entries, {"title": "Small", "link": harmless}])]
    feeds.append(site.add("/bomb/feed", bombs["gzip"], headers={"Content-Encoding": "gzip"}))
    crawl = project.crawl(feeds=",".join(feeds))
    assert len(crawl.items) == 5
    assert crawl.counts("errors") == {"too_large": len(bombs)}
    assert crawl.counts("feeds/failed") == {"too_large": 1}
    assert crawl.stats["memusage/max"] - crawl.stats["memusage/startup"] < 150 * 1024 * 1024


def test_x16_the_oldest_scrapy_that_is_safe():
    """2.13.4 refuses bombs in Brotli; 2.14.2 no longer calls what a ``Referrer-Policy`` header names."""
    lowest = re.search(r'"scrapy>=([\d.]+)"', PYPROJECT.read_text(encoding="utf-8"))[1]
    assert tuple(map(int, lowest.split("."))) >= (2, 14, 2)
