"""Word and PowerPoint files of before Office 2007, by office_oxide, which the extra `legacy-office` brings: as HTML, which the
reader of HTML turns into Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version as installed
from typing import Any, Final, Literal, TypeAlias

from ragd.core.documents import Document, Mark, Place
from ragd.core.errors import DocumentDamaged, DocumentEmpty, OldFormat, TooComplex
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.naming import choose_title, first_line, metadata_of
from ragd.formats.common.native import panics_fail_one_document
from ragd.formats.common.ole import ole_properties
from ragd.formats.common.text import numbered
from ragd.formats.html.fragment import Fragment, file_fragment, joined

OldKind: TypeAlias = Literal["doc", "ppt"]
_MODERN: Final = {"doc": ".docx", "ppt": ".pptx"}
_LOST: Final = {
    "doc": "of an old Word file pictures and the places of notes are not read; save it as .docx to have them",
    "ppt": "of an old PowerPoint file pictures, tables and speaker notes are not read as such; save it as .pptx to have them",
}
_RUBY: Final = r"EQ \* jc".encode("utf-16-le")
"""The field by which Word sets furigana."""
_RUBY_LOST: Final = "words with furigana are not read; save it as .docx to have them"
_MAX_HTML: Final = 100_000_000
_RULE: Final = "<hr />"
_FIRST_HEADING: Final = re.compile(r"<(/?)h1>")
_EMBEDDED: Final = "<figure><figcaption>Embedded OLE object</figcaption></figure>"
_MASTER: Final = "Slide Master"


class OldOfficeLoader(FormatLoader):
    """A loader that reads the format that came before its own, too."""

    def _old_document(self, data: bytes, name: str, kind: OldKind) -> Document:
        """`kind` is `doc` or `ppt`. Raises `OldFormat` without the extra."""
        html, sections = _read(data, name, kind)
        slides = _slides(html, sections) if kind == "ppt" else [(0, html)]
        whole, marks = _placed([(number, file_fragment(part, lambda _source: None, f"'{name}'")) for number, part in slides])
        if not whole.markdown:
            raise DocumentEmpty(f"'{name}' holds no text.")
        stated = ole_properties(data)
        title, metadata = choose_title(
            name,
            properties=stated.get("title"),
            heading=next((heading.title for heading in whole.headings), None),
            first_line=first_line(whole.markdown),
        )
        metadata |= metadata_of(
            author=stated.get("creator"), slide_count=sum(section["title"] != _MASTER for section in sections)
        )
        hidden = [number for number, section in enumerate(sections, 1) if section.get("hidden")]
        left_out = [f"hidden slides were left out: {numbered('slide', hidden)}"] if hidden else []
        return self._document(
            title,
            whole.markdown,
            metadata,
            parser=f"office-oxide {installed('office-oxide')}",
            marks=marks,
            headings=whole.headings,
            merged=whole.merged,
            warnings=(_LOST[kind], *left_out, *([_RUBY_LOST] if kind == "doc" and _RUBY in data else [])),
        )


def _read(data: bytes, name: str, kind: OldKind) -> tuple[str, list[dict[str, Any]]]:
    """The file as HTML, and what is known of its sections."""
    try:
        import office_oxide
    except ImportError as error:
        raise OldFormat(
            f"'{name}' is in the old format of before Office 2007. Run `rag extras add legacy-office` to have it read, or open "
            f"it and save it as {_MODERN[kind]}."
        ) from error
    try:
        with panics_fail_one_document(name):
            document = office_oxide.Document.from_bytes(data, kind)
            html = document.to_html()
            sections: list[dict[str, Any]] = json.loads(document.to_ir_json())["sections"] if kind == "ppt" else []
    except office_oxide.OfficeOxideError as error:
        raise DocumentDamaged(
            f"'{name}' can't be read: it is damaged, cut off or protected. Open it and save it as {_MODERN[kind]}."
        ) from error
    if len(html) > _MAX_HTML:
        raise TooComplex(f"'{name}' gives more than {_MAX_HTML:,} characters. Split the file.")
    return html, sections


def _slides(html: str, sections: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """The number of each slide that is shown, and its HTML: its title is a heading of the second level, as in newer files."""
    for number, (part, section) in enumerate(zip(html.split(_RULE), sections, strict=False), 1):
        if section["title"] != _MASTER and not section.get("hidden"):
            shown = _FIRST_HEADING.sub(r"<\1h2>", part.replace(_EMBEDDED, ""))
            yield number, _titled(shown.strip(), f"<h2>Slide {number}</h2>")


def _titled(html: str, heading: str) -> str:
    """A slide that has its number as its heading, with its first paragraph in place of that."""
    rest = html.removeprefix(heading).lstrip()
    title, end, body = rest.partition("</p>")
    if not (html.startswith(heading) and rest.startswith("<p>") and end):
        return html
    return f"{title.replace('<p>', '<h2>', 1)}</h2>{body}"


def _placed(parts: list[tuple[int, Fragment]]) -> tuple[Fragment, list[Mark]]:
    """The parts as one, with marks where each slide begins."""
    marks = []
    length = 0
    for number, part in parts:
        if part.markdown:
            start = length + 2 if length else 0
            if number:
                marks.append(Mark(start, Place(slide=number)))
            length = start + len(part.markdown)
    return replace(joined(part for _, part in parts), pictures=()), marks
