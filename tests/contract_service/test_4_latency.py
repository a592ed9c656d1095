"""Requirement 4.1 to 4.3 of the service contract: what its latency criteria ask for works; a test is named after its criterion.

How long it takes is measured under load by scripts, which docs/service-criteria.md names: a test run is no quiet machine.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ..unit.providers.model_service import DIMENSION, Asked, ModelService, Reply, speak
from .samples import samples

_BOUND_S = 60
_STAGES = ("query_norm", "retrieve_dense", "fusion", "rerank", "context_build")


def test_4_01_a_search_embeds_one_question_asks_the_index_once_and_reranks(service: Any) -> None:
    kb_id = service.add_many("Many pages", 30)
    service.search(kb_id, "words of page 1")

    def counted() -> list[float]:
        service.app.tracer.flush()
        found = samples(service.client)
        stages = [found["query_stage_duration_seconds_count", (("stage", stage),)] for stage in _STAGES]
        return [*stages, found["embedding_texts_total", (("kind", "query"),)]]

    warm = counted()
    for number in range(3):
        assert len(service.search(kb_id, f"what stands on page {number}", top_k=5)) == 5
    assert counted() == [before + 3 for before in warm]


def test_4_02_searches_and_uploads_at_the_same_time_are_all_answered_and_nothing_is_lost(service: Any) -> None:
    kb_id = service.add_many("Busy pages", 20)

    def ask(number: int) -> tuple[int, str]:
        if number % 10 == 9:
            answer = service.post(kb_id, f"upload-{number}.md", f"# Upload {number}\n\nWords of upload {number}.")
            return answer.status_code, answer.json()["document_id"]
        body = {"query": f"words of page {number % 20}", "knowledge_base_id": kb_id, "top_k": 5}
        answer = service.client.post("/search", json=body)
        return answer.status_code, str(len(answer.json()))

    with ThreadPoolExecutor(10) as clients:
        answers = list(clients.map(ask, range(40)))
    uploads = answers[9::10]
    assert {status for status, _ in uploads} == {202}
    assert [answer for answer in answers if answer not in uploads] == [(200, "5")] * 36
    assert {service.read(doc_id)["status"] for _, doc_id in uploads} == {"completed"}


@pytest.fixture
def slow_model() -> Iterator[tuple[ModelService, threading.Event, threading.Event]]:
    """A model that, asked for vectors of a passage about a quarry, says so and gives them when it may."""
    service, asked_for, goes_on = ModelService(), threading.Event(), threading.Event()

    def answer(asked: Asked) -> Reply:
        if any("quarry" in text for text in asked.body["input"]):
            asked_for.set()
            goes_on.wait(_BOUND_S)
        return speak(asked)

    service.answer = answer
    yield service, asked_for, goes_on
    goes_on.set()
    service.close()


def test_4_03_searches_are_answered_while_three_documents_are_ingested(opened: Any, slow_model: Any) -> None:
    model, asked_for, goes_on = slow_model
    remote = {"provider": "openai", "model": "m", "url": f"{model.url}/v1", "dimension": DIMENSION, "query_timeout_s": _BOUND_S}
    with opened({f"embedding.{name}": value for name, value in remote.items()}) as service:
        kb_id = service.create()
        service.add(kb_id, "terms.md", "# Terms\n\nPayment within thirty days.")
        uploads = [service.upload(kb_id, f"{lot}.md", f"# Lot {lot}\n\nThe quarry of lot {lot}.") for lot in range(3)]
        assert asked_for.wait(_BOUND_S)
        for _ in range(3):
            assert [one["filename"] for one in service.search(kb_id, "payment")] == ["terms.md"]
        states = [service.ok(service.client.get(f"/documents/{doc_id}"), 200)["status"] for doc_id in uploads]
        assert states == ["processing"] * 3
        goes_on.set()
        assert {service.read(doc_id)["status"] for doc_id in uploads} == {"completed"}
        assert {f"{lot}.md" for lot in range(3)} <= {one["filename"] for one in service.search(kb_id, "quarry")}
