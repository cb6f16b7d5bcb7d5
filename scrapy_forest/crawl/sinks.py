"""Export files: lines are appended to them, each one whole or not at all.

A process may be killed in the middle of a line.  What stands after the last line end when a file is opened is
therefore cut off, unless it is a line that only lacks its end.  Several crawls may append to one file, and none of them
cuts while another one has it open (on systems with ``flock``).
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

BLOCK: Final = 64 * 1024
LONGEST: Final = 64 * 1024 * 1024  # bytes without a line end: this is no file of lines, and nothing of it is cut
FULL: Final = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EFBIG])  # no room: on the disk, for the user, in the file


def is_full(error: BaseException | None) -> bool:
    """Whether a write failed because there is no room."""
    return isinstance(error, OSError) and error.errno in FULL


class Sink:
    """One open file."""

    def __init__(self, path: str) -> None:
        """Open a file, or make it; ``torn`` is the part of a line that was cut off."""
        self.path = os.path.abspath(path)
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        self._descriptor = os.open(self.path, flags, 0o666)
        self.torn = b""
        try:
            if self._has_to_itself():
                self.torn = self._cut()
            self._share()
        except BaseException:
            self.close()
            raise

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return os.fstat(self._descriptor).st_size

    def append(self, line: bytes) -> int:
        """Add a line; gives where it ends.  What cannot be written whole is taken back.

        Another crawl that appends to the file may have been killed in the middle of a line: ours does not go on there.
        """
        end = self.size
        if end and line != b"\n" and self._read(end - 1, end) != b"\n":
            line = b"\n" + line
        written = 0
        try:
            while written < len(line):
                written += os.write(self._descriptor, line[written:])
        except OSError:
            end = self._position()
            if written and end == self.size:  # nobody else has written meanwhile
                os.ftruncate(self._descriptor, end - written)
            raise
        return self._position()

    def lines(self, start: int) -> Iterator[bytes]:
        """The lines after that many bytes, or all if there are not so many."""
        with open(self.path, "rb") as file:
            file.seek(start if start <= self.size else 0)
            yield from file

    def close(self) -> None:
        """Close, which gives up the lock, too."""
        os.close(self._descriptor)

    def _position(self) -> int:
        """Where the last write has ended."""
        return os.lseek(self._descriptor, 0, os.SEEK_CUR)

    def _cut(self) -> bytes:
        end = self.size
        start = self._last_line_end(end)
        if start is None or start == end:
            return b""
        fragment = self._read(start, end)
        if is_whole(fragment):
            self.append(b"\n")
            return b""
        os.ftruncate(self._descriptor, start)
        return fragment

    def _last_line_end(self, size: int) -> int | None:
        """Where the last line begins that has no end; None if that is too far away."""
        position = size
        while position > 0 and size - position < LONGEST:
            start = max(0, position - BLOCK)
            found = self._read(start, position).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            position = start
        return 0 if position == 0 else None

    def _read(self, start: int, end: int) -> bytes:
        os.lseek(self._descriptor, start, os.SEEK_SET)
        parts = []
        while start < end and (part := os.read(self._descriptor, end - start)):
            parts.append(part)
            start += len(part)
        return b"".join(parts)

    def _has_to_itself(self) -> bool:
        if fcntl is None:
            return True
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # another crawl appends to it, or the file system has no locks
            return False
        return True

    def _share(self) -> None:
        if fcntl is not None:
            with suppress(OSError):  # as above
                fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


def is_whole(fragment: bytes) -> bool:
    """Whether a line lacks nothing but its end.

    >>> is_whole(b'{"url": "a"}'), is_whole(b'{"url": "a')
    (True, False)
    """
    try:
        json.loads(fragment)
    except (ValueError, RecursionError):
        return False
    return True


@dataclass(slots=True, eq=False)
class Line:
    """A line that is to be written, once."""

    sink: Sink
    text: bytes
    ended: int | None = None  # where in the file
    is_dropped: bool = False  # whether nobody shall write it any more

    @property
    def is_waiting(self) -> bool:
        """Whether it is still to be written."""
        return self.ended is None and not self.is_dropped

    def write(self) -> int:
        """Write it, unless that is done; gives where it ends."""
        if self.ended is None:
            self.ended = self.sink.append(self.text)
        return self.ended
