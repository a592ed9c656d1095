"""The stages of texts in a process that reads files. The model stays in the daemon, which counts tokens and makes vectors.

Measured (2 cores, the default model): a tokenizer of its own is 287 MB and 1.4 s for each process; asking costs 30 µs a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, Final

from ragd.ingest.text_stages import TextRun, TextStages
from ragd.ingest.workers.ipc import read_frame, write_frame
from ragd.ingest.workers.text_ipc import batches, pack_chunk, pack_section, unpack_task

if TYPE_CHECKING:
    from ragd.providers.protocols import Tokenizer, Vectors


_COUNTED_AT_ONCE: Final = 128
"""Texts of one question. Each fits a chunk, or nearly: some hundred kilobytes in all."""


class _Asking:
    """Asks the daemon, which waits for the next frame."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests = requests
        self._answers = answers

    def __call__(self, kind: str, texts: Sequence[str]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        write_frame(self._answers, {"kind": kind}, [text.encode("utf-8", "surrogatepass") for text in texts])
        frame = read_frame(self._requests)
        if frame is None:
            raise EOFError("the daemon went")
        return frame


class _AskedTokenizer:
    def __init__(self, ask: _Asking) -> None:
        self._ask = ask
        self._known: dict[str, int] = {}

    def ask_at_once(self, texts: Iterable[str]) -> None:
        """Ask for these counts now, many at a time, and forget the former ones."""
        unasked = iter(dict.fromkeys(texts))
        self._known = {}
        while asked := list(islice(unasked, _COUNTED_AT_ONCE)):
            self._known.update(zip(asked, self._counts(asked), strict=True))

    def count(self, text: str) -> int:
        known = self._known.get(text)
        return self._counts([text])[0] if known is None else known

    def _counts(self, texts: Sequence[str]) -> array[int]:
        return array("q", self._ask("count", texts)[1][0])

    def starts(self, text: str) -> Sequence[int]:
        return array("q", self._ask("starts", [text])[1][0])


class _AskedEmbedder:
    def __init__(self, ask: _Asking, tokenizer: Tokenizer, model_id: str, revision: str, dimension: int) -> None:
        self._ask = ask
        self.model_id, self.revision, self.dimension = model_id, revision, dimension
        self.tokenizer = tokenizer

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        import numpy as np

        vectors: Vectors = np.frombuffer(self._ask("embed", texts)[1][0], dtype=np.float32).reshape(-1, self.dimension)
        if on_batch:
            on_batch(len(texts))
        return vectors


class TextReader:
    """Takes texts through their stages, by the providers that each is sent with."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._ask = _Asking(requests, answers)
        self._answers = answers
        self._tokenizer = _AskedTokenizer(self._ask)
        self._opened: tuple[Any, TextStages] | None = None
        self.part = ""
        """The stage that is at work, for errors."""

    def run(self, header: Mapping[str, Any], blobs: Sequence[bytes]) -> None:
        """One text, from its frame to the last frame about it."""
        task = unpack_task(header, blobs)
        key = header["providers"], header["model"]
        if self._opened is None or self._opened[0] != key:
            self._opened = key, task.providers.open(_AskedEmbedder(self._ask, self._tokenizer, *header["model"]))
        stages = self._opened[1]
        run = TextRun(stages, task)
        cleaning, sectioning, cutting, enriching = stages.parts
        self.part = cleaning
        run.clean()
        self._answer("cleaned")
        self.part = sectioning
        for sections in batches(run.sections()):
            self._answer("sections", sections=list(map(pack_section, sections)))
        self.part = cutting
        self._tokenizer.ask_at_once(run.foreseen())
        self._answer("cut", stats=run.cut())
        self.part = enriching
        enrichment, found = run.enrich()
        self._answer("enriched", enrichment=enrichment.as_dict())
        for chunks in batches(found):
            self._answer("chunks", chunks=list(map(pack_chunk, chunks)))

    def _answer(self, kind: str, **values: Any) -> None:
        write_frame(self._answers, {"kind": kind, **values})
