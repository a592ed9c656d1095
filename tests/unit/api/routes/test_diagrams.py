"""Drawings are found by what they say, with the drawing beside the passage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.unit.diagrams.drawings import BPMN, EXCALIDRAW, drawio, png


@pytest.fixture
def asked(tmp_path: Path, client: TestClient, finish: Callable[[str], dict[str, Any]]) -> Callable[[str], list[dict[str, Any]]]:
    """Asks about a folder with one drawing of each kind."""
    folder = tmp_path / "drawings"
    folder.mkdir()
    (folder / "orders.drawio").write_text(drawio())
    (folder / "claims.bpmn").write_text(BPMN.replace("parcel", "claim"))
    (folder / "idea.excalidraw").write_text(EXCALIDRAW.replace("parcel", "idea"))
    (folder / "photo.png").write_bytes(png("mxfile", drawio().replace("parcel", "picture")))
    (folder / "guide.md").write_text(
        "# Guide\n\nSee below.\n\n```mermaid\ngraph LR\n A[Draft] --> B[Review] --> C[Publish]\n```\n"
    )
    job = finish(client.post("/api/ingest", json={"paths": [str(folder)]}).json()["job_id"])
    assert job["result"]["failed"] == []

    def ask(question: str) -> list[dict[str, Any]]:
        answer = client.post("/api/query", json={"query": question, "top_k": 3}).json()
        for result, citation in zip(answer["results"], answer["citations"], strict=False):
            assert result["chunk_id"] != citation["chunk_id"] or result.get("mermaid") == citation.get("mermaid")
        return list(answer["results"])

    return ask


def test_a_question_that_only_a_drawing_answers_finds_it_and_its_mermaid(asked: Callable[[str], list[dict[str, Any]]]) -> None:
    for question, source in [
        ("After the approval, when is the parcel shipped?", "orders.drawio"),
        ("ship the claim", "claims.bpmn"),
        ("ship the idea", "idea.excalidraw"),
        ("ship the picture", "photo.png"),
        ("What comes after Review?", "guide.md"),
    ]:
        best = asked(question)[0]
        assert best["source"].endswith(source)
        [mermaid] = best["mermaid"]
        assert mermaid.startswith("flowchart ")
        # What was derived is beside the document's words, never among them.
        assert "Flow chart with" not in best["content"]
    assert "n2 --> n3" in asked("What comes after Review?")[0]["mermaid"][0]


def test_an_answers_context_says_what_the_drawing_shows(asked: Callable[[str], list[dict[str, Any]]], client: TestClient) -> None:
    asked("parcel")
    context = client.post("/api/query", json={"query": "ship the picture", "top_k": 1}).json()["context"]
    assert "(What the diagram shows: Orders. Flow chart with 4 steps:" in context
    assert "After “Approved?” comes “Ship the picture” (yes)" in context
