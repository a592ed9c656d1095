"""Office files as archives: what is refused before anything is read, and parts that aren't what their entries say."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from ragd.core.errors import DocumentEmpty, DocumentEncrypted, ParseFailed
from ragd.formats.common.office_archive import MAX_ENTRIES, checked_archive, read_part

KIND = "a Word document"
ENTRY = b"PK\x01\x02"
# Offsets in an entry of an archive's directory (APPNOTE 4.3.12).
FLAGS, PACKED, UNPACKED, LOCAL_HEADER = 8, 20, 24, 42


def archive_of(parts: Mapping[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def patched(data: bytes, index: int, offset: int, form: str, value: int) -> bytes:
    """The archive with one number of its directory's entry `index` (0 is the content types') changed."""
    at = -1
    for _ in range(index + 1):
        at = data.index(ENTRY, at + 1)
    return data[: at + offset] + struct.pack(form, value) + data[at + offset + struct.calcsize(form) :]


def open_archive(data: bytes) -> zipfile.ZipFile:
    return checked_archive(data, "dir/plan.docx", KIND)


def test_parts_of_an_archive_are_read() -> None:
    archive = open_archive(archive_of({"word/document.xml": "<a>計画</a>"}))
    assert read_part(archive, "word/document.xml", "plan.docx").decode() == "<a>計画</a>"


def test_an_empty_file_is_reported_as_empty() -> None:
    with pytest.raises(DocumentEmpty, match="0 bytes"):
        open_archive(b"")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_file_that_is_cut_off_is_refused(share: float) -> None:
    data = archive_of({"word/document.xml": "<a>" + "kestrel " * 500 + "</a>"})
    with pytest.raises(ParseFailed, match=r"'dir/plan\.docx' is damaged or cut off"):
        open_archive(data[: int(len(data) * share)])


def test_a_text_file_with_the_wrong_extension_is_refused() -> None:
    with pytest.raises(ParseFailed, match="not a Word document: it isn't even a ZIP archive"):
        open_archive("これはテキストです".encode())


def test_any_other_archive_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    with pytest.raises(ParseFailed, match="is a ZIP archive, but not a Word document"):
        open_archive(buffer.getvalue())


def test_a_file_that_libreoffice_protected_by_a_password_is_reported_as_encrypted(project_root: Path) -> None:
    with pytest.raises(DocumentEncrypted, match="protected by a password"):
        open_archive((project_root / "tests/data/word/protected.docx").read_bytes())


def test_an_old_document_under_a_new_extension_is_named_as_such(project_root: Path) -> None:
    with pytest.raises(ParseFailed, match=r"old format .* save it as \.docx"):
        open_archive((project_root / "tests/data/word/old-format.doc").read_bytes())


@pytest.mark.parametrize(("stream", "advice"), [("Workbook", ".xlsx"), ("PowerPoint Document", ".pptx")])
def test_old_workbooks_and_presentations_are_told_by_their_streams(stream: str, advice: str) -> None:
    entry = stream.encode("utf-16-le").ljust(64, b"\0") + struct.pack("<H", 2 * len(stream) + 2)
    with pytest.raises(ParseFailed, match=f"save it as {advice}"):
        open_archive(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + entry)


def test_an_archive_with_a_password_is_reported_as_encrypted() -> None:
    with pytest.raises(DocumentEncrypted, match="archive with a password"):
        open_archive(patched(archive_of({"a.xml": "<a/>"}), 1, FLAGS, "<H", 1))


def test_an_archive_of_very_many_parts_is_refused() -> None:
    data = archive_of({f"p{number}": b"" for number in range(MAX_ENTRIES)}, zipfile.ZIP_STORED)
    with pytest.raises(ParseFailed, match="more than 20,000 parts"):
        open_archive(data)


def test_a_part_that_unpacks_to_over_200_times_its_size_is_refused() -> None:
    with pytest.raises(ParseFailed, match="zip bomb"):
        open_archive(archive_of({"word/document.xml": bytes(60_000_000)}))


def test_a_small_part_may_pack_as_well_as_it_can() -> None:
    assert open_archive(archive_of({"xl/sheet.xml": b"<a>" + b"<c/>" * 100_000 + b"</a>"}))


def test_parts_that_state_more_than_a_gibibyte_in_all_are_refused() -> None:
    data = archive_of({f"{number}.bin": "x" for number in range(3)})
    for index in (1, 2, 3):
        data = patched(patched(data, index, PACKED, "<I", 400_000_000), index, UNPACKED, "<I", 400_000_000)
    with pytest.raises(ParseFailed, match="would unpack to 1,200,000"):
        open_archive(data)


def test_a_part_that_is_longer_than_its_entry_states_is_not_unpacked_further() -> None:
    data = patched(archive_of({"word/document.xml": b"<a>" + b"x" * 10_000_000}), 1, UNPACKED, "<I", 100)
    with pytest.raises(ParseFailed, match=r"'word/document\.xml' in 'dir/plan\.docx' is damaged"):
        read_part(open_archive(data), "word/document.xml", "dir/plan.docx")


def test_a_part_that_is_shorter_than_its_entry_states_is_refused() -> None:
    data = patched(archive_of({"word/media/a.png": b"x" * 100}), 1, UNPACKED, "<I", 5000)
    with pytest.raises(ParseFailed, match="is damaged"):
        read_part(open_archive(data), "word/media/a.png", "dir/plan.docx")


def test_a_part_beyond_the_callers_limit_is_refused() -> None:
    archive = open_archive(archive_of({"word/media/a.png": b"x" * 1000}))
    with pytest.raises(ParseFailed, match="1,000 bytes long; up to 999 are read"):
        read_part(archive, "word/media/a.png", "plan.docx", limit=999)


def test_parts_that_share_their_bytes_are_refused() -> None:
    data = archive_of({"a.xml": "<a/>", "b.xml": "<b/>"})
    first = data.index(b"PK\x03\x04", 1)
    with pytest.raises(ParseFailed, match="shares its bytes with another part"):
        open_archive(patched(data, 2, LOCAL_HEADER, "<I", first))


def test_a_part_with_a_changed_byte_is_refused() -> None:
    data = bytearray(archive_of({"a.xml": "<a/>", "word/media/a.png": bytes(range(256))}, zipfile.ZIP_STORED))
    data[data.index(b"a.png") + 100] ^= 0xFF
    with pytest.raises(ParseFailed, match="is damaged"):
        read_part(open_archive(bytes(data)), "word/media/a.png", "plan.docx")


def test_a_way_of_packing_that_office_does_not_use_is_refused() -> None:
    with pytest.raises(ParseFailed, match="packed in a way that Office doesn't use"):
        open_archive(archive_of({"a.xml": "<a/>"}, zipfile.ZIP_LZMA))


ENTITIES = '<!DOCTYPE a [<!ENTITY x "aaaa"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>'


@pytest.mark.parametrize(
    "part",
    [
        ENTITIES.encode(),
        b"\xef\xbb\xbf \n" + ENTITIES.encode(),
        b'<?xml version="1.0"?><!-- ' + b"x" * 5000 + b" --><?pi ?>" + ENTITIES.encode(),
        ENTITIES.encode("utf-16"),
        ENTITIES.encode("utf-16-be"),
        b"<!DOCTYPE a SYSTEM 'file:///etc/hostname'><a/>",
    ],
    ids=["plain", "after a mark", "after comments", "UTF-16", "UTF-16 without a mark", "external"],
)
def test_a_part_with_a_document_type_is_refused(part: bytes) -> None:
    with pytest.raises(ParseFailed, match="document type definition"):
        open_archive(archive_of({"word/document.xml": part}))


@pytest.mark.parametrize(
    "part",
    [
        b'<?xml version="1.0"' + b" " * 600 + b'encoding="UTF-7"?>+ADwAIQ-DOCTYPE a+AD4-<a/>',
        ENTITIES.encode("utf-32"),
        ENTITIES.encode("utf-32-le"),
        b'<?xml version="1.0" encoding="UTF-8"?>'.decode().encode("cp037") + b"\x4c",
    ],
    ids=["UTF-7", "UTF-32", "UTF-32 without a mark", "EBCDIC"],
)
def test_a_part_in_an_encoding_that_could_hide_a_document_type_is_refused(part: bytes) -> None:
    with pytest.raises(ParseFailed, match="encoding other than UTF-8 and UTF-16"):
        open_archive(archive_of({"word/document.xml": part}))


def test_a_part_that_begins_with_endless_comments_is_refused() -> None:
    with pytest.raises(ParseFailed, match="very long comments"):
        open_archive(archive_of({"word/document.xml": b"<!-- " + b"x" * 100_000 + b" --><a/>"}))


@pytest.mark.parametrize("encoding", ["UTF-8", "utf8", "us-ascii", "UTF-16"])
def test_parts_in_the_encodings_of_the_standard_are_let_through(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n<!-- made by hand --><a/>'
    assert open_archive(archive_of({"word/document.xml": text.encode(encoding)}))


def test_pictures_and_web_pages_in_an_archive_may_have_a_document_type() -> None:
    svg = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd"><svg/>'
    assert open_archive(archive_of({"word/media/a.svg": svg, "word/afchunk.html": "<!DOCTYPE html><p>text</p>"}))
