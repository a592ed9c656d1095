"""An embedding provider for benchmarks: the real model for few passages, and vectors near theirs for all the others."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragd.providers.embedders.onnx import OnnxEmbedder
from ragd.providers.protocols import Vectors

NOISE = 0.35
"""Length of the noise that is added to a unit vector: cosine 0.94 to the original, 0.89 between two of one original."""

TOKEN_NOISE = 1.0
"""The same for token vectors, of which only signs are kept for copies: of 2,000 passages whole ones would take 500 MB."""


class _Original(list[int]):
    """Token ids of a passage that is really embedded and whose vectors are kept for others."""

    heading = ""


class _Copy(list[int]):
    """Stands for a passage whose vector is made from an original's."""

    heading = ""
    seed = 0


class PerturbedEmbedder(OnnxEmbedder):
    """The real model, except for a passage under a heading that it has embedded a passage of before: that vector and noise."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._originals: dict[str, Vectors] = {}
        self._signs: dict[str, NDArray[np.uint8]] = {}

    def passage_rows(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._ids(text) for text in texts]

    def embed_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        vectors = np.empty((len(rows), self.dimension), np.float32)
        if real := [index for index, row in enumerate(rows) if not isinstance(row, _Copy)]:
            vectors[real] = super().embed_rows([rows[index] for index in real])
        self._perturb(rows, vectors)
        return vectors

    def embed_passage_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        return self.embed_rows(rows)

    def embed_passage_rows_and_tokens(self, rows: Sequence[Sequence[int]]) -> tuple[Vectors, list[Vectors]]:
        vectors = np.empty((len(rows), self.dimension), np.float32)
        tokens: dict[int, Vectors] = {}
        if real := [index for index, row in enumerate(rows) if not isinstance(row, _Copy)]:
            vectors[real], found = super().embed_passage_rows_and_tokens([rows[index] for index in real])
            tokens.update(zip(real, found, strict=True))
        self._perturb(rows, vectors)
        for index, row in enumerate(rows):
            if isinstance(row, _Original):
                self._signs.setdefault(row.heading, np.packbits(tokens[index] > 0, axis=1))
            elif isinstance(row, _Copy):
                signs = np.unpackbits(self._signs[row.heading], axis=1, count=self.dimension).astype(np.float32)
                noise = np.random.default_rng(row.seed).standard_normal(signs.shape, np.float32)
                moved = 2 * signs - 1 + TOKEN_NOISE * noise
                tokens[index] = moved / np.linalg.norm(moved, axis=1, keepdims=True)
        return vectors, [tokens[index] for index in range(len(rows))]

    def _perturb(self, rows: Sequence[Sequence[int]], vectors: Vectors) -> None:
        """Keep the vectors of originals, and make those of copies."""
        for row, vector in zip(rows, vectors, strict=True):
            if isinstance(row, _Original):
                self._originals.setdefault(row.heading, vector.copy())
            elif isinstance(row, _Copy):
                noise = np.random.default_rng(row.seed).standard_normal(self.dimension, np.float32)
                moved = self._originals[row.heading] + noise * np.float32(NOISE / np.sqrt(self.dimension))
                vector[:] = moved / np.linalg.norm(moved)

    def _ids(self, text: str) -> list[int]:
        path, line_end, _ = text.partition("\n")
        heading = path.rpartition(" > ")[2]
        if heading in self._originals:
            copy = _Copy([0])
            copy.heading, copy.seed = heading, zlib.crc32(text.encode())
            return copy
        row = list(super().passage_rows([text])[0])
        if not line_end:  # no passage of ours: the model is being calibrated
            return row
        original = _Original(row)
        original.heading = heading
        return original
