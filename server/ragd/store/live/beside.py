"""What stands beside a chunk: the one before and the one after it in its document, or in the neighbouring part of a series.

A series are files of one folder whose names differ in their last number alone, as `chapter-3.md` and `chapter-4.md`, or the pages
of a scan: the last chunk of one stands before the first of the next. Only files: who may read one may read the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, select, tuple_

from ragd.store.database.engine import batches
from ragd.store.database.repository import rows_in
from ragd.store.database.schema import collections, documents, occurrences, versions

Rows = NDArray[np.int32]
Part = tuple[str, str]
"""A file: its collection and its source."""

_FILE: Final = "file:"
_LAST_NUMBER: Final = re.compile(r"(.*?)(\d{1,9})(\D*)", re.DOTALL)


def part_of(kb_id: str, source: str, source_uri: str) -> Part | None:
    """What may be of a series."""
    return (kb_id, source) if source_uri.startswith(_FILE) else None


def following(source: str) -> str | None:
    """What the next part would be called: `a/p09.md` is followed by `a/p10.md`, and `a/9.md` by `a/10.md`."""
    found = _numbered(source)
    return found and f"{found[0]}{int(found[1]) + 1:0{len(found[1])}d}{found[2]}"


def preceding(source: str) -> list[str]:
    """What the part before might be called: before `10.md` comes `09.md` or `9.md`."""
    found = _numbered(source)
    if found is None or not int(found[1]):
        return []
    number = int(found[1]) - 1
    names = dict.fromkeys(f"{found[0]}{number:0{width}d}{found[2]}" for width in (len(found[1]), 1))
    return [name for name in names if following(name) == source]


def _numbered(source: str) -> tuple[str, str, str] | None:
    """What stands before the last number of a file's name, the number, and what follows it; its ending is not looked at."""
    folder, slash, name = source.rpartition("/")
    stem, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
    if (found := _LAST_NUMBER.fullmatch(stem)) is None:
        return None
    return f"{folder}{slash}{found[1]}", found[2], f"{found[3]}{dot}{ending}"


def link(owners: Rows, ordinals: Rows, parts: Sequence[Part | None]) -> Rows:
    """For each row the rows before and after it, `[rows, 2]`, -1 for none; `owners` are places in `parts`, one a version."""
    beside = np.full((len(owners), 2), -1, np.int32)
    order = np.lexsort((ordinals, owners)).astype(np.int32)
    sorted_owners = owners[order]
    within = sorted_owners[1:] == sorted_owners[:-1]
    beside[order[1:][within], 0] = order[:-1][within]
    beside[order[:-1][within], 1] = order[1:][within]
    ends = np.full((len(parts), 2), -1, np.int32)
    ends[sorted_owners[::-1], 0] = order[::-1]  # the last that is written stays
    ends[sorted_owners, 1] = order
    first, last = ends[:, 0].tolist(), ends[:, 1].tolist()
    places = {part: place for place, part in enumerate(parts) if part and first[place] >= 0}
    for (kb_id, source), place in places.items():
        name = following(source)
        other = places.get((kb_id, name)) if name else None
        if other is not None:
            beside[last[place], 1] = first[other]
            beside[first[other], 0] = last[place]
    return beside


def read_beside(connection: Connection, dense_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The dense entries beside each of these, of live versions, by dense entry; the one before comes first."""
    columns = (occurrences.c.dense_id, occurrences.c.version_id, occurrences.c.ordinal)
    names = (documents.c.kb_id, documents.c.source, documents.c.source_uri)
    rows = list(rows_in(connection, _live(select(*columns, *names)), occurrences.c.dense_id, dense_ids))
    wanted = {(row.version_id, row.ordinal + step) for row in rows for step in (-1, 1)}
    entries = _entries(connection, wanted)
    parts = {row.version_id: part_of(row.kb_id, row.source, row.source_uri) for row in rows}
    sought = {name for part in parts.values() if part for name in (*preceding(part[1]), following(part[1])) if name}
    counted = select(documents.c.kb_id, documents.c.source, documents.c.source_uri, versions.c.version_id, versions.c.chunk_count)
    served = _served(counted.join(versions, versions.c.version_id == documents.c.version_id))
    series = {
        (row.kb_id, row.source): row
        for row in rows_in(connection, served.where(versions.c.chunk_count > 0), documents.c.source, sought)
        if part_of(row.kb_id, row.source, row.source_uri)
    }
    edges = {(row.version_id, ordinal) for row in series.values() for ordinal in (0, row.chunk_count - 1)}
    entries |= _entries(connection, edges)
    found: dict[str, tuple[str, ...]] = {}
    for row in rows:
        before, after = entries.get((row.version_id, row.ordinal - 1)), entries.get((row.version_id, row.ordinal + 1))
        if part := parts[row.version_id]:
            earlier = next((series[part[0], name] for name in preceding(part[1]) if (part[0], name) in series), None)
            later = series.get((part[0], following(part[1]) or ""))
            if row.ordinal == 0 and earlier is not None:
                before = entries.get((earlier.version_id, earlier.chunk_count - 1))
            if after is None and later is not None:
                after = entries.get((later.version_id, 0))
        if others := tuple(other for other in (before, after) if other is not None):
            found[row.dense_id] = others
    return found


def _entries(connection: Connection, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str]:
    key = tuple_(occurrences.c.version_id, occurrences.c.ordinal)
    query = select(occurrences.c.version_id, occurrences.c.ordinal, occurrences.c.dense_id)
    read = (connection.execute(query.where(key.in_(batch))) for batch in batches(sorted(places), 200))
    return {(row.version_id, row.ordinal): row.dense_id for row in chain.from_iterable(read)}


def _live(query: Select[Any]) -> Select[Any]:
    return _served(query.join(documents, documents.c.version_id == occurrences.c.version_id))


def _served(query: Select[Any]) -> Select[Any]:
    return query.join(collections, collections.c.kb_id == documents.c.kb_id).where(
        documents.c.status == "ready", collections.c.status == "enabled"
    )
