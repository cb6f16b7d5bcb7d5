"""What bytes are, whatever their label says."""

from __future__ import annotations

import re
from typing import Final

# How files begin that are no text: PDF, PNG, JPEG, GIF, RIFF (WebP, WAV, AVI), ZIP (EPUB, DOCX), gzip, MP3, Ogg, FLAC,
# Matroska, MP4 and its kin, TIFF, ICO, fonts, SWF, executables.
_BINARY: Final = re.compile(
    rb"%PDF-|\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|RIFF....|PK\x03\x04|\x1f\x8b\x08|ID3|\xff[\xfb\xf3\xf2]|OggS|fLaC"
    rb"|\x1aE\xdf\xa3|....ftyp|II\*\x00|MM\x00\*|\x00\x00\x01\x00|wOF[F2]|[CF]WS[\x01-\x20]|MZ[\x00-\x1f\x80-\xff]|\x7fELF",
    re.DOTALL,
)


def is_binary(body: bytes) -> bool:
    r"""Whether a document is no text at all.

    >>> is_binary(b"%PDF-1.7"), is_binary(b"<html>"), is_binary("a text".encode("utf-16"))
    (True, False, False)
    """
    return bool(_BINARY.match(body))
