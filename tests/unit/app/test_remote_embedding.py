"""The whole app over an embedding service that is there, goes, and comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragd.app.container import Application
from ragd.core.errors import RemoteUnavailable

from ..providers.model_service import DIMENSION, ModelService, Reply
from .conftest import ask, finish

pytestmark = pytest.mark.slow

Open = Callable[..., Application]
PLAIN = {"retrieval.fusion": "rrf", "rerank.provider": "none"}


@pytest.fixture
def server() -> Iterator[ModelService]:
    server = ModelService()
    yield server
    server.close()


@pytest.fixture
def remote(server: ModelService) -> dict[str, object]:
    return PLAIN | {
        "embedding.provider": "ollama",
        "embedding.url": server.url,
        "embedding.model": "some-model",
        "embedding.dimension": DIMENSION,
        "embedding.query_timeout_s": 0.2,
    }


def sources(app: Application, strategy: str) -> list[str]:
    return [hit.passage.source for hit in ask(app, "E1045 lease token", strategy=strategy, top_k=20).hits]


def test_documents_are_indexed_and_found_by_a_service(
    server: ModelService, remote: dict[str, object], open_app: Open, docs: Path
) -> None:
    app = open_app(**remote)
    assert finish(app, app.documents.ingest([str(docs)])).status == "completed"
    assert "guide.md" in sources(app, "dense_only")
    assert app.maintenance.status()["model"]["dim"] == DIMENSION
    assert app.maintenance.status()["model"]["device"] == "remote"


def test_the_daemon_starts_and_finds_by_words_while_the_service_is_down(
    server: ModelService, remote: dict[str, object], open_app: Open, docs: Path
) -> None:
    app = open_app(**remote)
    finish(app, app.documents.ingest([str(docs)]))
    server.answer = lambda asked: Reply({"error": "down"}, 503)
    again = open_app(**remote)
    again.maintenance.warm()
    assert again.maintenance.status()["ready"]
    assert "guide.md" in sources(again, "sparse_only")


def test_without_a_dimension_a_service_that_is_down_says_what_to_set(
    server: ModelService, remote: dict[str, object], open_app: Open
) -> None:
    server.answer = lambda asked: Reply({"error": "down"}, 503)
    with pytest.raises(RemoteUnavailable, match=r"embedding\.dimension"):
        open_app(**remote | {"embedding.dimension": 0})
