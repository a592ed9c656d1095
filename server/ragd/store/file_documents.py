"""Documents that were read from files: where these are, and the folders that were ever added, links resolved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from sqlalchemy import Connection, Row, Select, delete, select, update

from ragd.store.database.repository import Repository, insert_rows
from ragd.store.database.schema import documents, roots

_KEPT = re.compile(r"[0-9a-f]{32}/[^/]+")


@dataclass(frozen=True, slots=True)
class Located:
    """A document that was read from a file: where the file is, and what the document is called."""

    doc_id: str
    path: Path
    source: str
    has_content: bool
    source_id: str | None


class FileDocuments(Repository):
    def folders(self, kb_id: str) -> list[Path] | None:
        """The folders, outermost ones and others; None for a collection that is older than their table."""
        paths: list[str] = self._values(select(roots.c.path).where(roots.c.kb_id == kb_id))
        return None if "" in paths else [Path(path) for path in paths]

    def put(self, kb_id: str, folders: Iterable[Path], names: Mapping[str, str]) -> None:
        """Make these the folders of a collection, and call documents by `names` (doc_id -> name) that have no content."""
        with self._engine.begin() as connection:
            for doc_id, name in names.items():
                connection.execute(update(documents).where(documents.c.doc_id == doc_id).values(source=name))
            forget_roots(connection, kb_id)
            insert_rows(connection, roots, [{"kb_id": kb_id, "path": str(folder)} for folder in dict.fromkeys(folders)])

    def all(self, kb_id: str) -> list[Located]:
        """The documents of a collection that were read from files and are not deleted."""
        return [_located(row) for row in self._rows(_of_files(kb_id))]

    def some(self, kb_id: str, doc_ids: Iterable[str], sources: Iterable[str]) -> list[Located]:
        """Those of them that have these ids, or are called so."""
        query = _of_files(kb_id)
        rows = [*self._rows_in(query, documents.c.doc_id, doc_ids), *self._rows_in(query, documents.c.source, sources)]
        return list({row.doc_id: _located(row) for row in rows}.values())

    def live(self, uris: Iterable[str]) -> set[str]:
        """Those of the URIs that documents have which are not deleted."""
        query = select(documents.c.source_uri).where(documents.c.status != "deleted")
        return {row.source_uri for row in self._rows_in(query, documents.c.source_uri, uris)}

    def kept(self, uploads: Path) -> set[str]:
        """The URIs of all uploaded files that documents have which are not deleted."""
        below = documents.c.source_uri.startswith(f"{uploads.resolve().as_uri()}/", autoescape=True)
        return set(self._values(select(documents.c.source_uri).where(below, documents.c.status != "deleted")))

    def relocate(self, uploads: Path) -> int:
        """Say of uploads where they are now, when the data directory was moved since; returns how many they were.

        Where the same name was uploaded again since, that document is the newer one, and the older is deleted.
        """
        here, uri = f"{uploads.resolve().as_uri()}/", documents.c.source_uri
        elsewhere = uri.contains(f"/{uploads.name}/"), ~uri.startswith(here, autoescape=True)
        rows = self._rows(select(documents.c.doc_id, documents.c.kb_id, uri).where(*elsewhere))
        moved = {}
        for row in rows:
            _, found, name = row.source_uri.rpartition(f"/{uploads.name}/{row.kb_id}/")
            if found and _KEPT.fullmatch(name):
                moved[row.doc_id] = f"{here}{row.kb_id}/{name}"
        newer = self.live(moved.values())
        with self._engine.begin() as connection:
            for doc_id, now in moved.items():
                values = {"status": "deleted"} if now in newer else {"source_uri": now}
                connection.execute(update(documents).where(documents.c.doc_id == doc_id).values(**values))
        return len(moved)


def _of_files(kb_id: str) -> Select[Any]:
    columns = (documents.c.doc_id, documents.c.source_uri, documents.c.source, documents.c.version_id, documents.c.source_id)
    alive = documents.c.kb_id == kb_id, documents.c.status != "deleted", documents.c.source_uri.startswith("file:")
    return select(*columns).where(*alive)


def _located(row: Row[Any]) -> Located:
    return Located(row.doc_id, file_path(row.source_uri), row.source, row.version_id is not None, row.source_id)


def forget_roots(connection: Connection, kb_id: str) -> None:
    connection.execute(delete(roots).where(roots.c.kb_id == kb_id))


def file_path(uri: str) -> Path:
    """Where the file of a `file:` URI is."""
    return Path(url2pathname(urlsplit(uri).path))
