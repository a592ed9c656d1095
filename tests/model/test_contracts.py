"""The default model, as `rag models pull` made it, keeps the contracts of embedders, and our splitter keeps its with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ragd.ingest.chunking.recursive import RecursiveSplitter
from ragd.models.store import ensure_model
from ragd.providers.embedders.onnx import OnnxEmbedder
from ragd.providers.model_queue import ModelQueue
from ragd.providers.protocols import Embedder, Splitter, Tokenizer
from ragd.providers.queued_embedder import QueuedEmbedder
from ragd.testing import EmbedderContract, SplitterContract

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def default_model(models_dir: Path) -> Iterator[OnnxEmbedder]:
    opened = OnnxEmbedder(ensure_model("multilingual-e5-small", models_dir))
    yield opened
    opened.close()


class TestDefaultModel(EmbedderContract):
    @pytest.fixture
    def embedder(self, default_model: OnnxEmbedder) -> Embedder:
        return default_model


def test_the_queue_changes_no_vector_while_nobody_asks(default_model: OnnxEmbedder, texts: list[str]) -> None:
    queued_embedder = QueuedEmbedder(default_model, ModelQueue())
    np.testing.assert_array_equal(queued_embedder.embed_passages(texts[::5]), default_model.embed_passages(texts[::5]))
    np.testing.assert_array_equal(queued_embedder.embed_queries(texts[:1]), default_model.embed_queries(texts[:1]))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("where is the token", ["▁where", "▁is", "▁the", "▁to", "ken"]),
        ("東京の索引", ["東京", "の", "索", "引"]),
        ("「設定」", ["▁「", "設定", "」"]),
        ("", []),
    ],
)
def test_token_vectors_leave_the_prefix_out_in_every_script(default_model: OnnxEmbedder, text: str, tokens: list[str]) -> None:
    vectors = default_model.query_tokens(text)
    assert vectors.shape == (len(tokens), default_model.dimension)
    (beside,) = default_model.passage_tokens([text])
    assert beside.shape == vectors.shape


class TestSplitterWithItsTokenizer(SplitterContract):
    @pytest.fixture
    def tokenizer(self, default_model: OnnxEmbedder) -> Tokenizer:
        return default_model.tokenizer

    @pytest.fixture
    def splitter(self, tokenizer: Tokenizer) -> Splitter:
        return RecursiveSplitter(tokenizer, chunk_overlap=50)
