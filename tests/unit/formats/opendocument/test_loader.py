"""OpenDocument texts: what LibreOffice wrote (tests/data/word), small ones made here, and files that can't be read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from lxml import etree

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, DocumentEncrypted, ParseFailed, UnpacksTooLarge, WrongType
from ragd.formats.opendocument.loader import OpenDocumentLoader
from ragd.formats.opendocument.styles import Styles

from ..hostile_files import packed, with_part

DATA = Path(__file__).resolve().parents[3] / "data"
WORD = DATA / "word"
NAMES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
)
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")


def odt(body: str, *, styles: str = "", kind: str = "text", parts: dict[str, bytes] | None = None) -> bytes:
    content = (
        f"<office:document-content {NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("content.xml", content)
        for name, data in (parts or {}).items():
            archive.writestr(name, data)
    return stream.getvalue()


def load(data: bytes, name: str = "計画.odt") -> Document:
    return OpenDocumentLoader().load(data, name)


@pytest.mark.parametrize("name", ["handbook-en", "handbook-ja"])
def test_texts_of_libreoffice_give_the_facts_that_were_read_over_by_eye(name: str) -> None:
    document = load((WORD / f"{name}.odt").read_bytes(), f"{name}.odt")
    assert document.markdown + "\n" == (WORD / f"{name}.odt.facts.md").read_text(encoding="utf-8")
    assert document.title in ("Kestrel operations handbook", "Kestrel 運用手引き")
    assert document.metadata["comment_count"] == 1
    for heading in document.headings[:-1]:
        assert heading.title in document.markdown[heading.start : heading.end]


def test_what_is_left_out_is_said() -> None:
    warnings = load((WORD / "handbook-en.odt").read_bytes()).warnings
    assert warnings == (
        "lines of tables of contents and indexes left out: 3",
        "tracked changes are read as accepted; deleted passages left out: 1",
        "page headers and footers were left out: 'Tarnwood internal', 'Page 2'",
    )


def test_a_list_that_goes_on_goes_on_counting() -> None:
    styles = (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>'
    )
    item = '<text:list text:style-name="L"{}><text:list-item><text:p>{}</text:p></text:list-item></text:list>'
    body = item.format("", "first") + "<text:p>between</text:p>" + item.format(' text:continue-numbering="true"', "second")
    assert load(odt(body, styles=styles)).markdown == "1. first\n\nbetween\n\n2. second"


def test_text_in_boxes_and_deep_frames_is_read_once() -> None:
    begin, end = "<draw:frame><draw:text-box>", "</draw:text-box></draw:frame>"
    box = f"{begin}{begin}<text:p>inside</text:p>{end}{end}"
    assert load(odt(f"<text:p>around{box}</text:p>")).markdown == "around\n\ninside"


def test_pictures_come_from_the_file_alone() -> None:
    body = (
        '<text:p><draw:frame><draw:image xlink:href="Pictures/a.png"/><svg:desc>plan</svg:desc></draw:frame>'
        '<draw:frame><draw:image xlink:href="../../etc/passwd"/></draw:frame>'
        '<draw:frame><draw:image xlink:href="http://tracker.example/x.png"/></draw:frame></text:p>'
    )
    document = load(odt(body, parts={"Pictures/a.png": PNG}))
    assert [(picture.alt, picture.data) for picture in document.pictures] == [("plan", PNG)]
    assert document.metadata["remote_pictures"] == 1


def test_hidden_text_and_markup_characters() -> None:
    styles = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
    body = '<text:p>a &lt;b&gt; <text:s text:c="2"/>c<text:span text:style-name="H">secret</text:span></text:p>'
    markdown = load(odt(body, styles=styles)).markdown
    assert markdown.startswith("a <b>")
    assert "secret" not in markdown


@pytest.mark.parametrize(("number", "form", "text"), [(3, "1", "3"), (28, "A", "BB"), (4, "i", "iv"), (2026, "I", "MMXXVI")])
def test_numbers_of_headings(number: int, form: str, text: str) -> None:
    level = f'<text:outline-level-style text:level="1" style:num-format="{form}"/>'
    styles = Styles([etree.fromstring(f"<office:styles {NAMES}>{level}</office:styles>")])
    assert [styles.heading_number(1) for _ in range(number)][-1] == f"{text} "


def test_half_a_file_a_bomb_and_other_files_are_refused_with_their_name() -> None:
    whole = (WORD / "handbook-en.odt").read_bytes()
    with pytest.raises(ParseFailed, match=r"'計画\.odt' is damaged or cut off"):
        load(whole[: len(whole) // 2])
    with pytest.raises(UnpacksTooLarge, match="zip bomb"):
        load(with_part(whole, "content.xml", *packed(b"<", b"\0" * 1024, b"", 4_000_000_000)))
    with pytest.raises(DocumentEmpty):
        load(b"")
    with pytest.raises(WrongType, match="it isn't even a ZIP archive"):
        load(b"plain words")
    with pytest.raises(WrongType, match="not an OpenDocument text"):
        load((DATA / "excel" / "nouhin-ja.ods").read_bytes())
    with pytest.raises(DocumentEmpty, match="holds no text"):
        load(odt("<text:p/>"))


def test_entities_and_depth_are_refused() -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("content.xml", f"{laughs}<office:document-content {NAMES}>&b;</office:document-content>")
    with pytest.raises(ParseFailed, match="document type definition"):
        load(stream.getvalue())
    with pytest.raises(ParseFailed, match="nested"):
        load(odt("<text:section>" * 300 + "<text:p>a</text:p>" + "</text:section>" * 300))
    assert "deep" in load(odt("<text:section>" * 200 + "<text:p>deep</text:p>" + "</text:section>" * 200)).markdown


def test_a_password_is_named() -> None:
    manifest = b"<manifest><encryption-data/></manifest>"
    with pytest.raises(DocumentEncrypted, match="protected by a password"):
        load(odt("<text:p>a</text:p>", parts={"META-INF/manifest.xml": manifest}))
