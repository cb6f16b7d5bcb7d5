"""Extensions that take things away from their crawl, as a full disk or a container's limit does."""

import resource
from pathlib import Path

from scrapy import signals

MEGABYTE = 1024 * 1024


class FileSize:
    """Setting ``FILE_BYTES``: no file may grow beyond that."""

    @classmethod
    def from_crawler(cls, crawler):
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (crawler.settings.getint("FILE_BYTES"), hard))
        return cls()


class Memory:
    """Setting ``MEMORY_MB``: how much more the process may take than when the spider was opened."""

    def __init__(self, megabytes):
        self.megabytes = megabytes

    @classmethod
    def from_crawler(cls, crawler):
        extension = cls(crawler.settings.getint("MEMORY_MB"))
        crawler.signals.connect(extension.limit, signals.spider_opened)
        return extension

    def limit(self):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        now = pages * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (now + self.megabytes * MEGABYTE, hard))


class Quota:
    """As soon as the first page is there, nothing can be written any more."""

    @classmethod
    def from_crawler(cls, crawler):
        extension = cls()
        crawler.signals.connect(extension.strike, signals.response_received)
        return extension

    def strike(self):
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
