"""Office Open XML, OpenDocument and EPUB files are ZIP archives: what is checked before anything in one is read, and how its
parts are read.

Refused are archives that would unpack to far more than they are (zip bombs, also those whose entries overlap, after David
Fifield, "A better zip bomb", WOOT 2019), encrypted ones, and XML parts with a document type definition: Office never writes
one (ECMA-376 part 2, 8.1.3 forbids them), and entities are declared only there. The checks read the archive's directory and
the first characters of each part, never a whole part.
"""

from __future__ import annotations

import codecs
import io
import re
import struct
import zipfile
import zlib
from typing import Final

from ragd.core.errors import (
    DocumentDamaged,
    DocumentEmpty,
    DocumentEncrypted,
    OldFormat,
    ParseFailed,
    TooComplex,
    UnpacksTooLarge,
    WrongType,
)
from ragd.formats.common.naming import extension

MAX_ENTRIES: Final = 20_000
"""A presentation of a thousand slides has some 5,000 parts; the directory's objects of 20,000 take about 10 MB."""
_MAX_TOTAL_BYTES: Final = 1 << 30
"""Of all parts, unpacked: more than a file of some hundred MB of pictures and text has, less than a worker's memory."""
_MAX_RATIO: Final = 200
"""Unpacked to packed. XML of large, regular sheets reaches 20 to 60; deflate's own limit, which bombs come near, is 1,032."""
_RATIO_COUNTS_FROM: Final = 50_000_000
"""Unpacked bytes of a part up to which its ratio can do no harm; small parts of one repeated element pack very well."""
_MAX_PART_BYTES: Final = 1 << 28
"""What `read_part` holds in memory at once, if no other limit is given."""

BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError)
"""What zipfile raises for a part that is damaged or isn't what its entry says, for those who let a library read the parts."""

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLD_FORMATS: Final = (("WordDocument", ".docx"), ("Workbook", ".xlsx"), ("Book", ".xlsx"), ("PowerPoint Document", ".pptx"))
_DIRECTORY_ENTRY: Final = b"PK\x01\x02"
_LOCAL_HEADER: Final = struct.Struct("<4s22xHH")
_CONTENT_TYPES: Final = "[Content_Types].xml"
_PACKED_BY_OFFICE: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 0x1
# Parts of other formats, handed on as they are and never parsed here. They may state a document type.
_FOREIGN: Final = (".svg", ".htm", ".html", ".xhtml")
_HEAD: Final = 512
_LONGEST_PROLOG: Final = 65_536
_ENCODING: Final = re.compile(r"\bencoding\s*=\s*[\"']([^\"']*)")
_ENCODINGS: Final = ("utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "us-ascii", "ascii")
# UTF-32 in both byte orders, with a mark and without, and EBCDIC: parsers read them, so that a DOCTYPE could hide in them.
_OTHER_BEGINNINGS: Final = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, b"<\0\0\0", b"\0\0\0<", b"\x4c\x6f\xa7\x94")


def checked_archive(
    data: bytes, name: str, kind: str, *, marker: str = _CONTENT_TYPES, doctypes: bool = False
) -> zipfile.ZipFile:
    """Open the bytes of an Office Open XML file called `name`; `kind` names what it should be, such as "a Word document".

    Other formats in archives have another part as their `marker`, and some have `doctypes` in their parts.

    The archive's parts are safe to read one by one: what their entries state adds up to at most `_MAX_TOTAL_BYTES`, and zipfile
    never unpacks more of a part than its entry states. Raises `DocumentEmpty`, `DocumentEncrypted` or `ParseFailed`.
    """
    if not data:
        raise DocumentEmpty(f"'{name}' is empty (0 bytes).")
    if data.startswith(_OLE):
        raise _why_old(data, name, kind)
    if data.count(_DIRECTORY_ENTRY) > MAX_ENTRIES:  # before zipfile makes an object of each
        raise TooComplex(f"'{name}' has more than {MAX_ENTRIES:,} parts: no editor writes so many. It is not read.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (*BROKEN, NotImplementedError, ValueError, struct.error) as error:
        raise _not_an_archive(data, name, kind) from error
    if marker not in archive.NameToInfo:
        raise WrongType(f"'{name}' is a ZIP archive, but not {kind}. Give it the extension of its format.")
    _check_sizes(archive, name)
    _check_layout(archive, data, name)
    for entry in archive.infolist():
        if not doctypes and extension(entry.filename) not in _FOREIGN:
            _check_prolog(archive, entry, name)
    return archive


def read_part(archive: zipfile.ZipFile, part: str, name: str, limit: int = _MAX_PART_BYTES) -> bytes:
    """The bytes of a part of the file called `name`.

    Raises `KeyError` when there is no such part, and `ParseFailed` when it is damaged or unpacks to more than `limit` bytes.
    """
    entry = archive.getinfo(part)
    if entry.file_size > limit:
        raise UnpacksTooLarge(f"'{part}' in '{name}' is {entry.file_size:,} bytes long; up to {limit:,} are read.")
    try:
        with archive.open(entry) as stream:
            content = stream.read(entry.file_size + 1)  # one more, so that the checksum is looked at
    except BROKEN as error:
        raise _damaged_part(part, name) from error
    if len(content) != entry.file_size:
        raise _damaged_part(part, name)
    return content


def old_format(data: bytes) -> str | None:
    """The extension of what took the place of the old Office format that a file is in; None for any other file."""
    if not data.startswith(_OLE):
        return None
    lowered = data.lower()
    return next((modern for stream, modern in _OLD_FORMATS if _has_stream(lowered, stream)), None)


def _why_old(data: bytes, name: str, kind: str) -> ParseFailed:
    """Encrypted Office Open XML and the formats of before 2007 are both OLE compound files; the names of streams show which."""
    lowered = data.lower()  # these names are compared without regard to case
    if _has_stream(lowered, "EncryptedPackage"):
        return DocumentEncrypted(
            f"'{name}' is protected by a password or by rights management. Save a copy without protection to make it searchable."
        )
    if modern := old_format(data):
        return OldFormat(f"'{name}' is in the old format of before Office 2007. Open it and save it as {modern}.")
    return WrongType(f"'{name}' is an OLE file, not {kind}. Give it the extension of its format, or save it in a current format.")


def _has_stream(lowered: bytes, stream: str) -> bool:
    """A directory entry: the name in 64 bytes of UTF-16, then its length in bytes with the closing NUL (MS-CFB 2.6.1)."""
    encoded = stream.lower().encode("utf-16-le")
    return encoded.ljust(64, b"\0") + struct.pack("<H", len(encoded) + 2) in lowered


def _not_an_archive(data: bytes, name: str, kind: str) -> ParseFailed:
    if data.startswith(b"PK"):
        return DocumentDamaged(f"'{name}' is damaged or cut off: it has no readable directory of its parts. Get the file again.")
    return WrongType(f"'{name}' is not {kind}: it isn't even a ZIP archive. Give it the extension of its format.")


def _check_sizes(archive: zipfile.ZipFile, name: str) -> None:
    total = 0
    for entry in archive.infolist():
        if entry.flag_bits & _ENCRYPTED:
            raise DocumentEncrypted(f"'{name}' is an archive with a password. Save a copy without one to make it searchable.")
        if entry.compress_type not in _PACKED_BY_OFFICE:
            raise DocumentDamaged(
                f"'{entry.filename}' in '{name}' is packed in a way that Office doesn't use. Save the file anew."
            )
        total += entry.file_size
        if entry.file_size > _RATIO_COUNTS_FROM and entry.file_size > _MAX_RATIO * entry.compress_size:
            raise UnpacksTooLarge(
                f"'{entry.filename}' in '{name}' would unpack to {entry.file_size:,} bytes, over {_MAX_RATIO} times its size: "
                "a zip bomb. It is not read."
            )
    if total > _MAX_TOTAL_BYTES:
        raise UnpacksTooLarge(
            f"'{name}' would unpack to {total:,} bytes; up to {_MAX_TOTAL_BYTES:,} are read. Split it into smaller files."
        )


def _check_layout(archive: zipfile.ZipFile, data: bytes, name: str) -> None:
    """Each entry has its own bytes; otherwise a few kilobytes could be unpacked again and again under many names."""
    end = 0
    for entry in sorted(archive.infolist(), key=lambda entry: entry.header_offset):
        start = entry.header_offset
        if start < end:
            raise DocumentDamaged(
                f"'{entry.filename}' in '{name}' shares its bytes with another part: the file is damaged, or a zip bomb. "
                "It is not read. Get the file again."
            )
        if start + _LOCAL_HEADER.size > len(data):
            raise _damaged_part(entry.filename, name)
        _, name_length, extra_length = _LOCAL_HEADER.unpack_from(data, start)
        end = start + _LOCAL_HEADER.size + name_length + extra_length + entry.compress_size
        if end > len(data):
            raise _damaged_part(entry.filename, name)


def _check_prolog(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> None:
    """Nothing but declarations, comments and blanks before the root element of an XML part."""
    try:
        with archive.open(entry) as stream:
            head = stream.read(_HEAD)
            text = _as_xml(head)
            if text is None:
                return
            problem = _prolog_problem(text)
            if problem is _NO_ROOT and entry.file_size > _HEAD:
                problem = _prolog_problem(_as_xml(head + stream.read(_LONGEST_PROLOG)) or "")
    except (*BROKEN, NotImplementedError):
        return  # damaged: whoever reads it gets the error, and a picture may do without
    if problem and (problem is not _NO_ROOT or entry.file_size > _LONGEST_PROLOG):
        raise DocumentDamaged(f"'{entry.filename}' in '{name}' {problem}, which Office files must not have. It is not read.")


_DTD: Final = "has a document type definition (DOCTYPE)"
_OTHER_ENCODING: Final = "is in an encoding other than UTF-8 and UTF-16"
_NO_ROOT: Final = "begins with very long comments"


def _as_xml(head: bytes) -> str | None:
    """The beginning of an XML part, its ASCII characters at least; None when it is no XML. Decided as XML parsers do."""
    if head.startswith(_OTHER_BEGINNINGS):
        return '<?xml encoding="other"?>'
    if head.startswith((codecs.BOM_UTF16_LE, b"<\0")):
        text = head.decode("utf-16-le", "replace")
    elif head.startswith((codecs.BOM_UTF16_BE, b"\0<")):
        text = head.decode("utf-16-be", "replace")
    else:
        text = head.removeprefix(codecs.BOM_UTF8).decode("latin-1")
    text = text.lstrip("\ufeff \t\r\n")
    return text if text.startswith("<") else None


def _prolog_problem(text: str) -> str | None:
    at = 0
    while (at := text.find("<", at)) >= 0:
        if text.startswith("<?", at):
            close = "?>"
        elif text.startswith("<!--", at):
            close = "-->"
        else:
            return _DTD if text.startswith("<!", at) else None
        end = text.find(close, at + 2)
        if end < 0:
            break
        if (declared := _ENCODING.search(text, at, end)) and declared[1].lower() not in _ENCODINGS:
            return _OTHER_ENCODING
        at = end + len(close)
    return _NO_ROOT


def _damaged_part(part: str, name: str) -> ParseFailed:
    return DocumentDamaged(f"'{part}' in '{name}' is damaged. Get the file again, or open it in its editor and save it anew.")
