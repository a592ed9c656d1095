"""BM25 in SQL over a table of postings in PostgreSQL: (term, entry, how often, the entry's length), one row for each.

PostgreSQL's own full-text search is no BM25: its ranks know nothing of how rare a term is. So terms, which are ours, are rows,
and a question adds up their weights: the formula of Lucene and tantivy (Robertson & Zaragoza 2009), whose order this gives. It
reads the postings of each of its terms whole, so its time grows with how many entries hold them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, LiteralString

from ragd.core.ids import hash32
from ragd.core.results import Scored
from ragd.language.rarity import inverse_frequency
from ragd.providers.index_schema import IndexSchema
from ragd.providers.protocols import AllowedIds, Phrases
from ragd.providers.sparse.bm25_query import PHRASE_WEIGHT, term_weights, usable_phrases

if TYPE_CHECKING:
    from psycopg import Connection

_K1: Final = 1.2
_B: Final = 0.75
# A row of PostgreSQL's index holds 2,700 bytes.
_LONGEST_TERM: Final = 200

_TABLES: Final[tuple[LiteralString, ...]] = (
    # `terms` has two blanks around each, so that phrases are found whole, and side by side.
    "CREATE TABLE {entries} (number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, "
    "length integer NOT NULL, terms text NOT NULL)",
    # Whatever a question reads of it is in the index, which it reads in one go for each term.
    'CREATE TABLE {postings} (term text COLLATE "C" NOT NULL, entry integer NOT NULL, times integer NOT NULL, '
    "length integer NOT NULL, PRIMARY KEY (term, entry) INCLUDE (times, length))",
    # New pages are read by way of the table until a vacuum has seen them.
    "ALTER TABLE {postings} SET (autovacuum_vacuum_insert_scale_factor = 0.05)",
    # One row: counting reads a whole table.
    "CREATE TABLE {state} (entries bigint NOT NULL, terms bigint NOT NULL)",
    "INSERT INTO {state} VALUES (0, 0)",
)
_REMOVE: Final = (
    "WITH gone AS (DELETE FROM {entries} WHERE id = ANY(%(ids)s) RETURNING number, length, terms), "
    "held AS (SELECT DISTINCT number, unnest(string_to_array(trim(terms), '    ')) AS term FROM gone), "
    "unlisted AS (DELETE FROM {postings} AS p USING held WHERE p.term = held.term AND p.entry = held.number) "
    "SELECT count(*), coalesce(sum(length), 0)::bigint FROM gone"
)
_ADD: Final = (
    "INSERT INTO {entries} (id, length, terms) SELECT * FROM unnest(%s::text[], %s::integer[], %s::text[]) RETURNING id, number"
)
# Last of all, since others wait for that row.
_COUNT: Final = "UPDATE {state} SET entries = entries + %s, terms = terms + %s"

_HELD: Final = (
    "SELECT wanted.term, (SELECT count(*) FROM {postings} AS p WHERE p.term = wanted.term) "
    "FROM unnest(%s::text[]) AS wanted(term)"
)
_SEARCH: Final = (
    "WITH wanted AS (SELECT * FROM unnest(%(terms)s::text[], %(weights)s::float8[]) AS w(term, weight)), "
    "parts(entry, score) AS ("
    "SELECT p.entry, w.weight * p.times / (p.times + %(k1)s * (1 - %(b)s + %(b)s * p.length / %(mean)s)) "
    "FROM wanted AS w JOIN {postings} AS p ON p.term = w.term {phrases}), "
    # Rounded: the same sum in another order must not break a tie.
    "best AS (SELECT entry, round(sum(score) * 1e9) / 1e9 AS score FROM parts {among} GROUP BY entry "
    # All of the last score, of which the ids decide.
    "ORDER BY score DESC FETCH FIRST %(k)s ROWS WITH TIES) "
    "SELECT e.id, best.score FROM best JOIN {entries} AS e ON e.number = best.entry ORDER BY best.score DESC, e.id LIMIT %(k)s"
)
_AMONG: Final = "WHERE entry IN (SELECT number FROM {entries} WHERE id = ANY(%(allowed)s))"
_PHRASE: Final = (
    " UNION ALL SELECT number, weight * times / (times + %(k1)s * (1 - %(b)s + %(b)s * length / %(mean)s)) "
    "FROM (SELECT e.number, e.length, w.weight, "
    "(length(e.terms) - length(replace(e.terms, w.phrase, '')))::float8 / length(w.phrase) AS times "
    "FROM unnest(%(phrases)s::text[], %(phrase_weights)s::float8[]) AS w(phrase, weight) "
    "CROSS JOIN LATERAL (SELECT entry FROM {postings} WHERE term = ANY(string_to_array(trim(w.phrase), '    ')) "
    "GROUP BY entry HAVING count(*) = (SELECT count(DISTINCT term) "
    "FROM unnest(string_to_array(trim(w.phrase), '    ')) AS t(term))) AS held "
    "JOIN {entries} AS e ON e.number = held.entry WHERE strpos(e.terms, w.phrase) > 0) AS found"
)


class PostgresBm25Store:
    """k1 = 1.2, b = 0.75. Terms are kept as they are; of one of more than 200 bytes, its hash."""

    name = "postgres"
    in_database = True

    def __init__(self, url: str, index: str, *, password: str = "") -> None:
        self._schema = IndexSchema(url, index, password=password, provider=f"sparse.backend '{self.name}'", tables=_TABLES)

    def upsert(self, kb_id: str, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
        latest = {entry_id: [_kept(term) for term in terms] for entry_id, terms in entries}

        def change(connection: Connection[Any]) -> None:
            # In one order, so that no two writers wait for each other.
            ids = sorted(latest)
            fewer, shorter = self._removed(connection, kb_id, ids)
            lengths = [len(latest[entry_id]) for entry_id in ids]
            texts = [_side_by_side(latest[entry_id]) for entry_id in ids]
            numbers = dict(connection.execute(self._schema.sql(_ADD, kb_id), [ids, lengths, texts]).fetchall())
            statement = self._schema.sql("COPY {postings} FROM STDIN (FORMAT BINARY)", kb_id)
            with connection.cursor() as cursor, cursor.copy(statement) as copy:
                copy.set_types(["text", "int4", "int4", "int4"])
                for entry_id in ids:
                    terms = latest[entry_id]
                    for term, times in Counter(terms).items():
                        copy.write_row((term, numbers[entry_id], times, len(terms)))
            connection.execute(self._schema.sql(_COUNT, kb_id), [len(ids) - fewer, sum(lengths) - shorter])

        if latest:
            self._schema.write(kb_id, change, create=True)

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        def change(connection: Connection[Any]) -> None:
            fewer, shorter = self._removed(connection, kb_id, sorted(ids))
            connection.execute(self._schema.sql(_COUNT, kb_id), [-fewer, -shorter])

        self._schema.write(kb_id, change, create=False)

    def search(self, kb_id: str, terms: Sequence[str], k: int, allowed: AllowedIds = None, phrases: Phrases = ()) -> list[Scored]:
        wanted = usable_phrases([[_kept(term) for term in phrase] for phrase in phrases])
        asked = [_kept(term) for term in terms]
        if k <= 0 or not (asked or wanted) or (allowed is not None and not allowed):
            return []

        def look(connection: Connection[Any]) -> list[Scored]:
            entries, length = self._counts(connection, kb_id)
            held = self._held(connection, kb_id, {*asked, *(term for phrase in wanted for term in phrase)})
            rarity = {term: inverse_frequency(entries, number) for term, number in held.items() if number}
            weights = {
                term: times * rarity[term] * (_K1 + 1)
                for term, times in term_weights(asked, entries, held.__getitem__).items()
                if term in rarity
            }
            there = [phrase for phrase in wanted if all(term in rarity for term in phrase)]
            if not weights and not there:
                return []
            values = {
                "terms": list(weights),
                "weights": list(weights.values()),
                "phrases": [_side_by_side(phrase) for phrase in there],
                "phrase_weights": [PHRASE_WEIGHT * sum(map(rarity.__getitem__, phrase)) * (_K1 + 1) for phrase in there],
                "mean": length / entries,
                "allowed": list(allowed or ()),
                "k": k,
                "k1": _K1,
                "b": _B,
            }
            parts = _SEARCH.replace("{phrases}", _PHRASE if there else "").replace("{among}", "" if allowed is None else _AMONG)
            return [Scored(*row) for row in connection.execute(self._schema.sql(parts, kb_id), values)]

        return self._schema.read(look, [])

    def frequencies(self, kb_id: str, terms: Collection[str]) -> tuple[int, Mapping[str, int]]:
        def look(connection: Connection[Any]) -> tuple[int, dict[str, int]]:
            held = self._held(connection, kb_id, {_kept(term) for term in terms})
            return self._counts(connection, kb_id)[0], {term: held[_kept(term)] for term in terms}

        return self._schema.read(look, (0, dict.fromkeys(terms, 0)))

    def ids(self, kb_id: str) -> set[str]:
        def look(connection: Connection[Any]) -> set[str]:
            return {row[0] for row in connection.execute(self._schema.sql("SELECT id FROM {entries}", kb_id))}

        return self._schema.read(look, set())

    def drop(self, kb_id: str) -> None:
        self._schema.drop(kb_id)

    def close(self) -> None:
        self._schema.close()

    def _removed(self, connection: Connection[Any], kb_id: str, ids: Sequence[str]) -> tuple[int, int]:
        """Remove these entries; how many they were, and how many terms they held."""
        row = connection.execute(self._schema.sql(_REMOVE, kb_id), {"ids": list(ids)}).fetchone()
        assert row is not None
        return row[0], row[1]

    def _counts(self, connection: Connection[Any], kb_id: str) -> tuple[int, int]:
        """The number of entries, and of all their terms."""
        row = connection.execute(self._schema.sql("SELECT entries, terms FROM {state}", kb_id)).fetchone()
        assert row is not None
        return row[0], row[1]

    def _held(self, connection: Connection[Any], kb_id: str, terms: Collection[str]) -> dict[str, int]:
        return dict(connection.execute(self._schema.sql(_HELD, kb_id), [list(terms)]).fetchall())


def _kept(term: str) -> str:
    """The term as the database holds it."""
    term = term.replace("\0", "\ufffd")
    return term if len(term.encode()) <= _LONGEST_TERM else hash32(term)


def _side_by_side(terms: Sequence[str]) -> str:
    return f"  {'    '.join(terms)}  " if terms else ""
