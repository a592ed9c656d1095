"""PowerPoint: one section for each slide, with its texts in reading order, tables, charts, SmartArt, notes and pictures.

python-pptx opens the package and finds its parts; their XML is walked here, since positions and bullets are inherited, and
alternate content, SmartArt, equations and comments are beyond its model. A presentation is read whole or not at all: one that
lacks a slide's part is refused. Hidden slides are not shown to an audience and are left out, and said so.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any, Final

import pptx
from pptx.exc import PythonPptxError
from pptx.opc.constants import RELATIONSHIP_TYPE as RT
from pptx.package import Package

from ragd.core.documents import Document
from ragd.core.errors import DocumentDamaged, DocumentEmpty, OldFormat, TooComplex, UnpacksTooLarge, WrongType
from ragd.formats.common.naming import choose_title, extension, metadata_of, tags_of
from ragd.formats.common.office_archive import BROKEN, checked_archive, old_format, read_part
from ragd.formats.common.old_office import OldOfficeLoader
from ragd.formats.common.opc import R, core_properties
from ragd.formats.common.text import numbered
from ragd.formats.powerpoint.layout import P
from ragd.formats.powerpoint.parts import MAX_TEXT_CHARS, TooMuchText, root_of
from ragd.formats.powerpoint.slides import Deck
from ragd.providers.protocols import ALONE, LoadContext

MAX_XML_BYTES: Final = 1 << 26
"""Of all XML parts, unpacked: python-pptx holds them all as trees, ten times as large. A thousand rich slides have some 20 MB."""

_STRICT: Final = b"http://purl.oclc.org/ooxml/"
_PROGRAM_MADE_TITLE: Final = re.compile(
    r"^(?:(?:microsoft )?powerpoint (?:presentation|プレゼンテーション|演示文稿)"
    r"|(?:presentation|slide|プレゼンテーション|スライド|演示文稿|幻灯片) ?\d*"
    r"|untitled.*|無題.*|无标题.*|.*\.(?:ppt[xm]?|pot[xm]?|pps[xm]?|odp))$",
    re.IGNORECASE,
)


class PowerPointLoader(OldOfficeLoader):
    """Presentations, templates and shows."""

    name = "powerpoint"
    version = "2"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:
        if old_format(data) == ".pptx":
            return self._old_document(data, name, "ppt")
        package, main = _open(data, name)
        slides = [_slide(main, entry, number, name) for number, entry in enumerate(_entries(main), 1)]
        shown = [(number, slide) for number, slide in enumerate(slides, 1) if slide._element.get("show") not in ("0", "false")]
        if not shown:
            raise DocumentEmpty(f"All slides of '{name}' are hidden." if slides else f"'{name}' has no slides.")
        deck = Deck(main)
        try:
            for done, (number, slide) in enumerate(shown, 1):
                deck.add(slide, number)
                context.report(done, len(shown))
        except TooMuchText as error:
            raise TooComplex(
                f"'{name}' gives more than {MAX_TEXT_CHARS:,} characters of text. It is not read; split it."
            ) from error
        if not deck.has_content:
            missed = "".join(f" ({warning})" for warning in deck.missed()[:3])
            raise DocumentEmpty(f"'{name}' has neither text nor pictures on its slides{missed}.")
        warnings = deck.warnings()
        if hidden := sorted(set(range(1, len(slides) + 1)) - {number for number, _ in shown}):
            warnings.append(f"{len(hidden)} of {len(slides)} slides are hidden and were left out: {numbered('slide', hidden)}")
        stated = _properties(package)
        title, metadata = choose_title(
            name,
            presentation_title=None if _PROGRAM_MADE_TITLE.match(stated.get("title", "")) else stated.get("title"),
            heading=deck.first_title,
        )
        metadata |= {"slide_count": len(slides)}
        metadata |= metadata_of(author=stated.get("creator"), tags=tags_of(stated.get("keywords")))
        return self._document(
            title,
            deck,
            metadata,
            parser=f"python-pptx {pptx.__version__}",
            warnings=warnings,
        )


def _open(data: bytes, name: str) -> tuple[Any, Any]:
    """The package and its main part."""
    with checked_archive(data, name, "a PowerPoint presentation") as archive:
        total = sum(entry.file_size for entry in archive.infolist() if extension(entry.filename) in (".xml", ".rels"))
        if total > MAX_XML_BYTES:
            raise UnpacksTooLarge(
                f"The slides of '{name}' unpack to {total:,} bytes; up to {MAX_XML_BYTES:,} are read. Split it."
            )
        for part in archive.NameToInfo:
            # python-pptx unpacks parts whole, and so up to 2 GB of one whose entry states less than it holds.
            read_part(archive, part, name)
        try:
            package = Package.open(io.BytesIO(data))
            main = package.main_document_part
        # lxml's syntax error is Python's; the others are what python-pptx meets in a part that isn't what it should be.
        except (SyntaxError, KeyError, ValueError, AttributeError, RecursionError, PythonPptxError, *BROKEN) as error:
            if "_rels/.rels" in archive.NameToInfo and _STRICT in read_part(archive, "_rels/.rels", name):
                raise OldFormat(
                    f"'{name}' is a 'Strict Open XML' presentation, which can't be read. Save it as 'PowerPoint Presentation'."
                ) from error
            raise DocumentDamaged(
                f"'{name}' is damaged: its parts can't be read. Open it in PowerPoint, let it repair the file and save it anew."
            ) from error
    root = root_of(main)
    if root is None or root.tag != f"{P}presentation":
        raise WrongType(f"'{name}' is an Office file, but not a presentation. Give it the extension of its format.")
    return package, main


def _entries(main: Any) -> Iterator[Any]:
    slides = root_of(main).find(f"{P}sldIdLst")
    return iter(()) if slides is None else slides.iterchildren(f"{P}sldId")


def _slide(main: Any, entry: Any, number: int, name: str) -> Any:
    relation = main.rels.get(entry.get(f"{R}id") or "")
    part = None if relation is None or relation.is_external else relation.target_part
    if part is None or getattr(part, "_element", None) is None or part._element.tag != f"{P}sld":
        raise DocumentDamaged(
            f"Slide {number} of '{name}' is missing in the file. Open it in PowerPoint, let it repair the file and save it anew."
        )
    return part


def _properties(package: Any) -> dict[str, str]:
    try:
        return core_properties(root_of(package.part_related_by(RT.CORE_PROPERTIES)))
    except (KeyError, ValueError):  # there are none
        return {}
