"""Text embedding by a service: prefixes, cutting, batches, patience, the check of each vector, and two interfaces.

`max_tokens` is kept to by an estimate from above, since the service's tokenizer is not here. The revision names what shapes the
vectors and not the host, so that a service can move without a re-index.
"""

from __future__ import annotations

import base64
import binascii
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ragd.config.indexing import EmbeddingSettings
from ragd.config.secrets import resolve
from ragd.core.errors import RemoteRefused, RemoteUnavailable, SettingsError
from ragd.core.http import Patience, RemoteService
from ragd.core.ids import hash32
from ragd.providers.protocols import Vectors
from ragd.providers.tokenizers.estimate import EstimatedTokenizer

# What services take in one request differs; 32 texts is the smallest limit that is common (text-embeddings-inference).
_BATCH_TEXTS = 32
_BATCH_TOKENS = 32_768
# A question is waited for by a person, and the sparse index can answer alone; a file can wait.
_QUERY_ATTEMPTS = 2
_PASSAGE_ATTEMPTS = 6
# The beginning, the end, and the mark that SentencePiece may put before the first word.
_FRAME = 3
# Services refuse an empty text; this stands for one.
_NOTHING = "."


class _RemoteEmbedder(ABC):
    """An embedder that asks a service. A subclass knows how a request and an answer look. Safe to use from several threads."""

    needs_files = False
    device = "remote"
    style: str
    """Name of the interface; a part of the revision."""

    def __init__(self, options: EmbeddingSettings, **remote: Any) -> None:
        """`remote` goes to `RemoteService`. Asks the service for one vector when no dimension is set.

        Raises `SettingsError` for settings that can't be used, and then what `RemoteService` raises.
        """
        self.service = RemoteService(options.url, resolve(options.api_key, "embedding.api_key"), setting="embedding", **remote)
        self.tokenizer = EstimatedTokenizer()
        self.model_id = options.model
        self.max_tokens = options.max_tokens
        self._prefixes = (options.query_prefix, options.passage_prefix)
        for name, prefix in zip(("query_prefix", "passage_prefix"), self._prefixes, strict=True):
            if self._overhead(prefix) >= self.max_tokens:
                raise SettingsError(f"Setting 'embedding.{name}' leaves no room for a text within embedding.max_tokens.")
        self._query_patience = Patience(options.query_timeout_s, _QUERY_ATTEMPTS)
        self._passage_patience = Patience(options.timeout_s, _PASSAGE_ATTEMPTS)
        self.dimension = options.dimension or self._ask_dimension()
        shaping = hash32(*self._prefixes, str(self.max_tokens))[:8]
        self.revision = f"{self.style}-1-{self.dimension}-{shaping}"

    @abstractmethod
    def ask(self, texts: Sequence[str], patience: Patience) -> list[Any]:
        """One row of numbers for each text, in order, as the service gave them."""

    @property
    def passage_overhead(self) -> int:
        return self._overhead(self._prefixes[1])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self._prefixes[0], texts, self._query_patience, None)

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        return self._embed(self._prefixes[1], texts, self._passage_patience, on_batch)

    def close(self) -> None:
        self.service.close()

    def _embed(self, prefix: str, texts: Sequence[str], patience: Patience, on_batch: Callable[[int], None] | None) -> Vectors:
        vectors = np.empty((len(texts), self.dimension), np.float32)
        room = self.max_tokens - self._overhead(prefix)
        ready = [prefix + (self.tokenizer.cut(text.strip(), room) or _NOTHING) for text in texts]
        done = 0
        for batch in _batches(ready, self.tokenizer.count):
            vectors[done : done + len(batch)] = self._checked(self.ask(batch, patience), len(batch))
            done += len(batch)
            if on_batch is not None:
                on_batch(len(batch))
        return vectors

    def _overhead(self, prefix: str) -> int:
        return _FRAME + self.tokenizer.count(prefix)

    def _ask_dimension(self) -> int:
        try:
            rows = self.ask([self._prefixes[0] + "dimension"], self._query_patience)
            if len(rows) != 1 or not isinstance(rows[0], list | np.ndarray) or len(rows[0]) == 0:
                raise self.service.nonsense("it has no vector")
        except RemoteUnavailable as error:
            self.service.close()
            raise type(error)(
                f"{error.message} With embedding.dimension set, the daemon starts without asking the service."
            ) from error
        return len(rows[0])

    def _checked(self, rows: list[Any], expected: int) -> Vectors:
        """Unit vectors. A row of another length, of zeros, or with anything but finite numbers is an error."""
        if len(rows) != expected:
            raise self.service.nonsense(f"it has {len(rows)} vectors for {expected} texts")
        widths = {len(row) if isinstance(row, list | np.ndarray) else 0 for row in rows}
        if wrong := widths - {self.dimension}:
            raise RemoteRefused(
                f"The model {self.model_id} of {self.service.place} gives vectors of {min(wrong)} numbers, and "
                f"{self.dimension} are expected. Set embedding.dimension to what the model gives, and run `rag reindex`."
            )
        if not all(isinstance(row, np.ndarray) or set(map(type, row)) <= {int, float} for row in rows):
            raise self.service.nonsense("a vector holds something that is no number")
        with np.errstate(over="ignore"):
            try:
                vectors = np.array(rows, np.float64)
            except OverflowError as error:
                raise self.service.nonsense("a vector holds a number without bounds") from error
        norm = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(norm).all() or not (norm > np.finfo(np.float32).tiny).all():
            raise self.service.nonsense("a vector is all zeros or not finite")
        unit: Vectors = (vectors / norm).astype(np.float32)
        return unit


class OpenAiEmbedder(_RemoteEmbedder):
    """OpenAI's `POST {url}/embeddings`, which vLLM, text-embeddings-inference and LiteLLM speak, too; in numbers or base64."""

    style = "openai"

    def ask(self, texts: Sequence[str], patience: Patience) -> list[Any]:
        body = {"model": self.model_id, "input": list(texts), "encoding_format": "float"}
        answer = self.service.post("/embeddings", body, patience)
        items = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise self.service.nonsense("it has no list 'data'")
        # A service that leaves the places out keeps the order.
        places = [item.get("index", position) for position, item in enumerate(items)]
        by_place = dict(zip(places, items, strict=True)) if all(type(place) is int for place in places) else {}
        if sorted(by_place) != list(range(len(texts))) or len(items) != len(texts):
            raise self.service.nonsense(f"its places are not those of {len(texts)} texts")
        return [self._row(by_place[place].get("embedding")) for place in range(len(texts))]

    def _row(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            data = base64.b64decode(value, validate=True)
            return np.frombuffer(data, "<f4")
        except (binascii.Error, ValueError) as error:
            raise self.service.nonsense("a vector in base64 is broken") from error


class OllamaEmbedder(_RemoteEmbedder):
    """Ollama's `POST {url}/api/embed` ("Generate embeddings")."""

    style = "ollama"

    def ask(self, texts: Sequence[str], patience: Patience) -> list[Any]:
        body = {"model": self.model_id, "input": list(texts), "truncate": True}
        answer = self.service.post("/api/embed", body, patience)
        rows = answer.get("embeddings") if isinstance(answer, dict) else None
        if rows is None and isinstance(answer, dict) and "embedding" in answer:
            # The shape before version 0.2, which gateways in front of Ollama still use: the vector of one text.
            rows = [answer["embedding"]]
        if not isinstance(rows, list):
            raise self.service.nonsense("it has no list 'embeddings'")
        return rows


def _batches(texts: Sequence[str], count: Callable[[str], int]) -> Iterator[list[str]]:
    """Runs of texts, in order, within both limits; a longer text goes alone."""
    batch: list[str] = []
    tokens = 0
    for text, size in zip(texts, map(count, texts), strict=True):
        if batch and (len(batch) == _BATCH_TEXTS or tokens + size > _BATCH_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += size
    if batch:
        yield batch
