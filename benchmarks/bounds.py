"""What was measured beside what may be."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

Row = tuple[str, str, str, bool]  # what, measured, its bound, whether that holds


def show_bounds(console: Console, rows: Sequence[Row]) -> bool:
    """Whether all bounds hold; those that do not are marked."""
    table = Table("", "measured", "bound", box=None)
    for what, value, bound, holds in rows:
        table.add_row(what, value + ("" if holds else "  ✗"), bound)
    console.print(table)
    return all(holds for *_, holds in rows)
