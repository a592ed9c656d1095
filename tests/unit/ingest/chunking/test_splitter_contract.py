"""Our splitter keeps the contract that every splitter has to keep."""

from __future__ import annotations

import pytest

from ragd.ingest.chunking.recursive import RecursiveSplitter
from ragd.providers.fakes import WordTokenizer
from ragd.providers.protocols import Splitter, Tokenizer
from ragd.testing import SplitterContract


class TestRecursiveSplitter(SplitterContract):
    @pytest.fixture
    def tokenizer(self) -> Tokenizer:
        return WordTokenizer()

    @pytest.fixture
    def splitter(self, tokenizer: Tokenizer) -> Splitter:
        return RecursiveSplitter(tokenizer, chunk_overlap=8)
