"""Token vectors of passages in memory: int8 with one scale for each token, the longest unused leaving first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragd.providers.protocols import Vectors

_LEVELS = 127
# What an entry takes beside its numbers: its key, the objects around them, the place in the table. Measured: some 500 bytes.
_FRAME_BYTES = 512


@dataclass(frozen=True, slots=True)
class PackedTokens:
    """Unit vectors of one passage: int8 `[tokens, dimension]` and the scale of each row, float32 `[tokens]`."""

    levels: NDArray[np.int8]
    scales: Vectors

    @classmethod
    def of(cls, vectors: Vectors) -> PackedTokens:
        """Pack `[tokens, dimension]`, rows of norm 1 (or 0)."""
        scales = np.maximum(np.abs(vectors).max(axis=1), np.finfo(np.float32).tiny) / _LEVELS
        return cls(np.rint(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float32))

    @property
    def vectors(self) -> Vectors:
        """The vectors again, each number within half a level."""
        unpacked: Vectors = self.levels * self.scales[:, None]
        return unpacked

    @property
    def size(self) -> int:
        """Bytes."""
        return self.levels.nbytes + self.scales.nbytes + _FRAME_BYTES


class TokenCache:
    """At most `max_bytes` of packed vectors by key. Safe to use from several threads."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: OrderedDict[str, PackedTokens] = OrderedDict()
        self._lock = threading.Lock()
        self.size = 0

    def get(self, key: str) -> PackedTokens | None:
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
            return found

    def put(self, key: str, packed: PackedTokens) -> None:
        """Keep an entry; one that is larger than the whole cache is not kept."""
        if packed.size > self._max_bytes:
            return
        with self._lock:
            replaced = self._entries.pop(key, None)
            self.size += packed.size - (replaced.size if replaced else 0)
            self._entries[key] = packed
            while self.size > self._max_bytes:
                self.size -= self._entries.popitem(last=False)[1].size

    def __len__(self) -> int:
        return len(self._entries)
