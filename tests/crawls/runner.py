"""Runs one crawl in a process of its own: settings, spider and arguments come in as JSON, stats go out as JSON."""

import json
import sys
from pathlib import Path

from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.settings import Settings
from scrapy.utils.misc import load_object


def main(plan_file: str) -> int:
    plan = json.loads(Path(plan_file).read_text(encoding="utf-8"))
    sys.path.insert(0, plan["tests"])
    settings = Settings()
    settings.setmodule("scrapy.settings.default_settings", "default")
    settings.update(plan["settings"], priority="project")
    process = CrawlerProcess(settings)
    spider = plan["spider"]
    crawler = process.create_crawler(load_object(spider) if "." in spider else spider)

    def write_stats() -> None:
        stats = {
            name: value for name, value in crawler.stats.get_stats().items() if isinstance(value, (int, float, str))
        }
        Path(plan["stats"]).write_text(json.dumps(stats), encoding="utf-8")

    crawler.signals.connect(write_stats, signals.engine_stopped, weak=False)
    process.crawl(crawler, **plan["arguments"])
    process.start()
    return 0 if Path(plan["stats"]).exists() else 1  # older versions tell of a failed start in the log only


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
