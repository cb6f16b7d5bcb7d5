"""Messages between the crawl and its workers: a JSON header and blobs of bytes, each with its length before it.

Not pickle: a worker has parsed pages from anywhere, and what it says must not be able to run code in the crawl.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from struct import Struct
from typing import Any, BinaryIO, Final

from scrapy_forest.errors import FrameError

Message = tuple[dict[str, Any], list[bytes]]

MAX_BYTES = 256 * 1024 * 1024  # twenty samples of the 10 MB that the downloader accepts, and room for the header
MAX_BLOBS = 1_000  # far more than any task's samples; limits what is read before the sizes are known

_MAGIC: Final = b"SF1\n"  # tells stray output of a start-up script from a frame
_PREFIX: Final = Struct("!4sII")  # magic, length of the header, number of blobs
_SIZE: Final = 4  # bytes of a blob's length


def encode_frame(header: dict[str, Any], blobs: Sequence[bytes] = ()) -> list[bytes]:
    """The message as pieces to write one after the other; the blobs are not copied."""
    # Text from the web may hold lone surrogates, which must not cost the whole message.
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    _check_sizes(len(blobs), [len(text), *map(len, blobs)])
    sizes = b"".join(len(blob).to_bytes(_SIZE, "big") for blob in blobs)
    return [_PREFIX.pack(_MAGIC, len(text), len(blobs)) + sizes + text, *blobs]


def write_frame(stream: BinaryIO, frame: Sequence[bytes]) -> None:
    """Write an encoded message; the stream must be a buffered one, which writes all or raises."""
    stream.writelines(frame)
    stream.flush()


def read_frame(stream: BinaryIO) -> Message | None:
    """The next message, or None where the stream ends.

    >>> from io import BytesIO
    >>> read_frame(BytesIO(b"".join(encode_frame({"task": "read"}, [b"<rss>"]))))
    ({'task': 'read'}, [b'<rss>'])
    """
    prefix = stream.read(_PREFIX.size)
    if not prefix:
        return None
    if len(prefix) < _PREFIX.size:
        raise FrameError("it is cut off")
    magic, length, count = _PREFIX.unpack(prefix)
    if magic != _MAGIC:
        raise FrameError(f"it starts with {prefix!r}")
    _check_sizes(count, [length])
    table = _read_exactly(stream, count * _SIZE)
    sizes = [int.from_bytes(table[start : start + _SIZE], "big") for start in range(0, len(table), _SIZE)]
    _check_sizes(count, [length, *sizes])
    header = _decode_header(_read_exactly(stream, length))
    return header, [_read_exactly(stream, size) for size in sizes]


def _check_sizes(count: int, sizes: Sequence[int]) -> None:
    if count > MAX_BLOBS:
        raise FrameError(f"it has {count} blobs, more than {MAX_BLOBS}")
    if sum(sizes) > MAX_BYTES:
        raise FrameError(f"it has {sum(sizes)} bytes, more than {MAX_BYTES}")


def _read_exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise FrameError("it is cut off")
    return data


def _decode_header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise FrameError("its header is no JSON") from error
    if not isinstance(header, dict):
        raise FrameError("its header is no JSON object")
    return header
