"""BM25 by the rank_bm25 package, in memory: the oracle of the tests, and enough for small collections.

The entries are kept in SQLite; the scorer is built from them when first asked and after each change. It is BM25+ (Lv & Zhai 2011)
with delta 0: plain BM25 whose IDF is above zero for every term, where the package's "Okapi" would lose entries.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragd.core.results import Scored
from ragd.providers.protocols import AllowedIds, Phrases
from ragd.providers.sparse.bm25_query import PHRASE_WEIGHT, term_weights, usable_phrases
from ragd.providers.sparse.sqlite_file import SqliteFiles

_SCHEMA = "CREATE TABLE IF NOT EXISTS entries (id TEXT PRIMARY KEY, terms TEXT NOT NULL) WITHOUT ROWID;"

# The values of tantivy and FTS5, so that the three can be compared.
_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class _Scorer:
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    bm25: Any

    def scores(self, terms: Sequence[str], phrases: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """One for each entry; above zero where a term or a phrase is there, as delta is 0 and each IDF above zero."""
        scores = np.zeros(len(self.ids))
        for term, times in term_weights(terms, len(self.ids), self.holding).items():
            scores += times * self.bm25.get_scores([term])
        for phrase in phrases:
            weight = PHRASE_WEIGHT * sum(self.bm25.idf.get(term, 0.0) for term in phrase)
            for row, times in self._occurrences(phrase):
                length = 1 - _B + _B * self.bm25.doc_len[row] / self.bm25.avgdl
                scores[row] += weight * times * (_K1 + 1) / (times + _K1 * length)
        return scores

    def holding(self, term: str) -> int:
        # The package keeps ln((entries + 1) / holding) alone.
        idf = self.bm25.idf.get(term)
        return 0 if idf is None else round((len(self.ids) + 1) / math.exp(idf))

    def _occurrences(self, phrase: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Rows that hold the terms side by side in this order, and how often."""
        size, wanted = len(phrase), list(phrase)
        for row, frequencies in enumerate(self.bm25.doc_freqs):
            if all(term in frequencies for term in phrase):
                terms = self.texts[row].split()
                times = sum(terms[at : at + size] == wanted for at in range(len(terms) - size + 1))
                if times:
                    yield row, times


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

    def search(self, kb_id: str, terms: Sequence[str], k: int, allowed: AllowedIds = None, phrases: Phrases = ()) -> list[Scored]:
        with self._lock:
            scorer = self._scorer(kb_id)
        if scorer is None or k <= 0:
            return []
        scores = scorer.scores(terms, usable_phrases(phrases))
        found = [
            Scored(scorer.ids[row], float(scores[row]))
            for row in np.flatnonzero(scores > 0)
            if allowed is None or scorer.ids[row] in allowed
        ]
        return sorted(found, key=lambda item: (-item.score, item.entry_id))[:k]

    def frequencies(self, kb_id: str, terms: Collection[str]) -> tuple[int, Mapping[str, int]]:
        with self._lock:
            scorer = self._scorer(kb_id)
        if scorer is None:
            return 0, dict.fromkeys(terms, 0)
        return len(scorer.ids), {term: scorer.holding(term) for term in terms}

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

            ids, texts = zip(*rows, strict=True)
            self._scorers[kb_id] = _Scorer(ids, texts, BM25Plus(corpus, k1=_K1, b=_B, delta=0))
        return self._scorers[kb_id]
