"""What a query finds: scored entries, candidates, passages, the numbered context, and the answer with its support."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from ragd.core.documents import DiagramText, DocType, Place

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_MOST_TOLD: Final = 1200
"""Characters of the points of one picture's description that a context holds."""

Span = tuple[int, int]
"""Characters `[start, end)` of a text."""


class Scored(NamedTuple):
    """One entry of an index with its score (higher is better; cosine for dense, BM25 for sparse)."""

    entry_id: str
    score: float


class Part(NamedTuple):
    """A feature of a candidate, and what a learned fusion multiplies it with."""

    feature: str
    value: float
    weight: float


class Candidate(NamedTuple):
    """A chunk in a ranked list. `rank` counts from 1; `source` names the list (dense, sparse, fusion, rerank).

    `parts` are what its score was made of, where a fusion is a sum of features. A question makes a thousand of these.
    """

    chunk_id: str
    score: float
    rank: int
    source: str
    parts: Sequence[Part] = ()

    def as_dict(self) -> dict[str, Any]:
        """The shape of a candidate in a trace."""
        return {"chunk_id": self.chunk_id, "score": round(self.score, 6), "rank": self.rank, "source": self.source}


@dataclass(frozen=True, slots=True)
class CandidateData:
    """What is known of candidates beside their ranks, by chunk id where it is known.

    `question` and `vectors` are unit vectors, float32 `[dimension]`; `languages` are those of the documents. `foreign` is the
    share (0..1) of the dense list that is in another language than the question. `tokens` are MaxSims of kept token vectors.
    `feedback` is what the best passages of a first fusion have in common, float32 `[dimension]`.
    """

    foreign: float = 0.0
    languages: Mapping[str, str | None] = field(default_factory=dict)
    question: NDArray[np.float32] | None = None
    vectors: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    tokens: Mapping[str, float] = field(default_factory=dict)
    feedback: NDArray[np.float32] | None = None


NO_DATA = CandidateData()


@dataclass(frozen=True, slots=True)
class Described:
    """What a captioner, `by`, says of a picture: no words of the document. `mermaid` is its diagram's text, "" for none."""

    by: str
    image_type: str
    summary: str
    mermaid: str = ""
    same_as: str = ""
    points: tuple[str, ...] = ()
    """Rows of its table, values of its chart, what its windows say: each a short sentence."""


@dataclass(frozen=True, slots=True)
class ImageRef:
    """A picture that a passage shows. `alt` is what its document says of it, `text` what was read in it."""

    asset_id: str
    mime: str
    alt: str
    text: str
    described: Described | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A live chunk with its document, as it is stored. `tokens` is the chunk's: its heading counts, too.

    `span` is the number of chunks from `ordinal` on that it holds: more than one where neighbours were joined. `enrichment`
    holds what rules or a model say about the chunk, as it is stored. `as_of` is the day (ISO 8601, UTC) on which the text was
    fetched, where it comes from elsewhere and was not held against what is there now; `live_version` is the version, as the
    remote side calls it, that the text was taken from where that is newer than the index.
    """

    chunk_id: str
    doc_id: str
    version_id: str
    collection: str
    content: str
    source: str
    source_uri: str
    doc_type: DocType
    title: str
    section_path: tuple[str, ...]
    place: Place
    ordinal: int
    tokens: int
    images: tuple[ImageRef, ...] = ()
    diagrams: tuple[DiagramText, ...] = ()
    enrichment: Mapping[str, Any] = field(default_factory=dict)
    span: int = 1
    as_of: str | None = None
    live_version: str | None = None

    @property
    def place_label(self) -> str:
        """Where it stands, as people say it: `page 3`, `## Heading`, `lines 10-24`; several parts are joined by a comma."""
        place = self.place
        parts = []
        if place.page is not None:
            parts.append(f"page {place.page}")
        if place.slide is not None:
            parts.append(f"slide {place.slide}")
        if place.sheet is not None:
            parts.append(f"sheet {place.sheet}{f' {place.cell_range}' if place.cell_range else ''}")
        if self.section_path:
            parts.append(f"{'#' * min(len(self.section_path), 6)} {self.section_path[-1]}")
        if place.line_range is not None:
            first, last = place.line_range
            parts.append(f"line {first}" if first == last else f"lines {first}-{last}")
        if self.as_of is not None:
            parts.append(f"as of {self.as_of}")
        return ", ".join(parts)

    @property
    def reference(self) -> str:
        """Title, source and place in one line."""
        place = self.place_label
        return f"{self.title} ({self.source}{', ' + place if place else ''})"

    @property
    def picture_texts(self) -> str:
        """What was read in its pictures, what captioners say of them, and what was made of its diagrams, a line for each."""
        told = [_said_of(image) for image in self.images]
        return "".join([*told, *(f"\n(What the diagram shows: {diagram.summary})" for diagram in self.diagrams)])

    @property
    def mermaid(self) -> tuple[str, ...]:
        """The drawings of its diagrams, and of those that were read in its pictures."""
        read = (image.described.mermaid for image in self.images if image.described and image.described.mermaid)
        return tuple(dict.fromkeys([*(diagram.mermaid for diagram in self.diagrams), *read]))


def _said_of(image: ImageRef) -> str:
    name = image.alt or image.asset_id
    read = f"\n(In the picture {name}: {image.text})" if image.text else ""
    said = image.described
    if not said or not said.summary:
        return read
    points = f"\n{_short(said.points)}" if said.points else ""
    return f"{read}\n(Description of the picture {name}, by {said.by}: {said.summary}{points})"


def _short(points: Sequence[str]) -> str:
    """As many of the points as there is room for, a line each."""
    kept: list[str] = []
    for point in points:
        if sum(map(len, kept)) + len(point) > _MOST_TOLD:
            break
        kept.append(f"- {point}")
    return "\n".join(kept)


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage with its scores. `score` is shown: 0..1. `scores` holds what each stage gave, where it ran."""

    passage: Passage
    score: float
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Citation:
    """Number `id` in the context stands for this passage. `chunk_ids` are all that it was joined from, best first.

    `highlights` are the places in its content that bear out the question or, once there is one, the answer.
    """

    id: int
    passage: Passage
    chunk_ids: tuple[str, ...] = ()
    highlights: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """Numbered passages for a model, at most `max_tokens` long; `citations` lists what was put in, in order."""

    text: str
    tokens: int
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Support:
    """How well one sentence of an answer is borne out by the passages it was made from. `score` is 0..1.

    `start` and `end` are its characters in the answer; `citations` the numbers of the passages that bear it out best first.
    `quotes` says what in each of them does, as far as it is one sentence, item or row.
    """

    start: int
    end: int
    score: float
    supported: bool
    citations: tuple[int, ...] = ()
    quotes: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in words. `provider` is what wrote it (`extractive` for passages alone), `found` is false for "not found".

    `citations` are those that the text refers to, in order; `removed_citations` counts references to passages that were never
    given, which were taken out of the text. `usage` holds token counts, where they are known.
    """

    text: str
    provider: str
    model: str
    found: bool
    citations: tuple[Citation, ...] = ()
    support: tuple[Support, ...] = ()
    removed_citations: int = 0
    finish: Literal["complete", "length", "cut_off", "cancelled"] = "complete"
    usage: Mapping[str, Any] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
