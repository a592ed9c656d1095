"""Jupyter notebooks, format 3 and 4: Markdown cells as they are, code cells as fenced blocks with what they put out.

The place of a passage are the lines of the .ipynb file where its cell's source stands, by which an editor finds the cell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote

import markdown_it

from ragd.core.documents import Document, Heading, Picture, Place
from ragd.core.errors import DocumentDamaged, DocumentEmpty, ParseFailed, TooComplex, WrongType
from ragd.formats.common.builder import ContentBuilder, FormatLoader
from ragd.formats.common.decoding import decode, is_blank
from ragd.formats.common.naming import choose_title
from ragd.formats.common.text import fenced, numbered
from ragd.formats.markdown.loader import MarkdownLoader
from ragd.formats.notebook.lines import Lines, source_lines
from ragd.formats.notebook.outputs import Outputs, joined
from ragd.language.boundaries import fenced_blocks
from ragd.providers.protocols import ALONE, LoadContext

_ATTACHMENT: Final = re.compile(r"attachment:([^\s()<>\"']{1,300})")
_MAX_ATTACHED_CHARS: Final = 100_000_000
"""Of the pictures that are put in for references to attachments in one cell, in base64."""
_MOST_WARNINGS: Final = 30
_DEEPEST_HEADING: Final = 6
_KERNELS: Final = (("python", "python"), ("ir", "r"), ("julia", "julia"), ("bash", "bash"), (".net-csharp", "csharp"))


class NotebookLoader(FormatLoader):
    """Jupyter notebooks (.ipynb)."""

    name = "notebook"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:
        decoded = decode(data, name)
        notebook = _parsed(decoded.text, name)
        cells = _cells(notebook, name)
        metadata = _mapping(notebook.get("metadata"))
        language = _programming_language(metadata)
        places = source_lines(decoded.text)
        reader = _CellReader(language, name, context, places if len(places) == len(cells) else [], old="cells" not in notebook)
        for number, cell in enumerate(cells, 1):
            reader.read(cell, number)
            context.report(number, len(cells))
        if is_blank(reader.markdown):
            raise DocumentEmpty(f"'{name}' holds no text: {'its cells are empty' if cells else 'it has no cells'}.")
        title, stated = choose_title(
            name,
            notebook_title=joined(metadata.get("title")) or joined(metadata.get("name")),
            heading=next((heading.title for heading in reader.headings), None),
        )
        stated |= {"encoding": decoded.encoding, "cell_count": len(cells)}
        if language:
            stated["programming_language"] = language
        authors = metadata.get("authors")
        names = [joined(_mapping(author).get("name")) for author in (authors if isinstance(authors, list) else [])]
        if author := ", ".join(filter(None, names)):
            stated["author"] = author
        return self._document(
            title,
            reader,
            stated,
            parser=f"markdown-it-py {markdown_it.__version__}",
            warnings=(*decoded.warnings, *reader.warnings()),
        )


class _CellReader(ContentBuilder):
    """The content of the cells that were read, with their marks, headings and pictures."""

    def __init__(self, language: str, name: str, context: LoadContext, places: Sequence[Sequence[Lines]], *, old: bool) -> None:
        super().__init__()
        self._language = language
        self._name = name
        self._context = LoadContext(linked=context.linked)
        self._places = places
        self._old = old
        self._missed: dict[str, list[int]] = {}
        self._number = 0
        self._outputs = Outputs(self._miss)

    def warnings(self) -> list[str]:
        found = [f"{what}: {numbered('cell', cells)}" for what, cells in self._missed.items()]
        rest = len(found) - _MOST_WARNINGS
        return [*found[:_MOST_WARNINGS], f"{rest} more warnings like these"] if rest > 0 else found

    def read(self, cell: Mapping[str, Any], number: int) -> None:
        self._number = number
        kind = cell.get("cell_type")
        source = cell.get("input") if kind == "code" and "source" not in cell else cell.get("source")
        lines = self._places[number - 1] if self._places else []
        items = [joined(item) for item in source] if isinstance(source, list) else [joined(source)]
        if self._old and items and not items[0].endswith("\n"):  # formats 2 and 3 were also written without newlines
            items = [f"{item}\n" for item in items[:-1]] + items[-1:]
        if len(lines) != len(items):
            lines = []
        text = "".join(items).replace("\r\n", "\n").replace("\r", "\n").rstrip()
        place = Place(line_range=(lines[0][0], lines[-1][1])) if lines else Place()
        if text.strip():
            if kind == "code":
                own = joined(_mapping(_mapping(cell.get("metadata")).get("vscode")).get("languageId"))
                shown = fenced(text, own or joined(cell.get("language")) or self._language)
                self._add(shown, place, _by_line(items, lines, first=1))
            elif kind == "heading":
                level = cell.get("level")
                level = level if isinstance(level, int) and 1 <= level <= _DEEPEST_HEADING else 1
                self._markdown(f"{'#' * level} {' '.join(text.split())}", cell, place, [])
            elif kind == "markdown":
                self._markdown(text, cell, place, _by_line(items, lines, first=0))
            else:
                self._add(_closed(text), place, _by_line(items, lines, first=0))
        found = len(self._outputs.pictures)
        for block in self._outputs.read(cell.get("outputs"), place):
            self._add(block, place, [])
        self.pictures += self._outputs.pictures[found:]

    def _markdown(self, text: str, cell: Mapping[str, Any], place: Place, starts: Sequence[tuple[int, Place]]) -> None:
        """A Markdown cell; its headings are the notebook's, and its attachments become pictures."""
        text = _closed(_with_attachments(text, _mapping(cell.get("attachments"))))
        try:
            read = MarkdownLoader().load(text.encode(), self._name, self._context)
        except ParseFailed:  # what looks like front matter, or like binary data
            self._add(text, place, starts)
            return
        offset = self._add(read.markdown, place, starts)
        self.headings += [Heading(item.start + offset, item.end + offset, item.level, item.title) for item in read.headings]
        self.pictures += [Picture(item.asset_id, item.data, item.link, item.alt, place) for item in read.pictures]
        for warning in read.warnings:
            self._miss(warning)

    def _add(self, text: str, place: Place, starts: Sequence[tuple[int, Place]]) -> int:
        """Append a block; `starts` are the places of its lines, by their index. Returns where it begins."""
        start = self._block(text)
        self._mark(place, start)
        at = line = 0
        for index, own in starts:
            while line < index and at >= 0:
                at = text.find("\n", at) + 1 or -1
                line += 1
            if at < 0:
                break
            self._mark(own, start + at)
        return start

    def _mark(self, place: Place, offset: int | None = None) -> None:
        """The same; of two places with nothing between them the second counts."""
        if self.marks and self.marks[-1].offset == offset:
            self.marks.pop()
        super()._mark(place, offset)

    def _miss(self, what: str) -> None:
        cells = self._missed.setdefault(what, [])
        if self._number not in cells[-1:]:
            cells.append(self._number)


def _parsed(text: str, name: str) -> Mapping[str, Any]:
    try:
        notebook = json.loads(text)
    except json.JSONDecodeError as error:
        raise DocumentDamaged(
            f"'{name}' is not valid JSON from line {error.lineno} on: it is cut off, or a merge left its marks. "
            "Open it in Jupyter and save it anew."
        ) from error
    except (RecursionError, ValueError) as error:  # ValueError: a number of thousands of digits
        raise TooComplex(
            f"'{name}' is not built as a notebook is: its JSON is nested too deeply or holds a huge number."
        ) from error
    return _mapping(notebook)


def _cells(notebook: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    worksheets = notebook.get("worksheets")
    holders = [notebook] if "cells" in notebook else worksheets if isinstance(worksheets, list) else []
    lists = [cells for holder in holders if isinstance(cells := _mapping(holder).get("cells"), list)]
    if not lists:
        raise WrongType(f"'{name}' is not a Jupyter notebook: it has no list of cells. Give it the extension of its format.")
    return [_mapping(cell) for cells in lists for cell in cells]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _programming_language(metadata: Mapping[str, Any]) -> str:
    kernel = _mapping(metadata.get("kernelspec"))
    stated = joined(_mapping(metadata.get("language_info")).get("name")) or joined(kernel.get("language"))
    name = joined(kernel.get("name"))
    guessed = next((language for start, language in _KERNELS if name.startswith(start)), "")
    return re.sub(r"[^\w+#.-]", "", (stated or guessed).lower())


def _by_line(items: Sequence[str], lines: Sequence[Lines], *, first: int) -> list[tuple[int, Place]]:
    """For each line of a cell's block at which one of its strings begins, its index and place; `first` is that of the source."""
    starts = []
    at_start, index = True, first
    for item, span in zip(items, lines, strict=False):
        if at_start and item:
            starts.append((index, Place(line_range=span)))
        index += item.count("\n")
        at_start = item.endswith("\n")
    return starts


def _closed(text: str) -> str:
    """The text with a fence that its writer forgot to close closed, since nothing of the next cell is inside."""
    blocks = fenced_blocks(f"{text}\n\nend")
    if not blocks or blocks[-1][1] <= len(text):
        return text
    fence = text[blocks[-1][0] :].lstrip()
    return f"{text}\n{fence[: len(fence) - len(fence.lstrip(fence[0]))]}"


def _with_attachments(text: str, attachments: Mapping[str, Any]) -> str:
    """The text with the pictures that it refers to inside, as data URIs, which the Markdown loader takes out again."""
    room = _MAX_ATTACHED_CHARS

    def uri(match: re.Match[str]) -> str:
        nonlocal room
        forms = _mapping(attachments.get(match[1])) or _mapping(attachments.get(unquote(match[1])))
        for mime, data in forms.items():
            content = "".join(joined(data).split())
            if mime.startswith("image/") and content and len(content) <= room:
                room -= len(content)
                return f"data:{mime};base64,{content}"
        return match[0]

    return _ATTACHMENT.sub(uri, text) if attachments else text
