"""Every provider's Protocol on one page, but those of `token_protocols`. Contract suites for each kind are in `ragd.testing`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from ragd.core.documents import Document, Enrichment, OcrLine, PictureText, Piece
from ragd.core.query import QueryPlan, Role
from ragd.core.results import NO_DATA, Candidate, CandidateData, Passage, Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
    Pixels: TypeAlias = NDArray[np.uint8]
    """A picture: `[height, width, 3]`, red, green, blue."""
else:
    # The processes that read files start without numpy, which takes longer to import than most files to read.
    Vectors = Pixels = "numpy.ndarray"

AllowedIds: TypeAlias = Collection[str] | None
"""The entries among which a store searches; None: all of them."""
Phrases: TypeAlias = Sequence[Sequence[str]]


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
    """Reads one family of formats into Markdown with places."""

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

    def boilerplate(self, document: Document) -> list[tuple[int, int]]:
        """Character ranges of the content to leave out of the chunks, sorted and apart. The content stays as it is."""
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

    def starts(self, text: str) -> Sequence[int]:
        """Where each token of `text` begins, in order: of several tokens made of one character, each at that character."""
        ...


@runtime_checkable
class BulkTokenizer(Tokenizer, Protocol):
    def counts(self, texts: Sequence[str], *, many: bool = True) -> list[int]:
        """As `count`, of each text. `many` says that more come after these, as in an ingestion."""
        ...


@runtime_checkable
class Splitter(Protocol):
    """Cuts a text into passages. `profile` says what shapes its output."""

    name: str
    profile: str

    def split(self, text: str, max_tokens: int) -> list[tuple[int, int]]:
        """Character ranges `[start, end)` in order, each of at most `max_tokens` tokens; neighbours may overlap."""


class PassageEmbedder(Protocol):
    """What cutting a text by meaning needs of an embedder."""

    model_id: str
    revision: str
    dimension: int
    tokenizer: Tokenizer

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        """float32 `[len(texts), dimension]`, rows of L2 norm 1, order kept. `on_batch(n)`: texts done in each batch."""


@runtime_checkable
class Embedder(PassageEmbedder, Protocol):
    """Texts to unit vectors. `needs_files`: it is built with the files of a model of the table."""

    needs_files: bool
    max_tokens: int
    device: str

    @property
    def passage_overhead(self) -> int:
        """Tokens that the passage prefix and the special tokens take out of `max_tokens`."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As `embed_passages`, with the prefix of questions in the place of that of passages."""

    def close(self) -> None: ...


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that also gives the vector of each token, for late interaction. `gives_tokens`: this model really has them."""

    gives_tokens: bool

    def query_tokens(self, text: str) -> Vectors:
        """float32 `[tokens, dimension]`: last hidden states of the tokens of `text`, prefix and special tokens left out."""

    def passage_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """As `query_tokens`, one array for each text, with the passage prefix; in one batch. Texts are cut at `max_tokens`."""


@runtime_checkable
class Analyzer(Protocol):
    """Text to index terms, the same function at ingestion and at query. `profile` says what shapes its output."""

    name: str
    profile: str

    def tokens(self, text: str) -> list[str]:
        """Index terms in order, duplicates kept; no term holds a blank."""
        ...

    def names(self, text: str) -> frozenset[str]:
        """Names of people, places and things in what is written without blanks, as they stand; none without a dictionary."""
        ...


class EntryStore(Protocol):
    """An index of entries, one namespace for each `kb_id`. Safe to call from several threads.

    One that can't be read or written raises a `RagError` (`IndexDamaged`, `ServiceUnavailable`) or an `OSError`.
    """

    name: str

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        """Remove entries; unknown ids are ignored."""
        ...

    def ids(self, kb_id: str) -> set[str]:
        """Every entry id, for reconciliation."""
        ...

    def drop(self, kb_id: str) -> None:
        """Remove the whole namespace; an unknown one is ignored."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class DenseStore(EntryStore, Protocol):
    """Nearest neighbours by cosine."""

    def upsert(self, kb_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Add or replace entries; repeating a call changes nothing. Durable when it returns."""
        ...

    def search(self, kb_id: str, vector: Vectors, k: int, allowed: AllowedIds = None) -> list[Scored]:
        """The `k` nearest entries, best first, scores = cosine. With `allowed`, only those, and all of the best of those."""
        ...

    def vectors(self, kb_id: str, ids: Sequence[str]) -> Mapping[str, Vectors]:
        """Of those of these entries that are there: float32 `[dimension]`, L2 norm 1."""
        ...


@runtime_checkable
class SparseStore(EntryStore, Protocol):
    """BM25 over analysed terms."""

    def upsert(self, kb_id: str, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Add or replace `(entry id, terms)`; repeating a call changes nothing. Durable and searchable when it returns."""
        ...

    def search(self, kb_id: str, terms: Sequence[str], k: int, allowed: AllowedIds = None, phrases: Phrases = ()) -> list[Scored]:
        """The `k` best entries that hold any of `terms` or one of `phrases`, best first; with `allowed`, only those.

        A term given twice counts twice. Each phrase (two terms or more; others are ignored) adds to entries that hold its terms
        side by side. Of a very long question, only its most specific terms count.
        """
        ...

    def frequencies(self, kb_id: str, terms: Collection[str]) -> tuple[int, Mapping[str, int]]:
        """The number of entries, and of those that hold each of `terms`. Both may count what was deleted a moment ago."""
        ...


@runtime_checkable
class Fusion(Protocol):
    """Ranked lists into one. `profile` says what shapes its output."""

    name: str
    profile: str

    def fuse(self, lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData = NO_DATA) -> list[Candidate]:
        """Best first, `source="fusion"`; scores are 0..1, where 1 is the best that any candidate could have got.

        `lists` has one entry for each that was asked for, even an empty one: `dense`, `sparse`, `feedback`, `rerank` (rescored).
        """
        ...

    def feedback(self, lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData) -> Vectors | None:
        """What the best of these candidates have in common, `[dimension]`, for a further search; None for a fusion without."""
        ...

    def gains_from_rescoring(self, lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData) -> bool:
        """Whether late interaction over the first of these candidates is known, or can be expected, to better the order."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Says how well passages answer a question. `judges`: its scores alone order them; else they are one more list for fusion."""

    name: str
    profile: str
    judges: bool

    def score(self, question: str, passages: Sequence[Passage], deadline: float) -> Sequence[float | None]:
        """Relevance 0..1 of each passage, in order; None for a passage that was not reached before the `deadline`.

        The deadline is of `time.monotonic`. A list that ends sooner stands for None up to the last passage. Raises a `RagError`
        when nothing can be scored.
        """
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a language model; `picture` is a PNG or JPEG that goes before the text."""

    role: Role | Literal["system"]
    text: str
    picture: bytes = b""


@dataclass(frozen=True, slots=True)
class Completion:
    """How a model's answer ended. `usage` holds `input_tokens` and `output_tokens`, where the service reports them."""

    finish: Literal["complete", "length", "cut_off"]
    usage: Mapping[str, int]


class PieceStream(Protocol):
    """A model's answer as it comes."""

    def __iter__(self) -> Iterator[str]: ...

    def __next__(self) -> str: ...

    def close(self) -> None:
        """End the request at once, from any thread; whoever waits for a piece gets `StopIteration`."""
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """A model that writes. `name` is the provider, `model` what it was asked for. Safe to call from several threads."""

    name: str
    model: str
    context_tokens: int

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as this model counts them; an estimate that is never too low where the real count can't be had."""
        ...

    def stream(self, messages: Sequence[Message], max_tokens: int, on_end: Callable[[Completion], None]) -> PieceStream:
        """The answer, piece by piece; `on_end` is called once, after the last piece, but not when the stream is closed before.

        Raises `RemoteRefused` for what a retry can't mend (wrong key, unknown model, too long) and `RemoteUnavailable` for what
        it could, after the retries. A stream that breaks off after its first piece is not retried: it ends as `cut_off`.
        """
        ...

    def close(self) -> None: ...


ProviderKind: TypeAlias = Literal[
    "loader", "ocr", "captioner", "cleaner", "splitter", "enricher", "embedder", "analyzer", "dense", "sparse", "token_index",
    "fusion", "reranker", "llm", "source", "metric_set",
]  # fmt: skip
