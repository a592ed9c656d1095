"""Whether the database is sound, the model runs, and both indexes hold what the database says. Looks, and does not mend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from ragd.core.checks import Check
from ragd.core.errors import RagError
from ragd.ingest.indexes import Indexes, find_drift
from ragd.providers.protocols import Embedder
from ragd.store.collections import Collections
from ragd.store.database.engine import reading
from ragd.store.documents import DocumentWriter

_MEND_DATABASE = "Put back a copy of the file, or move it away to start anew and ingest your documents again."


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `rag doctor` asks of whoever owns the data directory."""

    database: Engine
    collections: Collections
    documents: DocumentWriter
    embedder: Callable[[], Embedder]
    indexes: Callable[[], Indexes]
    backends: str
    """How people know the indexes: the names of their providers."""

    def run(self, *, search: bool) -> Iterator[Check]:
        """The checks, each after what it needs. With `search` the model and the indexes are opened, too."""
        database = self._database()
        yield database
        if search and database.level == "ok":
            try:
                yield from self._search()
            except RagError as error:
                yield Check("indexes", "fail", error.message, "rag reindex")

    def _database(self) -> Check:
        url = self.database.url
        sqlite = url.get_backend_name() == "sqlite"
        name = str(Path(url.database or "")) if sqlite else url.render_as_string()
        try:
            with reading(self.database).connect() as connection:
                found = connection.execute(text("PRAGMA quick_check(3)" if sqlite else "SELECT 'ok'")).scalars().all()
        except SQLAlchemyError as error:
            mend = _MEND_DATABASE if sqlite else "Start the database, or correct store.url."
            return Check("database", "fail", f"{name} can't be read: {error}", mend)
        if list(found) != ["ok"]:
            return Check("database", "fail", f"{name} is damaged: {'; '.join(map(str, found))}", _MEND_DATABASE)
        return Check("database", "ok", f"{name}, {Path(name).stat().st_size / 1e6:,.1f} MB, sound" if sqlite else name)

    def _search(self) -> Iterator[Check]:
        embedder = self.embedder()
        embedder.embed_queries(["check"])
        yield Check("engine", "ok", f"{embedder.model_id}: {embedder.dimension} dimensions on {embedder.device}")
        indexes = self.indexes()
        missing = surplus = entries = 0
        for kb_id, status in self.collections.all_ids().items():
            if status != "deleted":
                live = self.documents.live_entries(kb_id)
                drift = find_drift(indexes, kb_id, live)
                entries += len(live)
                missing += len(drift.incomplete_documents)
                surplus += len(drift.surplus.dense) + len(drift.surplus.sparse)
        if missing:
            found = f"{missing:,} document{'s' * (missing != 1)} can't be found in full"
            yield Check("indexes", "warn", f"{self.backends}: {found}", "rag reindex")
        else:
            rest = f"; {surplus:,} of old versions will be removed" if surplus else ""
            counted = f"{entries:,} chunk{'s' * (entries != 1)} in each"
            yield Check("indexes", "ok", f"{self.backends}, {counted}, as the database says{rest}")
