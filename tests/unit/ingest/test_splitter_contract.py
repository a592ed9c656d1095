"""Our splitter keeps the contract that every splitter has to keep."""

from __future__ import annotations

import pytest

from rag_assistant.ingest.chunking import RecursiveSplitter
from rag_assistant.providers.base import Splitter, Tokenizer
from rag_assistant.providers.fakes import WordTokenizer
from rag_assistant.testing import SplitterContract


class TestRecursiveSplitter(SplitterContract):
    @pytest.fixture
    def tokenizer(self) -> Tokenizer:
        return WordTokenizer()

    @pytest.fixture
    def splitter(self, tokenizer: Tokenizer) -> Splitter:
        return RecursiveSplitter(tokenizer, chunk_overlap=8)
