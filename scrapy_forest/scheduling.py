"""Which request comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from scrapy.pqueues import DownloaderAwarePriorityQueue, DownloaderInterface


class Places(DownloaderInterface):
    """How many of the places that all hosts share each host has taken, with requests that wait for its robots.txt."""

    def stats(self, possible_slots: Iterable[str]) -> list[tuple[int, str]]:
        """The number for each of these hosts, without those that get no more requests at a time."""
        taken = Counter(map(self.get_slot_key, self.downloader.active))
        return [(taken[host], host) for host in possible_slots if taken[host] < self._limit(host)]

    def _limit(self, host: str) -> int:
        slot = self.downloader.slots.get(host)
        return slot.concurrency if slot else self.downloader.domain_concurrency


class FairPriorityQueue(DownloaderAwarePriorityQueue):
    """Scrapy's queue, which takes hosts in turns; what a host cannot take yet stays here.

    In the downloader it would wait in one of the places that all hosts share, and a few hosts that hang would have them
    all.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._downloader_interface = Places(self.crawler)
