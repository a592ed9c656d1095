"""Requirement 3 of the service contract: search within one knowledge base. A test is named after its criterion."""

from __future__ import annotations

import json
import math
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ragd.config.loading import load_settings
from ragd.config.service import LimitsSettings

QUARRIES = "# Quarries\n\nThe granite quarry opens at nine."


def ask(service: Any, **body: Any) -> Any:
    return service.client.post("/search", json=body)


@pytest.fixture(scope="module")
def kb_id(service: Any) -> str:
    kb_id = str(service.create())
    for number in range(8):
        service.add(kb_id, f"report-{number}.md", f"# Report {number}\n\nThe quarry of lot {number} opens at {number} o'clock.")
    return kb_id


def test_3_01_five_results_unless_asked_and_at_most_the_limit(service: Any, kb_id: str) -> None:
    assert LimitsSettings().max_top_k == 20
    assert len(service.search(kb_id, "quarry")) == 5
    assert len(service.search(kb_id, "quarry", top_k=7)) == 7
    assert len(service.search(kb_id, "quarry", top_k=20)) == 8
    for top_k in (0, 21, "3", 2.5):
        answer = ask(service, query="quarry", knowledge_base_id=kb_id, top_k=top_k)
        assert service.refused(answer, 400, "VALIDATION_ERROR")["details"][0]["field"] == "top_k"


def test_3_01_a_query_must_say_something_and_fit(service: Any, kb_id: str) -> None:
    for query in ("", "  \n", "x" * 8193):
        answer = ask(service, query=query, knowledge_base_id=kb_id)
        assert service.refused(answer, 400, "VALIDATION_ERROR")["details"][0]["field"] == "query"
    service.refused(ask(service, query="quarry"), 400, "VALIDATION_ERROR")
    service.refused(ask(service, query="quarry", knowledge_base_id=kb_id, topk=3), 400, "VALIDATION_ERROR")
    service.refused(service.client.post("/search", content=b"{"), 400, "VALIDATION_ERROR")


def test_3_02_only_the_one_knowledge_base_is_searched(service: Any, kb_id: str) -> None:
    other = service.create()
    doc_id = service.add(other, "other.md", QUARRIES)
    assert {found["document_id"] for found in service.search(other, "quarry", top_k=20)} == {doc_id}
    assert doc_id not in {found["document_id"] for found in service.search(kb_id, "quarry", top_k=20)}


class _Scorer(BaseHTTPRequestHandler):
    """A reranking service that gives logits: the more, the later a passage was handed over."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked.get("documents") or asked["texts"]
        self.server.seen.append(texts)  # type: ignore[attr-defined]
        results = [{"index": index, "relevance_score": index - 2.0} for index in range(len(texts))]
        body = json.dumps({"results": results}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is written to the console."""


@pytest.fixture
def scorer() -> Iterator[Any]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Scorer) as server:
        server.seen = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_3_02_and_3_03_three_candidates_a_result_are_reranked_and_scored_by_a_sigmoid(
    opened: Any, scorer: Any, project_root: Any
) -> None:
    values = load_settings(project_root / "config", strategy="service", environment={})
    assert (values.retrieval.strategy, values.retrieval.top_k, values.dense.ef_search) == ("dense_only", 5, 40)
    assert (values.splitter.chunk_size, values.splitter.chunk_overlap) == (512, 64)
    assert (values.embedding.model, values.rerank.model) == ("bge-m3", "bge-reranker-v2-m3")
    changes = {
        "retrieval.strategy": values.retrieval.strategy,
        "retrieval.fusion": values.retrieval.fusion,
        "rerank.per_result": values.rerank.per_result,
        "limits.max_rerank_candidates": 10,
        "rerank.provider": "remote",
        "rerank.url": f"http://127.0.0.1:{scorer.server_address[1]}/rerank",
    }
    with opened(changes) as service:
        kb_id = service.add_many("Pages", 12)
        answer = ask(service, query="words of a page", knowledge_base_id=kb_id, top_k=2)
        [handed] = scorer.seen
        assert len(handed) == 6
        found = answer.json()
        assert answer.headers["X-Score"] == "remote"
        assert [one["chunk_text"] for one in found] == [handed[5], handed[4]]
        assert [one["score"] for one in found] == pytest.approx([1 / (1 + math.exp(-3)), 1 / (1 + math.exp(-2))])
        service.search(kb_id, "words of a page", top_k=5)
        assert len(scorer.seen[-1]) == 10


def test_3_04_a_result_says_where_it_is_from(service: Any, kb_id: str) -> None:
    answer = ask(service, query="quarry of lot 3", knowledge_base_id=kb_id)
    found = answer.json()
    assert isinstance(found, list)
    assert all(set(one) == {"chunk_text", "score", "document_id", "filename", "chunk_index"} for one in found)
    assert all(0 <= one["score"] <= 1 for one in found)
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)
    first = found[0]
    chunks = service.client.get(f"/api/documents/{first['document_id']}/chunks").json()["items"]
    assert chunks[first["chunk_index"]]["content"] == first["chunk_text"]
    assert service.client.get(f"/documents/{first['document_id']}").json()["filename"] == first["filename"]
    assert answer.headers["X-Score"] == "confidence"


def test_3_05_an_unknown_knowledge_base_is_not_found(idle: Any) -> None:
    # Before what else is wrong.
    idle.refused(ask(idle, query="", knowledge_base_id=uuid.uuid4().hex, top_k=99), 404, "KNOWLEDGE_BASE_NOT_FOUND")


def test_3_06_a_disabled_or_deleted_one_is_unavailable(idle: Any) -> None:
    kb_id = idle.create()
    idle.client.patch(f"/knowledge_bases/{kb_id}", json={"status": "disabled"})
    error = idle.refused(ask(idle, query="", knowledge_base_id=kb_id), 403, "KNOWLEDGE_BASE_UNAVAILABLE")
    assert str(idle.app.directories.data) not in error["message"]
    idle.delete(kb_id)
    idle.refused(ask(idle, query="quarry", knowledge_base_id=kb_id), 403, "KNOWLEDGE_BASE_UNAVAILABLE")


def test_3_07_without_a_document_that_was_read_nothing_is_found(idle: Any) -> None:
    kb_id = idle.create()
    assert idle.search(kb_id, "quarry") == []
    idle.upload(kb_id, "quarries.md", QUARRIES)
    assert idle.search(kb_id, "quarry") == []
