"""Every setting with its default: one frozen group of values for each part. `loading.py` reads them."""

from __future__ import annotations

from typing import Any, Final

from ragd.config import answering, indexing, service, sources
from ragd.config.captions import CaptionSettings
from ragd.config.fields import Group
from ragd.core.ids import hash32
from ragd.core.query import Mode

_SHAPING: Final = ("answer", "dense", "embedding", "llm", "ocr", "rerank", "retrieval", "sparse", "splitter")
# How many processes read files, and how long jobs are kept, changes nothing that is found.
_READING: Final = {"loaders", "encodings", "cleaner", "enricher"}
_PRIVATE: Final = {"url", "api_key"}


class Settings(Group):
    """Every setting of the daemon. Frozen; built once by `load_settings`, and for each strategy by `with_strategy`."""

    server: service.ServerSettings = service.ServerSettings()
    security: service.SecuritySettings = service.SecuritySettings()
    oidc: service.OidcSettings = service.OidcSettings()
    store: service.StoreSettings = service.StoreSettings()
    embedding: indexing.EmbeddingSettings = indexing.EmbeddingSettings()
    rerank: answering.RerankSettings = answering.RerankSettings()
    llm: answering.LlmSettings = answering.LlmSettings()
    answer: answering.AnswerSettings = answering.AnswerSettings()
    dense: indexing.DenseSettings = indexing.DenseSettings()
    sparse: indexing.SparseSettings = indexing.SparseSettings()
    index_server: indexing.IndexServerSettings = indexing.IndexServerSettings()
    token_index: indexing.TokenIndexSettings = indexing.TokenIndexSettings()
    ingest: indexing.IngestSettings = indexing.IngestSettings()
    ocr: indexing.OcrSettings = indexing.OcrSettings()
    captions: CaptionSettings = CaptionSettings()
    watch: sources.WatchSettings = sources.WatchSettings()
    sync: sources.SyncSettings = sources.SyncSettings()
    live: sources.LiveSettings = sources.LiveSettings()
    blobs: service.BlobsSettings = service.BlobsSettings()
    mcp: service.McpSettings = service.McpSettings()
    jobs: service.JobsSettings = service.JobsSettings()
    splitter: indexing.SplitterSettings = indexing.SplitterSettings()
    retrieval: answering.RetrievalSettings = answering.RetrievalSettings()
    observability: service.ObservabilitySettings = service.ObservabilitySettings()
    evaluation: service.EvaluationSettings = service.EvaluationSettings()
    limits: service.LimitsSettings = service.LimitsSettings()

    def strategy_config_id(self, mode: Mode | None = None, rerank: bool = True) -> str:
        """Hash of everything that shapes an answer or an index, with what a request says instead; written into every trace."""
        shaping = set(_SHAPING)
        if self.token_index.provider != "none":
            shaping.add("token_index")
        if self.captions != CaptionSettings():
            shaping.add("captions")
        reading = self.ingest.model_dump_json(include=_READING)
        asked = "" if rerank and mode in (None, self.retrieval.strategy) else f"{mode or self.retrieval.strategy} {rerank}"
        return hash32(self.model_dump_json(include=shaping), reading, *([asked] if asked else []))

    def shaping(self) -> dict[str, Any]:
        """Dotted name -> value of what `strategy_config_id` is of, where it is not the default.

        Without addresses and where keys are: traces have these, and others read traces.
        """
        shaping = self.model_dump(mode="json", exclude_defaults=True, include={*_SHAPING, "captions", "token_index", "ingest"})
        return {
            f"{group}.{key}": value
            for group, values in sorted(shaping.items())
            for key, value in values.items()
            if (key in _READING if group == "ingest" else key not in _PRIVATE)
        }
