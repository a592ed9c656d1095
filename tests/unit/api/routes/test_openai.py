"""OpenAI's interface, asked by the official client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from starlette.testclient import TestClient

from ragd.app.container import Application
from ragd.testing.chat_server import ChatServer, Scripted

pytestmark = pytest.mark.slow

URL = "http://127.0.0.1:8765/v1"
TOKEN = "a-token-for-tests"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, opened: Any) -> Iterator[Application]:
    """One for the whole file, whose tests leave the collection `default` as it is."""
    with opened(tmp_path_factory.mktemp("openai"), {"answer.min_confidence": 0.0}) as app:
        yield app


@pytest.fixture(scope="module")
def filled(app: Application, served: Any, finish_in: Any, write_guide: Any, tmp_path_factory: Any) -> Iterator[TestClient]:
    app.runner.start()
    with served(app) as client:
        fill(app, client, finish_in, write_guide(tmp_path_factory.mktemp("documents")))
        yield client


def fill(app: Application, client: TestClient, finish_in: Any, folder: Path) -> None:
    finish_in(app, client, client.post("/api/ingest", json={"paths": [str(folder)]}).json()["job_id"])


def speaking(client: TestClient, token: str = TOKEN) -> openai.OpenAI:
    """The official client, whose requests the application answers without a network."""

    def hand_on(request: httpx2.Request) -> httpx2.Response:
        headers = {name: value for name, value in request.headers.items() if name != "content-length"}
        answer = client.request(request.method, str(request.url), content=request.read(), headers=headers)
        return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.content)

    http = httpx2.Client(transport=httpx2.MockTransport(hand_on))
    return openai.OpenAI(api_key=token, base_url=URL, http_client=http, max_retries=0)


@pytest.fixture(scope="module")
def ai(filled: TestClient) -> openai.OpenAI:
    return speaking(filled)


QUESTION: list[Any] = [{"role": "user", "content": "How do I run kestrel setup?"}]


def test_collections_and_models_are_listed(ai: openai.OpenAI, filled: TestClient) -> None:
    filled.post("/api/collections", json={"name": "Tenders 2026", "description": "Of customers"})
    filled.post("/api/collections", json={"name": "closed"})
    filled.patch("/api/collections/closed", json={"status": "disabled"})
    found = {model.id: model for model in ai.models.list()}
    assert {name: model.kind for name, model in found.items()} == {  # type: ignore[attr-defined]
        "default": "collection",
        "Tenders 2026": "collection",
        "fake": "embedding",
        "maxsim": "rerank",
    }
    assert found["default"].created > 1_700_000_000
    assert ai.models.retrieve("Tenders 2026").description == "Of customers"  # type: ignore[attr-defined]
    with pytest.raises(openai.NotFoundError) as failure:
        ai.models.retrieve("gpt-9")
    assert failure.value.code == "model_not_found"


def test_a_collection_answers_with_citations_as_text_and_as_fields(ai: openai.OpenAI) -> None:
    answer = ai.chat.completions.create(model="default", messages=QUESTION)
    (choice,) = answer.choices
    text = choice.message.content or ""
    assert "kestrel setup" in text
    assert "\n\n---\n[1] Install (install.md, " in text
    assert (choice.finish_reason, choice.message.role, answer.model) == ("stop", "assistant", "default")
    (first, *_) = answer.citations  # type: ignore[attr-defined]
    assert (first["id"], first["source"]) == (1, "install.md")
    (mark, *_) = choice.message.annotations or ()
    assert text[mark.url_citation.start_index : mark.url_citation.end_index] == "[1]"
    assert mark.url_citation.url == first["source_uri"]
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 10
    assert answer.found is True  # type: ignore[attr-defined]


def test_a_stream_gives_the_same_in_pieces_and_usage_when_asked(ai: openai.OpenAI) -> None:
    whole = ai.chat.completions.create(model="default", messages=QUESTION)
    stream = ai.chat.completions.create(model="default", messages=QUESTION, stream=True, stream_options={"include_usage": True})
    *chunks, last = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == whole.choices[0].message.content
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices[0].finish_reason] == ["stop"]
    assert chunks[-1].citations == whole.citations  # type: ignore[attr-defined]
    assert (last.choices, last.usage) == ([], whole.usage)
    assert len({chunk.id for chunk in chunks}) == 1
    plain = list(ai.chat.completions.create(model="default", messages=QUESTION, stream=True))
    assert all(chunk.choices and chunk.usage is None for chunk in plain)


def test_a_stream_ends_with_done(filled: TestClient) -> None:
    answer = filled.post("/v1/chat/completions", json={"model": "default", "messages": QUESTION, "stream": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.endswith("\n\ndata: [DONE]\n\n")


@pytest.fixture(scope="module")
def written(opened: Any, served: Any, finish_in: Any, write_guide: Any, tmp_path_factory: Any) -> Iterator[Any]:
    """A client whose answers a language model writes, and that model's service."""
    with ChatServer() as server:
        model = {"llm.provider": "openai_compatible", "llm.model": "m", "llm.url": server.url, "llm.retries": 0}
        changes = {**model, "answer.min_confidence": 0.0, "rerank.provider": "none"}
        with opened(tmp_path_factory.mktemp("openai"), changes) as app, served(app) as client:
            app.runner.start()
            fill(app, client, finish_in, write_guide(tmp_path_factory.mktemp("documents")))
            yield speaking(client), server


def test_history_reaches_the_model_without_the_lists_of_citations(written: tuple[openai.OpenAI, ChatServer]) -> None:
    ai, server = written
    server.scripts = [Scripted(pieces=("Run `kestrel setup` ", "once [1]."))]
    first = ai.chat.completions.create(model="default", messages=QUESTION)
    said = first.choices[0].message
    assert said.content == f"Run `kestrel setup` once [1].\n\n---\n[1] {first.citations[0]['title']} ({_place(first)})"  # type: ignore[attr-defined]
    history = [*QUESTION, said.to_dict(), {"role": "user", "content": [{"type": "text", "text": "And the proxy?"}]}]
    ai.chat.completions.create(model="default", messages=history)
    contents = [message["content"] for message in server.asked[-1].body["messages"]]
    assert QUESTION[0]["content"] in contents
    assert any(content.startswith("Run `kestrel setup`") and "---" not in content for content in contents[1:-1])
    assert contents[-1].endswith("the proxy?")


def test_an_answer_that_is_cut_off_does_not_end_as_a_whole_one(written: tuple[openai.OpenAI, ChatServer]) -> None:
    ai, server = written
    server.scripts = [Scripted(pieces=("Run it",), cut=True)]
    answer = ai.chat.completions.create(model="default", messages=QUESTION)
    assert answer.choices[0].finish_reason == "length"
    assert any("broke off" in warning for warning in answer.warnings)  # type: ignore[attr-defined]


def test_without_a_reranker_none_is_listed_and_asking_it_says_so(written: tuple[openai.OpenAI, ChatServer]) -> None:
    ai, _ = written
    assert [model.kind for model in ai.models.list()] == ["collection", "embedding"]  # type: ignore[attr-defined]
    with pytest.raises(openai.NotFoundError, match="No reranker"):
        ai.post("/rerank", body={"model": "maxsim", "query": "x", "documents": ["y"]}, cast_to=object)


def _place(answer: Any) -> str:
    return str(answer.choices[0].message.content).rpartition(" (")[2].removesuffix(")")


def test_system_messages_are_left_out_and_the_answer_says_so(ai: openai.OpenAI) -> None:
    messages: list[Any] = [{"role": "system", "content": "Speak like a pirate."}, *QUESTION]
    answer = ai.chat.completions.create(model="default", messages=messages)
    assert any("System messages" in warning for warning in answer.warnings)  # type: ignore[attr-defined]


@pytest.mark.parametrize("more", [{"temperature": 0.2, "max_tokens": 5, "user": "u", "seed": 1}, {"n": 1, "tools": []}])
def test_parameters_that_do_no_harm_are_taken(ai: openai.OpenAI, more: dict[str, Any]) -> None:
    assert ai.chat.completions.create(model="default", messages=QUESTION, **more).choices


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"n": 2}, "n"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"stop": ["\n"]}, "stop"),
        ({"logprobs": True}, "logprobs"),
        ({"extra_body": {"temprature": 1}}, "temprature"),
        ({"messages": [{"role": "assistant", "content": "Hello"}]}, "messages"),
        ({"messages": [{"role": "system", "content": "Hello"}]}, "messages"),
    ],
)
def test_what_would_change_the_answer_and_can_not_is_refused(ai: openai.OpenAI, more: dict[str, Any], field: str) -> None:
    with pytest.raises(openai.BadRequestError) as failure:
        ai.chat.completions.create(**{"model": "default", "messages": QUESTION, **more})
    assert failure.value.param == field
    assert failure.value.type == "invalid_request_error"


def test_failures_are_those_of_the_official_client(ai: openai.OpenAI, filled: TestClient) -> None:
    with pytest.raises(openai.NotFoundError) as unknown:
        ai.chat.completions.create(model="nobody", messages=[])
    assert unknown.value.code == "model_not_found"
    filled.post("/api/collections", json={"name": "closed"})
    filled.patch("/api/collections/closed", json={"status": "disabled"})
    with pytest.raises(openai.PermissionDeniedError) as closed:
        ai.chat.completions.create(model="closed", messages=QUESTION)
    assert closed.value.code == "knowledge_base_unavailable"
    with pytest.raises(openai.AuthenticationError) as stranger:
        speaking(filled, "another").models.list()
    assert stranger.value.code == "invalid_api_key"
    assert stranger.value.request_id
    host = filled.get("/v1/models", headers={"Host": "evil.example"})
    assert (host.status_code, host.json()["error"]["type"]) == (403, "permission_error")
    for path, status in (("/v1/nothing", 404), ("/v1/embeddings", 405)):
        answer = filled.get(path)
        assert answer.status_code == status
        assert set(answer.json()["error"]) == {"message", "type", "param", "code", "request_id"}


def test_texts_become_unit_vectors_by_the_prefix_of_their_kind(ai: openai.OpenAI, app: Application) -> None:
    answer = ai.embeddings.create(model="fake", input=["lease", "経費"], encoding_format="float")
    embedder = app.models.uncentred()
    assert [row.index for row in answer.data] == [0, 1]
    assert [row.embedding for row in answer.data] == embedder.embed_passages(["lease", "経費"]).tolist()
    assert sum(value * value for value in answer.data[0].embedding) == pytest.approx(1)
    assert answer.usage.total_tokens == sum(map(embedder.tokenizer.count, ["lease", "経費"]))
    # The client asks for base64 by itself, and decodes it.
    packed = ai.embeddings.create(model="fake", input="lease", dimensions=256)
    assert packed.data[0].embedding == pytest.approx(answer.data[0].embedding)
    asked = ai.embeddings.create(model="fake", input="lease", extra_body={"input_type": "query"})
    assert asked.data[0].embedding == pytest.approx(embedder.embed_queries(["lease"])[0].tolist())


@pytest.mark.parametrize(
    ("more", "field", "words"),
    [
        ({"input": [1, 2, 3]}, "input", "Token ids"),
        ({"input": [[1, 2]]}, "input", "Token ids"),
        ({"input": []}, "input", "1 to 256"),
        ({"input": ["a", " "]}, "input[1]", "empty"),
        ({"input": ["a"] * 257}, "input", "257 texts"),
        ({"input": ["a", "word " * 5000]}, "input[1]", "tokens; the model reads"),
        ({"dimensions": 64}, "dimensions", "256"),
    ],
)
def test_texts_that_can_not_be_embedded_as_asked_are_refused(
    ai: openai.OpenAI, more: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(openai.BadRequestError, match=words) as failure:
        ai.embeddings.create(**{"model": "fake", "input": "a", **more})
    assert failure.value.param == field


def test_another_embedding_model_is_not_found(ai: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="it is 'fake'"):
        ai.embeddings.create(model="text-embedding-3-small", input=[])


def test_documents_are_scored_for_a_query(filled: TestClient) -> None:
    documents = ["The lease ends in May.", {"text": "kestrel setup is run once."}, "Lunch is at noon."]
    body = {"model": "maxsim", "query": "run kestrel setup", "documents": documents, "top_n": 2, "return_documents": True}
    answer = filled.post("/v1/rerank", json=body)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    first, second = found["results"]
    assert first["index"] == 1
    assert first["document"] == documents[1]
    assert 1 >= first["relevance_score"] > second["relevance_score"] >= 0
    assert found["usage"]["total_tokens"] > 10
    plain = filled.post("/v1/rerank", json={**body, "top_n": None, "return_documents": False}).json()
    assert sorted(one["index"] for one in plain["results"]) == [0, 1, 2]
    assert all(set(one) == {"index", "relevance_score"} for one in plain["results"])


@pytest.mark.parametrize(
    ("change", "status", "param"),
    [
        ({"model": "rerank-v3.5"}, 404, None),
        ({"documents": []}, 400, "documents"),
        ({"documents": ["a"] * 101}, 400, "documents"),
        ({"top_n": 0}, 400, "top_n"),
    ],
)
def test_a_rerank_that_can_not_be_is_refused(filled: TestClient, change: Any, status: int, param: str | None) -> None:
    answer = filled.post("/v1/rerank", json={"model": "maxsim", "query": "a", "documents": ["b"], **change})
    assert (answer.status_code, answer.json()["error"]["param"]) == (status, param), json.dumps(answer.json())
