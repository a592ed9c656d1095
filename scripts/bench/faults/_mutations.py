"""Ways in which a file is damaged, each the same for the same random numbers."""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Final

_ENCODINGS: Final = ("utf-16", "utf-16-le", "utf-32", "cp932", "euc-jp", "iso2022_jp", "gb18030", "latin-1", "utf-7")
_STRANGE: Final = (
    "",
    "-1",
    "0",
    "1e999",
    "99999999999999999999",
    "65536",
    "2147483648",
    "NaN",
    "<",
    "]]>",
    "&x;",
    "\x00",
    "\ud83d",
)
_CONTROLS: Final = bytes([*range(1, 9), 11, 12, *range(14, 32), 127])


def truncated(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def headless(rng: random.Random, data: bytes) -> bytes:
    return data[rng.randrange(1, min(len(data), 4096)) :]


def bits_flipped(rng: random.Random, data: bytes) -> bytes:
    damaged = bytearray(data)
    for _ in range(2 ** rng.randrange(11)):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def blocks_swapped(rng: random.Random, data: bytes) -> bytes:
    a, b, c, d = sorted(rng.choices(range(len(data) + 1), k=4))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def block_doubled(rng: random.Random, data: bytes) -> bytes:
    begin, end = sorted(rng.choices(range(len(data) + 1), k=2))
    return data[:end] + data[begin:end] * rng.choice((1, 1, 3)) + data[end:]


def block_missing(rng: random.Random, data: bytes) -> bytes:
    begin, end = sorted(rng.choices(range(len(data) + 1), k=2))
    return data[:begin] + data[end:]


def zeros_inserted(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes(2 ** rng.randrange(13)) + data[at:]


def zeros_written(rng: random.Random, data: bytes) -> bytes:
    """As a disk leaves it whose last blocks were not written."""
    begin, end = sorted(rng.choices(range(len(data) + 1), k=2))
    return data[:begin] + bytes(end - begin) + data[end:]


def controls_inserted(rng: random.Random, data: bytes) -> bytes:
    damaged = bytearray(data)
    for _ in range(2 ** rng.randrange(8)):
        damaged.insert(rng.randrange(len(damaged)), rng.choice(_CONTROLS))
    return bytes(damaged)


def numbers_changed(rng: random.Random, data: bytes) -> bytes:
    """Some runs of digits become what nobody expects: lengths, offsets, counts, attributes."""
    share = rng.choice((0.002, 0.02, 0.3))

    def change(found: re.Match[bytes]) -> bytes:
        return rng.choice(_STRANGE).encode("utf-8", "surrogatepass") if rng.random() < share else found[0]

    return re.sub(rb"\d{1,19}", change, data)


def recoded(rng: random.Random, data: bytes) -> bytes:
    """The text in another encoding, or half of it; bytes that are no text are read as Latin-1."""
    try:
        text = data.decode()
    except ValueError:
        text = data.decode("latin-1")
    encoded = text.encode(rng.choice(_ENCODINGS), "replace")
    return encoded if rng.random() < 0.7 else data[: len(data) // 2] + encoded[len(encoded) // 2 :]


def emptied(rng: random.Random, data: bytes) -> bytes:
    return rng.choice((b"", b" \n\t\n", bytes(len(data)), b"\xef\xbb\xbf", rng.randbytes(len(data)), data[:1] * len(data)))


def glued(rng: random.Random, data: bytes) -> bytes:
    """Something else before or behind it."""
    other = rng.choice((b"<html><body>moved</body></html>", b"%PDF-1.7\n", b"PK\x03\x04", rng.randbytes(512), b"\r\n--x\r\n"))
    return other + data if rng.random() < 0.5 else data + other


def member_damaged(rng: random.Random, data: bytes) -> bytes:
    """One part of a ZIP archive is damaged, missing or there twice, in an archive that is sound otherwise."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    except zipfile.BadZipFile:
        return bits_flipped(rng, data)
    chosen = rng.randrange(len(members))
    name, content = members[chosen]
    if (how := rng.random()) < 0.1:
        del members[chosen]
    elif how < 0.15:
        members[chosen] = ("../" + name, content)
    else:
        members[chosen] = (name, rng.choice(BYTES)(rng, content) if content else b"x")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


BYTES: Final[Sequence[Callable[[random.Random, bytes], bytes]]] = (
    truncated, headless, bits_flipped, blocks_swapped, block_doubled, block_missing, zeros_inserted, zeros_written,
    controls_inserted, numbers_changed, recoded, emptied, glued,
)  # fmt: skip


def mutant(rng: random.Random, originals: Mapping[str, bytes], extensions: Sequence[str]) -> tuple[str, str, bytes]:
    """What was done, the extension and the bytes of one damaged file."""
    name = rng.choice(sorted(originals))
    data, extension = originals[name], PurePath(name).suffix
    how = rng.choice([*BYTES, *([member_damaged] * 5 if data.startswith(b"PK") else ())])
    damaged = how(rng, data)
    if rng.random() < 0.1:
        return f"{how.__name__} misnamed", rng.choice([other for other in extensions if other != extension]), damaged
    return how.__name__, extension, damaged
