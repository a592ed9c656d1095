"""Every setting with its default: one frozen group of values for each part. `config.py` reads them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from ragd.config.secrets import HOW_TO, is_reference
from ragd.core.ids import hash32


def _reference(text: str) -> str:
    if not is_reference(text):
        raise PydanticCustomError("literal_secret", HOW_TO)
    return text


SecretReference = Annotated[str, AfterValidator(_reference)]
"""Where a key is: `env:NAME`, `file:PATH` or `keyring:NAME`. A literal key is refused, and not repeated."""


class Group(BaseModel):
    # A wrong value may be a key that was put into the wrong place: errors don't repeat it.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ServerSettings(Group):
    port: Annotated[int, Field(ge=0, le=65535)] = 8765
    """TCP port on 127.0.0.1; 0 takes a free one."""
    shutdown_grace_s: Annotated[float, Field(gt=0)] = 10.0
    """Seconds that a stopping daemon waits for running requests and for the running job to reach a safe point."""


class SecuritySettings(Group):
    allowed_roots: tuple[str, ...] = ()
    """Folders that path ingestion may read. Empty: any path that the daemon's user can read."""


class StoreSettings(Group):
    url: str = ""
    """SQLAlchemy URL of the facts store. Empty: SQLite in the data directory."""


class EmbeddingSettings(Group):
    provider: str = "onnx"
    """Embedding provider, a name from the provider table."""
    model: str = "multilingual-e5-small"
    """Id of the embedding model, a row of `rag models list`."""
    model_folders: tuple[str, ...] = ()
    """Folders that hold models by id, looked at before the cache: a company share or an unpacked bundle."""
    device: Literal["auto", "cpu", "cuda", "directml", "coreml", "openvino"] = "auto"
    """Where the model runs. When the wished device can't be had, the CPU is used and `/api/status` says so."""
    threads: Annotated[int, Field(ge=0)] = 0
    """Threads of the inference engine; 0 takes one for each physical core."""
    batch_tokens: Annotated[int, Field(ge=64)] = 1024
    """Padded tokens in one batch at most."""
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


class RerankSettings(Group):
    provider: str = "auto"
    """Reranker: `auto`, `maxsim`, `cross_encoder`, `remote`, `llm` or `none`. `auto` takes the cross-encoder when its files are
    there, else `maxsim`."""
    model: str = "bge-reranker-v2-m3"
    """Id of the cross-encoder, a row of `rag models list`, or the name that a remote service knows."""
    device: Literal["auto", "cpu", "cuda", "directml", "coreml", "openvino"] = "auto"
    """Where the cross-encoder runs."""
    top_n: Annotated[int, Field(ge=1)] = 30
    """Fused candidates handed to the reranker, at most `limits.max_rerank_candidates`."""
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
    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.2
    """Below this confidence in the best passage, the answer is "not found"."""
    support_threshold: Annotated[float, Field(ge=0, le=1)] = 0.43
    """A sentence with less support in the passages is marked as unsupported."""
    history_tokens: Annotated[int, Field(ge=0)] = 2000
    """Tokens of earlier turns that the model is given at most; the newest count first."""


class DenseSettings(Group):
    backend: str = "chroma"
    """Dense index: `chroma` (HNSW) or `exact` (numpy)."""
    exact_filter_max: Annotated[int, Field(ge=0)] = 50_000
    """A filter that allows at most this many entries is answered by scoring exactly those."""
    ef_search: Annotated[int, Field(ge=1)] = 200
    """Breadth of the HNSW search in Chroma, at least the number of candidates asked for; more is slower and finds more."""


class SparseSettings(Group):
    backend: str = "tantivy"
    """Sparse index: `tantivy`, `fts5` (SQLite) or `rank_bm25` (in memory, for small collections)."""
    analyzer: str = "sudachi"
    """Japanese analysis: `sudachi` (dictionary) or `bigram` (no dictionary)."""


class SplitterSettings(Group):
    strategy: str = "recursive"
    """How sections are cut into chunks: `recursive`, `fixed` or `semantic`, a name from the provider table."""
    semantic_percentile: Annotated[float, Field(gt=0, lt=100)] = 90.0
    """Of the `semantic` splitter: it cuts where neighbouring sentences differ more than so many percent of all pairs do."""
    chunk_size: Annotated[int, Field(ge=32, le=8192)] = 512
    """Tokens of a chunk's dense view at most: heading path, prefix and special tokens included."""
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
    """Seconds that reading one file may take; then it fails with TIMEOUT."""
    memory_mb: Annotated[int, Field(ge=256)] = 2048
    """Megabytes that the process reading one file may use; then the file fails with MEMORY."""
    loaders: dict[str, str] = {}
    """Loader by file extension, over the built-in choice, such as `{.log: none}`: a name from the provider table, or `none`."""
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


class OcrSettings(Group):
    provider: str = "rapidocr"
    """Text recognition in pictures and scanned pages: `rapidocr` (the extra `ocr`) or `none`."""
    budget_s: Annotated[float, Field(ge=0)] = 120.0
    """Seconds of text recognition for one document; what is left then is marked `ocr_skipped`."""
    threads: Annotated[int, Field(ge=1)] = 1
    """Threads of text recognition in each process that reads files."""


class WatchSettings(Group):
    enabled: bool = True
    """Whether the daemon watches the folders of its folder sources."""
    debounce_s: Annotated[float, Field(ge=0.05)] = 2.0
    """Seconds of quiet after a change before the files are looked at."""
    poll_s: Annotated[float, Field(ge=0.1)] = 30.0
    """Seconds between two looks at a folder on a network drive, which tells of no changes."""
    rescan_hours: Annotated[float, Field(gt=0)] = 24.0
    """Hours between two looks at a whole folder, whatever was seen to change."""


class JobsSettings(Group):
    keep: Annotated[int, Field(ge=1)] = 1000
    """Finished jobs kept in the store; the oldest go first."""
    cleanup_retries_s: tuple[float, ...] = (60.0, 120.0, 240.0)
    """Seconds before each new attempt of a clean-up that failed."""


class RetrievalSettings(Group):
    strategy: Literal["hybrid", "dense_only", "sparse_only"] = "hybrid"
    """Which indexes a query asks."""
    dense_top_k: Annotated[int, Field(ge=20)] = 100
    """Candidates taken from the dense index."""
    sparse_top_k: Annotated[int, Field(ge=20)] = 100
    """Candidates taken from the sparse index."""
    fusion: str = "adaptive"
    """How the lists become one: `adaptive` (by what the question is like), `rrf` or `weighted_sum`."""
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


class ObservabilitySettings(Group):
    detail_level: Literal["minimal", "standard", "verbose"] = "standard"
    """What a trace holds: `minimal` no texts, `standard` the query's text, `verbose` passages too."""
    keep_traces: Annotated[int, Field(ge=0)] = 10_000
    """Traces kept in the store; the oldest go first."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    """Least severity that is logged."""


class LimitsSettings(Group):
    max_document_size: Annotated[int, Field(ge=1)] = 50 * 1024 * 1024
    """Bytes of one file at most."""
    max_upload_size: Annotated[int, Field(ge=1)] = 500 * 1024 * 1024
    """Bytes of one upload request at most, all its files together."""
    max_body_size: Annotated[int, Field(ge=1024)] = 2 * 1024 * 1024
    """Bytes of a request body that is not an upload."""
    max_top_k: Annotated[int, Field(ge=1)] = 20
    """Largest `top_k` of a request."""
    max_rerank_candidates: Annotated[int, Field(ge=1)] = 100
    """Largest number of candidates that a reranker gets."""
    max_query_chars: Annotated[int, Field(ge=1)] = 8192
    """Characters of a query; what is beyond is cut, with a warning."""
    max_queued_jobs: Annotated[int, Field(ge=1)] = 1000
    """Jobs that may wait; beyond that an ingestion is refused with 503."""


class EvaluationSettings(Group):
    resamples: Annotated[int, Field(ge=100)] = 10_000
    """Resamplings of the paired randomisation test that compares two configurations."""
    keep: Annotated[int, Field(ge=1)] = 200
    """Evaluation runs kept in the store; the oldest go first."""


def _off(value: Any) -> Any:
    return "off" if value is False else value


YamlOff = BeforeValidator(_off)
"""YAML reads a bare `off` as false."""


class SyncSettings(Group):
    schedule: Annotated[str, YamlOff] = "every 30m"
    """When sources elsewhere are read that say nothing themselves: `every 30m` (or `h`, `d`), a cron line, or `off`."""
    jitter: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Share of the time between two readings by which each is put off, at random, so that not all come at once."""
    quiet_hours: tuple[str, ...] = ()
    """Times of the day, by this machine's clock, when no reading begins by itself, such as `["09:00-11:30", "22:00-02:00"]`."""
    requests_per_minute: Annotated[int, Field(ge=1)] = 600
    """Requests that the reading of one source may send in a minute."""
    overlap_hours: Annotated[int, Field(ge=24)] = 24
    """Changes are asked for from so long before the last reading began: search indexes lag, and their dates know no time zone."""
    deep_hours: Annotated[float, Field(gt=0)] = 24.0
    """After so many hours the versions of all items are compared once more, not only those that the remote side calls changed."""
    guard_items: Annotated[int, Field(ge=0)] = 20
    """When more items than this, and more than `guard_share` of a space or project, are gone at once, they stay as they were."""
    guard_share: Annotated[float, Field(ge=0, le=1)] = 0.8
    """See `guard_items`."""
    slice_s: Annotated[float, Field(gt=0)] = 20.0
    """Seconds after which a reading makes way for other jobs that wait, and goes on after them."""
    longest_wait_s: Annotated[float, Field(ge=0)] = 30.0
    """Seconds that a reading waits for a throttling server before it makes way for other jobs until the server's time is up."""
    timeout_s: Annotated[float, Field(gt=0)] = 30.0
    """Seconds without any byte after which a request has failed and is tried again."""
    attempts: Annotated[int, Field(ge=1)] = 5
    """How often one request is tried."""
    ca_bundle: str = ""
    """A file of certificate authorities that are trusted besides those of the operating system."""


class LiveSettings(Group):
    mode: Annotated[Literal["live", "cached", "off"], YamlOff] = "live"
    """What is asked at a hit of a source that says nothing itself. `live`: the asking user's token must read the item's current
    content. `cached`: the token must prove that it may read the item; the passage comes from the index. `off`: nobody is asked,
    which needs a source that is marked as public."""
    budget_ms: Annotated[int, Field(ge=1)] = 800
    """Milliseconds of a query for asking remote sides; what was not answered is left out unless it was proved before."""
    proof_ttl: Annotated[float, Field(ge=0)] = 300.0
    """Seconds for which a token's proof of access holds when the remote side does not answer in time, or in mode `cached`."""
    cache_ttl: Annotated[float, Field(ge=0)] = 20.0
    """Seconds for which an item's current content is not asked for again with the same token."""


class McpSettings(Group):
    enabled: bool = False
    """Whether agents may ask by the Model Context Protocol. A policy file of the machine can forbid it: see docs/mcp.md."""
    transports: tuple[Literal["stdio", "http"], ...] = ("stdio", "http")
    """By which ways: `stdio` is the command `rag mcp`, `http` the daemon's address `/mcp`."""
    tool_names: Literal["flat", "library"] = "flat"
    """Names under which tools are listed: `flat` (`query_knowledge_hub`) or `library` (`library.query`). Calls by either name
    are answered."""
    max_chars: Annotated[int, Field(ge=2_000, le=1_000_000)] = 20_000
    """Characters of the text of one result at most, unless a call asks for less."""
    daemon_idle_s: Annotated[int, Field(ge=1)] = 300
    """Seconds for which a daemon that `rag mcp` started lives on after its last client has gone."""


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
