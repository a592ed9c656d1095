"""The query pipelines and the answerers, one for each strategy, over the stores and models that all of them share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Any, Final

from ragd.answer.answerer import Answerer
from ragd.answer.prompt import PromptBuilder, read_rules
from ragd.answer.support import SupportCheck
from ragd.app.models import Models
from ragd.config.loading import setting_names, with_changes, with_strategy
from ragd.config.settings import Settings
from ragd.core.errors import FieldProblem, SettingsError, ValidationFailed
from ragd.core.lazy import Lazy
from ragd.core.query import MODES
from ragd.core.tracing import Tracer
from ragd.ingest.indexes import Indexes
from ragd.models.rows import weights_of
from ragd.providers.devices import physical_cores
from ragd.providers.protocols import LanguageModel
from ragd.providers.registry import build
from ragd.retrieve.pipeline import QueryPipeline, Ranking
from ragd.retrieve.places import Places
from ragd.retrieve.planning.planner import Planner
from ragd.retrieve.planning.synonyms import SYNONYMS_FILE, Synonyms
from ragd.retrieve.ranking.candidates import Retriever
from ragd.retrieve.ranking.reranking import RerankStage
from ragd.store.passages import Passages

# Groups of settings that a named strategy may change for one request; the others shape what is indexed.
_REQUEST_GROUPS = {"retrieval", "rerank", "llm", "answer"}
# What a request may change by itself: what finding passages reads. An address or a file would have the server go where the
# settings do not send it.
_CHANGEABLE: Final = ("retrieval", "rerank")
_ALSO_CHANGEABLE: Final = {"answer.min_confidence"}
_FIXED: Final = {"retrieval.fusion_weights", "rerank.url", "rerank.api_key"}


def _is_changeable(name: str) -> bool:
    return (name.partition(".")[0] in _CHANGEABLE and name not in _FIXED) or name in _ALSO_CHANGEABLE


@dataclass(kw_only=True, slots=True)
class QueryFactory:
    """Makes what answers queries under a named strategy, or under the settings as they are (None). Each is made once."""

    own: Settings
    """The settings as they are."""
    config_folder: Path
    models: Models
    passages: Passages
    indexes: Lazy[Indexes]
    workers: ThreadPoolExecutor
    tracer: Tracer
    notices: list[str]
    lock: AbstractContextManager[object]
    _places: Places = field(init=False)
    _rules: Lazy[Template] = field(init=False)
    _synonyms: Lazy[Synonyms] = field(init=False)
    _pipelines: dict[str | None, QueryPipeline] = field(default_factory=dict, init=False)
    _answerers: dict[str | None, Answerer] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._places = Places(_carried())
        self._rules = Lazy(partial(read_rules, self.config_folder), self.lock)
        self._synonyms = Lazy(lambda: Synonyms(self.config_folder / SYNONYMS_FILE, self.models.analyzer()), self.lock)

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        with self.models.queue.interactive(), self._places.one():
            yield

    def changeable(self) -> list[dict[str, Any]]:
        """The settings that one question may change: `{name, value, default, rule}`, the rule as JSON Schema."""
        schema, defaults = Settings.model_json_schema(), setting_names()
        rows = []
        for name, default in defaults.items():
            group, _, key = name.partition(".")
            if _is_changeable(name):
                of_group = schema["$defs"][schema["properties"][group]["$ref"].rpartition("/")[2]]
                described = {
                    part: value for part, value in of_group["properties"][key].items() if part not in ("title", "default")
                }
                rows.append(
                    {"name": name, "value": getattr(getattr(self.own, group), key), "default": default, "rule": described}
                )
        return rows

    def settings(self, strategy: str | None, changes: Mapping[str, Any] = MappingProxyType({})) -> Settings:
        """The settings under a strategy, and with `changes` by dotted name.

        Raises `ValidationFailed` for a strategy or a setting that is unknown, or that no request may change.
        """
        settings = self._of_strategy(strategy)
        if not changes:
            return settings
        known = setting_names()
        for name in changes:
            if name in known and not _is_changeable(name):
                message = (
                    f"'{name}' can't be changed for one question. Those that can: "
                    f"{', '.join(f'{group}.*' for group in _CHANGEABLE)} without {', '.join(sorted(_FIXED))}; "
                    f"{', '.join(sorted(_ALSO_CHANGEABLE))}. A strategy in a file can change more."
                )
                raise ValidationFailed.of_field(f"settings.{name}", "fixed", message)
        return with_changes(settings, changes)

    def _of_strategy(self, strategy: str | None) -> Settings:
        if strategy is None:
            return self.own
        try:
            changed = with_strategy(self.own, self.config_folder, strategy)
        except SettingsError as error:
            raise ValidationFailed(
                f"{error.message} 'strategy' may also be one of: {', '.join(MODES)}.",
                details=[FieldProblem("strategy", "unknown", error.message)],
            ) from error
        fixed = [group for group in Settings.model_fields if group not in _REQUEST_GROUPS]
        differing = [group for group in fixed if getattr(changed, group) != getattr(self.own, group)]
        if differing:
            raise ValidationFailed(
                f"The strategy '{strategy}' changes {', '.join(differing)}, which shapes what is indexed; "
                f"start the daemon with RAG_STRATEGY={strategy}."
            )
        return changed

    def pipeline(self, strategy: str | None, changes: Mapping[str, Any] = MappingProxyType({})) -> QueryPipeline:
        """The query pipeline; with `changes` it is made for one question. Raises what opening its models and indexes raises."""
        if changes:
            return self._new_pipeline(self.settings(strategy, changes))
        with self.lock:
            if strategy not in self._pipelines:
                self._pipelines[strategy] = self._new_pipeline(self.settings(strategy))
            return self._pipelines[strategy]

    def answerer(self, strategy: str | None) -> Answerer:
        """What makes an answer of passages. Raises `SettingsError` when the model or the rules can't be used."""
        with self.lock:
            if strategy not in self._answerers:
                settings = self.settings(strategy)
                self._answerers[strategy] = Answerer(
                    model=self.models.language_model(settings.llm),
                    prompts=self.prompts(strategy),
                    embedder=self.models.answer_embedder(),
                    analyzer=self.models.analyzer(),
                    support=self.support_check(strategy),
                    max_output_tokens=settings.llm.max_output_tokens,
                )
            return self._answerers[strategy]

    def prompts(self, strategy: str | None) -> PromptBuilder:
        """Builds the messages for language models. Raises `SettingsError` when the rules can't be used."""
        return PromptBuilder(self._rules(), self.settings(strategy).answer.history_tokens)

    def support_check(self, strategy: str | None = None) -> SupportCheck:
        """What holds answers against passages."""
        # The threshold was measured on the model's own vectors.
        threshold = self.settings(strategy).answer.support_threshold
        return SupportCheck(self.models.answer_uncentred(), self.models.analyzer(), threshold)

    def _new_pipeline(self, settings: Settings) -> QueryPipeline:
        """The language model is loaded only where the settings let it take part."""
        options, models, indexes = settings.retrieval, self.models, self.indexes()
        reranker = models.reranker(settings)
        model = self._writing_model(settings)
        return QueryPipeline(
            planner=Planner(
                analyzer=models.analyzer(),
                max_chars=settings.limits.max_query_chars,
                synonyms=self._synonyms(),
                options=options,
                model=model if options.rewrite == "model" or options.multi_query > 0 else None,
            ),
            retriever=Retriever(
                passages=self.passages,
                embedder=models.embedder(),
                analyzer=models.analyzer(),
                dense=indexes.dense,
                sparse=indexes.sparse,
                workers=self.workers,
                depth={"dense": options.dense_top_k, "sparse": options.sparse_top_k},
                tokens=indexes.tokens,
            ),
            reranking=RerankStage(
                self.passages,
                build("fusion", options.fusion, options=options, model=weights_of(models.embedder().model_id)),
                reranker,
                offered=partial(_offered, settings),
                budget_ms=settings.rerank.budget_ms,
                share=models.queue.interactive_share,
                only_where_it_helps=settings.rerank.provider == "auto",
            ),
            ranking=Ranking(
                count_tokens=partial(_each, model.count_tokens) if model else models.token_counts,
                own_count=model is None,
                relevance=models.relevance(),
                options=options,
            ),
            tracer=self.tracer,
            strategy_config_id=cache(settings.strategy_config_id),
            settings=settings.shaping(),
            min_confidence=settings.answer.min_confidence,
            interactive=self._in_place,
        )

    def _writing_model(self, settings: Settings) -> LanguageModel | None:
        """The language model; None with a notice when it can't be used as it is set: passages are found without it."""
        try:
            return self.models.language_model(settings.llm)
        except SettingsError as error:
            self.notices.append(f"The language model can't be used: {error.message}")
            return None


def _carried() -> int:
    """Questions that are answered side by side: one more than there are cores, for what one of them waits for."""
    return (physical_cores() or os.cpu_count() or 1) + 1


def _each(count: Callable[[str], int], texts: Sequence[str]) -> list[int]:
    return [count(text) for text in texts]


def _offered(settings: Settings, top_k: int) -> int:
    """How many candidates the reranker is given when `top_k` passages are asked for."""
    options = settings.rerank
    return min(options.per_result * top_k or options.top_n, settings.limits.max_rerank_candidates)
