"""What judges the runs that the daemon makes by itself: a language model by our own questions, and other tools' metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from ragd.app.models import Models
from ragd.app.query_factory import QueryFactory
from ragd.config.loading import strategy_names
from ragd.core.errors import RagError, ServiceUnavailable, ValidationFailed
from ragd.evaluation.datasets import Question
from ragd.evaluation.external.environments import FOR
from ragd.evaluation.external.measuring import (
    KIND,
    LONGEST_REPLY,
    Chosen,
    JudgeAdvisor,
    calls_of_case,
    choose,
    measured_by_judge,
    open_tool,
)
from ragd.evaluation.external.protocol import ANSWER, PASSAGES, REFERENCE, MetricSet
from ragd.evaluation.judges.judge import Judge
from ragd.evaluation.judges.judging import EARLIER, Judging
from ragd.evaluation.judges.measures import calls_ahead, verdicts_of
from ragd.evaluation.runs.asking import DEFAULT_STRATEGY
from ragd.evaluation.runs.measuring import with_metric_sets, with_verdicts
from ragd.providers.protocols import LanguageModel
from ragd.providers.registry import build, names
from ragd.store.evaluation.evaluations import Evaluations

CALLS: Final = 5000
"""How often a judging model may be asked for one job, where nothing else is said."""
_LOOKED_THROUGH: Final = 1000

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class JudgeWanted:
    """Who is to judge: the language model of the settings, or of a `strategy`'s, which may be asked so many `calls`.

    `judge`: by our own questions; `metrics`: by those of other tools, named as `external.measuring.choose` takes them.
    """

    judge: bool = False
    metrics: tuple[str, ...] = ()
    strategy: str | None = None
    calls: int = CALLS

    def __bool__(self) -> bool:
        return self.judge or bool(self.metrics)


@dataclass(slots=True)
class RunJudges:
    """Judges the runs of one job, which share the calls that are allowed."""

    judging: Judging | None
    chosen: tuple[Chosen, ...]
    model: LanguageModel
    max_tokens: int
    calls_left: int
    models: Models
    evaluations: Evaluations
    _opened: bool = field(default=False, init=False)

    @property
    def rounds(self) -> int:
        """How often the questions of a run are gone through after they were asked."""
        return bool(self.judging) + len(self.chosen)

    def measure(self, run: Mapping[str, Any], progress: Callable[[int], Progress]) -> dict[str, Any]:
        """The run with all verdicts and values, and the accounts of them; `progress` is given the number of a round, from 0.

        Before the first run, each tool is started and the judge is tried out. Raises what that raises.
        """
        self._open(run["questions"][0]["query"])
        measured = dict(run)
        if self.judging:
            judging = self.judging
            judging.calls_left = self.calls_left
            judging.learn(self._earlier(run["dataset"], judging.profile_id))
            measured = with_verdicts(measured, *judging.judge(measured["questions"], progress(0)))
            self.calls_left = judging.calls_left
        accounts: list[dict[str, Any]] = []
        for number, one in enumerate(self.chosen, start=bool(self.judging)):
            judge = Judge(model=self.model, max_tokens=max(self.max_tokens, LONGEST_REPLY), calls_left=self.calls_left)
            advisor = JudgeAdvisor(judge, self._embedded)
            records, account = measured_by_judge(measured["questions"], one, advisor, progress(number))
            self.calls_left = judge.calls_left
            accounts.append(account)
            measured = with_metric_sets(measured, records, accounts)
        return measured

    def _open(self, question: str) -> None:
        if self._opened:
            return
        for one in self.chosen:
            open_tool(one)
        if self.judging:
            self.judging.try_out(question)
            self.calls_left = self.judging.calls_left
        self._opened = True

    def _earlier(self, dataset: str, profile_id: str) -> dict[str, dict[str, Any]]:
        """Verdicts of the same judge in the newest runs of the dataset."""
        rows = [
            row
            for row in self.evaluations.page(1, _LOOKED_THROUGH)[0]
            if row["dataset"] == dataset and (row["options"].get("judge") or {}).get("profile_id") == profile_id
        ]
        return verdicts_of(self.evaluations.get(row["run_id"]) for row in rows[:EARLIER])

    def _embedded(self, texts: Sequence[str]) -> list[list[float]]:
        embedder = self.models.uncentred()
        room = embedder.max_tokens - embedder.passage_overhead
        if any(embedder.tokenizer.count(text) > room for text in texts):
            raise ValidationFailed(f"A text of the tool is longer than the {room} tokens that the embedding model reads.")
        return [[float(value) for value in row] for row in embedder.embed_queries(texts)]


@dataclass(frozen=True, slots=True)
class Judges:
    """Makes them, and says which there are and what they cost."""

    queries: QueryFactory
    evaluations: Evaluations

    def open(self, wanted: JudgeWanted, *, answers: bool) -> RunJudges | None:
        """Those that are wanted; None for none. `answers`: whether the runs have answers.

        Raises `ValidationFailed` for what is not known or has no language model, `ServiceUnavailable` for a tool that is not
        installed, and `SettingsError` for a model that can't be used as it is set.
        """
        if not wanted:
            return None
        chosen = tuple(choose(wanted.metrics, answers=answers)) if wanted.metrics else ()
        options = self.queries.settings(wanted.strategy).llm
        # The same question shall get the same reply.
        model = self.queries.models.language_model(options.model_copy(update={"temperature": 0.0}))
        if model is None:
            message = "A judge needs a language model: set llm.provider and llm.model, or name a strategy that has them."
            raise ValidationFailed.of_field("judge_strategy", "no_model", message)
        judging = Judging(model, options.max_output_tokens, wanted.calls) if wanted.judge else None
        return RunJudges(judging, chosen, model, options.max_output_tokens, wanted.calls, self.queries.models, self.evaluations)

    def cost(self, wanted: JudgeWanted, questions: Iterable[Question], passages: int, *, answers: bool) -> dict[str, int]:
        """About how often the judging model is asked about these questions, by who asks: "judge", and the names of tools.

        So many `passages` are found for each; fewer where not as many fit into the context. Nothing is taken to be known from
        earlier runs. Raises as `open` does for tools.
        """
        asked = list(questions)
        chosen = choose(wanted.metrics, answers=answers) if wanted.metrics else []
        found = {"judge": sum(calls_ahead(one, passages, answers=answers) for one in asked)} if wanted.judge else {}
        for one in chosen:
            found[one.own.name] = sum(calls_of_case(one, _held(question, answers), passages) for question in asked)
        return found

    def models(self) -> list[dict[str, str]]:
        """The language models that can judge, by the strategies that bring them: `{strategy, model}`."""
        own = self.queries.own.llm
        found = [] if own.provider == "none" else [{"strategy": DEFAULT_STRATEGY, "model": f"{own.provider} {own.model}"}]
        for name in strategy_names(self.queries.config_folder):
            # One that can't be read, or is for another start of the daemon, is said where it is asked for.
            with suppress(RagError):
                llm = self.queries.settings(name).llm
                if llm.provider != "none" and llm != own:
                    found.append({"strategy": name, "model": f"{llm.provider} {llm.model}"})
        return found

    def metric_sets(self) -> list[dict[str, Any]]:
        """Other tools' metrics that this daemon knows. `missing` says why a tool can't be used, `command` what installs it."""
        return [_described(name) for name in names(KIND)]


def _held(question: Question, answers: bool) -> set[Any]:
    """What a case of this question will have, where something is found and answered."""
    if not question.relevant:
        return set()
    return {PASSAGES, *((ANSWER,) if answers else ()), *((REFERENCE,) if question.expected else ())}


def _described(name: str) -> dict[str, Any]:
    made: MetricSet = build(KIND, name)
    missing = ""
    try:
        made.require()
    except ServiceUnavailable as error:
        missing = error.message
    return {
        "name": name,
        "metrics": [{"name": metric, "needs": sorted(needs)} for metric, needs in made.metrics.items()],
        "missing": missing,
        "command": f"rag extras add {name}" if missing and name in FOR else "",
    }
