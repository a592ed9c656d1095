"""Electronic books: chapters in order with their names, notes and pictures, and books that can't be read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import pytest

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, DocumentEncrypted, ParseFailed, UnpacksTooLarge, WrongType
from ragd.formats.epub.loader import EpubLoader

from ..hostile_files import packed, with_part

CONTAINER = '<container xmlns="urn:x"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
NCX = (
    '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd"><ncx xmlns="urn:n">'
    '<navMap><navPoint><navLabel><text>第二章</text></navLabel><content src="text/2.xhtml#top"/></navPoint></navMap></ncx>'
)
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")
PAGE = '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'


def book(
    chapters: Mapping[str, str], *, metadata: str = "", parts: Mapping[str, bytes | str] | None = None, spine: str | None = None
) -> bytes:
    """A book of chapters, by the names of their parts, in this order unless `spine` names other ids."""
    items = "".join(f'<item id="{name}" href="text/{name}" media-type="application/xhtml+xml"/>' for name in chapters)
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    order = spine if spine is not None else "".join(f'<itemref idref="{name}"/>' for name in chapters)
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata>{metadata}</metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OEBPS/book.opf", opf)
        archive.writestr("OEBPS/toc.ncx", NCX)
        for name, body in chapters.items():
            archive.writestr(f"OEBPS/text/{name}", PAGE.format(body))
        for name, data in (parts or {}).items():
            archive.writestr(name, data)
    return stream.getvalue()


def load(data: bytes, name: str = "手引き.epub") -> Document:
    return EpubLoader().load(data, name)


def test_chapters_stand_in_reading_order_under_their_headings_or_names() -> None:
    chapters = {"1.xhtml": "<h1>第一章</h1><p>キューを空にします。</p>", "2.xhtml": "<p>Restores are rehearsed.</p>"}
    stated = "<dc:title>運用の本</dc:title><dc:creator>森下 葵</dc:creator><dc:language>ja-JP</dc:language>"
    document = load(book(chapters, metadata=stated))
    assert document.markdown == "# 第一章\n\nキューを空にします。\n\nRestores are rehearsed."
    assert [(head.title, document.markdown[head.start :][:2]) for head in document.headings] == [
        ("第一章", "# "),
        ("第二章", "Re"),
    ]
    assert (document.title, document.language, document.doc_type) == ("運用の本", "ja", "epub")
    assert (document.metadata["author"], document.metadata["chapters"]) == ("森下 葵", 2)


def test_notes_titles_and_tables_are_content_and_links_within_the_book_are_text() -> None:
    body = (
        "<header><h2>Nodes</h2></header><p>Three<a href='#n1' epub:type='noteref'>1</a>, see <a href='2.xhtml'>there</a> and "
        "<a href='https://tarnwood.example/'>the site</a>.</p><aside epub:type='footnote' id='n1'>Never an even number.</aside>"
        "<table><tr><th>Store</th><th>Size</th></tr><tr><td>Segments</td><td>120</td></tr></table>"
    )
    markdown = load(book({"1.xhtml": body})).markdown
    assert "## Nodes" in markdown
    assert "Never an even number." in markdown
    assert "see there and [the site](https://tarnwood.example/)." in markdown
    assert "| Segments | 120 |" in markdown


def test_pictures_are_those_of_the_book() -> None:
    cover = '<svg viewBox="0 0 1 1"><image xlink:href="../img/a.png"/></svg>'
    body = (
        f'{cover}<p><img src="../img/a.png" alt="a.png"/><img src="../../../etc/passwd"/><img src="http://t.example/x.png"/></p>'
    )
    document = load(book({"1.xhtml": body}, parts={"OEBPS/img/a.png": PNG}))
    assert [(picture.alt, picture.data) for picture in document.pictures] == [("", PNG), ("", PNG)]
    assert document.metadata["remote_pictures"] == 1


def test_a_chapter_that_is_listed_again_and_again_is_read_once() -> None:
    document = load(book({"1.xhtml": "<p>once</p>"}, spine='<itemref idref="1.xhtml"/>' * 10_000))
    assert document.markdown == "once"


def test_copy_protection_is_named_and_scrambled_fonts_are_none() -> None:
    def encryption(method: str) -> dict[str, str]:
        return {"META-INF/encryption.xml": f'<e xmlns="urn:e"><EncryptionMethod Algorithm="{method}"/></e>'}

    with pytest.raises(DocumentEncrypted, match="copy protection"):
        load(book({"1.xhtml": "<p>a</p>"}, parts=encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")))
    fonts = encryption("http://www.idpf.org/2008/embedding")
    assert load(book({"1.xhtml": "<p>read</p>"}, parts=fonts)).markdown == "read"


def test_what_could_do_harm_is_refused_with_its_name() -> None:
    good = book({"1.xhtml": "<p>a</p>"})
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><package>&b;</package>'
    with pytest.raises(ParseFailed, match=r"'OEBPS/book\.opf' in '手引き\.epub' can't be read as XML"):
        load(_with_opf(laughs))
    with pytest.raises(UnpacksTooLarge, match="zip bomb"):
        load(with_part(good, "OEBPS/text/1.xhtml", *packed(b"<", b"\0" * 1024, b"", 4_000_000_000)))
    with pytest.raises(ParseFailed, match="damaged or cut off"):
        load(good[: len(good) // 2])
    with pytest.raises(ParseFailed, match="nested"):
        load(book({"1.xhtml": "<div>" * 10_000}))
    with pytest.raises(WrongType, match="not an electronic book"):
        load(_archive({"a.txt": "words"}))
    with pytest.raises(ParseFailed, match="is missing"):
        load(_archive({"META-INF/container.xml": CONTAINER}))
    for empty in (b"", book({}), book({"1.xhtml": ""})):
        with pytest.raises(DocumentEmpty):
            load(empty)


def _archive(parts: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return stream.getvalue()


def _with_opf(opf: str) -> bytes:
    return _archive({"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": opf})
