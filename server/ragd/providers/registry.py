"""The one table of providers. Built-ins and other people's packages register alike and are imported when first built."""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import Any

from ragd.core.errors import SettingsError, did_you_mean
from ragd.providers.protocols import ProviderKind

ENTRY_POINT_GROUP = "ragd.providers"
_FORMER_GROUP = "rag_assistant.providers"

TABLE: dict[tuple[ProviderKind, str], str] = {
    ("loader", "epub"): "ragd.formats.epub.loader:EpubLoader",
    ("loader", "opendocument"): "ragd.formats.opendocument.loader:OpenDocumentLoader",
    ("loader", "rtf"): "ragd.formats.rtf.loader:RtfLoader",
    ("loader", "markdown"): "ragd.formats.markdown.loader:MarkdownLoader",
    ("loader", "text"): "ragd.formats.text.loader:TextLoader",
    ("loader", "code"): "ragd.formats.text.loader:CodeLoader",
    ("loader", "html"): "ragd.formats.html.loader:HtmlLoader",
    ("loader", "pdf"): "ragd.formats.pdf.loader:PdfLoader",
    ("loader", "word"): "ragd.formats.word.loader:WordLoader",
    ("loader", "excel"): "ragd.formats.excel.loader:ExcelLoader",
    ("loader", "csv"): "ragd.formats.tables.loader:CsvLoader",
    ("loader", "powerpoint"): "ragd.formats.powerpoint.loader:PowerPointLoader",
    ("loader", "image"): "ragd.formats.images.loader:ImageLoader",
    ("loader", "diagram"): "ragd.formats.diagram.loader:DiagramLoader",
    ("loader", "notebook"): "ragd.formats.notebook.loader:NotebookLoader",
    ("loader", "email"): "ragd.formats.email.loader:EmailLoader",
    ("loader", "confluence"): "ragd.formats.confluence.loader:ConfluenceLoader",
    ("loader", "jira"): "ragd.formats.jira.loader:JiraLoader",
    ("ocr", "rapidocr"): "ragd.providers.ocr.rapidocr:RapidOcrEngine",
    ("ocr", "none"): "ragd.providers.ocr.none:NoOcr",
    ("captioner", "rules"): "ragd.providers.captioners.rules:RulesCaptioner",
    ("captioner", "openai"): "ragd.providers.captioners.remote:OpenAiCaptioner",
    ("captioner", "azure"): "ragd.providers.captioners.remote:AzureCaptioner",
    ("captioner", "openai_compatible"): "ragd.providers.captioners.remote:OpenAiCompatibleCaptioner",
    ("captioner", "ollama"): "ragd.providers.captioners.remote:OllamaCaptioner",
    ("captioner", "anthropic"): "ragd.providers.captioners.remote:AnthropicCaptioner",
    ("captioner", "editor"): "ragd.providers.captioners.editor:EditorCaptioner",
    ("captioner", "fake"): "ragd.providers.captioners.fake:FakeCaptioner",
    ("captioner", "none"): "ragd.providers.captioners.none:NoCaptioner",
    ("cleaner", "rules"): "ragd.ingest.enrichment.cleaning:RuleCleaner",
    ("cleaner", "none"): "ragd.ingest.enrichment.cleaning:NoCleaner",
    ("splitter", "recursive"): "ragd.ingest.chunking.recursive:RecursiveSplitter",
    ("splitter", "fixed"): "ragd.ingest.chunking.splitters:FixedSplitter",
    ("splitter", "semantic"): "ragd.ingest.chunking.splitters:SemanticSplitter",
    ("enricher", "rules"): "ragd.ingest.enrichment.rules:RuleEnricher",
    ("enricher", "none"): "ragd.ingest.enrichment.rules:NoEnricher",
    ("embedder", "onnx"): "ragd.providers.embedders.onnx:OnnxEmbedder",
    ("embedder", "openai"): "ragd.providers.embedders.remote:OpenAiEmbedder",
    ("embedder", "ollama"): "ragd.providers.embedders.remote:OllamaEmbedder",
    ("embedder", "fake"): "ragd.providers.fakes:FakeEmbedder",
    ("analyzer", "sudachi"): "ragd.providers.analyzers.sudachi:SudachiAnalyzer",
    ("analyzer", "bigram"): "ragd.providers.analyzers.terms:BigramAnalyzer",
    ("dense", "exact"): "ragd.providers.dense.exact:ExactStore",
    ("dense", "usearch"): "ragd.providers.dense.usearch:UsearchStore",
    ("dense", "qdrant"): "ragd.providers.qdrant.stores:QdrantDenseStore",
    ("dense", "pgvector"): "ragd.providers.dense.pgvector:PgvectorStore",
    ("dense", "milvus"): "ragd.providers.milvus.stores:MilvusDenseStore",
    ("sparse", "tantivy"): "ragd.providers.sparse.tantivy:TantivyStore",
    ("sparse", "fts5"): "ragd.providers.sparse.fts5:Fts5Store",
    ("sparse", "rank_bm25"): "ragd.providers.sparse.rank_bm25:RankBm25Store",
    ("sparse", "milvus"): "ragd.providers.milvus.stores:MilvusSparseStore",
    ("sparse", "qdrant"): "ragd.providers.qdrant.stores:QdrantSparseStore",
    ("sparse", "postgres"): "ragd.providers.sparse.postgres:PostgresBm25Store",
    ("token_index", "file"): "ragd.providers.token_index.file:FileTokenIndex",
    ("token_index", "postgres"): "ragd.providers.token_index.postgres:PostgresTokenIndex",
    ("fusion", "adaptive"): "ragd.retrieve.ranking.adaptive:AdaptiveFusion",
    ("fusion", "learned"): "ragd.retrieve.ranking.learned:LearnedFusion",
    ("fusion", "rrf"): "ragd.retrieve.ranking.fusion:ReciprocalRankFusion",
    ("fusion", "weighted_sum"): "ragd.retrieve.ranking.fusion:WeightedSum",
    ("reranker", "none"): "ragd.providers.rerankers.none:NoReranker",
    ("reranker", "maxsim"): "ragd.providers.rerankers.maxsim:MaxSimReranker",
    ("reranker", "cross_encoder"): "ragd.providers.rerankers.cross_encoder:CrossEncoderReranker",
    ("reranker", "remote"): "ragd.providers.rerankers.remote:RemoteReranker",
    ("llm", "openai"): "ragd.providers.llms.openai:OpenAiModel",
    ("llm", "azure"): "ragd.providers.llms.openai:AzureModel",
    ("llm", "ollama"): "ragd.providers.llms.openai:OllamaModel",
    ("llm", "deepseek"): "ragd.providers.llms.openai:DeepSeekModel",
    ("llm", "openai_compatible"): "ragd.providers.llms.openai:OpenAiCompatibleModel",
    ("llm", "anthropic"): "ragd.providers.llms.anthropic:AnthropicModel",
    ("reranker", "llm"): "ragd.providers.rerankers.llm:LlmReranker",
    ("metric_set", "ragas"): "ragd.evaluation.external.sets:RagasMetrics",
    ("metric_set", "deepeval"): "ragd.evaluation.external.sets:DeepEvalMetrics",
    ("source", "confluence"): "ragd.sources.confluence.source:ConfluenceSource",
    ("source", "jira"): "ragd.sources.jira.source:JiraSource",
}

# What `auto` means, for the database that holds the content: embedded indexes beside SQLite, the same server for PostgreSQL.
_AUTO: dict[ProviderKind, tuple[str, str]] = {
    "dense": ("usearch", "pgvector"),
    "sparse": ("tantivy", "postgres"),
    "token_index": ("file", "postgres"),
}


def index_provider(kind: ProviderKind, name: str, store_url: str) -> str:
    """The index that `name` stands for: `auto` is the one that goes with the database at `store_url`."""
    return _AUTO[kind][store_url.startswith("postgresql")] if name == "auto" else name


def names(kind: ProviderKind) -> list[str]:
    """Names registered for a kind: our own, and `kind.name` entry points of installed packages."""
    own = [name for table_kind, name in TABLE if table_kind == kind]
    prefix = f"{kind}."
    return own + [
        point.name.removeprefix(prefix) for point in entry_points(group=ENTRY_POINT_GROUP) if point.name.startswith(prefix)
    ]


def provider_class(kind: ProviderKind, name: str) -> Any:
    """The class (or factory) behind a name. Raises `SettingsError` with the known names for an unknown one."""
    if target := TABLE.get((kind, name)):
        module, _, attribute = target.partition(":")
        return getattr(importlib.import_module(module), attribute)
    for point in entry_points(group=ENTRY_POINT_GROUP, name=f"{kind}.{name}"):
        return point.load()
    if entry_points(group=_FORMER_GROUP, name=f"{kind}.{name}"):
        raise SettingsError(
            f"The package with the {kind} provider '{name}' registers it under the former entry-point group '{_FORMER_GROUP}'. "
            f"Move it to the group '{ENTRY_POINT_GROUP}', and its imports from 'rag_assistant' to 'ragd'."
        )
    known = names(kind)
    raise SettingsError(f"There is no {kind} provider '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}.")


def build(kind: ProviderKind, name: str, **options: Any) -> Any:
    """Make a provider. `options` are its constructor's keyword arguments."""
    return provider_class(kind, name)(**options)
