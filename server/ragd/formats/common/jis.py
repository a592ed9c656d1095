"""ISO-2022-JP as Japanese mail really uses it.

Python's codecs know the characters of the standard alone. Mail from Windows also has those that NEC and IBM added to the same
table (①, Ⅲ, ㈱, 髙), and half-width katakana; Python knows these as part of code page 932, which is the same table, folded.
"""

from __future__ import annotations

import re
from typing import Final

_ESCAPE: Final = re.compile(rb"\x1b(\$[@B]|\$\(D|\([BJIH])")
_TWO_BYTES: Final = (b"$@", b"$B")
_KATAKANA: Final = b"(I"
_SUPPLEMENT: Final = b"$(D"
_NO_PLACE: Final = re.compile(rb"[^\x21-\x7e]")
_HIGH: Final = bytes(byte | 0x80 for byte in range(256))


def decode_jis(data: bytes) -> str | None:
    """The text of ISO-2022-JP bytes, which have 7 bits; None when they hold no escape sequence of it, or places that aren't in
    its tables."""
    if not data.isascii() or not _ESCAPE.search(data):
        return None
    try:
        return data.decode("iso2022_jp")
    except UnicodeDecodeError:
        pass  # one of the added characters, most likely
    parts = _ESCAPE.split(data)
    texts = [parts[0].decode("ascii", "replace")]
    try:
        for escape, segment in zip(parts[1::2], parts[2::2], strict=True):
            # A line always begins in ASCII, also where the escape back to it is missing.
            shifted, newline, rest = segment.partition(b"\n")
            texts.append(_decode(escape, shifted.rstrip(b"\r")) + (newline + rest).decode("ascii", "replace"))
    except UnicodeDecodeError:
        return None
    return "".join(texts)


def _decode(escape: bytes, segment: bytes) -> str:
    if escape in _TWO_BYTES:
        if _NO_PLACE.search(segment):
            raise UnicodeDecodeError("iso2022_jp", segment, 0, len(segment), "not a place in the table")
        return b"".join(_folded(*segment[at : at + 2]) for at in range(0, len(segment) - 1, 2)).decode("cp932")
    if escape == _KATAKANA:
        return segment.translate(_HIGH).decode("cp932")
    if escape == _SUPPLEMENT:
        high = segment.translate(_HIGH)
        return b"".join(b"\x8f" + high[at : at + 2] for at in range(0, len(high) - 1, 2)).decode("euc_jp")
    return segment.decode("ascii", "replace")


def _folded(row: int, cell: int) -> bytes:
    """A place in the table of 94 rows and cells (each from 0x21) as code page 932 writes it: two rows in one lead byte."""
    lead = (row + 1) // 2 + (0x70 if row < 0x5F else 0xB0)
    if row % 2 == 0:
        return bytes((lead, cell + 0x7E))
    return bytes((lead, cell + (0x1F if cell < 0x60 else 0x20)))
