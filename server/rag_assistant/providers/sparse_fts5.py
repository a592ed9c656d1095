"""BM25 in SQLite's FTS5 (https://www.sqlite.org/fts5.html), one database file for each knowledge base.

FTS5's own tokenizers break `--no-cache` and `c++` apart; with every ASCII sign declared part of a token, and all that is not
ASCII being so anyway, the "ascii" tokenizer cuts at blanks alone. It folds capitals, which analysed terms have not.
"""

from __future__ import annotations

import json
import string
from collections.abc import Collection, Sequence
from pathlib import Path

from rag_assistant.providers.sqlite_file import SqliteFiles
from rag_assistant.types import Scored


def _schema() -> str:
    signs = string.punctuation.replace("'", "''")  # quoted for the tokenizer's arguments, then once more for SQL
    options = f"ascii tokenchars '{signs}'".replace("'", "''")
    return (
        "CREATE TABLE IF NOT EXISTS entries (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);"
        f"CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5(body, tokenize='{options}');"
    )


class Fts5Store:
    """Slower and larger than tantivy, and nothing but SQLite. FTS5 has k1 = 1.2, b = 0.75 and an IDF that ends at zero."""

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

    def search(self, kb_id: str, terms: Sequence[str], k: int, allowed: Collection[str] | None = None) -> list[Scored]:
        if k <= 0 or not terms or (allowed is not None and not allowed):
            return []
        match = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
        among = "" if allowed is None else "AND entries.id IN (SELECT value FROM json_each(?)) "
        values = [match] if allowed is None else [match, json.dumps(list(allowed))]
        statement = (
            "SELECT entries.id, -bm25(terms) AS score FROM terms JOIN entries ON entries.number = terms.rowid "
            f"WHERE terms MATCH ? {among}ORDER BY score DESC, entries.id LIMIT ?"
        )
        with self._files.connection(kb_id) as connection:
            if connection is None:
                return []
            return [Scored(entry_id, score) for entry_id, score in connection.execute(statement, [*values, k])]

    def ids(self, kb_id: str) -> set[str]:
        with self._files.connection(kb_id) as connection:
            return set() if connection is None else {row[0] for row in connection.execute("SELECT id FROM entries")}

    def drop(self, kb_id: str) -> None:
        self._files.drop(kb_id)

    def close(self) -> None:
        self._files.close()
