"""``scrapy forest …``: the commands of this package, each in a module of its own."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from scrapy_forest.commands import crawl, evaluate


@dataclass(frozen=True, slots=True)
class Subcommand:
    """What a module of this package gives."""

    summary: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Settings], int]  # gives the exit code


SUBCOMMANDS: Final[Mapping[str, Subcommand]] = {
    "crawl": Subcommand(crawl.SUMMARY, crawl.add_arguments, crawl.run),
    "evaluate": Subcommand(evaluate.SUMMARY, evaluate.add_arguments, lambda options, _: evaluate.run(options)),
}


class ForestCommand(ScrapyCommand):
    """Works in a Scrapy project and outside of one."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """For the usage line."""
        return "<subcommand> [options]"

    def short_desc(self) -> str:
        """For the list of Scrapy's commands."""
        return "Article extraction: " + ", ".join(SUBCOMMANDS)

    def add_options(self, parser: ArgumentParser) -> None:
        """Scrapy's options, and ours below each subcommand."""
        super().add_options(parser)
        parsers = parser.add_subparsers(dest="subcommand", metavar="<subcommand>")
        for name, subcommand in SUBCOMMANDS.items():
            prog = f"scrapy forest {name}"
            own = parsers.add_parser(name, help=subcommand.summary, description=subcommand.summary, prog=prog)
            subcommand.add_arguments(own)

    def run(self, args: list[str], opts: Namespace) -> None:
        """Run the subcommand."""
        if args:
            raise UsageError(f"unrecognised arguments: {' '.join(args)}")
        if opts.subcommand is None:
            raise UsageError("name a subcommand: " + ", ".join(SUBCOMMANDS))
        if self.settings is None:
            raise RuntimeError("Scrapy gives a command its settings before it runs it")
        self.exitcode = SUBCOMMANDS[opts.subcommand].run(opts, self.settings)
