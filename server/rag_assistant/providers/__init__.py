"""The one table of providers. Built-ins and other people's packages register alike and are imported when first built."""

from __future__ import annotations

import difflib
import importlib
from importlib.metadata import entry_points
from typing import Any

from rag_assistant.errors import SettingsError
from rag_assistant.providers.base import ProviderKind

ENTRY_POINT_GROUP = "rag_assistant.providers"

_PACKAGE = "rag_assistant.providers"

TABLE: dict[tuple[ProviderKind, str], str] = {
    ("loader", "markdown"): "rag_assistant.ingest.loaders.markdown:MarkdownLoader",
    ("loader", "text"): "rag_assistant.ingest.loaders.text:TextLoader",
    ("loader", "code"): "rag_assistant.ingest.loaders.text:CodeLoader",
    ("loader", "html"): "rag_assistant.ingest.loaders.html:HtmlLoader",
    ("loader", "pdf"): "rag_assistant.ingest.loaders.pdf:PdfLoader",
    ("loader", "word"): "rag_assistant.ingest.loaders.word:WordLoader",
    ("loader", "excel"): "rag_assistant.ingest.loaders.excel:ExcelLoader",
    ("loader", "csv"): "rag_assistant.ingest.loaders.csv:CsvLoader",
    ("loader", "powerpoint"): "rag_assistant.ingest.loaders.powerpoint:PowerPointLoader",
    ("loader", "image"): "rag_assistant.ingest.loaders.image:ImageLoader",
    ("loader", "notebook"): "rag_assistant.ingest.loaders.notebook:NotebookLoader",
    ("loader", "email"): "rag_assistant.ingest.loaders.email:EmailLoader",
    ("loader", "confluence"): "rag_assistant.ingest.loaders.confluence:ConfluenceLoader",
    ("loader", "jira"): "rag_assistant.ingest.loaders.jira:JiraLoader",
    ("ocr", "rapidocr"): f"{_PACKAGE}.ocr_rapidocr:RapidOcrEngine",
    ("ocr", "none"): f"{_PACKAGE}.ocr_none:NoOcr",
    ("cleaner", "rules"): "rag_assistant.ingest.cleaning:RuleCleaner",
    ("cleaner", "none"): "rag_assistant.ingest.cleaning:NoCleaner",
    ("splitter", "recursive"): "rag_assistant.ingest.chunking:RecursiveSplitter",
    ("splitter", "fixed"): "rag_assistant.ingest.splitters:FixedSplitter",
    ("splitter", "semantic"): "rag_assistant.ingest.splitters:SemanticSplitter",
    ("enricher", "rules"): "rag_assistant.ingest.enrich:RuleEnricher",
    ("enricher", "none"): "rag_assistant.ingest.enrich:NoEnricher",
    ("embedder", "onnx"): f"{_PACKAGE}.embed_onnx:OnnxEmbedder",
    ("embedder", "openai"): f"{_PACKAGE}.embed_openai:OpenAiEmbedder",
    ("embedder", "ollama"): f"{_PACKAGE}.embed_ollama:OllamaEmbedder",
    ("embedder", "fake"): f"{_PACKAGE}.fakes:FakeEmbedder",
    ("analyzer", "sudachi"): f"{_PACKAGE}.analyze:SudachiAnalyzer",
    ("analyzer", "bigram"): f"{_PACKAGE}.analyze:BigramAnalyzer",
    ("dense", "chroma"): f"{_PACKAGE}.dense_chroma:ChromaStore",
    ("dense", "exact"): f"{_PACKAGE}.dense_exact:ExactStore",
    ("sparse", "tantivy"): f"{_PACKAGE}.sparse_tantivy:TantivyStore",
    ("sparse", "fts5"): f"{_PACKAGE}.sparse_fts5:Fts5Store",
    ("sparse", "rank_bm25"): f"{_PACKAGE}.sparse_rank_bm25:RankBm25Store",
    ("fusion", "adaptive"): "rag_assistant.retrieve.adaptive:AdaptiveFusion",
    ("fusion", "rrf"): "rag_assistant.retrieve.fusion:ReciprocalRankFusion",
    ("fusion", "weighted_sum"): "rag_assistant.retrieve.fusion:WeightedSum",
    ("reranker", "none"): f"{_PACKAGE}.rerank_none:NoReranker",
    ("reranker", "maxsim"): f"{_PACKAGE}.rerank_maxsim:MaxSimReranker",
    ("reranker", "cross_encoder"): f"{_PACKAGE}.rerank_cross_encoder:CrossEncoderReranker",
    ("reranker", "remote"): f"{_PACKAGE}.rerank_remote:RemoteReranker",
    ("llm", "openai"): f"{_PACKAGE}.llm_openai:OpenAiModel",
    ("llm", "azure"): f"{_PACKAGE}.llm_openai:AzureModel",
    ("llm", "ollama"): f"{_PACKAGE}.llm_openai:OllamaModel",
    ("llm", "deepseek"): f"{_PACKAGE}.llm_openai:DeepSeekModel",
    ("llm", "openai_compatible"): f"{_PACKAGE}.llm_openai:OpenAiCompatibleModel",
    ("llm", "anthropic"): f"{_PACKAGE}.llm_anthropic:AnthropicModel",
    ("reranker", "llm"): f"{_PACKAGE}.rerank_llm:LlmReranker",
    ("source", "confluence"): "rag_assistant.sources.confluence.source:ConfluenceSource",
    ("source", "jira"): "rag_assistant.sources.jira.source:JiraSource",
}


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
    known = names(kind)
    close = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    raise SettingsError(f"There is no {kind} provider '{name}'.{hint} Known: {', '.join(known)}.")


def build(kind: ProviderKind, name: str, **options: Any) -> Any:
    """Make a provider. `options` are its constructor's keyword arguments."""
    return provider_class(kind, name)(**options)
