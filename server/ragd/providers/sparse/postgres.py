"""BM25 in SQL over a table of postings in PostgreSQL: (term, entry, times, the entry's length), one row for each.

PostgreSQL's own full-text search is no BM25: its ranks know nothing of how rare a term is. So terms, which are ours, are rows,
and a question adds up their weights: the formula of Lucene and tantivy (Robertson & Zaragoza 2009), whose order this gives. It
reads the postings of each of its terms whole, so its time grows with how many entries hold them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, LiteralString

from ragd.core.results import Scored
from ragd.language.rarity import inverse_frequency
from ragd.providers.index_schema import IndexSchema
from ragd.providers.protocols import AllowedIds, Phrases
from ragd.providers.sparse.bm25_query import PHRASE_WEIGHT, term_weights, usable_phrases

if TYPE_CHECKING:
    from psycopg import Connection

_K1: Final = 1.2
_B: Final = 0.75
_MOST: Final = 2**15 - 1
"""Occurrences and terms of an entry that are counted."""

_TABLES: Final[tuple[LiteralString, ...]] = (
    # `terms` has two blanks around each, so that phrases are found whole, and side by side.
    "CREATE TABLE {entries} (number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, "
    "length integer NOT NULL, terms text NOT NULL)",
    # Whatever a question reads of it is in the index, where the rows of a term are side by side.
    "CREATE TABLE {postings} (term bigint NOT NULL, entry integer NOT NULL, times smallint NOT NULL, "
    "length smallint NOT NULL, PRIMARY KEY (term, entry) INCLUDE (times, length))",
    # New pages are read by way of the table until a vacuum has seen them.
    "ALTER TABLE {postings} SET (autovacuum_vacuum_insert_scale_factor = 0.05)",
    # One row: counting reads a whole table.
    "CREATE TABLE {state} (entries bigint NOT NULL, terms bigint NOT NULL)",
    "INSERT INTO {state} VALUES (0, 0)",
)
# Each statement says itself which index is to be read; the planner knows nothing of new tables.
_SESSION: Final[tuple[LiteralString, ...]] = tuple(
    f"SET enable_{means} = off" for means in ("seqscan", "bitmapscan", "hashjoin", "mergejoin")
)
_REMOVE: Final = "DELETE FROM {entries} WHERE id = ANY(%s) RETURNING number, length, terms"
_UNLIST: Final = (
    "DELETE FROM {postings} AS p USING unnest(%s::bigint[], %s::integer[]) AS gone(term, entry) "
    "WHERE p.term = gone.term AND p.entry = gone.entry"
)
_ADD: Final = (
    "INSERT INTO {entries} (id, length, terms) SELECT * FROM unnest(%s::text[], %s::integer[], %s::text[]) RETURNING id, number"
)
# Last of all, since others wait for that row.
_COUNT: Final = "UPDATE {state} SET entries = entries + %s, terms = terms + %s"

# The row's place and the transaction that wrote it name what the index was: each change of an entry writes that row anew.
_COUNTS: Final = "SELECT entries, terms, ctid::text || ' ' || xmin::text FROM {state}"
_HELD: Final = (
    "SELECT wanted.term, (SELECT count(*) FROM {postings} AS p WHERE p.term = wanted.term) "
    "FROM unnest(%s::bigint[]) AS wanted(term)"
)
_MOST_REMEMBERED: Final = 20_000
_SEARCH: Final = (
    "WITH parts(entry, score) AS ("
    "SELECT p.entry, w.weight * p.times / (p.times + %(k1)s * (1 - %(b)s + %(b)s * p.length / %(mean)s)) "
    "FROM unnest(%(terms)s::bigint[], %(weights)s::float8[]) AS w(term, weight) CROSS JOIN LATERAL "
    "(SELECT entry, times, length FROM {postings} WHERE term = w.term OFFSET 0) AS p {phrases}), "
    # Rounded: the same sum in another order must not break a tie. All of the last score, of which the ids decide.
    "best AS (SELECT entry, round(sum(score) * 1e9) / 1e9 AS score FROM parts {among} GROUP BY entry "
    "ORDER BY score DESC FETCH FIRST %(k)s ROWS WITH TIES) "
    "SELECT e.id, best.score FROM best JOIN {entries} AS e ON e.number = best.entry ORDER BY best.score DESC, e.id LIMIT %(k)s"
)
# The entries that hold a phrase's rarest term are looked through.
_PHRASE: Final = (
    " UNION ALL SELECT number, weight * times / (times + %(k1)s * (1 - %(b)s + %(b)s * length / %(mean)s)) "
    "FROM (SELECT e.number, e.length, w.weight, "
    "(length(e.terms) - length(replace(e.terms, w.phrase, '')))::float8 / length(w.phrase) AS times "
    "FROM unnest(%(phrases)s::text[], %(rarest)s::bigint[], %(phrase_weights)s::float8[]) AS w(phrase, rarest, weight) "
    "CROSS JOIN LATERAL (SELECT entry FROM {postings} WHERE term = w.rarest OFFSET 0) AS held "
    "JOIN {entries} AS e ON e.number = held.entry WHERE strpos(e.terms, w.phrase) > 0) AS found"
)
_AMONG: Final = "WHERE entry = ANY(%(numbers)s)"


@dataclass(frozen=True, slots=True)
class _Known:
    """How many entries hold a term, by its hash, in the index as it was `written` last."""

    written: str
    held: dict[int, int]


class PostgresBm25Store:
    """k1 = 1.2, b = 0.75. A posting has 64 bits of its term's hash, which two of a million terms share by a rare chance."""

    name = "postgres"
    in_database = True

    def __init__(self, url: str, index: str, *, password: str = "") -> None:
        self._schema = IndexSchema(
            url, index, password=password, provider=f"sparse.backend '{self.name}'", tables=_TABLES, session=_SESSION
        )
        self._known: dict[str, _Known] = {}

    def upsert(self, kb_id: str, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
        latest = dict(entries)

        def change(connection: Connection[Any]) -> None:
            # In one order, so that no two writers wait for each other.
            ids = sorted(latest)
            fewer, shorter = self._removed(connection, kb_id, ids)
            lengths = [len(latest[entry_id]) for entry_id in ids]
            texts = [_side_by_side(latest[entry_id]) for entry_id in ids]
            numbers = dict(connection.execute(self._schema.sql(_ADD, kb_id), [ids, lengths, texts]).fetchall())
            statement = self._schema.sql("COPY {postings} FROM STDIN (FORMAT BINARY)", kb_id)
            with connection.cursor() as cursor, cursor.copy(statement) as copy:
                copy.set_types(["int8", "int4", "int2", "int2"])
                for entry_id in ids:
                    terms = latest[entry_id]
                    length = min(len(terms), _MOST)
                    for term, times in Counter(map(_hash, terms)).items():
                        copy.write_row((term, numbers[entry_id], min(times, _MOST), length))
            connection.execute(self._schema.sql(_COUNT, kb_id), [len(ids) - fewer, sum(lengths) - shorter])

        if latest:
            self._schema.write(kb_id, change, create=True)

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        def change(connection: Connection[Any]) -> None:
            fewer, shorter = self._removed(connection, kb_id, sorted(ids))
            connection.execute(self._schema.sql(_COUNT, kb_id), [-fewer, -shorter])

        self._schema.write(kb_id, change, create=False)

    def search(self, kb_id: str, terms: Sequence[str], k: int, allowed: AllowedIds = None, phrases: Phrases = ()) -> list[Scored]:
        wanted = usable_phrases(phrases)
        if k <= 0 or not (terms or wanted) or (allowed is not None and not allowed):
            return []

        def look(connection: Connection[Any]) -> list[Scored]:
            entries, length, held = self._counted(connection, kb_id, {*terms, *(term for phrase in wanted for term in phrase)})
            rarity = {term: inverse_frequency(entries, number) for term, number in held.items() if number}
            weights = {
                _hash(term): times * rarity[term] * (_K1 + 1)
                for term, times in term_weights(terms, entries, held.__getitem__).items()
                if term in rarity
            }
            there = [phrase for phrase in wanted if all(term in rarity for term in phrase)]
            if not weights and not there:
                return []
            values: dict[str, Any] = {
                "terms": list(weights),
                "weights": list(weights.values()),
                "phrases": [_side_by_side(phrase) for phrase in there],
                "rarest": [_hash(min(phrase, key=held.__getitem__)) for phrase in there],
                "phrase_weights": [PHRASE_WEIGHT * sum(map(rarity.__getitem__, phrase)) * (_K1 + 1) for phrase in there],
                "mean": length / entries,
                "k": k,
                "k1": _K1,
                "b": _B,
            }
            if allowed is not None:
                numbers = self._schema.sql("SELECT number FROM {entries} WHERE id = ANY(%s)", kb_id)
                values["numbers"] = [row[0] for row in connection.execute(numbers, [list(allowed)])]
            parts = _SEARCH.replace("{phrases}", _PHRASE if there else "").replace("{among}", "" if allowed is None else _AMONG)
            return [Scored(*row) for row in connection.execute(self._schema.sql(parts, kb_id), values)]

        return self._schema.read(look, [])

    def frequencies(self, kb_id: str, terms: Collection[str]) -> tuple[int, Mapping[str, int]]:
        def look(connection: Connection[Any]) -> tuple[int, dict[str, int]]:
            entries, _, held = self._counted(connection, kb_id, terms)
            return entries, held

        return self._schema.read(look, (0, dict.fromkeys(terms, 0)))

    def ids(self, kb_id: str) -> set[str]:
        def look(connection: Connection[Any]) -> set[str]:
            return {row[0] for row in connection.execute(self._schema.sql("SELECT id FROM {entries}", kb_id))}

        return self._schema.read(look, set())

    def drop(self, kb_id: str) -> None:
        self._schema.drop(kb_id)
        self._known.pop(kb_id, None)

    def close(self) -> None:
        self._schema.close()

    def _removed(self, connection: Connection[Any], kb_id: str, ids: Sequence[str]) -> tuple[int, int]:
        """Remove these entries; how many they were, and how many terms they held."""
        gone = connection.execute(self._schema.sql(_REMOVE, kb_id), [list(ids)]).fetchall()
        listed = [(_hash(term), number) for number, _, terms in gone for term in set(terms.split())]
        if listed:
            connection.execute(self._schema.sql(_UNLIST, kb_id), [list(column) for column in zip(*listed, strict=True)])
        return len(gone), sum(length for _, length, _ in gone)

    def _counted(self, connection: Connection[Any], kb_id: str, terms: Collection[str]) -> tuple[int, int, dict[str, int]]:
        """The number of entries, of all their terms, and of the entries that hold each of these terms.

        The last are remembered until something is written: to count those of a usual word is to read thousands of rows.
        """
        row = connection.execute(self._schema.sql(_COUNTS, kb_id)).fetchone()
        assert row is not None
        entries, length, written = row
        known = self._known.get(kb_id)
        if known is None or known.written != written or len(known.held) > _MOST_REMEMBERED:
            known = _Known(written, {})
        hashes = {term: _hash(term) for term in terms}
        if missing := list({*hashes.values()} - known.held.keys()):
            known.held.update(connection.execute(self._schema.sql(_HELD, kb_id), [missing]).fetchall())
        self._known[kb_id] = known
        return entries, length, {term: known.held[number] for term, number in hashes.items()}


def _hash(term: str) -> int:
    return int.from_bytes(blake2b(term.replace("\0", "\ufffd").encode(), digest_size=8).digest(), signed=True)


def _side_by_side(terms: Sequence[str]) -> str:
    """Text of PostgreSQL has no NUL."""
    return f"  {'    '.join(terms)}  ".replace("\0", "\ufffd") if terms else ""
