"""Opening what takes time before the first request, and saying how the application is and whether it is sound."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from ragd import __version__
from ragd.app.models import Models
from ragd.app.query_factory import QueryFactory
from ragd.config.policy import mcp_verdict
from ragd.config.settings import Settings
from ragd.core.checks import Check
from ragd.core.errors import RagError, RemoteUnavailable, ServiceUnavailable
from ragd.core.lazy import Lazy
from ragd.ingest.indexes import Indexes, find_drift
from ragd.jobs.tokens import KIND as TOKENS
from ragd.providers.registry import index_provider
from ragd.store.collections import Collections
from ragd.store.database.engine import reading
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Jobs
from ragd.store.overview import Overviews

log = logging.getLogger(__name__)

_MEND_DATABASE = "Put back a copy of the file, or move it away to start anew and ingest your documents again."


@dataclass(frozen=True, slots=True)
class Maintenance:
    """Warms up, reports, and checks for `rag doctor`."""

    settings: Settings
    data_folder: Path
    database: Engine
    collections: Collections
    documents: DocumentWriter
    jobs: Jobs
    overviews: Overviews
    models: Models
    indexes: Lazy[Indexes]
    queries: QueryFactory
    own_notices: list[str]

    def warm(self) -> None:
        """Open the models and the indexes now instead of at the first request."""
        self.models.embedder()
        try:
            self.models.warm()
        except RemoteUnavailable as error:
            # The service may come back, and until then the sparse index answers.
            log.warning("the embedding service gives no vectors", extra={"reason": error.message})
        self.queries.pipeline(None)

    def require_ready(self) -> None:
        """Raises `ServiceUnavailable` that says what is missing: the database, the model or the indexes."""
        try:
            with reading(self.database).connect() as connection:
                connection.execute(text("SELECT 1"))
        except SQLAlchemyError as error:
            log.warning("the database does not answer", exc_info=error)
            raise ServiceUnavailable("The database does not answer; see the log.") from error
        if not self._is_open():
            raise ServiceUnavailable("Model and indexes are not open yet.")

    def _is_open(self) -> bool:
        return self.models.embedder.opened is not None and self.indexes.opened is not None

    def notices(self) -> list[str]:
        """What people should know: an index that was damaged, a device that could not be had, MCP that is on but forbidden."""
        mcp = mcp_verdict(self.settings.mcp)
        forbidden = [mcp.reason] if self.settings.mcp.enabled and mcp.forbidden else []
        return [*self.own_notices, *self.models.warnings(), *forbidden]

    def status(self) -> dict[str, Any]:
        """What is loaded, where it is, and how much it holds."""
        settings = self.settings
        mcp = mcp_verdict(settings.mcp, "http")
        model: dict[str, Any] = {"id": settings.embedding.model, "provider": settings.embedding.provider}
        embedder = self.models.embedder.opened
        ready = self._is_open()
        if embedder is not None and ready:
            model |= {"revision": embedder.revision, "dim": embedder.dimension, "device": embedder.device}
        return {
            "version": __version__,
            "ready": ready,
            "model": model,
            "reranker": {"provider": settings.rerank.provider, **self.models.reranker_status()},
            "llm": {"provider": settings.llm.provider, "model": settings.llm.model},
            "stores": {"facts": self.database.dialect.name, "dense": self._backend("dense"), "sparse": self._backend("sparse")},
            "token_index": self._token_index(),
            "counts": dict(self.overviews.get().counts),
            "data_dir": str(self.data_folder),
            "disk_free": shutil.disk_usage(self.data_folder).free,
            "mcp": mcp.on,
            "mcp_forbidden": mcp.reason if mcp.forbidden else None,
            "notices": self.notices(),
        }

    def _backend(self, side: Literal["dense", "sparse"]) -> str:
        return index_provider(side, getattr(self.settings, side).backend, self.settings.store.url)

    def _token_index(self) -> dict[str, Any]:
        """Where token vectors are kept, and how far the job is that makes what is missing of them."""
        indexes = self.indexes.opened
        if indexes is None or indexes.tokens is None:
            return {"provider": self.settings.token_index.provider if indexes is None else "none", "building": None}
        job = self.jobs.unfinished_of(TOKENS)
        building = None if job is None else {name: job.progress[name] for name in ("done", "total")}
        return {"provider": indexes.tokens.index.name, "building": building}

    def checks(self, *, search: bool) -> Iterator[Check]:
        """Whether the database is sound, the model runs, and both indexes hold what the database says, each after what it needs.

        Looks, and does not mend. With `search` the model and the indexes are opened, too.
        """
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
            return Check("database", "fail", f"{name} can't be read: {getattr(error, 'orig', error)}", mend)
        if list(found) != ["ok"]:
            return Check("database", "fail", f"{name} is damaged: {'; '.join(map(str, found))}", _MEND_DATABASE)
        return Check("database", "ok", f"{name}, {Path(name).stat().st_size / 1e6:,.1f} MB, sound" if sqlite else name)

    def _search(self) -> Iterator[Check]:
        embedder = self.models.embedder()
        embedder.embed_queries(["check"])
        yield Check("engine", "ok", f"{embedder.model_id}: {embedder.dimension} dimensions on {embedder.device}")
        indexes, backends = self.indexes(), f"{self._backend('dense')} and {self._backend('sparse')}"
        missing = surplus = entries = uncoded = 0
        for kb_id in self.collections.live_ids():
            live = self.documents.live_entries(kb_id)
            drift = find_drift(indexes, kb_id, live)
            entries += len(live)
            missing += len(drift.incomplete_documents)
            surplus += len(drift.surplus.dense) + len(drift.surplus.sparse)
            uncoded += len(drift.without_tokens)
        if missing:
            found = f"{missing:,} document{'s' * (missing != 1)} can't be found in full"
            yield Check("indexes", "warn", f"{backends}: {found}", "rag reindex")
        else:
            rest = f"; {surplus:,} of old versions will be removed" if surplus else ""
            counted = f"{entries:,} chunk{'s' * (entries != 1)} in each"
            yield Check("indexes", "ok", f"{backends}, {counted}, as the database says{rest}")
        yield self._token_check(uncoded)

    def _token_check(self, uncoded: int) -> Check:
        name, found = "token vectors", self._token_index()
        if found["provider"] == "none":
            return Check(name, "ok", "none are kept: questions are ranked without them")
        if not uncoded:
            return Check(name, "ok", f"{found['provider']}, of every chunk")
        left = f"{uncoded:,} document{'s' * (uncoded != 1)} yet without; until then questions about them are ranked without"
        if found["building"] is None:
            return Check(name, "warn", f"{found['provider']}: {left}", "They are made in the background while `rag serve` runs.")
        return Check(name, "ok", f"{found['provider']}: being made in the background, {left}")
