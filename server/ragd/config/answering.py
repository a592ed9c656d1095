"""Settings of queries and answers: retrieval, reranking, the language model."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ragd.config.fields import Device, Group, SecretReference
from ragd.core.query import Mode


class RetrievalSettings(Group):
    strategy: Mode = "hybrid"
    """Which indexes a query asks."""
    dense_top_k: Annotated[int, Field(ge=20)] = 100
    """Candidates taken from the dense index."""
    sparse_top_k: Annotated[int, Field(ge=20)] = 100
    """Candidates taken from the sparse index."""
    fusion: str = "learned"
    """How the lists become one: `learned` (a linear model, by the kind of question), `adaptive` (a rule by the kind of question),
    `rrf` or `weighted_sum`."""
    fusion_weights: str = ""
    """File of weights for `learned`, made by `scripts/train_fusion.py`; empty takes those of the package."""
    rrf_k: Annotated[int, Field(ge=1)] = 60
    """The constant k of reciprocal rank fusion."""
    dense_weight: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Weight of the dense side in the weighted sum; the sparse side has the rest."""
    top_k: Annotated[int, Field(ge=1)] = 5
    """Passages in an answer when the request does not say."""
    min_score: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Passages with a lower score are left out; when none remains, nothing was found."""
    max_context_tokens: Annotated[int, Field(ge=64)] = 3000
    """Tokens of the numbered context when the request does not say, by the answering model's count."""
    merge_neighbours: bool = True
    """Whether passages of the context that follow each other in their document become one."""
    mmr_lambda: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Relevance against variety (maximal marginal relevance): 1 is relevance alone, 0 variety alone."""
    multi_query: Annotated[int, Field(ge=0, le=5)] = 0
    """Further wordings of the question that are searched, too; they come from rules, or the language model when there is one."""
    rewrite: Literal["rules", "model", "none"] = "rules"
    """What makes a follow-up question self-contained: rules, the language model (rules when it fails), or nothing."""
    prefer_weight: Annotated[float, Field(ge=0, le=1)] = 0.1
    """How much a soft preference adds to a score."""


class RerankSettings(Group):
    provider: str = "auto"
    """Reranker: `auto`, `maxsim`, `cross_encoder`, `remote`, `llm` or `none`. `auto` takes the cross-encoder when its files are
    there, else `maxsim`, and that only where it betters the order: with learned fusion, for questions whose candidates are in
    another language."""
    model: str = "bge-reranker-v2-m3"
    """Id of the cross-encoder, a row of `rag models list`, or the name that a remote service knows."""
    device: Device = "auto"
    """Where the cross-encoder runs."""
    top_n: Annotated[int, Field(ge=1)] = 30
    """Fused candidates handed to the reranker, at most `limits.max_rerank_candidates`."""
    per_result: Annotated[int, Field(ge=0)] = 0
    """Candidates handed to the reranker for each passage that is asked for, instead of `top_n`; 0 takes `top_n`."""
    budget_ms: Annotated[int, Field(ge=1)] = 300
    """Milliseconds for reranking; candidates that were not reached keep their order, after those that were."""
    cache_mb: Annotated[int, Field(ge=0)] = 64
    """Memory for token vectors of passages that `maxsim` has scored before; 0 keeps none. A passage of 164 tokens takes 64 kB."""
    cache_dimensions: Literal[0, 128] = 0
    """Numbers of each token that `maxsim` compares and keeps: 0 takes all, 128 the principal components. A passage of 164 tokens
    takes 22 kB then, and nDCG@10 falls by about 0.013."""
    url: str = ""
    """Address of a remote reranker, such as `https://models.example.com/rerank`."""
    api_key: SecretReference = ""
    """Where the remote reranker's key is: `env:NAME`, `file:PATH` or `keyring:NAME`; never the key itself."""


class LlmSettings(Group):
    provider: str = "none"
    """The language model that answers: `none`, `openai`, `azure`, `ollama`, `deepseek`, `anthropic` or `openai_compatible`."""
    model: str = ""
    """Name of the model, as its service knows it (on Azure: of the deployment)."""
    url: str = ""
    """Base URL of the service, where it is not the provider's own."""
    api_key: SecretReference = ""
    """Where the key is: `env:NAME`, `file:PATH` or `keyring:NAME`; never the key itself."""
    api_version: str = "2024-10-21"
    """Version of Azure's interface."""
    timeout_s: Annotated[float, Field(gt=0)] = 60.0
    """Seconds without a sign of life after which the service is given up."""
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    """Further attempts after a time-out, a 429 or an error of the service."""
    max_output_tokens: Annotated[int, Field(ge=16)] = 1024
    """Tokens of one answer at most."""
    context_tokens: Annotated[int, Field(ge=512)] = 16_000
    """Tokens that the model takes in all: instructions, history, passages, question and answer."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    """Randomness of the answers."""


class AnswerSettings(Group):
    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Below this confidence that the passages answer the question, the answer is "not found"."""
    support_threshold: Annotated[float, Field(ge=0, le=1)] = 0.43
    """A sentence with less support in the passages is marked as unsupported."""
    history_tokens: Annotated[int, Field(ge=0)] = 2000
    """Tokens of earlier turns that the model is given at most; the newest count first."""
