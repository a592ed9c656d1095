"""Word documents: headings, lists, tables, notes, text boxes and pictures as Markdown, as the document reads when printed.

Changes are read as accepted; page headers and footers, hidden text and tables of contents are left out; comments follow at the
end. Word stores no page numbers: places have them where the editor's own marks say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from ragd.core.documents import Document, Place
from ragd.core.errors import DocumentEmpty
from ragd.diagrams.model import MAX_DIAGRAMS
from ragd.diagrams.structure.drawingml import read_shapes
from ragd.diagrams.summary import labels_of
from ragd.formats.common.decoding import is_blank
from ragd.formats.common.diagrams import FoundDiagram
from ragd.formats.common.naming import choose_title, first_line, metadata_of, tags_of
from ragd.formats.common.office_archive import old_format
from ragd.formats.common.old_office import OldOfficeLoader
from ragd.formats.common.opc import LXML_VERSION, Element, core_properties
from ragd.formats.common.text import comments_title, headers_left_out
from ragd.formats.word.blocks import BlockReader
from ragd.formats.word.content import without_signs
from ragd.formats.word.inline import Inline
from ragd.formats.word.package import CORE, OFFICE, PACKAGE, Package, W, whole
from ragd.formats.word.reading import Reading
from ragd.language.detection import detect_language
from ragd.providers.protocols import ALONE, LoadContext

PAGES: Final = "pages"
"""Metadata key: how the page numbers of the places are known."""
_AS_SAVED: Final = "as last saved by the editor"

_APP: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/extended-properties}"
_DATE: Final = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?)?)?)?")
_PROGRAM_MADE_TITLE: Final = re.compile(
    r"(?:\W*|\[.*\]|<.*>|untitled.*|"  # none, or a template's
    r"word document|document ?\d*|無題.*|文書 ?\d*|microsoft \w+ - .*|.*\.(?:docx?|dotx?|docm|odt|rtf|pdf|html?))",
    re.IGNORECASE,
)


class WordLoader(OldOfficeLoader):
    """Word: documents, macro-enabled ones (macros are not read) and templates, transitional or Strict."""

    name = "word"
    version = "2"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002
        if old_format(data) == ".docx":
            return self._old_document(data, name, "doc")
        package = Package(data, name)
        body = package.body()
        reading = Reading.of(package, body)
        blocks = BlockReader(reading, body)
        blocks.read()
        language = detect_language(blocks.out.markdown)
        comments = _write_comments(blocks, reading, language)
        if is_blank(blocks.out.markdown):
            raise DocumentEmpty(f"'{name}' holds no text and no pictures.")
        stated, metadata = _title_and_metadata(package)
        warnings = [*reading.warnings(), *headers_left_out(_header_texts(package))]
        paged = _trust_pages(reading, _stated_pages(package), warnings)
        first_heading = next((heading.title for heading in blocks.out.headings if heading.start < heading.end), None)
        title, title_source = choose_title(
            name,
            title_paragraph=blocks.title,
            property=stated,
            heading=first_heading,
            first_line=first_line(blocks.first_text),
        )
        if paged:
            metadata |= {PAGES: _AS_SAVED, "page_count": reading.pages.now}
        if comments:
            metadata["comment_count"] = comments
        return self._document(
            title,
            blocks.out,
            title_source | metadata,
            parser=f"lxml {LXML_VERSION}",
            marks=None if paged else (),
            diagrams=_diagrams(body, blocks.out.markdown),
            pictures=[found if paged else replace(found, place=Place()) for found in reading.pictures],
            language=language,
            warnings=warnings,
        )


def _diagrams(body: Element, markdown: str) -> list[FoundDiagram]:
    """Drawings whose connectors are glued to shapes, each from the first of its labels in the content to the last."""
    found: list[FoundDiagram] = []
    at = 0
    for drawing in body.iter(f"{W}drawing"):
        diagram = read_shapes(drawing)
        if diagram is None or len(found) == MAX_DIAGRAMS:
            continue
        spans = [(place, place + len(label)) for label in labels_of(diagram) if (place := markdown.find(label, at)) >= 0]
        if spans:
            found.append((min(spans)[0], max(end for _, end in spans), diagram))
            at = found[-1][0]
    return found


def _trust_pages(reading: Reading, stated: int | None, warnings: list[str]) -> bool:
    """Whether the counted pages are those of the document. Breaks that people put in are only some of its page breaks, unless
    the editor counted as many pages; its own marks are all that it had when it saved, but for some inside of tables."""
    counted = reading.pages.now
    if not reading.pages.rendered:
        return stated == counted and counted > 1
    if stated is not None and stated != counted:
        warnings.append(f"page numbers may be off: the editor counted {stated} pages and marked {counted}")
    return True


def _write_comments(blocks: BlockReader, reading: Reading, language: str | None) -> int:
    """The comments at the end of the document, in a section of their own: who, when, on which words."""
    part = reading.package.part_of_kind(reading.package.main, OFFICE + "comments")
    root = reading.package.parse(part) if part else None
    count = 0
    for comment in () if root is None else root.iterchildren(W + "comment"):
        inline = Inline(reading, str(part), comment, pages_count=False)
        text = "\n  ".join(blocks.flat(comment, inline, 0))
        if not text:
            continue
        if not count:
            blocks.out.open_section(comments_title(language))
        about = " ".join(without_signs(reading.quoted.get(comment.get(W + "id") or "", "")).split())
        date = (comment.get(W + "date") or "")[:10]
        who = ", ".join(part for part in (comment.get(W + "author"), date, f'"{about}"' if about else "") if part)
        page = reading.comment_pages.get(comment.get(W + "id") or "", reading.pages.now)
        blocks.out.add(f"{who}: {text}" if who else text, page, "\n" if count else "\n\n", prefix="- ")
        count += 1
    return count


def _title_and_metadata(package: Package) -> tuple[str, dict[str, Any]]:
    """The stated title, empty when there is none or a program made it up; and author, tags, description and dates."""
    stated = core_properties(package.parse_kind(CORE, PACKAGE))
    title = " ".join(stated.get("title", "").split())
    found = metadata_of(
        author=stated.get("creator"),
        description=stated.get("description") or stated.get("subject"),
        tags=tags_of(stated.get("keywords")),
        **{key: stated[key] for key in ("created", "modified") if _DATE.fullmatch(stated.get(key, ""))},
    )
    return "" if _PROGRAM_MADE_TITLE.fullmatch(title) else title, found


def _stated_pages(package: Package) -> int | None:
    """How many pages the editor counted when it last saved the document."""
    app = package.parse_kind(OFFICE + "extended-properties", PACKAGE)
    return None if app is None else whole(app.findtext(_APP + "Pages"))


def _header_texts(package: Package) -> Iterator[str]:
    """What page headers and footers say."""
    for relation in package.relations(package.main).values():
        if relation.kind in (OFFICE + "header", OFFICE + "footer") and relation.part:
            root = package.parse(relation.part)
            text = " ".join("".join(found.text or "" for found in root.iter(W + "t")).split())
            if any(char.isalpha() for char in text):
                yield text
