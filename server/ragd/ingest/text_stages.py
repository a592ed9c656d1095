"""What is made of a document's text before it is embedded: cleaned, cut into sections and chunks, enriched, turned into terms.

A process that reads files does it, under its limits of time and memory: no text keeps the daemon's interpreter busy.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from ragd.core.documents import Chunk, Document, Enrichment, Section
from ragd.core.errors import UnpacksTooLarge
from ragd.core.ids import hash32
from ragd.core.sections import split_sections
from ragd.ingest.chunking.cuts import without
from ragd.ingest.chunking.recursive import build_pieces, foreseen
from ragd.ingest.chunking.views import PictureNote, Shown, build_chunks
from ragd.providers.protocols import Analyzer, Cleaner, Enricher, PassageEmbedder, Splitter, Tokenizer
from ragd.providers.registry import build

_REMEMBERED_COUNTS: Final = 4096
_NORMALISED: Final = 1_000_000
_GROWTH: Final = 3
"""A text may be so many times longer, in characters, once it is normalised as tokenizers and indexes do it (NFKC), or have
`_NORMALISED` characters then: U+FDFA becomes eighteen, and a megabyte of it six."""


class CountedOnce:
    """A tokenizer that remembers its latest counts: a chunk without a heading is counted as it is cut, and again as its view."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.count = lru_cache(_REMEMBERED_COUNTS)(tokenizer.count)
        self._tokenizer = tokenizer

    def starts(self, text: str) -> Sequence[int]:
        return self._tokenizer.starts(text)


@dataclass(frozen=True, slots=True)
class TextStages:
    """The providers of the stages, and the tokenizer of the embedding model."""

    cleaner: Cleaner
    splitter: Splitter
    enricher: Enricher
    analyzer: Analyzer
    tokenizer: Tokenizer

    @property
    def parts(self) -> tuple[str, str, str, str]:
        """What an error calls each stage by, in their order."""
        return f"cleaner {self.cleaner.name}", "sectioner", f"splitter {self.splitter.name}", f"enricher {self.enricher.name}"


@dataclass(frozen=True, slots=True)
class TextProviders:
    """The providers by name. `splitting` are options of the splitter, ready for JSON; with `embeds` it is given the embedder."""

    cleaner: str
    splitter: str
    enricher: str
    analyzer: str
    splitting: Mapping[str, Any]
    embeds: bool = False

    def open(self, embedder: PassageEmbedder, analyzer: Analyzer | None = None) -> TextStages:
        """Build them; `analyzer` is one that is there already."""
        tokenizer = CountedOnce(embedder.tokenizer)
        options = {"tokenizer": tokenizer, **self.splitting} | ({"embedder": embedder} if self.embeds else {})
        return TextStages(
            cleaner=build("cleaner", self.cleaner),
            splitter=build("splitter", self.splitter, **options),
            enricher=build("enricher", self.enricher),
            analyzer=analyzer or build("analyzer", self.analyzer),
            tokenizer=tokenizer,
        )


@dataclass(frozen=True, slots=True)
class TextTask:
    """A document to go through the stages. `notes` is what its pictures say, by link; a dense view has `room` tokens.

    `source` is what people know it as, `label` what errors and logs call it.
    """

    providers: TextProviders
    document: Document
    doc_id: str
    source: str
    label: str
    notes: Mapping[str, PictureNote]
    room: int


class TextRun:
    """The stages of one document, to be called in the order of their definition, each once."""

    def __init__(self, stages: TextStages, task: TextTask) -> None:
        self._stages = stages
        self._task = task

    def clean(self) -> None:
        """Find what is no part of the text. What follows works on what remains; places lead back to the content."""
        document = self._task.document
        require_modest_growth(document.markdown, self._task.label)
        self._text = without(document, self._stages.cleaner.boilerplate(document))

    def sections(self) -> tuple[Section, ...]:
        """The section tree, as ranges of the content."""
        text = self._text
        self._sections = split_sections(text.document, self._task.doc_id)
        return tuple(
            replace(section, start=text.origin(section.start), end=text.origin_end(section.end)) for section in self._sections
        )

    def foreseen(self) -> Iterator[str]:
        """Most of the texts whose tokens `cut` counts."""
        if self._task.notes:  # what pictures say is counted on the way
            return iter(())
        return foreseen(self._text.document, self._sections, self._show(), self._task.room)

    def _show(self) -> Shown:
        return Shown.within(self._task.notes, self._task.source, self._stages.tokenizer, self._task.room)

    def cut(self) -> dict[str, Any]:
        """Cut the sections into pieces; returns their number, lengths and a hash for the trace."""
        task, stages = self._task, self._stages
        self._shown = self._show()
        self._pieces = build_pieces(
            self._text.document,
            self._sections,
            shown=self._shown,
            splitter=stages.splitter,
            tokenizer=stages.tokenizer,
            room=task.room,
        )
        lengths = [len(piece.text) for piece in self._pieces] or [0]
        return {
            "chunks": len(self._pieces),
            "chunk_hash": hash32(*(piece.chunk_id for piece in self._pieces)),
            "characters_min": min(lengths),
            "characters_mean": round(sum(lengths) / len(lengths), 1),
            "characters_max": max(lengths),
        }

    def enrich(self) -> tuple[Enrichment, list[Chunk]]:
        """What is said of the document, and the pieces as chunks, with their views and terms."""
        task, stages = self._task, self._stages
        enrichment, of_pieces = stages.enricher.enrich(self._text.document, self._pieces)
        chunks = build_chunks(
            self._pieces,
            document=enrichment,
            enrichments=of_pieces,
            source=task.source,
            shown=self._shown,
            analyzer=stages.analyzer,
        )
        return enrichment, chunks


def require_modest_growth(text: str, label: str) -> None:
    """Raises `UnpacksTooLarge` for a text that is short only until it is normalised."""
    size = 0 if text.isascii() else len(unicodedata.normalize("NFKC", text))
    if size > max(_NORMALISED, _GROWTH * len(text)):
        raise UnpacksTooLarge(
            f"'{label}' is made of signs that stand for whole words: its {len(text):,} characters are {size:,} once they are "
            "written out. Split the file."
        )
