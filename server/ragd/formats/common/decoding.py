"""Bytes of a text file to text.

Order: byte-order mark; UTF-16 without a mark, by where its NUL bytes stand; UTF-8; the charset that the file declares;
then the legacy encoding under which the text is most probable (`guessing`). What is doubtful is refused, since a wrong guess
would be indexed as nonsense without anybody noticing. A few bytes that are no characters in an otherwise good text (a record cut
in two, a name pasted from elsewhere) are replaced, and reported.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from ragd.core.errors import DocumentDamaged, DocumentEmpty, EncodingUnknown, WrongType
from ragd.core.ids import canonical
from ragd.formats.common.guessing import decode_as, folded, guess

_ESCAPE: Final = re.compile(rb"\x1b(\$[@B]|\$\(D|\([BJIH])")
_TWO_BYTES: Final = (b"$@", b"$B")
_KATAKANA: Final = b"(I"
_SUPPLEMENT: Final = b"$(D"
_NO_PLACE: Final = re.compile(rb"[^\x21-\x7e]")
_HIGH: Final = bytes(byte | 0x80 for byte in range(256))
_MAX_BROKEN_SHARE: Final = 0.05
"""Share of bytes that are no characters, among all that is not ASCII, up to which they are replaced."""
_MAX_CONTROL_SHARE: Final = 0.01
"""Share of control characters above which decoded bytes are taken for binary data."""
# UTF-32 first: its little-endian mark begins with UTF-16's.
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SIGNATURES: Final = (
    (b"%PDF-", "a PDF file"),
    (b"PK\x03\x04", "a ZIP archive or an Office file"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program"),
    (b"\x1f\x8b\x08", "a gzip archive"),
)
# What people call these encodings in declarations is, by the WHATWG encoding standard, what is on the right.
_SUPERSETS: Final = {
    "shift_jis": "cp932", "iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949",
}  # fmt: skip
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_NON_ASCII: Final = re.compile("[^\x00-\x7f]")
_REPLACEMENT: Final = "\ufffd"
_SAMPLE: Final = 65_536
_WHAT_TO_DO: Final = "Save it as UTF-8, or set its encoding (ingest.encodings)."


def decode_jis(data: bytes) -> str | None:
    """The text of ISO-2022-JP bytes, which have 7 bits; None when they hold no escape sequence of it, or places that aren't in
    its tables.

    Python's codec knows the characters of the standard alone. Mail from Windows also has those that NEC and IBM added to the same
    table (①, Ⅲ, ㈱, 髙), and half-width katakana; Python knows these as part of code page 932, which is the same table, folded.
    """
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
            texts.append(_decode_segment(escape, shifted.rstrip(b"\r")) + (newline + rest).decode("ascii", "replace"))
    except UnicodeDecodeError:
        return None
    return "".join(texts)


def _decode_segment(escape: bytes, segment: bytes) -> str:
    if escape in _TWO_BYTES:
        if _NO_PLACE.search(segment):
            raise UnicodeDecodeError("iso2022_jp", segment, 0, len(segment), "not a place in the table")
        return b"".join(folded(*segment[at : at + 2]) for at in range(0, len(segment) - 1, 2)).decode("cp932")
    if escape == _KATAKANA:
        return segment.translate(_HIGH).decode("cp932")
    if escape == _SUPPLEMENT:
        high = segment.translate(_HIGH)
        return b"".join(b"\x8f" + high[at : at + 2] for at in range(0, len(high) - 1, 2)).decode("euc_jp")
    return segment.decode("ascii", "replace")


@dataclass(frozen=True, slots=True)
class _Decoded:
    """Text with newlines as ``\\n`` and without NUL or byte-order mark, and how it was read."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, name: str, declared: str | None = None) -> _Decoded:
    """Read the bytes of a text file called `name`; `declared` is the charset that it names for itself.

    Raises `DocumentEmpty` when it holds nothing to read, and a `DocumentUnreadable` when it is binary, cut off or in no known
    encoding.
    """
    if not data:
        raise DocumentEmpty(f"'{name}' is empty (0 bytes).")
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            raise WrongType(f"'{name}' is {kind}, not text. Give it the extension of its format.")
    text, encoding, replaced = _decode(data, name, declared)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    controls = sum(1 for _ in _CONTROL.finditer(text))
    if controls > _MAX_CONTROL_SHARE * len(text):
        raise WrongType(f"'{name}' holds binary data, not text ({controls} control characters in {len(text)}).")
    warnings = [f"{text.count(chr(0))} NUL characters were left out"] if "\0" in text else []
    if replaced:
        warnings.append(f"{replaced} places that are no characters in {encoding} were replaced by '{_REPLACEMENT}'")
    text = text.replace("\0", "")
    if is_blank(text):
        raise DocumentEmpty(f"'{name}' holds no text, only blanks.")
    return _Decoded(text, encoding, tuple(warnings))


def is_blank(text: str) -> bool:
    """Whether a text holds nothing that can be seen. The head decides nearly always, so that long texts cost nothing."""
    return not canonical(text[:4096]) and not canonical(text)


def _decode(data: bytes, name: str, declared: str | None) -> tuple[str, str, int]:
    """The text, its encoding, and how many places of it are no characters."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _after_bom(data[len(bom) :], name, encoding), encoding, 0
    if b"\0" in data and (wide := _utf16_without_bom(data)):
        return *wide, 0
    # Only an all-ASCII file can be valid UTF-8 by chance, and then a 7-bit Japanese encoding shows its escapes.
    if (text := decode_jis(data)) is not None:
        return text, "iso2022_jp", 0
    candidates = [encoding for encoding in ("utf-8", _known_encoding(declared)) if encoding]
    for encoding in candidates:
        if (text := _try(data, encoding)) is not None:
            return text, encoding, 0
    for encoding in candidates:
        if (nearly := _nearly(data, encoding)) is not None:
            return nearly[0], encoding, nearly[1]
    return _guessed(data, name)


def _nearly(data: bytes, encoding: str) -> tuple[str, int] | None:
    try:
        text = decode_as(data, encoding, "replace")
    except (UnicodeError, LookupError):
        return None
    broken = text.count(_REPLACEMENT)
    return (text, broken) if 0 < broken <= _MAX_BROKEN_SHARE * len(_NON_ASCII.findall(text)) else None


def _after_bom(data: bytes, name: str, encoding: str) -> str:
    text = _try(data, encoding)
    if text is None:
        raise DocumentDamaged(f"'{name}' begins as {encoding.upper()} but isn't that throughout; it may be cut off.")
    return text


def _utf16_without_bom(data: bytes) -> tuple[str, str] | None:
    """UTF-16 text has nearly all its NUL bytes on one side of the pairs; binary data has not."""
    even, odd = data[::2].count(0), data[1::2].count(0)
    if len(data) % 2 or min(even, odd) > 0.05 * max(even, odd):
        return None
    encoding = "utf-16-be" if even > odd else "utf-16-le"
    if (text := _try(data, encoding)) is None or any(unicodedata.category(char) in ("Cn", "Co") for char in text[:_SAMPLE]):
        return None
    # A UTF-8 file with a stray NUL would decode to rare ideographs without a single blank or newline.
    return (text, encoding) if re.search(r"[ \n\u3000。]", text) or text.isascii() else None


def _try(data: bytes, encoding: str) -> str | None:
    try:
        return decode_as(data, encoding)
    except (UnicodeError, LookupError):  # LookupError: a declared codec that isn't a charset, such as base64
        return None


def _known_encoding(declared: str | None) -> str | None:
    try:
        name = codecs.lookup(declared).name if declared else ""
    except (LookupError, ValueError):
        return None
    return _SUPERSETS.get(name, name) or None


def _guessed(data: bytes, name: str) -> tuple[str, str, int]:
    found = guess(data)
    if found.doubt:
        raise EncodingUnknown(f"'{name}' is binary, or its encoding is not clear: {found.doubt}. {_WHAT_TO_DO}")
    if (text := _try(data, found.encoding)) is not None:
        return text, found.encoding, 0
    if (nearly := _nearly(data, found.encoding)) is not None:
        return nearly[0], found.encoding, nearly[1]
    raise EncodingUnknown(f"'{name}' begins as {found.encoding} but isn't that throughout. {_WHAT_TO_DO}")
