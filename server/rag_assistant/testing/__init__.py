"""Contract suites, one for each kind of provider. A provider passes the suite of its kind, ours or a stranger's.

Subclass a suite in a test module under a name that begins with `Test`, override its abstract fixture, and run pytest::

    class TestMyStore(DenseStoreContract):
        @pytest.fixture
        def open_store(self):
            return MyStore  # called with the folder
"""

from __future__ import annotations

from rag_assistant.testing.common import KB, OTHER_KB, entry_ids, unit_vectors
from rag_assistant.testing.dense import DenseStoreContract
from rag_assistant.testing.llm import LanguageModelContract
from rag_assistant.testing.ocr import OcrEngineContract
from rag_assistant.testing.sources import CloudSourceContract, RemoteSide
from rag_assistant.testing.sparse import SparseStoreContract
from rag_assistant.testing.stages import RerankerContract, SplitterContract
from rag_assistant.testing.texts import AnalyzerContract, EmbedderContract
from rag_assistant.testing.transforms import CleanerContract, EnricherContract

__all__ = [
    "KB",
    "OTHER_KB",
    "AnalyzerContract",
    "CleanerContract",
    "CloudSourceContract",
    "DenseStoreContract",
    "EmbedderContract",
    "EnricherContract",
    "LanguageModelContract",
    "OcrEngineContract",
    "RemoteSide",
    "RerankerContract",
    "SparseStoreContract",
    "SplitterContract",
    "entry_ids",
    "unit_vectors",
]
