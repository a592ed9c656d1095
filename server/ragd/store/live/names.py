"""What live versions call things: titles, headings, and the identifiers among their keywords."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Select, Text, cast, select

from ragd.language.identifiers import find_identifiers
from ragd.store.database.repository import Repository, rows_in
from ragd.store.database.schema import collections, documents, occurrences, sections, versions


@dataclass(frozen=True, slots=True)
class LiveVersion:
    """A version that may be served. One that is made anew has another `ready_at`."""

    version_id: str
    ready_at: str | None
    doc_id: str
    kb_id: str
    title: str


@dataclass(frozen=True, slots=True)
class VersionNames:
    """What stands in a version: its sections' headings, and identifiers that are keywords of its passages; each once."""

    headings: tuple[str, ...]
    identifiers: tuple[str, ...]


class Names(Repository):
    """Reads names of live versions only, in collections that are enabled."""

    def live(self) -> list[LiveVersion]:
        return [LiveVersion(*row) for row in self._rows(_live())]

    def still_live(self, version_ids: Iterable[str]) -> dict[str, str]:
        """version_id -> doc_id, of those that may be served now."""
        return {row.version_id: row.doc_id for row in self._rows_in(_live(), versions.c.version_id, version_ids)}

    def of(self, version_ids: Sequence[str]) -> dict[str, VersionNames]:
        """The names in each of these versions."""
        headings: dict[str, dict[str, None]] = {version_id: {} for version_id in version_ids}
        identifiers: dict[str, dict[str, None]] = {version_id: {} for version_id in version_ids}
        paths = select(sections.c.version_id, cast(sections.c.path, Text))
        keywords = select(occurrences.c.version_id, cast(occurrences.c.enrichment["keywords"], Text))
        with self._reader.connect() as connection:
            for version_id, path in rows_in(connection, paths, sections.c.version_id, version_ids):
                headings[version_id].update(dict.fromkeys(json.loads(path)[-1:]))
            for version_id, words in rows_in(connection, keywords, occurrences.c.version_id, version_ids):
                for word in json.loads(words or "[]"):
                    if _is_identifier(word):
                        identifiers[version_id][word] = None
        return {
            version_id: VersionNames(tuple(headings[version_id]), tuple(identifiers[version_id])) for version_id in version_ids
        }


@lru_cache(maxsize=1 << 16)
def _is_identifier(word: str) -> bool:
    """The keywords of a collection repeat: of half a million, a few ten thousand are different."""
    return word.isascii() and bool(find_identifiers(word))


def _live() -> Select[Any]:
    columns = (versions.c.version_id, versions.c.ready_at, documents.c.doc_id, documents.c.kb_id, documents.c.title)
    return (
        select(*columns)
        .join(documents, documents.c.version_id == versions.c.version_id)
        .join(collections, collections.c.kb_id == documents.c.kb_id)
        .where(documents.c.status == "ready", collections.c.status == "enabled")
    )
