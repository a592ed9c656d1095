"""An embedding provider for benchmarks: the real model for few passages, and vectors near theirs for all the others."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ragd.providers.embedders.onnx import OnnxEmbedder
from ragd.providers.protocols import Vectors

NOISE = 0.35
"""Length of the noise that is added to a unit vector: cosine 0.94 to the original, 0.89 between two of one original."""


class _Original(list[int]):
    """Token ids of a passage that is really embedded and whose vector is kept for others."""

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

    def passage_rows(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._ids(text) for text in texts]

    def embed_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        vectors = np.empty((len(rows), self.dimension), np.float32)
        if real := [index for index, row in enumerate(rows) if not isinstance(row, _Copy)]:
            vectors[real] = super().embed_rows([rows[index] for index in real])
        for row, vector in zip(rows, vectors, strict=True):
            if isinstance(row, _Original):
                self._originals.setdefault(row.heading, vector.copy())
            elif isinstance(row, _Copy):
                noise = np.random.default_rng(row.seed).standard_normal(self.dimension, np.float32)
                moved = self._originals[row.heading] + noise * np.float32(NOISE / np.sqrt(self.dimension))
                vector[:] = moved / np.linalg.norm(moved)
        return vectors

    def _ids(self, text: str) -> list[int]:
        path, line_end, _ = text.partition("\n")
        heading = path.rpartition(" > ")[2]
        if heading in self._originals:
            copy = _Copy([0])
            copy.heading, copy.seed = heading, zlib.crc32(text.encode())
            return copy
        row = super().passage_rows([text])[0]
        if not line_end:  # no passage of ours: the model is being calibrated
            return row
        original = _Original(row)
        original.heading = heading
        return original
