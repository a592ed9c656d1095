"""Opening what takes time before the first request, and telling how the application is."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragd import __version__
from ragd.app.models import Models
from ragd.app.query_factory import QueryFactory
from ragd.config.policy import mcp_verdict
from ragd.config.settings import Settings
from ragd.core.errors import RemoteUnavailable
from ragd.core.lazy import Lazy
from ragd.ingest.indexes import Indexes
from ragd.store.passages import Passages

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Maintenance:
    """Warms up and reports. `database` is the name of the database's dialect."""

    settings: Settings
    data_folder: Path
    database: str
    passages: Passages
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
        ready = embedder is not None and self.indexes.opened is not None
        if embedder is not None and ready:
            model |= {"revision": embedder.revision, "dim": embedder.dimension, "device": embedder.device}
        return {
            "version": __version__,
            "ready": ready,
            "model": model,
            "reranker": {"provider": settings.rerank.provider, **self.models.reranker_status()},
            "llm": {"provider": settings.llm.provider, "model": settings.llm.model},
            "stores": {"facts": self.database, "dense": settings.dense.backend, "sparse": settings.sparse.backend},
            "counts": self.passages.counts(),
            "data_dir": str(self.data_folder),
            "mcp": mcp.on,
            "mcp_forbidden": mcp.reason if mcp.forbidden else None,
            "notices": self.notices(),
        }
