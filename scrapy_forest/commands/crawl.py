"""``scrapy forest crawl``: what ``scrapy crawl`` does, with an exit code that tells how the crawl ended."""

from __future__ import annotations

import logging
from argparse import SUPPRESS, ArgumentParser, Namespace
from typing import Final

from scrapy.commands.crawl import Command
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from scrapy_forest.crawl.endings import NOT_STARTED, ending_of, exit_code
from scrapy_forest.errors import ForestError
from scrapy_forest.extensions import ENDING

logger = logging.getLogger(__name__)

SUMMARY: Final = "run a spider as scrapy crawl does; the exit code tells how the crawl ended"


def add_arguments(parser: ArgumentParser) -> None:
    """Those of ``scrapy crawl``."""
    parser.add_argument("spider", help="its name, such as feeds")
    parser.add_argument("-a", dest="spargs", action="append", default=[], metavar="NAME=VALUE", help="spider argument")
    parser.add_argument("-o", "--output", action="append", metavar="FILE", help="append items to FILE")
    parser.add_argument(
        "-O", "--overwrite-output", action="append", metavar="FILE", help="write items to an empty FILE"
    )
    # These stand before "crawl" as well, whose values must not be overwritten by a default.
    parser.add_argument("-s", "--set", action="append", default=SUPPRESS, metavar="NAME=VALUE", help="set a setting")
    parser.add_argument("-L", "--loglevel", default=SUPPRESS, metavar="LEVEL", help="such as INFO")
    parser.add_argument("--logfile", default=SUPPRESS, metavar="FILE", help="instead of the standard error")
    parser.add_argument("--nolog", action="store_true", default=SUPPRESS, help="no log at all")


def run(options: Namespace, settings: Settings) -> int:
    """Crawl; gives the exit code."""
    command = Command()
    command.settings = settings
    command.process_options([options.spider], options)
    process = AsyncCrawlerProcess(settings)
    try:
        crawler = process.create_crawler(options.spider)
    except KeyError as error:
        raise UsageError(str(error.args[0]), print_help=False) from error
    task = process.crawl(crawler, **options.spargs)
    process.start()
    if task.done() and not task.cancelled() and (failure := task.exception()):
        # Who asks a task for its error has to tell of it; ours say all there is to say.
        logger.critical("The crawl failed: %s", failure, exc_info=None if isinstance(failure, ForestError) else failure)
        return exit_code(ending_of(failure) or NOT_STARTED)
    stats = crawler.stats.get_stats()
    return exit_code(NOT_STARTED if process.bootstrap_failed else stats.get(ENDING) or stats.get("finish_reason"))
