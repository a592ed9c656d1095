"""BM25 in SQLite's FTS5 (https://www.sqlite.org/fts5.html), one database file for each knowledge base.

With every ASCII sign declared part of a token, its "ascii" tokenizer cuts at blanks alone and leaves `--no-cache` and `c++`
whole.
"""

from __future__ import annotations

import json
import string
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from sqlite3 import Connection

from ragd.core.results import Scored
from ragd.providers.protocols import AllowedIds, Phrases
from ragd.providers.sparse.bm25_query import MAX_TERMS, PHRASE_WEIGHT, term_weights, usable_phrases
from ragd.providers.sparse.sqlite_file import SqliteFiles


def _schema() -> str:
    signs = string.punctuation.replace("'", "''")  # quoted for the tokenizer's arguments, then once more for SQL
    options = f"ascii tokenchars '{signs}'".replace("'", "''")
    return (
        "CREATE TABLE IF NOT EXISTS entries (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);"
        f"CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5(body, tokenize='{options}');"
        "CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(terms, row);"
    )


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _entries(connection: Connection) -> int:
    # The highest number is known at once and is near enough; counting reads the whole table.
    return connection.execute("SELECT max(number) FROM entries").fetchone()[0] or 0


def _holding(connection: Connection, term: str) -> int:
    # The tokenizer folds capitals of ASCII, and so does lower().
    row = connection.execute("SELECT doc FROM vocabulary WHERE term = lower(?)", (term,)).fetchone()
    return row[0] if row else 0


def _weights(connection: Connection, terms: Sequence[str]) -> dict[str, int]:
    """How often to ask for each term. FTS5 knows no other weights, and its time grows with the square of what is asked for."""
    weights = term_weights(terms, _entries(connection), partial(_holding, connection))
    total = sum(weights.values())
    if total <= MAX_TERMS:
        return weights
    return {term: max(1, times * MAX_TERMS // total) for term, times in weights.items()}


class Fts5Store:
    """Slower and larger than tantivy. k1 = 1.2, b = 0.75, an IDF that ends at zero; a phrase has an IDF of its own."""

    name = "fts5"

    def __init__(self, folder: Path) -> None:
        self._files = SqliteFiles(folder, _schema())

    def upsert(self, kb_id: str, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
        if not entries:
            return
        latest = dict(entries)
        with self._files.connection(kb_id, create=True) as connection:
            assert connection is not None
            ids = [(entry_id,) for entry_id in latest]
            connection.executemany("DELETE FROM terms WHERE rowid = (SELECT number FROM entries WHERE id = ?)", ids)
            connection.executemany("INSERT OR IGNORE INTO entries (id) VALUES (?)", ids)
            connection.executemany(
                "INSERT INTO terms (rowid, body) SELECT number, ? FROM entries WHERE id = ?",
                ((" ".join(terms), entry_id) for entry_id, terms in latest.items()),
            )

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        with self._files.connection(kb_id) as connection:
            if connection is not None:
                rows = [(entry_id,) for entry_id in ids]
                connection.executemany("DELETE FROM terms WHERE rowid = (SELECT number FROM entries WHERE id = ?)", rows)
                connection.executemany("DELETE FROM entries WHERE id = ?", rows)

    def search(self, kb_id: str, terms: Sequence[str], k: int, allowed: AllowedIds = None, phrases: Phrases = ()) -> list[Scored]:
        wanted = usable_phrases(phrases)
        if k <= 0 or not (terms or wanted) or (allowed is not None and not allowed):
            return []
        among = "" if allowed is None else "AND entries.id IN (SELECT value FROM json_each(?)) "
        values = [] if allowed is None else [json.dumps(list(allowed))]
        statement = (
            "SELECT entries.id, -bm25(terms) AS score FROM terms JOIN entries ON entries.number = terms.rowid "
            f"WHERE terms MATCH ? {among}ORDER BY score DESC, entries.id LIMIT ?"
        )
        with self._files.connection(kb_id) as connection:
            if connection is None:
                return []
            weights = _weights(connection, terms)
            parts = [_quoted(term) for term, times in weights.items() for _ in range(times)]
            parts += [" + ".join(map(_quoted, phrase)) for phrase in wanted * PHRASE_WEIGHT]
            if not parts:
                return []
            return [Scored(*row) for row in connection.execute(statement, [" OR ".join(parts), *values, k])]

    def frequencies(self, kb_id: str, terms: Collection[str]) -> tuple[int, Mapping[str, int]]:
        with self._files.connection(kb_id) as connection:
            if connection is None:
                return 0, dict.fromkeys(terms, 0)
            return _entries(connection), {term: _holding(connection, term) for term in terms}

    def ids(self, kb_id: str) -> set[str]:
        with self._files.connection(kb_id) as connection:
            return set() if connection is None else {row[0] for row in connection.execute("SELECT id FROM entries")}

    def drop(self, kb_id: str) -> None:
        self._files.drop(kb_id)

    def close(self) -> None:
        self._files.close()
