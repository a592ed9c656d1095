"""Settings of an application that needs no model, for tests of every kind."""

from __future__ import annotations

from typing import Any, Final

LIGHT: Final[dict[str, Any]] = {
    "embedding.provider": "fake",
    "dense.backend": "exact",
    "sparse.backend": "fts5",
    "sparse.analyzer": "bigram",
    # Tests of descriptions ask for them.
    "captions.provider": "none",
    # A busy machine must not change what is found.
    "rerank.budget_ms": 60_000,
}
