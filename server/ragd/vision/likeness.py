"""Whether two pictures show the same: one of them saved again, in another size or format.

A perceptual hash (pHash, C. Zauner, 2010): grey, 64 x 64, the 16 x 16 lowest frequencies of a discrete cosine transform, each
above their median or not. 256 bits, where 64 are usual: charts and tables are white paper with thin lines, and at 64 bits many
different ones are alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from ragd.core.documents import OcrLine

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAME: Final = 24
"""Bits in which the hashes of the same picture differ at most, of 256. `scripts/pictures/alike.py` measures it."""
_SIDE: Final = 64
_LOW: Final = 16
_ASPECT: Final = 0.03
"""Share by which the aspect ratios of the same picture differ at most: rounding to whole pixels."""
_SHARED: Final = 0.85
"""Share of the words that the same picture has in common at least: a small copy is read less well."""


def phash_of(pixels: NDArray[np.uint8]) -> str:
    """The hash of a picture `[height, width, 3]`: 64 hex digits."""
    # Not at the top: the daemon compares hashes, and decodes no picture.
    from PIL import Image

    small = Image.fromarray(pixels).convert("L").resize((_SIDE, _SIDE), Image.Resampling.BOX)
    waves = _waves()
    low = waves @ np.asarray(small, np.float64) @ waves.T
    # The first is the mean brightness, which says nothing of the picture.
    usual = np.median(low.ravel()[1:])
    return np.packbits(low > usual).tobytes().hex()


@cache
def _waves() -> NDArray[np.float64]:
    """The lowest cosines of `_SIDE` samples, without the scale that no comparison needs."""
    samples = (np.arange(_SIDE) + 0.5) * np.pi / _SIDE
    return np.asarray(np.cos(np.arange(_LOW)[:, None] * samples[None, :]), np.float64)


def distances(phash: str, others: Sequence[str]) -> NDArray[np.int64]:
    """In how many bits each of the others differs."""
    if not others:
        return np.zeros(0, np.int64)
    one = np.frombuffer(bytes.fromhex(phash), np.uint8)
    rest = np.frombuffer(bytes.fromhex("".join(others)), np.uint8).reshape(len(others), -1)
    return np.asarray(np.bitwise_count(rest ^ one).sum(axis=1), np.int64)


def same_shape(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether two sizes, width and height, are of one picture in two scales."""
    return abs(first[0] * second[1] - first[1] * second[0]) <= _ASPECT * first[0] * second[1]


def same_words(first: Sequence[OcrLine], second: Sequence[OcrLine]) -> bool:
    """Whether two pictures read alike. Of words with figures each must be in both: two tables may differ in nothing else."""
    one, other = ({word for line in lines for word in line.text.split()} for lines in (first, second))
    if not one and not other:
        return True
    if any(sign.isdigit() for word in one ^ other for sign in word):
        return False
    return len(one & other) >= _SHARED * len(one | other)
