"""BM25 by the rank_bm25 package, in memory: the oracle of the tests, and enough for small collections.

The entries are kept in SQLite; the scorer is built from them when first asked and again after each change. Of the package's
variants BM25+ (Lv & Zhai 2011) with delta 0 is used: plain BM25 whose IDF is above zero for every term. Its "Okapi" gives a
term that half of the entries hold the weight zero, so that entries would be lost.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rag_assistant.providers.sqlite_file import SqliteFiles
from rag_assistant.types import Scored

_SCHEMA = "CREATE TABLE IF NOT EXISTS entries (id TEXT PRIMARY KEY, terms TEXT NOT NULL) WITHOUT ROWID;"

# The values of tantivy and FTS5, so that the three can be compared.
_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class _Scorer:
    ids: tuple[str, ...]
    bm25: Any


class RankBm25Store:
    """Every query reads every entry, and every change means building anew: for some ten thousand entries at most."""

    name = "rank_bm25"

    def __init__(self, folder: Path) -> None:
        self._files = SqliteFiles(folder, _SCHEMA)
        self._lock = threading.Lock()
        self._scorers: dict[str, _Scorer] = {}

    def upsert(self, kb_id: str, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
        if not entries:
            return
        with self._lock, self._files.connection(kb_id, create=True) as connection:
            assert connection is not None
            rows = ((entry_id, " ".join(terms)) for entry_id, terms in entries)
            connection.executemany("INSERT OR REPLACE INTO entries (id, terms) VALUES (?, ?)", rows)
            self._scorers.pop(kb_id, None)

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        with self._lock, self._files.connection(kb_id) as connection:
            if connection is not None:
                connection.executemany("DELETE FROM entries WHERE id = ?", ((entry_id,) for entry_id in ids))
                self._scorers.pop(kb_id, None)

    def search(self, kb_id: str, terms: Sequence[str], k: int, allowed: Collection[str] | None = None) -> list[Scored]:
        with self._lock:
            scorer = self._scorer(kb_id)
        if scorer is None or k <= 0 or not terms:
            return []
        scores = scorer.bm25.get_scores(terms)
        # With delta 0 and an IDF above zero, a score above zero means that a term is there.
        found = [
            Scored(scorer.ids[row], float(scores[row]))
            for row in np.flatnonzero(scores > 0)
            if allowed is None or scorer.ids[row] in allowed
        ]
        return sorted(found, key=lambda item: (-item.score, item.entry_id))[:k]

    def ids(self, kb_id: str) -> set[str]:
        with self._files.connection(kb_id) as connection:
            return set() if connection is None else {row[0] for row in connection.execute("SELECT id FROM entries")}

    def drop(self, kb_id: str) -> None:
        with self._lock:
            self._scorers.pop(kb_id, None)
            self._files.drop(kb_id)

    def close(self) -> None:
        with self._lock:
            self._scorers.clear()
            self._files.close()

    def _scorer(self, kb_id: str) -> _Scorer | None:
        if kb_id not in self._scorers:
            with self._files.connection(kb_id) as connection:
                rows = [] if connection is None else connection.execute("SELECT id, terms FROM entries ORDER BY id").fetchall()
            corpus = [terms.split() for _, terms in rows]
            if not any(corpus):
                return None  # the package divides by the mean length
            from rank_bm25 import BM25Plus

            self._scorers[kb_id] = _Scorer(tuple(row[0] for row in rows), BM25Plus(corpus, k1=_K1, b=_B, delta=0))
        return self._scorers[kb_id]
