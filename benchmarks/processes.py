"""What a process and those that it has started take, by Linux's ``/proc``; elsewhere all is told as 0."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100  # a second
KEPT: Final = "VmRSS"  # now in memory
PEAK: Final = "VmHWM"  # the most since the process began, or since reset_peak


def family_of(pid: int) -> Iterator[int]:
    """A process and all that it has started."""
    yield pid
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in read(path).split():
            yield from family_of(int(child))


def megabytes(pid: int, what: str = KEPT) -> float:
    """Memory of a process; 0 for one that has ended."""
    found = re.search(rf"^{what}:\s*([0-9]+) kB", read(Path(f"/proc/{pid}/status")), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def reset_peak(pid: int) -> None:
    """Let the peak begin anew; where that is not allowed, it stays that of the whole life."""
    with suppress(OSError):
        Path(f"/proc/{pid}/clear_refs").write_text("5")


def cpu_seconds(pid: int) -> float:
    """CPU time of a process, its children that have ended included."""
    fields = read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS if fields else 0.0


def read(path: Path) -> str:
    """The text of a file of ``/proc``; empty if the process has just ended."""
    try:
        return path.read_text()
    except OSError:
        return ""
