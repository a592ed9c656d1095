"""Files that are a drawing: the content is what is written in it, page by page; the drawing is derived from its structure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from lxml import etree

from ragd.core.documents import Document, Place
from ragd.core.errors import DocumentDamaged, DocumentEmpty, TooComplex
from ragd.diagrams.lines import MAX_LINES, lines_of
from ragd.diagrams.reading import MAX_BYTES, Page
from ragd.diagrams.structure.bpmn import read_bpmn
from ragd.diagrams.structure.drawio import read_drawio
from ragd.diagrams.structure.excalidraw import read_excalidraw
from ragd.formats.common.builder import ContentBuilder, FormatLoader
from ragd.formats.common.naming import choose_title, extension
from ragd.formats.diagram.visio import read_visio
from ragd.providers.protocols import ALONE, LoadContext

_READERS: Final[dict[str, Callable[[bytes], list[Page]]]] = {".excalidraw": read_excalidraw, ".bpmn": read_bpmn}


class DiagramLoader(FormatLoader):
    """draw.io, Excalidraw, BPMN 2.0 and Visio (.vsdx)."""

    name = "diagram"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002
        if not data:
            raise DocumentEmpty(f"'{name}' is empty (0 bytes).")
        if len(data) > MAX_BYTES:
            raise TooComplex(f"'{name}' is a drawing of more than {MAX_BYTES >> 20} MiB. Split it.")
        if extension(name) in (".vsdx", ".vsdm"):
            pages = read_visio(data, name)
        else:
            pages = _READERS.get(extension(name), read_drawio)(data)
            if not pages:
                raise DocumentDamaged(
                    f"'{name}' holds no drawing that can be read. Open it in the program that made it and save it anew."
                )
        content = _Content(pages)
        if not content.markdown:
            raise DocumentEmpty(f"'{name}' is a drawing without a word.")
        title, metadata = choose_title(name, title=content.title)
        warnings = [f"parts of drawings that were not read: {content.left_out}"] if content.left_out else []
        return self._document(
            title,
            content,
            metadata | {"page_count": len(pages)},
            parser=f"lxml {'.'.join(map(str, etree.LXML_VERSION[:3]))}",
            warnings=warnings,
        )


class _Content(ContentBuilder):
    """A section for each page, with its labels as a list."""

    def __init__(self, pages: Sequence[Page]) -> None:
        super().__init__()
        self.title = ""
        self.left_out = 0
        room = MAX_LINES
        for number, page in enumerate(pages, 1):
            lines = lines_of(page)
            self.left_out += max(0, len(lines) - room) + (page.diagram.left_out if page.diagram else 0)
            lines = lines[:room]
            room -= len(lines)
            if not lines:
                continue
            start = self._separate()
            if len(pages) > 1:
                self._mark(Place(page=number))
                title = page.name or f"Page {number}"
                self._put(f"## {title}")
                self._head(start, 2, title)
                start = self._separate()
            elif page.diagram:
                self.title = page.diagram.title
            self._put("\n".join(f"- {line}" for line in lines))
            if page.diagram:
                self.diagrams.append((start, self._length, page.diagram))
