"""The models that a process uses: each is opened when it is first needed, and shared by whoever needs the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Final

from ragd.config.answering import LlmSettings, RerankSettings
from ragd.config.loading import Directories
from ragd.config.secrets import resolve
from ragd.config.settings import Settings
from ragd.core.documents import Place
from ragd.core.errors import ModelDamaged, SettingsError
from ragd.core.lazy import Lazy
from ragd.core.results import Passage
from ragd.models.rows import ModelFiles, Task, model_row
from ragd.models.store import Progress, ensure_model, find_model
from ragd.providers.answer_embedder import AnswerEmbedder
from ragd.providers.calibration_cache import CalibrationCache
from ragd.providers.centred_embedder import CentredEmbedder
from ragd.providers.model_queue import ModelQueue, Priority
from ragd.providers.protocols import Analyzer, BulkTokenizer, Embedder, LanguageModel, Reranker, TokenEmbedder
from ragd.providers.queued_embedder import queued
from ragd.providers.registry import build, provider_class

_LOCAL_RERANKERS: Final = {"maxsim", "cross_encoder"}

# What a reranker is warmed with, and the seconds that it may take: making a calibration takes some, once for each model.
_WARM: Final = Passage("", "", "", "", "warm", "", "", "text", "", (), Place(), 0, 1)
_WARM_S: Final = 60.0


class Models:
    """The embedder, the rerankers, the language models and the analyzer of the settings. Safe to use from several threads."""

    def __init__(
        self,
        settings: Settings,
        directories: Directories,
        *,
        queue: ModelQueue,
        notices: list[str],
        lock: AbstractContextManager[object],
        progress: Progress | None,
    ) -> None:
        """`queue` orders the runs of local models. `notices` is for people: a model that is not used."""
        self.queue = queue
        self.analyzer: Lazy[Analyzer] = Lazy(partial(build, "analyzer", settings.sparse.analyzer), lock)
        self.uncentred: Lazy[Embedder] = Lazy(self._open_uncentred, lock)
        # Once for all that need them: every byte of them is hashed.
        self._files: Lazy[ModelFiles | None] = Lazy(self._model_files, lock)
        self.calibration = Lazy(self._open_calibration, lock)
        self.embedder: Lazy[Embedder] = Lazy(partial(self._centred, self.uncentred), lock)
        self.answer_uncentred: Lazy[Embedder] = Lazy(lambda: AnswerEmbedder(self.uncentred()), lock)
        self.answer_embedder: Lazy[Embedder] = Lazy(partial(self._centred, self.answer_uncentred), lock)
        self._settings = settings
        self._directories = directories
        self._notices = notices
        self._lock = lock
        self._progress = progress
        self._language_models: dict[LlmSettings, LanguageModel] = {}
        self._rerankers: dict[tuple[RerankSettings, LlmSettings], Reranker] = {}

    def terms(self, text: str) -> Sequence[str]:
        return self.analyzer().tokens(text)

    def count_tokens(self, text: str) -> int:
        """The length of a text, as the embedding model counts it."""
        return self.embedder().tokenizer.count(text)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """As `count_tokens`, of a few texts at once, in a fraction of the time."""
        tokenizer = self.embedder().tokenizer
        return tokenizer.counts(texts, many=False) if isinstance(tokenizer, BulkTokenizer) else list(map(tokenizer.count, texts))

    def relevance(self) -> Callable[[float], float] | None:
        """Makes 0..1 of a cosine. None for a service that would have to be asked for more than the questions and passages."""
        if self.uncentred().device == "remote" and not self.calibration().weight:
            return None
        return self._related

    def _related(self, cosine: float) -> float:
        return self.calibration().get().related(cosine)

    def warm(self) -> None:
        """Open the embedder, the reranker of the settings and the analyzer, and let each do once what takes time at first.

        Raises `RemoteUnavailable` when a service gives no vectors. A reranker elsewhere is not asked.
        """
        self.analyzer().tokens("warm 準備")
        self.embedder().embed_queries(["warm"])
        reranker = self.reranker(self._settings)
        if reranker.name in _LOCAL_RERANKERS:
            reranker.score("warm", [_WARM], time.monotonic() + _WARM_S)

    def warnings(self) -> list[str]:
        """What the open models have to say: a device that could not be had."""
        opened = [self.uncentred.opened, *self._rerankers.values()]
        return [warning for model in opened for warning in getattr(model, "warnings", ())]

    def reranker_status(self) -> dict[str, str]:
        """Which reranker the settings came to, once it is open, and where it runs; empty before."""
        found = self._rerankers.get(_opened_by(self._settings))
        if found is None:
            return {}
        device = getattr(found, "device", "")
        return {"name": found.name, "profile": found.profile} | ({"device": device} if device else {})

    def close(self, *, idle: bool) -> None:
        """Close what is open. While a job still runs (`idle` is false) it keeps the embedder."""
        for model in (*self._language_models.values(), *self._rerankers.values()):
            if close := getattr(model, "close", None):
                close()
        if idle and (embedder := self.embedder.opened):
            embedder.close()

    # The embedding model

    def _centred(self, embedder: Lazy[Embedder]) -> Embedder:
        calibration = self.calibration()
        return CentredEmbedder(embedder(), calibration) if calibration.weight else embedder()

    def _open_calibration(self) -> CalibrationCache:
        files, weight = self._files(), self._settings.embedding.centring
        # Beside the models: a folder within a model's own would be taken for a damaged copy of it.
        folder = self._directories.data if files is None else self._directories.models
        best = files.row.centring if files else 0.0
        return CalibrationCache(self.uncentred(), folder / "calibrations", best if weight is None else weight)

    def _open_uncentred(self) -> Embedder:
        options, files = self._settings.embedding, self._files()
        # A provider without files runs elsewhere; where and how, the settings say.
        arguments = (
            {"options": options}
            if files is None
            else {
                "files": files,
                "device": options.device,
                "threads": options.threads,
                "batch_tokens": options.batch_tokens,
                "spinning": options.spinning,
            }
        )
        return queued(build("embedder", options.provider, **arguments), self.queue)

    def _model_files(self) -> ModelFiles | None:
        """The embedding model's files, fetched and made when they are not cached; None for a provider without files."""
        options = self._settings.embedding
        if not provider_class("embedder", options.provider).needs_files:
            return None
        return self._ensure(options.model, "embedding")

    def _ensure(self, model: str, task: Task) -> ModelFiles:
        return ensure_model(model_row(model, task), self._directories.models, progress=self._progress, extra_dirs=self._folders)

    @property
    def _folders(self) -> list[Path]:
        return [Path(folder).expanduser() for folder in self._settings.embedding.model_folders]

    # Models that strategies choose

    def language_model(self, options: LlmSettings) -> LanguageModel | None:
        """The language model; None when the settings name none. Raises `SettingsError` when it can't be used as it is set."""
        if options.provider == "none":
            return None
        with self._lock:
            if options not in self._language_models:
                key = resolve(options.api_key, "llm.api_key")
                self._language_models[options] = build("llm", options.provider, options=options, api_key=key)
            return self._language_models[options]

    def reranker(self, settings: Settings) -> Reranker:
        """The reranker of these settings. Raises `ModelUnavailable` or `SettingsError` when it can't be had."""
        key = _opened_by(settings)
        with self._lock:
            if key not in self._rerankers:
                name = self._reranker_name(settings.rerank)
                self._rerankers[key] = build("reranker", name, **self._reranker_arguments(name, settings))
            return self._rerankers[key]

    def _reranker_arguments(self, name: str, settings: Settings) -> dict[str, Any]:
        options = settings.rerank
        if name == "cross_encoder":
            return {
                "files": self._ensure(options.model, "reranking"),
                "device": options.device,
                "threads": settings.embedding.threads,
                "spinning": settings.embedding.spinning,
                "turn": partial(self.queue.turn, Priority.RERANK),
            }
        if name == "maxsim":
            return {"embedder": self.embedder(), "calibration": self.calibration(), "options": options}
        if name == "llm":
            model = self.language_model(settings.llm)
            if model is None:
                raise SettingsError("rerank.provider is 'llm', but llm.provider is 'none'. Set a model, or another reranker.")
            return {"language_model": model}
        return {"options": options}

    def _reranker_name(self, options: RerankSettings) -> str:
        """What `auto` means: the cross-encoder when its files are there, else late interaction, where the model can do it."""
        if options.provider != "auto":
            return options.provider
        row = model_row(options.model, "reranking")
        try:
            if find_model(row, self._directories.models, self._folders) is not None:
                return "cross_encoder"
        except ModelDamaged as error:
            self._notices.append(f"The reranker {row.id} is not used: {error.message}")
        embedder = self.embedder()
        return "maxsim" if isinstance(embedder, TokenEmbedder) and embedder.gives_tokens else "none"


def _opened_by(settings: Settings) -> tuple[RerankSettings, LlmSettings]:
    """What rerankers differ by: how many passages each is given, and in what time, is the stage's own matter."""
    return settings.rerank.model_copy(update={"top_n": 1, "per_result": 0, "budget_ms": 1}), settings.llm
