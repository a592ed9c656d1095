"""Every provider's Protocol on one page. Contract suites for each kind are in `rag_assistant.testing`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from rag_assistant.types import Candidate, Document, Enrichment, OcrLine, Passage, PictureText, Piece, Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
    Pixels: TypeAlias = NDArray[np.uint8]
    """A picture: `[height, width, 3]`, red, green, blue."""
else:
    # The processes that read files start without numpy, which takes longer to import than most files to read.
    Vectors = Pixels = "numpy.ndarray"


def _nothing_linked(_reference: str) -> bytes | None:
    return None


def _unread(_pixels: Pixels) -> PictureText:
    return PictureText(skipped="OCR is switched off")


def _unreported(_done: int, _total: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class LoadContext:
    """What a loader may use beside the file's bytes. A loader works without any of it, and says what it left out."""

    linked: Callable[[str], bytes | None] = _nothing_linked
    """Bytes of a picture that the file refers to by a relative path; None when there is none that may be read."""
    read_picture: Callable[[Pixels], PictureText] = _unread
    """Text recognition; never raises: what could not be read has its reason in `skipped`."""
    report: Callable[[int, int], None] = _unreported
    """Called with (done, total) pages, sheets or the like during long work."""


ALONE = LoadContext()


@runtime_checkable
class Loader(Protocol):
    """Reads one family of formats into Markdown facts with places."""

    name: str
    version: str

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:
        """Read the bytes of a file called `name`. Raises `ParseFailed` (or a kind of it) when they can't be read."""
        ...


@runtime_checkable
class OcrEngine(Protocol):
    """Recognises printed text. `profile` says what shapes its output: engine, models and their versions."""

    name: str
    profile: str

    def recognize(self, pixels: Pixels) -> list[OcrLine]:
        """The lines of a picture in reading order. Any exception means that it can't be read."""
        ...


@runtime_checkable
class Cleaner(Protocol):
    """Finds what is no part of a document's text. `profile` says what shapes its output."""

    name: str
    profile: str

    def furniture(self, document: Document) -> list[tuple[int, int]]:
        """Character ranges of the facts to leave out of the chunks, sorted and apart. The facts stay as they are."""
        ...


@runtime_checkable
class Enricher(Protocol):
    """Says what a document and its pieces are about. `profile` says what shapes its output."""

    name: str
    profile: str

    def enrich(self, document: Document, pieces: Sequence[Piece]) -> tuple[Enrichment, list[Enrichment]]:
        """For the document, and for each piece in order."""
        ...


@runtime_checkable
class Tokenizer(Protocol):
    """Counts tokens as the embedding model does."""

    def count(self, text: str) -> int:
        """Number of tokens of `text`, special tokens and prefix excluded."""
        ...

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """Character range `[start, end)` of each token of `text`, in order."""
        ...


@runtime_checkable
class Splitter(Protocol):
    """Cuts a text into passages. `profile` says what shapes its output."""

    name: str
    profile: str

    def split(self, text: str, max_tokens: int) -> list[tuple[int, int]]:
        """Character ranges `[start, end)` in order, each of at most `max_tokens` tokens; neighbours may overlap."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Texts to unit vectors. `needs_files`: it is built with the files of a model of the table."""

    needs_files: bool
    model_id: str
    revision: str
    dimension: int
    max_tokens: int
    device: str
    tokenizer: Tokenizer

    @property
    def passage_overhead(self) -> int:
        """Tokens that the passage prefix and the special tokens take out of `max_tokens`."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """float32 array `[len(texts), dimension]`, rows of L2 norm 1, order kept."""
        ...

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        """As `embed_queries`, with the passage prefix. `on_batch(n)` is called after each batch with the texts done in it."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class Analyzer(Protocol):
    """Text to index terms, the same function at ingestion and at query. `profile` says what shapes its output."""

    name: str
    profile: str

    def tokens(self, text: str) -> list[str]:
        """Index terms in order, duplicates kept; no term holds a blank."""
        ...


@runtime_checkable
class DenseStore(Protocol):
    """Nearest neighbours by cosine, one namespace for each `kb_id`. Safe to call from several threads."""

    name: str

    def upsert(self, kb_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Add or replace entries; repeating a call changes nothing. Durable when it returns."""
        ...

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        """Remove entries; unknown ids are ignored."""
        ...

    def search(self, kb_id: str, vector: Vectors, k: int, allowed: Collection[str] | None = None) -> list[Scored]:
        """The `k` nearest entries, best first, scores = cosine. With `allowed`, only those, and all of the best of those."""
        ...

    def ids(self, kb_id: str) -> set[str]:
        """Every entry id, for reconciliation."""
        ...

    def drop(self, kb_id: str) -> None:
        """Remove the whole namespace; an unknown one is ignored."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class SparseStore(Protocol):
    """BM25 over analysed terms, one namespace for each `kb_id`. Safe to call from several threads."""

    name: str

    def upsert(self, kb_id: str, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Add or replace `(entry id, terms)`; repeating a call changes nothing. Durable and searchable when it returns."""
        ...

    def delete(self, kb_id: str, ids: Sequence[str]) -> None: ...

    def search(self, kb_id: str, terms: Sequence[str], k: int, allowed: Collection[str] | None = None) -> list[Scored]:
        """The `k` best entries that hold any of `terms`, best first; with `allowed`, only those."""
        ...

    def ids(self, kb_id: str) -> set[str]: ...

    def drop(self, kb_id: str) -> None: ...

    def close(self) -> None: ...


@runtime_checkable
class Fusion(Protocol):
    """Ranked lists into one. `profile` says what shapes its output."""

    name: str
    profile: str

    def fuse(self, lists: Mapping[str, Sequence[Candidate]]) -> list[Candidate]:
        """Best first, `source="fusion"`. `lists` has one entry for each index that was asked, by its source name, even an
        empty one; scores are 0..1, where 1 is the best that any candidate could have got from those lists."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Orders passages by how well they answer the query."""

    name: str

    def rerank(self, query: str, candidates: Sequence[Candidate], passages: Sequence[Passage]) -> list[Candidate]:
        """The same candidates in a new order; what was rescored has `source="rerank"`, the rest keeps its order after it."""
        ...


ProviderKind: TypeAlias = Literal[
    "loader", "ocr", "cleaner", "splitter", "enricher", "embedder", "analyzer", "dense", "sparse", "fusion", "reranker"
]
