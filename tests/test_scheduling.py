from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.squeues import FifoMemoryQueue
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from scrapy_forest.scheduling import FairPriorityQueue


class Downloader:
    """What a queue sees of Scrapy's."""

    domain_concurrency = 2

    def __init__(self, **slots):
        self.active = set()
        self.slots = {
            f"{name}.example": SimpleNamespace(concurrency=number, active=()) for name, number in slots.items()
        }

    def get_slot_key(self, request):
        return request.url.split("/")[2]


@pytest.fixture
def queue():
    crawler = get_crawler()
    crawler.engine = SimpleNamespace(downloader=Downloader(c=3))
    return build_from_crawler(FairPriorityQueue, crawler, downstream_queue_cls=FifoMemoryQueue, key="")


def take(queue):
    request = queue.pop()
    if request:
        queue.crawler.engine.downloader.active.add(request)
    return request and request.url.removeprefix("https://")


def test_n19_a_host_takes_no_more_places_than_it_can_use(queue):
    """Also while its requests wait for robots.txt, and are in no slot of the downloader yet."""
    for host in "aaaabccccc":
        queue.push(Request(f"https://{host}.example"))
    taken = [take(queue) for _ in range(8)]
    assert sorted(filter(None, taken[:6])) == ["a.example", "a.example", "b.example", *["c.example"] * 3]
    assert taken[6:] == [None, None]
    assert len(queue) == 4
    queue.crawler.engine.downloader.active.clear()
    assert {take(queue), take(queue)} == {"a.example", "c.example"}
