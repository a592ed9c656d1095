"""What loaders share: Markdown that grows with its marks and headings, and the document made of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar, Final

from ragd.core.documents import Document, Heading, Mark, MergedCell, Picture, Place, SlideLayout
from ragd.formats.common.diagrams import FoundDiagram, described_diagrams, placed_diagrams
from ragd.formats.common.naming import MAX_TITLE_CHARS
from ragd.formats.registry import format_of_loader
from ragd.language.detection import detect_language

_MOST_MERGED: Final = 100_000
"""Rows' cells that are kept as merged; tables beyond are shown cell by cell."""


class ContentBuilder:
    """The Markdown of a document while it is written. Subclasses say how its blocks follow each other."""

    def __init__(self) -> None:
        self.marks: list[Mark] = []
        self.headings: list[Heading] = []
        self.pictures: list[Picture] = []
        self.diagrams: list[FoundDiagram] = []
        self.merged: list[MergedCell] = []
        self.slides: list[SlideLayout] = []
        self._parts: list[str] = []
        self._length = 0

    @property
    def markdown(self) -> str:
        return "".join(self._parts)

    def _put(self, text: str) -> int:
        """Append characters; returns where they begin."""
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return start

    def _separate(self, blank: str = "\n\n") -> int:
        """Begin a block, after `blank` where something stands before it; returns where it begins."""
        if self._parts:
            self._put(blank)
        return self._length

    def _block(self, text: str) -> int:
        """Append a block; returns where it begins."""
        self._separate()
        return self._put(text)

    def _mark(self, place: Place, offset: int | None = None) -> None:
        """From here (or `offset`) on the source is at `place`."""
        if not self.marks or self.marks[-1].place != place:
            self.marks.append(Mark(self._length if offset is None else offset, place))

    def _head(self, start: int, level: int, title: str) -> None:
        """What was written from `start` on is a heading."""
        self.headings.append(Heading(start, self._length, level, title[:MAX_TITLE_CHARS]))

    def _merge(self, start: int, cells: Iterable[MergedCell]) -> None:
        """These cells of tables are merged; where their rows begin is counted from `start`."""
        for cell in islice(cells, _MOST_MERGED - len(self.merged)):
            self.merged.append(replace(cell, start=start + cell.start) if start else cell)


class IndentedBuilder(ContentBuilder):
    """Blocks below each other. Inside of lists and quotations every line gets what it must begin with."""

    max_indent: ClassVar[int]
    """Columns of indentation at most: what is nested deeper is not indented further, so that the length stays linear."""
    blanks: ClassVar[str]
    """A block of these characters alone is left out."""

    def __init__(self) -> None:
        super().__init__()
        # What every line begins with, what the next one begins with instead, and what stands on the blank line before it. A
        # tight block follows without one.
        self._indent = ""
        self._marker: str | None = None
        self._blank = ""
        self._tight = False

    @contextmanager
    def inside(self, marker: str, *, once: bool = False) -> Iterator[None]:
        """Blocks written inside begin with the marker: every line of them, or once, with the others below its text."""
        indent, blank = self._indent, self._blank
        rest = " " * len(marker) if once else marker
        if len(indent) + len(rest) <= self.max_indent:
            self._indent += rest
        if once:
            self._marker = (indent if self._marker is None else self._marker) + marker
        elif self._marker is not None:
            self._marker += marker
        yield
        self._indent, self._blank, self._marker = indent, blank, None

    def _add(self, text: str) -> int | None:
        """Append a block; returns where it begins, or None where there is nothing to append."""
        if not text.strip(self.blanks):
            return None
        start = self._separate("\n" if self._tight else f"\n{self._blank}\n")
        self._put((self._indent if self._marker is None else self._marker) + text.replace("\n", f"\n{self._indent}"))
        self._marker, self._blank, self._tight = None, self._indent.rstrip(), False
        return start


class FormatLoader:
    """A loader of the table of formats, whose row says of which type its documents are."""

    name: ClassVar[str]
    version: ClassVar[str]

    def _document(
        self,
        title: str,
        content: str | ContentBuilder,
        metadata: Mapping[str, Any],
        *,
        language: str | None = None,
        prose: str | None = None,
        parser: str = "",
        verbatim: bool = False,
        marks: Sequence[Mark] | None = None,
        headings: Sequence[Heading] = (),
        pictures: Sequence[Picture] | None = None,
        diagrams: Sequence[FoundDiagram] = (),
        merged: Sequence[MergedCell] = (),
        boilerplate: Sequence[tuple[int, int]] = (),
        warnings: Iterable[str] = (),
    ) -> Document:
        """The document. A builder brings its own marks, headings, pictures and merged cells.

        Without a stated `language` it is detected: by `prose`, where that is given, else by all of the content. `diagrams` are by
        where they stand in the content; those that blocks of code describe are found here.
        """
        built = content if isinstance(content, ContentBuilder) else None
        markdown = content if isinstance(content, str) else content.markdown
        drawn = [*(built.diagrams if built is not None else ()), *diagrams, *described_diagrams(markdown)]
        language = language or detect_language(markdown if prose is None else prose)
        return Document(
            doc_type=format_of_loader(self.name).doc_type,
            title=title,
            markdown=markdown,
            loader=self.name,
            loader_version=self.version,
            parser=parser,
            verbatim=verbatim,
            marks=tuple(marks if marks is not None else built.marks if built is not None else ()),
            headings=tuple(built.headings if built is not None else headings),
            boilerplate=tuple(boilerplate),
            pictures=tuple(pictures if pictures is not None else built.pictures if built is not None else ()),
            diagrams=placed_diagrams(drawn, language),
            merged=tuple(built.merged if built is not None else merged),
            slides=tuple(built.slides if built is not None else ()),
            language=language,
            metadata=metadata,
            warnings=tuple(warnings),
        )
