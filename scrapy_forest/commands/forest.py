"""``scrapy forest …``: the commands of this package, each in a module of its own."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from scrapy_forest.commands import evaluate


@dataclass(frozen=True, slots=True)
class Subcommand:
    """What a module of this package gives."""

    summary: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]  # gives the exit code


SUBCOMMANDS: Final[Mapping[str, Subcommand]] = {
    "evaluate": Subcommand(evaluate.SUMMARY, evaluate.add_arguments, evaluate.run),
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
        self.exitcode = SUBCOMMANDS[opts.subcommand].run(opts)
