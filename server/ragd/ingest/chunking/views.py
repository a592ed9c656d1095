"""The two views of a chunk, made by template.

Dense: title and heading path on one line, then the text, with what was read in its pictures in the place of references to them,
after a captioner's summary of each where there is one; the sparse view has all of its description.
Both: below the text, what was made of the diagrams in it; in the dense view their summary, in the sparse one all their labels.
Sparse: that, then the file's name, its path, tags and keywords. File names and paths are in the sparse view only, so that
renaming or moving a file embeds nothing; for the same reason a title that was taken from the file's name is in neither heading.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ragd.core.documents import Chunk, DiagramText, Enrichment, Piece, PlacedDiagram
from ragd.core.ids import canonical, hash32
from ragd.formats.common.naming import base_name
from ragd.formats.common.pictures import REFERENCE, link_of
from ragd.providers.protocols import Analyzer, Tokenizer

VIEW_PROFILE: Final = "view-3"
"""Version of these templates. Change a template, change this."""

_PICTURE_SHARE: Final = 2
"""What was read in a chunk's pictures may take one part in so many of its dense view; the sparse view has all of it."""

PICTURE_MARK: Final = "[picture]"
"""Begins what a captioner says of a picture."""
_DIAGRAM: Final = "[diagram]"

PATH_SEPARATOR: Final = " > "


def dense_view(heading: str, text: str) -> str:
    return f"{heading}\n{text}" if heading else text


@dataclass(frozen=True, slots=True)
class PictureNote:
    """What a reference in the content stands for: a kept picture and what was read in it."""

    asset_id: str
    text: str
    summary: str = ""
    """What a captioner says of it, for the dense view."""
    words: str = ""
    """The words of its description, for the sparse view alone."""


class Shown:
    """Texts of one document with what its pictures say in the place of references to them.

    `pictures` is by link. A picture's alternative text that is only the file's own name is left out, so that a renamed picture
    keeps its vector. The text read in all pictures of a passage takes at most `max_tokens`.
    """

    def __init__(self, pictures: Mapping[str, PictureNote], file_name: str, tokenizer: Tokenizer, max_tokens: int) -> None:
        self._pictures = pictures
        self._file_name = file_name
        self._tokenizer = tokenizer
        self._max_tokens = max_tokens

    @classmethod
    def within(cls, pictures: Mapping[str, PictureNote], source: str, tokenizer: Tokenizer, room: int) -> Shown:
        """For dense views of `room` tokens of a document that people know as `source`."""
        return cls(pictures, base_name(source), tokenizer, room // _PICTURE_SHARE)

    def image_refs(self, text: str) -> tuple[str, ...]:
        """Asset ids of the kept pictures that a passage refers to, each once, in order."""
        if not self._pictures:
            return ()
        notes = (self._pictures.get(link_of(match)) for match in REFERENCE.finditer(text))
        return tuple(dict.fromkeys(note.asset_id for note in notes if note))

    def text(self, text: str, *, whole: bool = False) -> str:
        """A passage as it is embedded; with `whole` as it is indexed: nothing that was read in a picture is cut."""
        if not self._pictures:
            return text
        room = self._max_tokens

        def instead(match: re.Match[str]) -> str:
            nonlocal room
            note = self._pictures.get(link_of(match))
            if note is None:
                return match[0]
            alt = "" if match["alt"] == self._file_name else match["alt"] or ""
            said = f"{PICTURE_MARK} {note.summary}" if note.summary else ""
            if whole:
                return "\n".join(part for part in (alt, said, note.words, note.text) if part)
            parts = []
            for told in (said, note.text):
                part = shortened(told, self._tokenizer, room)
                room -= self._tokenizer.count(part) if part else 0
                parts.append(part)
            return "\n".join(part for part in (alt, *parts) if part)

        return REFERENCE.sub(instead, text)


class Drawn:
    """The diagrams of one document, and what is said of them below the passages in which they stand.

    It is marked as said of a drawing, so that no model that reads the view takes it for the document's words. Of a dense view it
    takes one part in `_PICTURE_SHARE`.
    """

    def __init__(self, diagrams: Sequence[PlacedDiagram], tokenizer: Tokenizer, room: int) -> None:
        self._diagrams = sorted(diagrams, key=lambda placed: placed.end)
        self._ends = [placed.end for placed in self._diagrams]
        self._tokenizer = tokenizer
        self._max_tokens = room // _PICTURE_SHARE

    def within(self, start: int, end: int) -> tuple[DiagramText, ...]:
        """Those that stand, in part or whole, at `[start, end)` of the content."""
        if not self._diagrams:
            return ()
        after = self._diagrams[bisect_left(self._ends, start + 1) :]
        return tuple(placed.text for placed in after if placed.start < end)

    def below(self, text: str, diagrams: Sequence[DiagramText]) -> str:
        """A passage as it is embedded, with the summaries of its diagrams."""
        if not diagrams:
            return text
        said = "\n".join(f"{_DIAGRAM} {diagram.summary}" for diagram in diagrams)
        return f"{text}\n{shortened(said, self._tokenizer, self._max_tokens)}"


def shortened(text: str, tokenizer: Tokenizer, max_tokens: int) -> str:
    """The beginning of a text that is at most so many tokens."""
    if not text or max_tokens < 1:
        return ""
    keep = max_tokens
    # A token is seldom more than some characters, and only the beginning matters.
    head = text[: max_tokens * 32]
    while keep > 0:
        starts = tokenizer.starts(head)
        if keep >= len(starts):
            return head
        head = head[: starts[keep]].rstrip()
        keep -= 1
        if tokenizer.count(head) <= max_tokens:
            return head
    return ""


def _sparse_view(piece: Piece, text: str, source: str, tags: Sequence[str], keywords: Sequence[str]) -> str:
    """Everything that words may be found in. The whole heading path: BM25 has no token limit."""
    name = base_name(source)
    parts = [PATH_SEPARATOR.join(piece.heading_path), text, name, source if source != name else ""]
    return "\n".join(part for part in (*parts, " ".join(tags), " ".join(keywords)) if part)


def _unsaid_labels(piece: Piece) -> list[str]:
    """The labels of a piece's diagrams that its text does not say."""
    labels = (label for diagram in piece.diagrams for label in diagram.labels)
    return [label for label in dict.fromkeys(labels) if label not in piece.text]


def build_chunks(
    pieces: Sequence[Piece],
    *,
    document: Enrichment,
    enrichments: Sequence[Enrichment],
    source: str,
    shown: Shown,
    analyzer: Analyzer,
) -> list[Chunk]:
    """The pieces with their two views. `document` and `enrichments` are what transform_post says of the whole and of each."""
    chunks = []
    for piece, enrichment in zip(pieces, enrichments, strict=True):
        dense = dense_view(piece.heading, piece.shown_text) or source
        # Not the document's keywords: in every chunk they set none apart, and one edit would change all entries.
        text = "\n".join([shown.text(piece.text, whole=True), *_unsaid_labels(piece)])
        sparse = _sparse_view(piece, text, source, document.tags, enrichment.keywords)
        chunks.append(
            Chunk(
                chunk_id=piece.chunk_id,
                section_id=piece.section_id,
                section_path=piece.section_path,
                ordinal=piece.ordinal,
                text=piece.text,
                tokens=piece.tokens,
                place=piece.place,
                dense_view=dense,
                sparse_tokens=tuple(analyzer.tokens(sparse)),
                dense_key=hashlib.sha256(canonical(dense).encode()).hexdigest()[:32],
                dense_id=hash32(piece.chunk_id, dense),
                sparse_id=hash32(piece.chunk_id, sparse, analyzer.profile),
                image_refs=piece.image_refs,
                enrichment=enrichment,
                diagrams=piece.diagrams,
            )
        )
    return chunks
