"""Extensions that make the world around a crawl: its DNS, and somebody who watches what it opens and takes."""

import sys
from pathlib import Path

from scrapy import signals
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer


@implementer(IHostnameResolver)
class Names:
    """Names that end in ``.example`` are this machine, addresses are themselves, nothing else exists."""

    @classmethod
    def from_crawler(cls, crawler):
        names = cls()
        crawler.signals.connect(names.install, signals.spider_opened)
        return names

    def install(self):
        from twisted.internet import reactor

        reactor.installNameResolver(self)

    def resolveHostName(self, receiver, name, portNumber=0, addressTypes=None, transportSemantics="TCP"):  # noqa: ARG002, N802, N803
        receiver.resolutionBegan(self)
        address = "127.0.0.1" if name.endswith(".example") else name
        if address.replace(".", "").isdecimal():
            receiver.addressResolved(IPv4Address("TCP", address, portNumber))
        receiver.resolutionComplete()
        return self

    def cancel(self):
        raise NotImplementedError


class Peak:
    """The most memory that the process had, as a stat in megabytes."""

    @classmethod
    def from_crawler(cls, crawler):
        def tell():
            # Not ru_maxrss, which begins with what the parent had.
            [line] = [each for each in Path("/proc/self/status").read_text().splitlines() if each.startswith("VmHWM")]
            crawler.stats.set_value("peak/megabytes", int(line.split()[1]) // 1024)

        crawler.signals.connect(tell, signals.spider_closed, weak=False)
        return cls()


class Watch:
    """Setting ``WATCHED``: how often the process opens a file with that in its name is a stat."""

    @classmethod
    def from_crawler(cls, crawler):
        watched, opened = crawler.settings["WATCHED"], []

        def hook(event, arguments):
            if event == "open" and watched in str(arguments[0]):
                opened.append(arguments[0])

        sys.addaudithook(hook)
        Path(f"{watched}-to-see-that-this-works").touch()

        def tell():
            crawler.stats.set_value("watch/opened", len(opened))

        crawler.signals.connect(tell, signals.spider_closed, weak=False)
        return cls()
