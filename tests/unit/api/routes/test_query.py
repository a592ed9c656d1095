"""What a query over REST may hold beside its text: filters, operators, preferences, history."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

pytestmark = pytest.mark.slow

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(client: TestClient, finish: Callable[[str], dict[str, Any]], guide: Path) -> Ask:
    """Ask about two documents; the answer must be 200."""
    finish(client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"])

    def post(query: str, **more: Any) -> dict[str, Any]:
        answer = client.post("/api/query", json={"query": query, **more})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    return post


def sources(answer: dict[str, Any]) -> set[str]:
    return {result["source"] for result in answer["results"]}


def test_a_section_prefix_finds_its_sections_alone(ask: Ask) -> None:
    for prefix in ("install > PROXY", ["Install", "Proxy"]):
        answer = ask("kestrel setup", filters={"section_prefix": prefix})
        assert [result["section_path"] for result in answer["results"]] == [["Install", "Proxy"]]


def test_filters_typed_into_the_question_are_hard(ask: Ask) -> None:
    answer = ask("kestrel setup 申請 path:経費", explain=True)
    assert sources(answer) == {"経費.md"}
    assert answer["query"] == "kestrel setup 申請"
    assert answer["plan"]["filters"] == {"path_prefix": "経費"}


def test_filters_that_contradict_each_other_find_nothing_and_say_why(ask: Ask) -> None:
    answer = ask("kestrel setup source:install.md", filters={"source": "経費.md"})
    assert answer["results"] == []
    assert "source install.md and 経費.md" in " ".join(answer["warnings"]) or "経費.md and install.md" in " ".join(
        answer["warnings"]
    )


def test_the_live_version_can_be_asked_for(ask: Ask) -> None:
    version_id = next(result["version_id"] for result in ask("HTTPS_PROXY")["results"] if result["source"] == "install.md")
    assert sources(ask("経費 HTTPS_PROXY", filters={"version_id": version_id})) == {"install.md"}


def test_a_follow_up_is_searched_with_what_it_leaves_unsaid(ask: Ask) -> None:
    history = [{"role": "user", "text": "How do I install kestrel?"}, {"role": "assistant", "text": "Run it."}]
    answer = ask("and behind a proxy?", history=history, explain=True)
    assert answer["query"] == "install kestrel behind a proxy?"
    assert answer["plan"]["asked"] == "and behind a proxy?"
    assert answer["plan"]["rewriting"] == "rules"


def test_a_plan_is_told_on_request_only(ask: Ask) -> None:
    assert "plan" not in ask("HTTPS_PROXY")
    plan = ask("what is HTTPS_PROXY?", explain=True)["plan"]
    assert plan["identifiers"] == [{"kind": "name", "text": "HTTPS_PROXY"}]
    assert plan["language"] == "en"


def test_an_unknown_field_is_told_with_the_nearest_known_one(client: TestClient) -> None:
    answer = client.post("/api/query", json={"query": "x", "histroy": []})
    assert answer.status_code == 400
    assert "Did you mean 'history'?" in answer.json()["error"]["message"]
