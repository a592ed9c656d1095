"""The token index in files, mapped into memory: some 2.6 kB a passage on disk, of which memory holds what questions touch."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ragd.providers.protocols import Vectors
from ragd.providers.token_index.codec import max_sim
from ragd.providers.token_index.token_file import TokenFile
from ragd.providers.token_protocols import TokenCodes


class FileTokenIndex:
    """A `TokenFile` for each `kb_id` in `folder`, opened when first used."""

    name = "file"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._files: dict[str, TokenFile] = {}

    def upsert(self, kb_id: str, entries: Mapping[str, TokenCodes]) -> None:
        if entries:
            with self._lock:
                (self._file(kb_id) or self._begin(kb_id)).upsert(entries)

    def score(self, kb_id: str, query: Vectors, ids: Sequence[str]) -> Vectors:
        scores = np.full(len(ids), np.nan, np.float32)
        file = self._file(kb_id)
        if file is not None:
            codes, counts = file.codes_of(ids)
            known = counts >= 0
            scores[known] = max_sim(query, codes, counts[known])
        return scores

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        with self._lock:
            if (file := self._file(kb_id)) is not None:
                file.delete(ids)

    def ids(self, kb_id: str) -> set[str]:
        file = self._file(kb_id)
        return set() if file is None else file.ids()

    def damaged(self, kb_id: str) -> list[str]:
        file = self._file(kb_id)
        return [] if file is None else file.damaged()

    def drop(self, kb_id: str) -> None:
        with self._lock:
            if (file := self._file(kb_id)) is not None:
                del self._files[kb_id]
                file.remove()

    def close(self) -> None:
        with self._lock:
            for file in self._files.values():
                file.close()
            self._files.clear()

    def _file(self, kb_id: str) -> TokenFile | None:
        if (file := self._files.get(kb_id)) is not None:
            return file  # a question does not wait for a writer's fsync
        with self._lock:
            if kb_id not in self._files and not any(self._folder.glob(f"{kb_id}.*.log")):
                return None
            return self._begin(kb_id)

    def _begin(self, kb_id: str) -> TokenFile:
        if kb_id not in self._files:
            self._files[kb_id] = TokenFile(self._folder / kb_id)
        return self._files[kb_id]
