"""The space in which token vectors are kept: a model's means by language and its first principal axes, learnt from much text.

A vector loses its language's mean, is projected on the axes, each scaled by its eigenvalue to the power of -1/4 (half of a
whitening: the strongest axes hold what all tokens share), and is then turned by a fixed random rotation, so that every number
of it says as much as every other and its sign alone is worth keeping. All of that but the mean is one matrix.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragd.core.errors import ModelDamaged
from ragd.core.ids import hash32
from ragd.language.detection import PASSAGE_LANGUAGES
from ragd.providers.calibration.measure import unit
from ragd.providers.protocols import Vectors

BASES: Final = Path(__file__).parent / "bases"
DIMENSIONS: Final = 256

_SOFTENING: Final = -0.25


@dataclass(frozen=True)
class TokenBasis:
    """`queries` and `passages`: mean token vectors `[4, dimension]`, a row for each of `PASSAGE_LANGUAGES`.

    `axes` `[dimension, 256]`: principal axes, scaled and turned.
    """

    queries: Vectors
    passages: Vectors
    axes: Vectors

    @cached_property
    def identity(self) -> str:
        """Names these numbers."""
        return hash32(*(array.astype("<f2").tobytes().hex() for array in (self.queries, self.passages, self.axes)))[:16]

    def query(self, tokens: Vectors, row: int) -> Vectors:
        """Token vectors `[n, dimension]` of a question in the language of `row` to unit vectors `[n, 256]`."""
        return unit((tokens - self.queries[row]) @ self.axes)

    def passage(self, tokens: Vectors, row: int) -> Vectors:
        """As `query`, of a passage."""
        return unit((tokens - self.passages[row]) @ self.axes)

    def packed(self) -> bytes:
        """The file's bytes, half-precision."""
        packed = io.BytesIO()
        arrays = {"queries": self.queries, "passages": self.passages, "axes": self.axes}
        np.savez_compressed(packed, allow_pickle=False, **{name: array.astype("<f2") for name, array in arrays.items()})
        return packed.getvalue()


def read_basis(path: Path, dimension: int) -> TokenBasis:
    """Raises `ModelDamaged` when the file is missing, is no basis, or is one of another model."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            queries, passages, axes = (file[name].astype(np.float32) for name in ("queries", "passages", "axes"))
    # What numpy and zipfile raise for bytes that are no such file.
    except Exception as error:
        raise ModelDamaged(f"The basis of token vectors {path} can't be read: {error}") from error
    means = (len(PASSAGE_LANGUAGES), dimension)
    if queries.shape != means or passages.shape != means or axes.shape != (dimension, DIMENSIONS):
        raise ModelDamaged(f"The basis of token vectors {path} is not of a model with {dimension} dimensions.")
    return TokenBasis(queries, passages, axes)


def learn(
    tokens: Vectors, rows: NDArray[np.int_], asked: Vectors, asked_rows: NDArray[np.int_], dimensions: int, seed: int
) -> tuple[TokenBasis, dict[int, float]]:
    """A basis from token vectors `[n, dimension]` of passages and of questions, each with its language's row.

    Also says which share of the passages' variance the first 64, 128, 192 and 256 axes hold.
    """
    queries, passages = _means(asked, asked_rows), _means(tokens, rows)
    covariance = np.zeros((tokens.shape[1], tokens.shape[1]))
    for row in np.unique(rows):
        centred = (tokens[rows == row] - passages[row]).astype(np.float64)
        covariance += centred.T @ centred
    values, vectors = np.linalg.eigh(covariance / len(tokens))
    values, vectors = values[::-1], vectors[:, ::-1]
    rotation = np.linalg.qr(np.random.default_rng(seed).standard_normal((dimensions, dimensions)))[0]
    axes = vectors[:, :dimensions] * values[:dimensions] ** _SOFTENING @ rotation
    # Of a size that half-precision holds well; directions are all that counts.
    axes /= np.abs(axes).max()
    held = {count: float(values[:count].sum() / values.sum()) for count in (64, 128, 192, 256)}
    return TokenBasis(queries, passages, axes.astype(np.float32)), held


def _means(tokens: Vectors, rows: NDArray[np.int_]) -> Vectors:
    taught = range(len(PASSAGE_LANGUAGES) - 1)
    known = np.stack([tokens[rows == row].mean(axis=0, dtype=np.float64) for row in taught])
    return np.concatenate([known, known.mean(axis=0, keepdims=True)]).astype(np.float32)
