"""Every setting with its default: one frozen group of values for each part. `loading.py` reads them."""

from __future__ import annotations

from ragd.config.answering import AnswerSettings, LlmSettings, RerankSettings, RetrievalSettings
from ragd.config.fields import Group
from ragd.config.indexing import DenseSettings, EmbeddingSettings, IngestSettings, OcrSettings, SparseSettings, SplitterSettings
from ragd.config.service import (
    EvaluationSettings,
    JobsSettings,
    LimitsSettings,
    McpSettings,
    ObservabilitySettings,
    SecuritySettings,
    ServerSettings,
    StoreSettings,
)
from ragd.config.sources import LiveSettings, SyncSettings, WatchSettings
from ragd.core.ids import hash32


class Settings(Group):
    """Every setting of the daemon. Frozen; built once by `load_settings`, and for each strategy by `with_strategy`."""

    server: ServerSettings = ServerSettings()
    security: SecuritySettings = SecuritySettings()
    store: StoreSettings = StoreSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    rerank: RerankSettings = RerankSettings()
    llm: LlmSettings = LlmSettings()
    answer: AnswerSettings = AnswerSettings()
    dense: DenseSettings = DenseSettings()
    sparse: SparseSettings = SparseSettings()
    ingest: IngestSettings = IngestSettings()
    ocr: OcrSettings = OcrSettings()
    watch: WatchSettings = WatchSettings()
    sync: SyncSettings = SyncSettings()
    live: LiveSettings = LiveSettings()
    mcp: McpSettings = McpSettings()
    jobs: JobsSettings = JobsSettings()
    splitter: SplitterSettings = SplitterSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    observability: ObservabilitySettings = ObservabilitySettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    limits: LimitsSettings = LimitsSettings()

    def strategy_config_id(self) -> str:
        """Hash of everything that shapes an answer or an index; written into every trace."""
        shaping = {"embedding", "rerank", "dense", "sparse", "splitter", "retrieval", "ocr", "llm", "answer"}
        # How many processes read files, and how long jobs are kept, changes nothing that is found.
        reading = self.ingest.model_dump_json(include={"loaders", "cleaner", "enricher"})
        return hash32(self.model_dump_json(include=shaping), reading)
