"""Contract suites, one for each kind of provider. A provider passes the suite of its kind, ours or a stranger's.

Subclass a suite in a test module under a name that begins with `Test`, override its abstract fixture, and run pytest::

    class TestMyStore(DenseStoreContract):
        @pytest.fixture
        def open_store(self):
            return MyStore  # called with the folder
"""

from __future__ import annotations

from ragd.testing.captions import CaptionerContract
from ragd.testing.common import KB, OTHER_KB, entry_ids, unit_vectors
from ragd.testing.dense import DenseStoreContract
from ragd.testing.llm import LanguageModelContract
from ragd.testing.ocr import OcrEngineContract
from ragd.testing.sources import CloudSourceContract, RemoteSide
from ragd.testing.sparse import SparseStoreContract
from ragd.testing.stages import RerankerContract, SplitterContract
from ragd.testing.texts import AnalyzerContract, EmbedderContract
from ragd.testing.token_index import TokenIndexContract
from ragd.testing.transforms import CleanerContract, EnricherContract

__all__ = [
    "KB",
    "OTHER_KB",
    "AnalyzerContract",
    "CaptionerContract",
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
    "TokenIndexContract",
    "entry_ids",
    "unit_vectors",
]
