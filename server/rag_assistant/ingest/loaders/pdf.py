"""PDF by pdfium: the text of each page in pdfium's reading order, page marks, and the outline's titles as headings.

pdfium is not safe to use from several threads, so one lock guards all of it. It also repairs files that are cut off and shows
what is left; since a document is never to be half indexed, a file without its end mark is refused.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from itertools import islice
from typing import Any, Final

import pypdfium2
import pypdfium2.raw as pdfium_c

from rag_assistant.errors import DocumentEmpty, DocumentEncrypted, ParseFailed
from rag_assistant.ingest.loaders.decoding import is_blank
from rag_assistant.ingest.loaders.language import detect_language
from rag_assistant.ingest.loaders.naming import choose_title, first_line
from rag_assistant.ingest.loaders.pdf_outline import OutlineEntry, insert_headings
from rag_assistant.types import Document, Heading, Mark, Place

_LOCK: Final = threading.Lock()
_MAX_OUTLINE_ENTRIES: Final = 5000
_END_MARK: Final = b"%%EOF"
_END_MARK_WITHIN: Final = 4096
# pdfium writes U+0002 (or U+FFFE) for a hyphen at the end of a line, and joins the lines.
_LINE_END_HYPHEN: Final = re.compile("[\x02\ufffe]\n?")
_PROGRAM_MADE_TITLE: Final = re.compile(
    r"^(?:untitled.*|\(?anonymous\)?|microsoft \w+ - .*|.*\.(?:docx?|pptx?|xlsx?|odt|rtf|tex|dvi|indd|pdf))$",
    re.IGNORECASE,
)


class PdfLoader:
    """PDF with a text layer; a scan has none and is reported as such."""

    name = "pdf"
    version = "1"

    def load(self, data: bytes, name: str) -> Document:
        if not data:
            raise DocumentEmpty(f"'{name}' is empty (0 bytes).")
        if _END_MARK not in data.rstrip(b"\0 \t\r\n")[-_END_MARK_WITHIN:]:
            raise ParseFailed(f"'{name}' has no end mark (%%EOF): it is cut off or isn't a PDF. Get the file again.")
        with _LOCK:
            pages, outline, info, warnings = _read(data, name)
        if all(is_blank(page) for page in pages):
            raise DocumentEmpty(f"'{name}' holds no text (a scan?); scanned pages can't be read yet.")
        if blank := [str(number) for number, page in enumerate(pages, 1) if is_blank(page)]:
            warnings.append(f"no text on {len(blank)} of {len(pages)} pages: {', '.join(blank[:20])}")
        facts, marks, headings = _assemble(pages, outline)
        stated = info.get("Title", "")
        title, metadata = choose_title(
            name,
            pdf_title=None if _PROGRAM_MADE_TITLE.match(stated.strip()) else stated,
            first_line=first_line(next(page for page in pages if not is_blank(page))),
        )
        metadata |= {"page_count": len(pages)}
        if tags := [word.strip() for word in re.split("[,;]", info.get("Keywords", "")) if word.strip()]:
            metadata["tags"] = tags
        return Document(
            doc_type="pdf",
            title=title,
            markdown=facts,
            loader=self.name,
            loader_version=self.version,
            marks=marks,
            headings=headings,
            language=detect_language(facts),
            metadata=metadata,
            warnings=tuple(warnings),
        )


def _read(data: bytes, name: str) -> tuple[list[str], dict[int, list[OutlineEntry]], dict[str, str], list[str]]:
    """Texts of the pages, outline entries by page index, the information dictionary, and warnings. Call with the lock held."""
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
            raise DocumentEncrypted(
                f"'{name}' is protected by a password. Save a copy without one to make it searchable."
            ) from error
        raise ParseFailed(f"'{name}' can't be read as PDF: it is damaged or isn't one.") from error
    warnings: list[str] = []
    try:
        pages = [_page_text(pdf, index, name) for index in range(len(pdf))]
        if not pages:
            raise ParseFailed(f"'{name}' has no pages: the PDF is damaged.")
        return pages, _outline(pdf, len(pages), warnings), pdf.get_metadata_dict(), warnings
    finally:
        pdf.close()


def _page_text(pdf: Any, index: int, name: str) -> str:
    try:
        page = pdf[index]
        text_page = page.get_textpage()
    except pypdfium2.PdfiumError as error:
        raise ParseFailed(f"Page {index + 1} of '{name}' can't be read: the PDF is damaged.") from error
    try:
        text = str(text_page.get_text_bounded())
    finally:
        text_page.close()
        page.close()
    text = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    return _LINE_END_HYPHEN.sub("", text).strip("\n")


def _outline(pdf: Any, page_count: int, warnings: list[str]) -> dict[int, list[OutlineEntry]]:
    entries: dict[int, list[OutlineEntry]] = defaultdict(list)
    unplaced = 0
    last_page = 0
    for bookmark in islice(pdf.get_toc(), _MAX_OUTLINE_ENTRIES):
        try:
            title = " ".join(bookmark.get_title().split())
        except UnicodeDecodeError:
            title = ""
        destination = bookmark.get_dest()
        index = destination.get_index() if destination else None
        # Entries that go back would tear the section tree; they are links rather than structure.
        if title and index is not None and last_page <= index < page_count:
            entries[index].append(OutlineEntry(bookmark.level + 1, title))
            last_page = index
        else:
            unplaced += 1
    if unplaced:
        warnings.append(f"{unplaced} outline entries name no page in order and were left out")
    return entries


def _assemble(pages: list[str], outline: dict[int, list[OutlineEntry]]) -> tuple[str, tuple[Mark, ...], tuple[Heading, ...]]:
    parts: list[str] = []
    marks: list[Mark] = []
    headings: list[Heading] = []
    length = 0
    for index, page in enumerate(pages):
        text, found = insert_headings(page, outline.get(index, []))
        if not text:
            continue
        if parts:
            parts.append("\n\n")
            length += 2
        marks.append(Mark(length, Place(page=index + 1)))
        headings.extend(Heading(length + item.start, length + item.end, item.level, item.title) for item in found)
        parts.append(text)
        length += len(text)
    return "".join(parts), tuple(marks), tuple(headings)
