"""The default model, as `rag models pull` made it, keeps the contracts of embedders, and our splitter keeps its with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assistant.ingest.chunking import RecursiveSplitter
from rag_assistant.providers.base import Embedder, Splitter, Tokenizer
from rag_assistant.providers.embed_onnx import OnnxEmbedder
from rag_assistant.supply import ensure_model
from rag_assistant.testing import EmbedderContract, SplitterContract

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


class TestSplitterWithItsTokenizer(SplitterContract):
    @pytest.fixture
    def tokenizer(self, default_model: OnnxEmbedder) -> Tokenizer:
        return default_model.tokenizer

    @pytest.fixture
    def splitter(self, tokenizer: Tokenizer) -> Splitter:
        return RecursiveSplitter(tokenizer, chunk_overlap=50)
