"""A file that a `VectorMatrix` can be had back from: an append-only log of upserts and deletes, one record for each call.

A record carries its length and its CRC-32 and is made durable by `fsync`. One that the file ends within was never acknowledged
and is cut off; anything else that doesn't add up is damage. When most of the log is history, it is written anew.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ragd.core.errors import IndexDamaged
from ragd.core.files import put_in_place, sync
from ragd.providers.dense.vector_matrix import VectorMatrix, normalised
from ragd.providers.protocols import Vectors

_MAGIC = b"RAGVEC01"
_FILE_HEAD = struct.Struct("<8sII")  # magic, dimension, CRC-32 of the two
_RECORD_HEAD = struct.Struct("<IIII")  # CRC-32 of what follows it, bytes of ids, bytes of vectors, CRC-32 of the two lengths
_COMPACT_ROWS = 4096
_COMPACT_FLOOR = 10_000


class VectorLog:
    """The matrix of one namespace and the file behind it. Writers must take turns; readers use `matrix`, which is thread-safe."""

    def __init__(self, path: Path, dimension: int | None = None) -> None:
        """Open the log, or begin one for vectors of `dimension`. Raises `IndexDamaged` when the file can't be trusted."""
        self._path = path
        self._dead = 0
        if path.exists():
            self.matrix = self._read()
        else:
            if dimension is None:
                raise IndexDamaged(f"The vector file {path.name} is missing. Rebuild the index with 'rag reindex'.")
            self.matrix = VectorMatrix(dimension)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._write_anew(iter(()))
        self._file = path.open("ab", buffering=0)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._path.stat().st_size

    def upsert(self, ids: Sequence[str], vectors: Vectors) -> None:
        rows = normalised(vectors, self.matrix.dimension)
        before = len(self.matrix)
        self._append(_record(ids, rows))
        self.matrix.put(ids, rows)
        self._dead += len(ids) - (len(self.matrix) - before)
        self._compact_if_worth_it()

    def delete(self, ids: Sequence[str]) -> None:
        before = len(self.matrix)
        self._append(_record(ids, None))
        self.matrix.delete(ids)
        self._dead += len(ids) + before - len(self.matrix)
        self._compact_if_worth_it()

    def close(self) -> None:
        self._file.close()

    def _append(self, record: bytes) -> None:
        end = self._file.seek(0, os.SEEK_END)
        try:
            written = self._file.write(record)
            if written != len(record):
                raise OSError(f"only {written} of {len(record)} bytes could be written to {self._path.name}")
            os.fsync(self._file.fileno())
        except OSError:
            # A full disk must not leave half a record in front of the next one.
            self._file.truncate(end)
            raise

    def _compact_if_worth_it(self) -> None:
        if self._dead <= len(self.matrix) + _COMPACT_FLOOR:
            return
        ids, rows = self.matrix.snapshot()
        starts = range(0, len(ids), _COMPACT_ROWS)
        self._file.close()
        self._write_anew(_record(ids[at : at + _COMPACT_ROWS], rows[at : at + _COMPACT_ROWS]) for at in starts)
        self._file = self._path.open("ab", buffering=0)
        self._dead = 0

    def _write_anew(self, records: Iterator[bytes]) -> None:
        temporary = self._path.with_suffix(".new")
        with temporary.open("wb") as file:
            file.write(_file_head(self.matrix.dimension))
            for record in records:
                file.write(record)
            file.flush()
            os.fsync(file.fileno())
        put_in_place(temporary, self._path)
        sync(self._path.parent)

    def _read(self) -> VectorMatrix:
        size = self._path.stat().st_size
        with self._path.open("rb") as file:
            head = file.read(_FILE_HEAD.size)
            if len(head) < _FILE_HEAD.size:
                raise self._damaged("its head is cut off")
            dimension = _FILE_HEAD.unpack(head)[1]
            if head != _file_head(dimension):
                raise self._damaged("it does not begin as a vector file")
            matrix = VectorMatrix(dimension, rows=size // (4 * dimension) + 1)
            entries = 0
            end = file.tell()
            while record_head := file.read(_RECORD_HEAD.size):
                if len(record_head) < _RECORD_HEAD.size:
                    break
                checksum, id_bytes, vector_bytes, lengths = _RECORD_HEAD.unpack(record_head)
                if lengths != zlib.crc32(record_head[4:12]):
                    raise self._damaged(f"the record at byte {end} has a false length")
                names = file.read(id_bytes)
                rows = np.empty(vector_bytes // 4, dtype="<f4")
                if len(names) < id_bytes or file.readinto(rows.data.cast("B")) < vector_bytes:
                    break
                if zlib.crc32(rows.data, zlib.crc32(names)) != checksum:
                    raise self._damaged(f"the record at byte {end} has a false checksum")
                ids = json.loads(names)
                if vector_bytes:
                    matrix.put(ids, rows.reshape(len(ids), dimension))
                else:
                    matrix.delete(ids)
                entries += len(ids)
                end = file.tell()
        if end < size:
            os.truncate(self._path, end)
        self._dead = entries - len(matrix)
        return matrix

    def _damaged(self, reason: str) -> IndexDamaged:
        return IndexDamaged(f"The vector file {self._path.name} is damaged: {reason}. Rebuild the index with 'rag reindex'.")


def _file_head(dimension: int) -> bytes:
    return _FILE_HEAD.pack(_MAGIC, dimension, zlib.crc32(_MAGIC + dimension.to_bytes(4, "little")))


def _record(ids: Sequence[str], rows: Vectors | None) -> bytes:
    names = json.dumps(list(ids)).encode()
    numbers = b"" if rows is None else rows.astype("<f4", copy=False).tobytes()
    lengths = struct.pack("<II", len(names), len(numbers))
    return _RECORD_HEAD.pack(zlib.crc32(names + numbers), len(names), len(numbers), zlib.crc32(lengths)) + names + numbers
