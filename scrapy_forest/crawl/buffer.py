"""The sample buffer: pages that wait for their template's wrapper, compressed, in bounded memory.

A thousand hosts with five pages each are 3.5 GB as trees, 0.9 GB as bytes and 0.2 GB compressed.  What does not fit
into memory goes to one temporary file without a name: it is gone with the process, however that ends.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
import zlib
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final

from scrapy_forest.model.document import Document

FAST: Final = 1  # zlib's level: three times as fast as its default for a tenth more bytes
SMALL: Final = 64 * 1024  # bytes that are compressed faster than a thread is asked


@dataclass(frozen=True, slots=True)
class Ticket:
    """A place in the buffer."""

    number: int
    host: str


@dataclass(slots=True)
class _Parcel:
    document: Document  # without its bytes
    size: int
    packed: bytes | None  # in memory, or
    offset: int = 0  # in the file


class SampleBuffer:
    """Documents by ticket, and how many there are of each host."""

    def __init__(self, memory: int, directory: Path | None = None) -> None:
        self.pages: Counter[str] = Counter()  # of each host
        self.in_memory = 0  # bytes
        self._memory = memory
        self._directory = directory
        self._parcels: dict[Ticket, _Parcel] = {}
        self._number = 0
        self._file: IO[bytes] | None = None
        self._end = 0  # of the file
        self._spilled = 0  # documents in the file
        self._turn = threading.Lock()  # at the file

    def __len__(self) -> int:
        return len(self._parcels)

    def __contains__(self, ticket: Ticket) -> bool:
        return ticket in self._parcels

    async def put(self, host: str, document: Document) -> Ticket:
        """Keep a document."""
        if len(document.body) <= SMALL:
            packed = zlib.compress(document.body, FAST)
        else:
            packed = await asyncio.to_thread(zlib.compress, document.body, FAST)
        self._number += 1
        ticket = Ticket(self._number, host)
        parcel = _Parcel(replace(document, body=b""), len(packed), packed)
        if self.in_memory + parcel.size > self._memory:
            await self._spill(parcel, packed)
        else:
            self.in_memory += parcel.size
        self._parcels[ticket] = parcel
        self.pages[host] += 1
        return ticket

    async def get(self, ticket: Ticket) -> Document:
        """A document that was kept."""
        parcel = self._parcels[ticket]
        packed = parcel.packed
        if packed is None:
            packed = await asyncio.to_thread(self._read, parcel)
        return replace(parcel.document, body=zlib.decompress(packed))

    def drop(self, ticket: Ticket) -> None:
        """Forget a document; nothing happens for one that is forgotten already."""
        parcel = self._parcels.pop(ticket, None)
        if parcel is None:
            return
        self.pages[ticket.host] -= 1
        if not self.pages[ticket.host]:
            del self.pages[ticket.host]
        if parcel.packed is None:
            self._spilled -= 1
        else:
            self.in_memory -= parcel.size

    def close(self) -> None:
        """Forget everything."""
        self._parcels.clear()
        self.pages.clear()
        self.in_memory = 0
        if self._file is not None:
            self._file.close()

    async def _spill(self, parcel: _Parcel, packed: bytes) -> None:
        if not self._spilled:
            self._end = 0  # nothing in the file is wanted any more: start anew
        parcel.offset, parcel.packed = self._end, None
        self._end += parcel.size
        self._spilled += 1  # before the write, so that nobody starts anew meanwhile
        try:
            await asyncio.to_thread(self._write, packed, parcel.offset)
        except OSError:
            self._spilled -= 1
            raise

    def _write(self, packed: bytes, offset: int) -> None:
        with self._turn:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._directory)  # noqa: SIM115 - closed by close()
            self._file.seek(offset)
            self._file.write(packed)

    def _read(self, parcel: _Parcel) -> bytes:
        with self._turn:
            if self._file is None:
                raise RuntimeError("a document was spilled, but there is no file")
            self._file.seek(parcel.offset)
            return self._file.read(parcel.size)
