"""Settings: `config/settings.yaml` < a named strategy < `RAG_*` environment < explicit values. Unknown keys fail."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from rag_assistant.errors import FieldProblem, SettingsError
from rag_assistant.secrets import HOW_TO, is_reference
from rag_assistant.text import hash32

APP_NAME = "rag-assistant"

# Environment names that are not settings but say where things are, or carry the secret itself.
PROCESS_VARIABLES = {"RAG_DATA_DIR", "RAG_MODELS_DIR", "RAG_CONFIG_DIR", "RAG_TOKEN", "RAG_STRATEGY"}

# Short names that the service contract fixes, each standing for one setting.
SHORT_NAMES = {
    "RAG_MAX_DOCUMENT_SIZE": "limits.max_document_size",
    "RAG_MAX_TOP_K": "limits.max_top_k",
    "RAG_MAX_RERANK_CANDIDATES": "limits.max_rerank_candidates",
    "RAG_HNSW_EF_SEARCH": "dense.ef_search",
}


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


def checkout_root() -> Path | None:
    """The checkout that this package runs from, or None when it is installed as a wheel."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "pyproject.toml").is_file() and (root / "server" / "rag_assistant").is_dir() else None


def default_data_dir() -> Path:
    """`RAG_DATA_DIR`, else the checkout's `data/`, else the platform's user-data folder."""
    if value := os.environ.get("RAG_DATA_DIR"):
        return Path(value).expanduser().absolute()
    root = checkout_root()
    return root / "data" if root else Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))


def default_models_dir() -> Path:
    """`RAG_MODELS_DIR`, else the platform's user cache; never tied to the data directory."""
    if value := os.environ.get("RAG_MODELS_DIR"):
        return Path(value).expanduser().absolute()
    return Path(platformdirs.user_cache_dir(APP_NAME, appauthor=False)) / "models"


def default_config_dir() -> Path:
    """`RAG_CONFIG_DIR`, else the checkout's `config/`, else the platform's user-config folder."""
    if value := os.environ.get("RAG_CONFIG_DIR"):
        return Path(value).expanduser().absolute()
    root = checkout_root()
    return root / "config" if root else Path(platformdirs.user_config_dir(APP_NAME, appauthor=False))


@dataclass(frozen=True, slots=True)
class Directories:
    """Where things are."""

    data: Path
    models: Path
    config: Path

    @property
    def logs(self) -> Path:
        """The checkout's `logs/` for the checkout's own data, else a folder beside the data."""
        root = checkout_root()
        return root / "logs" if root and self.data == root / "data" else self.data / "logs"


def setting_names() -> dict[str, Any]:
    """Dotted name of every setting -> its default."""
    defaults = Settings()
    return {
        f"{group}.{key}": getattr(getattr(defaults, group), key)
        for group in Settings.model_fields
        for key in type(getattr(defaults, group)).model_fields
    }


def load_settings(
    config_dir: Path | None = None,
    *,
    strategy: str | None = None,
    environment: Mapping[str, str] | None = None,
    explicit: Mapping[str, Any] | None = None,
) -> Settings:
    """Read and check the settings. Raises `SettingsError` that names the key and the nearest known one.

    `strategy` names a file in `config/strategies/` (`RAG_STRATEGY` when not given); `explicit` maps dotted names to values.
    """
    config_dir = config_dir or default_config_dir()
    environment = os.environ if environment is None else environment
    values = _read_yaml(config_dir / "settings.yaml")
    name = strategy or environment.get("RAG_STRATEGY")
    if name:
        _merge(values, read_strategy(config_dir, name))
    _merge(values, _from_environment(environment))
    for dotted, value in (explicit or {}).items():
        _set(values, dotted, value)
    return _validate(values)


def strategy_names(config_dir: Path) -> list[str]:
    """Names of the strategies that `config/strategies/` holds."""
    return sorted(path.stem for path in (config_dir / "strategies").glob("*.yaml"))


def read_strategy(config_dir: Path, name: str) -> dict[str, Any]:
    """The overlay of settings that a named strategy is. Raises `SettingsError` for an unknown name."""
    known = strategy_names(config_dir)
    if name not in known:
        raise SettingsError(f"There is no strategy '{name}'. Known: {', '.join(known) or 'none'}.")
    return _read_yaml(config_dir / "strategies" / f"{name}.yaml")


def with_strategy(settings: Settings, config_dir: Path, name: str) -> Settings:
    """The settings with a named strategy laid over them, for one request."""
    values = settings.model_dump()
    _merge(values, read_strategy(config_dir, name))
    return _validate(values)


def _read_yaml(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise SettingsError(f"{path} can't be read: {_yaml_problem(error)}") from None
    except (UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"{path} can't be read: {error}") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise SettingsError(f"{path} must hold groups of settings, such as 'retrieval:', not a {type(values).__name__}.")
    return values


def _yaml_problem(error: yaml.YAMLError) -> str:
    """What is wrong and where, without the line itself, which may hold a key."""
    mark = getattr(error, "problem_mark", None)
    place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return f"{place}{getattr(error, 'problem', None) or 'it is no YAML'}"


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, text in environment.items():
        if not name.startswith("RAG_") or name in PROCESS_VARIABLES:
            continue
        dotted = SHORT_NAMES.get(name) or name.removeprefix("RAG_").lower().replace("__", ".", 1)
        if dotted not in setting_names():
            raise SettingsError(f"{name} is no setting.{_nearest(dotted)}")
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise SettingsError(f"The value of {name} can't be read: {_yaml_problem(error)}") from None
        _set(values, dotted, "" if value is None else value)
    return values


def _set(values: dict[str, Any], dotted: str, value: Any) -> None:
    group, _, key = dotted.partition(".")
    values.setdefault(group, {})[key] = value


def _merge(base: dict[str, Any], overlay: Mapping[str, Any]) -> None:
    for group, keys in overlay.items():
        if isinstance(keys, Mapping) and isinstance(base.get(group), dict):
            base[group].update(keys)
        else:
            base[group] = dict(keys) if isinstance(keys, Mapping) else keys


def _nearest(dotted: str) -> str:
    names = list(setting_names()) + list(Settings.model_fields)
    close = difflib.get_close_matches(dotted, names, n=1, cutoff=0.5)
    return f" Did you mean '{close[0]}'?" if close else " docs/configuration.md lists them all."


def _validate(values: Mapping[str, Any]) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        problems = []
        for item in error.errors():
            dotted = ".".join(str(part) for part in item["loc"])
            unknown = item["type"] == "extra_forbidden"
            message = f"Unknown setting '{dotted}'.{_nearest(dotted)}" if unknown else f"Setting '{dotted}': {item['msg']}."
            problems.append(FieldProblem(dotted, "unknown" if unknown else "invalid", message))
        raise SettingsError(" ".join(problem.message for problem in problems), details=problems) from error
