"""Settings of what is indexed, and how: reading, cutting, embedding and the two indexes."""

from __future__ import annotations

import codecs
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from ragd.config.fields import Device, Group, SecretReference


def _codec(encoding: str) -> str:
    """The name of an encoding as Python spells it. Raises `ValueError` for what is none of text."""
    try:
        b"".decode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, UnicodeError):
        raise ValueError(f"'{encoding}' is no encoding of text; use such as utf-8, cp932, euc_jp, gb18030 or cp1252") from None


class EmbeddingSettings(Group):
    provider: str = "onnx"
    """Embedding provider, a name from the provider table."""
    model: str = "multilingual-e5-small"
    """Id of the embedding model, a row of `rag models list`."""
    model_folders: tuple[str, ...] = ()
    """Folders that hold models by id, looked at before the cache: a company share or an unpacked bundle."""
    device: Device = "auto"
    """Where the model runs. When the wished device can't be had, the CPU is used and `/api/status` says so."""
    threads: Annotated[int, Field(ge=0)] = 0
    """Threads of the inference engine; 0 takes one for each physical core."""
    batch_tokens: Annotated[int, Field(ge=64)] | None = None
    """Padded tokens in one batch at most; `null` takes what suits the device: 512 on the CPU, 8,192 elsewhere."""
    centring: Annotated[float, Field(ge=0, le=1)] | None = None
    """Share of its language's mean vector that each vector loses, so that texts of two languages can be compared; another share
    is another index. `null` takes what does best with the model: 0.5 for the E5 models, else 0."""
    spinning: bool = False
    """Whether idle threads of the inference engine spin: a little faster alone, much slower beside anything else."""
    url: str = ""
    """Base URL of a remote provider (`openai`, `ollama`), such as `https://models.example.com/v1`."""
    api_key: SecretReference = ""
    """Where a remote provider's key is: `env:NAME`, `file:PATH` or `keyring:NAME`; never the key itself."""
    dimension: Annotated[int, Field(ge=0)] = 0
    """Numbers in a vector of a remote model; 0 asks the model once."""
    max_tokens: Annotated[int, Field(ge=32)] = 512
    """Tokens that a remote model reads of one text."""
    query_prefix: str = ""
    """Put before each question for a remote model."""
    passage_prefix: str = ""
    """Put before each passage for a remote model."""
    timeout_s: Annotated[float, Field(gt=0)] = 120.0
    """Seconds that a remote model may take for one batch of passages, retries included."""
    query_timeout_s: Annotated[float, Field(gt=0)] = 5.0
    """Seconds that a remote model may take for a question, retries included; then the sparse index answers alone."""


class DenseSettings(Group):
    backend: str = "auto"
    """Dense index: `usearch` (HNSW from 10,000 chunks on), `exact` (numpy), `pgvector` (in the PostgreSQL of `store.url`),
    `qdrant`, `milvus`, or `auto`: `pgvector` with PostgreSQL, else `usearch`."""
    exact_filter_max: Annotated[int, Field(ge=0)] = 20_000
    """A filter that allows at most this many entries is answered by scoring exactly those."""
    ef_search: Annotated[int, Field(ge=1)] = 200
    """Breadth of the HNSW search, at least the number of candidates asked for; more is slower and finds more."""
    graph_precision: Literal["halfvec", "vector"] = "halfvec"
    """Vectors in `pgvector`'s graph: in half precision, which is half as large and finds the same, or in full."""


class IndexServerSettings(Group):
    url: str = ""
    """Address of the Qdrant or Milvus server that back ends of these names use, such as `https://qdrant.example.com:6333`.
    Empty: their engine runs inside the daemon, in the data directory."""
    api_key: SecretReference = ""
    """Where the server's key is: `env:NAME`, `file:PATH` or `keyring:NAME`; never the key itself."""
    prefix: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")] = "rag"
    """Begins the names of the server's collections, so that several installations can share a server."""
    timeout_s: Annotated[float, Field(gt=0)] = 30.0
    """Seconds that the server may take for one request."""


class TokenIndexSettings(Group):
    provider: str = "auto"
    """Where compressed token vectors of passages are kept: `file`, `postgres` (in the PostgreSQL of `store.url`), `none`, or
    `auto`: beside the other indexes, where the model has a basis."""
    basis: str = ""
    """File with the basis of token vectors, for a model that none ships for: `scripts/train_token_basis.py` makes it."""


class SparseSettings(Group):
    backend: str = "auto"
    """Sparse index: `tantivy`, `fts5` (SQLite), `rank_bm25` (in memory, for small collections), `postgres` (in the PostgreSQL of
    `store.url`), `qdrant`, `milvus`, or `auto`: `postgres` with PostgreSQL, else `tantivy`."""
    analyzer: str = "sudachi"
    """Japanese analysis: `sudachi` (dictionary) or `bigram` (no dictionary)."""


class SplitterSettings(Group):
    strategy: str = "recursive"
    """How sections are cut into chunks: `recursive`, `fixed` or `semantic`, a name from the provider table."""
    semantic_percentile: Annotated[float, Field(gt=0, lt=100)] = 90.0
    """Of the `semantic` splitter: it cuts where neighbouring sentences differ more than so many percent of all pairs do."""
    chunk_size: Annotated[int, Field(ge=32, le=8192)] = 512
    """Tokens of a chunk's dense text at most: heading path, prefix and special tokens included."""
    chunk_overlap: Annotated[int, Field(ge=0)] = 50
    """Tokens that neighbouring chunks of one section share at most."""

    @model_validator(mode="after")
    def _overlap_below_half(self) -> SplitterSettings:
        if self.chunk_overlap * 2 > self.chunk_size:
            raise ValueError("chunk_overlap may be at most half of chunk_size")
        return self


class IngestSettings(Group):
    workers: Annotated[int, Field(ge=0, le=64)] = 0
    """Processes that read files; 0 takes half of the cores, at most four."""
    timeout_s: Annotated[float, Field(gt=0)] = 300.0
    """Seconds that reading one file may take, and again cutting its text into chunks; then it fails with TIMEOUT."""
    memory_mb: Annotated[int, Field(ge=256)] = 2048
    """Megabytes that the process reading one file may use; then the file fails with MEMORY."""
    loaders: dict[str, str] = Field(default_factory=dict)
    """Loader by file extension, over the built-in choice, such as `{.log: none}`: a name from the provider table, or `none`."""
    encodings: dict[str, str] = Field(default_factory=dict)
    """Encoding of text files by pattern, such as `{"*.csv": cp932}`, where it can't be told; the first that matches counts."""
    cleaner: str = "rules"
    """What leaves page headers, footers and the like out of the chunks: `rules` or `none`."""
    enricher: str = "rules"
    """What gives titles, summaries, tags and keywords: `rules` or `none`."""
    keep_versions: Annotated[int, Field(ge=0)] = 3
    """Older versions kept of each document; the oldest go first."""
    max_pictures: Annotated[int, Field(ge=0)] = 500
    """Pictures kept of one document; further ones are left out, with a warning."""
    max_picture_size: Annotated[int, Field(ge=1024)] = 20 * 1024 * 1024
    """Bytes of one picture in a document; a larger one is left out, with a warning."""
    max_picture_pixels: Annotated[int, Field(ge=10_000)] = 50_000_000
    """Pixels of one picture; a larger one is left out, with a warning."""

    @field_validator("encodings")
    @classmethod
    def _known_encodings(cls, encodings: dict[str, str]) -> dict[str, str]:
        return {pattern: _codec(encoding) for pattern, encoding in encodings.items()}


class OcrSettings(Group):
    provider: str = "rapidocr"
    """Text recognition in pictures and scanned pages: `rapidocr` (the extra `ocr`) or `none`."""
    budget_s: Annotated[float, Field(ge=0)] = 120.0
    """Seconds of text recognition for one document; what is left then is marked `ocr_skipped`."""
    threads: Annotated[int, Field(ge=1)] = 1
    """Threads of text recognition in each process that reads files."""
