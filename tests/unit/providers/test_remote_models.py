"""Embedders and the reranker that ask a service, against one on this machine."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from ragd.config.answering import RerankSettings
from ragd.config.indexing import EmbeddingSettings
from ragd.core.documents import Place
from ragd.core.errors import RemoteRefused, RemoteUnavailable, SettingsError
from ragd.core.results import Passage
from ragd.providers.protocols import Embedder, Reranker, Splitter, Tokenizer
from ragd.providers.registry import build
from ragd.providers.tokenizers.estimate import EstimatedTokenizer
from ragd.testing import EmbedderContract, SplitterContract

from .model_service import DIMENSION, KEY, Asked, ModelService, Reply, vectors_of

OFTEN = 60.0


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelService]:
    monkeypatch.setenv("MODELS_KEY", KEY)
    server = ModelService()
    yield server
    server.close()


Open = Callable[..., Embedder]


@pytest.fixture
def open_embedder(server: ModelService) -> Iterator[Open]:
    opened: list[Embedder] = []

    def open_it(provider: str = "openai", **changed: Any) -> Embedder:
        values = {"url": server.url, "api_key": "env:MODELS_KEY", "model": "some-model", "dimension": DIMENSION} | changed
        embedder: Embedder = build("embedder", provider, options=EmbeddingSettings(**values), sleep=lambda _seconds: None)
        opened.append(embedder)
        return embedder

    yield open_it
    for embedder in opened:
        embedder.close()


class TestOpenAiEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, open_embedder: Open) -> Embedder:
        return open_embedder("openai", query_prefix="query: ", passage_prefix="passage: ")


class TestOllamaEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, open_embedder: Open) -> Embedder:
        return open_embedder("ollama", dimension=0, api_key="")


class TestSplitterOnEstimates(SplitterContract):
    @pytest.fixture
    def tokenizer(self) -> Tokenizer:
        return EstimatedTokenizer()

    @pytest.fixture
    def splitter(self, tokenizer: Tokenizer) -> Splitter:
        splitter: Splitter = build("splitter", "recursive", tokenizer=tokenizer, chunk_overlap=0)
        return splitter


BOTH = pytest.mark.parametrize("provider", ["openai", "ollama"])


def test_openai_is_asked_as_its_reference_says(server: ModelService, open_embedder: Open) -> None:
    open_embedder("openai", url=f"{server.url}/v1", query_prefix="q: ").embed_queries([" 設定 ", ""])
    [asked] = server.asked
    assert asked.path == "/v1/embeddings"
    assert asked.body == {"model": "some-model", "input": ["q: 設定", "q: ."], "encoding_format": "float"}
    assert asked.headers["authorization"] == f"Bearer {KEY}"


def test_ollama_is_asked_as_its_reference_says(server: ModelService, open_embedder: Open) -> None:
    open_embedder("ollama", passage_prefix="p: ").embed_passages(["text"])
    [asked] = server.asked
    assert (asked.path, asked.body) == ("/api/embed", {"model": "some-model", "input": ["p: text"], "truncate": True})


def test_vectors_are_put_in_order_by_their_places(server: ModelService, open_embedder: Open) -> None:
    rows = vectors_of(["one", "two", "three"])
    items = [{"index": place, "embedding": rows[place]} for place in (2, 0, 1)]
    server.replies.append(Reply({"data": items}))
    vectors = open_embedder().embed_passages(["one", "two", "three"])
    assert vectors == pytest.approx(np.array(rows, np.float32) / 3, abs=1e-5)


def test_vectors_in_base64_are_understood(server: ModelService, open_embedder: Open) -> None:
    [row] = vectors_of(["one"])
    text = base64.b64encode(np.array(row, "<f4").tobytes()).decode()
    server.replies.append(Reply({"data": [{"index": 0, "embedding": text}]}))
    assert open_embedder().embed_queries(["one"])[0] == pytest.approx(np.array(row) / 3, abs=1e-5)


def test_the_older_shape_of_ollama_is_understood(server: ModelService, open_embedder: Open) -> None:
    [row] = vectors_of(["one"])
    server.replies.append(Reply({"embedding": row}))
    assert open_embedder("ollama").embed_queries(["one"])[0] == pytest.approx(np.array(row) / 3, abs=1e-5)


@BOTH
def test_texts_go_in_batches_of_texts_and_of_tokens(server: ModelService, open_embedder: Open, provider: str) -> None:
    embedder = open_embedder(provider, max_tokens=20_000)
    done: list[int] = []
    embedder.embed_passages([f"text {number}" for number in range(70)] + ["a " * 15_000] * 3, done.append)
    assert done == [32, 32, 8, 1] == [len(asked.body["input"]) for asked in server.asked]


@BOTH
def test_with_a_dimension_nothing_is_asked_before_the_first_text(
    server: ModelService, open_embedder: Open, provider: str
) -> None:
    embedder = open_embedder(provider, dimension=5)
    assert (embedder.dimension, server.asked) == (5, [])


@BOTH
def test_without_a_dimension_the_model_is_asked_once(server: ModelService, open_embedder: Open, provider: str) -> None:
    assert open_embedder(provider, dimension=0).dimension == DIMENSION
    assert len(server.asked) == 1


@BOTH
@pytest.mark.parametrize("row", [[], None, 7])
def test_a_model_that_does_not_tell_its_dimension_is_an_error(
    server: ModelService, open_embedder: Open, provider: str, row: object
) -> None:
    server.replies.append(Reply({"data": [{"index": 0, "embedding": row}], "embeddings": [row][: row is not None]}))
    with pytest.raises(RemoteUnavailable, match="no vector"):
        open_embedder(provider, dimension=0)


@BOTH
def test_without_a_dimension_a_silent_service_is_told_with_the_way_out(
    server: ModelService, open_embedder: Open, provider: str
) -> None:
    server.answer = lambda asked: Reply({"error": "loading"}, 503)
    with pytest.raises(RemoteUnavailable, match=r"loading.*With embedding\.dimension set"):
        open_embedder(provider, dimension=0)


@BOTH
@pytest.mark.parametrize(
    "row",
    [
        *([number] * DIMENSION for number in (0.0, float("nan"), float("inf"), None, "1", True, [1.0], 10**400)),
        *([], [1.0], "text", None, {}, 7),
    ],
)
def test_a_vector_that_is_none_is_an_error(server: ModelService, open_embedder: Open, provider: str, row: object) -> None:
    body = {"data": [{"index": 0, "embedding": row}]} if provider == "openai" else {"embeddings": [row]}
    server.replies.append(Reply(body))
    with pytest.raises(RemoteUnavailable):
        open_embedder(provider).embed_queries(["one"])


@BOTH
@pytest.mark.parametrize("body", [None, [], "text", 7, {}, {"data": None}, {"data": [7]}, {"data": []}, {"embeddings": 7}])
def test_an_answer_of_another_shape_is_an_error(server: ModelService, open_embedder: Open, provider: str, body: object) -> None:
    server.replies.append(Reply(body))
    with pytest.raises(RemoteUnavailable):
        open_embedder(provider).embed_queries(["one"])


@pytest.mark.parametrize("places", [[0], [0, 0], [0, 2], [-1, 0], [0, "1"], [0, 1, 2], [0, True]])
def test_places_that_are_not_those_of_the_texts_are_an_error(
    server: ModelService, open_embedder: Open, places: list[object]
) -> None:
    server.replies.append(Reply({"data": [{"index": place, "embedding": [1.0] * DIMENSION} for place in places]}))
    with pytest.raises(RemoteUnavailable, match="places"):
        open_embedder().embed_queries(["one", "two"])


def test_another_dimension_than_was_set_says_what_to_do(server: ModelService, open_embedder: Open) -> None:
    with pytest.raises(RemoteRefused, match=r"vectors of 64 numbers, and 32 are.*rag reindex"):
        open_embedder(dimension=32).embed_queries(["one"])


def test_the_revision_names_what_shapes_the_vectors_and_not_the_host(open_embedder: Open) -> None:
    same = open_embedder(url="https://a.example.com").revision
    assert open_embedder(url="https://b.example.com").revision == same
    others = [
        open_embedder(**changed).revision
        for changed in ({"dimension": 7}, {"query_prefix": "q: "}, {"passage_prefix": "q: "}, {"max_tokens": 400})
    ]
    assert len({same, *others, open_embedder("ollama").revision}) == 6


def test_a_prefix_that_leaves_no_room_is_refused(open_embedder: Open) -> None:
    with pytest.raises(SettingsError, match=r"embedding\.query_prefix"):
        open_embedder(query_prefix="instruction " * 20, max_tokens=32)


def test_a_missing_key_is_told_before_anything_is_sent(server: ModelService, open_embedder: Open) -> None:
    with pytest.raises(SettingsError, match=r"'embedding\.api_key'.*NO_SUCH_KEY"):
        open_embedder(api_key="env:NO_SUCH_KEY", dimension=0)
    assert server.asked == []


def test_a_question_gives_up_sooner_than_a_file(server: ModelService, open_embedder: Open) -> None:
    server.answer = lambda asked: Reply({}, 503)
    embedder = open_embedder()
    with pytest.raises(RemoteUnavailable, match="2 attempts"):
        embedder.embed_queries(["one"])
    with pytest.raises(RemoteUnavailable, match="6 attempts"):
        embedder.embed_passages(["one"])


def test_the_estimate_is_not_below_the_bytes_or_the_words_of_a_text() -> None:
    tokenizer = EstimatedTokenizer()
    assert tokenizer.count("install the package") == 10
    assert tokenizer.count("設定") == 6
    assert tokenizer.count("ファイル") == 8
    assert tokenizer.count("8f3a") == 4
    assert tokenizer.count("  \n") == 3
    assert tokenizer.count("👩‍👩‍👧") == len("👩‍👩‍👧".encode())
    assert tokenizer.count("\ufdfa") == 18  # a phrase in one character


@pytest.mark.parametrize("text", ["install the package", "設定を変更します", "a\ud800b", "👩‍👩‍👧‍👦 x", ""])
def test_a_cut_text_keeps_within_the_limit(text: str) -> None:
    tokenizer = EstimatedTokenizer()
    for limit in range(tokenizer.count(text) + 2):
        cut = tokenizer.cut(text, limit)
        assert text.startswith(cut)
        assert tokenizer.count(cut) <= limit
    assert tokenizer.cut(text, tokenizer.count(text)) == text


# Reranking


@pytest.fixture
def reranker(server: ModelService) -> Iterator[Reranker]:
    options = RerankSettings(provider="remote", model="ranker", url=f"{server.url}/v1/rerank", api_key="env:MODELS_KEY")
    reranker: Any = build("reranker", "remote", options=options)
    yield reranker
    reranker.close()


def passages(*contents: str) -> list[Passage]:
    return [
        Passage(
            chunk_id=f"chunk{number}",
            doc_id="doc",
            version_id="version",
            collection="default",
            content=content,
            source="disks.md",
            source_uri="file:///disks.md",
            doc_type="markdown",
            title="Disks",
            section_path=(),
            place=Place(line_range=(1, 1)),
            ordinal=number,
            tokens=3,
        )
        for number, content in enumerate(contents)
    ]


TWO = passages("mount a disk", "bake a cake")


def soon() -> float:
    return time.monotonic() + OFTEN


def test_passages_are_scored_in_their_order(server: ModelService, reranker: Reranker) -> None:
    first, second, third = reranker.score("How is a disk mounted?", passages("bake cakes", "a disk is mounted", "disk"), soon())
    assert 0 <= first < third < second <= 1
    [asked] = server.asked
    assert asked.path == "/v1/rerank"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body["model"] == "ranker"
    assert asked.body["documents"][1] == "a disk is mounted"
    assert asked.body["return_documents"] is False
    assert (reranker.judges, reranker.name) == (True, "remote")


def test_nothing_is_asked_for_nothing_or_without_time(server: ModelService, reranker: Reranker) -> None:
    assert reranker.score("question", [], soon()) == []
    assert reranker.score("question", TWO, time.monotonic()) == []
    assert server.asked == []


def test_scores_beyond_0_and_1_get_a_sigmoid(server: ModelService, reranker: Reranker) -> None:
    server.replies.append(Reply({"results": [{"index": 1, "relevance_score": -1000}, {"index": 0, "relevance_score": 2.0}]}))
    assert reranker.score("question", TWO, soon()) == pytest.approx([0.8808, 0.0], abs=1e-4)


def test_text_embeddings_inference_is_asked_in_its_own_way_from_then_on(server: ModelService, reranker: Reranker) -> None:
    def speak(asked: Asked) -> Reply:
        if "texts" not in asked.body:
            return Reply({"error": "missing field `texts`", "error_type": "Validation"}, 422)
        return Reply([{"index": 1, "score": 0.9}, {"index": 0, "score": 0.2}])

    server.answer = speak
    assert reranker.score("question", TWO, soon()) == reranker.score("question", TWO, soon()) == [0.2, 0.9]
    assert len(server.asked) == 3


def test_a_service_that_refuses_both_shapes_is_told(server: ModelService, reranker: Reranker) -> None:
    server.answer = lambda asked: Reply({"message": "query too long"}, 400)
    for _ in range(2):
        with pytest.raises(RemoteRefused, match="query too long"):
            reranker.score("question", TWO, soon())
    assert ["documents" in asked.body for asked in server.asked] == [True, False, True, False]


@pytest.mark.parametrize(
    "results",
    [
        None,
        "text",
        [7],
        [],
        [{"index": 0, "relevance_score": 1}],
        [{"index": 0, "relevance_score": 1}, {"index": 0, "relevance_score": 1}],
        [{"index": 0, "relevance_score": 1}, {"index": 2, "relevance_score": 1}],
        [{"index": 0, "relevance_score": 1}, {"index": -1, "relevance_score": 1}],
        [{"index": 0, "relevance_score": 1}, {"index": "1", "relevance_score": 1}],
        [{"index": 0, "relevance_score": 1}, {"index": 1}],
        [{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": float("nan")}],
        [{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": 10**400}],
    ],
)
def test_scores_that_can_not_be_used_are_an_error(server: ModelService, reranker: Reranker, results: object) -> None:
    server.replies.append(Reply({"results": results}))
    with pytest.raises(RemoteUnavailable):
        reranker.score("question", TWO, soon())


def test_a_busy_reranker_is_not_asked_twice(server: ModelService, reranker: Reranker) -> None:
    server.answer = lambda asked: Reply({}, 503)
    with pytest.raises(RemoteUnavailable, match="first attempt"):
        reranker.score("question", TWO, soon())
    assert len(server.asked) == 1
