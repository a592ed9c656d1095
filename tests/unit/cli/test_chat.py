"""What `rag chat` prints, in this process and with a language model behind a local service."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from ragd.testing.chat_server import ChatServer, Scripted

pytestmark = pytest.mark.slow


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    with ChatServer(Scripted(pieces=("A queue keeps jobs ", "in order [1]. Bananas ripen [1]."))) as opened:
        settings = {"LLM__PROVIDER": "openai_compatible", "LLM__MODEL": "m", "LLM__URL": opened.url, "LLM__RETRIES": "0"}
        for name, value in {**settings, "RERANK__PROVIDER": "none"}.items():
            monkeypatch.setenv(f"RAG_{name}", value)
        yield opened


def test_an_answer_is_printed_with_its_sources_and_what_they_do_not_bear_out(rag, ingested: None, server: ChatServer) -> None:
    shown = rag("chat", "What does a queue keep?").stdout
    assert shown.startswith("A queue keeps jobs in order [1]. Bananas ripen [1].\n")
    assert "\n[1] " in shown
    assert "? Bananas ripen [1]." in shown


def test_json_has_the_answer_and_what_was_found_for_it(rag, ingested: None, server: ChatServer) -> None:
    answer = json.loads(rag("chat", "What does a queue keep?", "--json").stdout)
    assert answer["answer"] == "A queue keeps jobs in order [1]. Bananas ripen [1]."
    assert answer["retrieval"]["results"]
    assert answer["retrieval"]["trace_id"] == answer["trace_id"]


def test_without_documents_nothing_is_found_and_the_model_is_not_asked(rag, server: ChatServer) -> None:
    assert "do not answer this question" in rag("chat", "Anything?").stdout
    assert server.asked == []


def test_a_conversation_goes_on_until_the_end_of_the_input(rag, ingested: None, server: ChatServer) -> None:
    shown = rag("chat", stdin="What does a queue keep?\n\nAnd then?\n").stdout
    assert shown.count("A queue keeps jobs in order [1].") == 2
    messages = server.asked[1].body["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[2]["content"] == "A queue keeps jobs in order [1]. Bananas ripen [1]."


def test_a_failing_model_is_told_beside_the_extract(rag, ingested: None, server: ChatServer) -> None:
    server.scripts = [Scripted(status=401)]
    result = rag("chat", "What does a queue keep?")
    assert "The documents say:" in result.stdout
    assert "llm.api_key" in result.stderr


def test_an_unknown_collection_is_an_error(rag, server: ChatServer) -> None:
    assert "handbook" in rag("chat", "x", "--collection", "handbook", code=1).stderr


def test_json_needs_a_question(rag) -> None:
    assert "--json needs TEXT" in rag("chat", "--json", code=2).stderr
