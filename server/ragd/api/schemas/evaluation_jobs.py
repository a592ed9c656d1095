"""Evaluations that the daemon runs by itself, as jobs."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import Page, RequestBody, Trouble
from ragd.api.schemas.jobs import Progress
from ragd.app.evaluations.judging import CALLS
from ragd.app.evaluations.measuring import Wanted
from ragd.core.jobs import JobStatus
from ragd.evaluation.runs.asking import DEFAULT_STRATEGY, Measured

_Strategy = Annotated[str, Field(min_length=1, max_length=255)]
_Metric = Annotated[str, Field(min_length=1, max_length=255)]
_AS_GIVEN: Final = ("dataset", "collection", "limit", "mode", "top_k", "rerank", "name", "judge", "judge_calls")


def _named(strategy: str) -> str | None:
    return None if strategy == DEFAULT_STRATEGY else strategy


class _Asked(RequestBody):
    dataset: str = Field(min_length=1, max_length=64, description="One of `GET /api/evaluations/choices`.")
    collection: str | None = Field(default=None, description="Asked where a question names none; all without it.")
    limit: int | None = Field(default=None, ge=1, description="Ask only the first questions.")


class RunBody(_Asked):
    """A run for each strategy; `default` stands for the settings as they are."""

    strategies: list[_Strategy] = Field(default=[DEFAULT_STRATEGY], min_length=1, max_length=10)
    mode: Measured = "retrieval_only"
    top_k: int | None = Field(default=None, ge=1, description="Passages of each (else 20; answers: `retrieval.top_k`).")
    rerank: bool = True
    name: str = Field(default="", max_length=255)
    judge: bool = Field(default=False, description="Have a language model judge passages and answers.")
    metrics: list[_Metric] = Field(default=[], max_length=100, description="`SET:METRIC` of other tools, judged by that model.")
    judge_strategy: _Strategy = Field(default=DEFAULT_STRATEGY, description="Whose `llm.*` judges.")
    judge_calls: int = Field(default=CALLS, ge=1, description="How often the judging model may be asked, in all.")

    def wanted(self) -> Wanted:
        """As the service takes it."""
        given = self.model_dump(include=set(_AS_GIVEN))
        return Wanted(
            strategies=tuple(_named(one) for one in dict.fromkeys(self.strategies)),
            metrics=tuple(self.metrics),
            judge_strategy=_named(self.judge_strategy),
            **given,
        )


class TuneBody(_Asked):
    """A search for better settings, from a strategy on. Nothing is changed by it."""

    strategy: _Strategy = DEFAULT_STRATEGY
    minutes: float = Field(default=10.0, gt=0, le=24 * 60)
    settings: list[str] = Field(default=[], max_length=100, description="What it may change; all that can be tuned when empty.")

    def wanted(self) -> Wanted:
        """As the service takes it."""
        return Wanted(
            dataset=self.dataset,
            collection=self.collection,
            limit=self.limit,
            strategies=(_named(self.strategy),),
            minutes=self.minutes,
            settings=tuple(self.settings),
        )


class TunedHalf(BaseModel):
    """What one half of the questions chose, and the means on the other, before and after."""

    changes: dict[str, Any]
    questions: int
    before: float
    after: float


class TunedFound(BaseModel):
    """What a search found; `changes` are recommended, and empty where nothing better was found.

    `gain` is the mean difference on questions that took no part in the choice, with its 95 % interval, and `p` the chance of it
    when nothing is better. `complete` says whether the time sufficed, `tried` counts configurations.
    """

    changes: dict[str, Any]
    halves: list[TunedHalf]
    gain: float
    low: float
    high: float
    p: float
    complete: bool
    tried: int


class EvaluationJob(BaseModel):
    """A job, what it was asked, and what came of it: the ids of runs, or what a search found, also as a strategy's file."""

    job_id: str
    kind: Literal["evaluation", "tuning"]
    status: JobStatus
    dataset: str
    collection: str
    strategies: list[str]
    mode: Measured
    limit: int | None
    name: str
    judge: bool
    metrics: list[str]
    judge_strategy: str
    judge_calls: int
    minutes: float
    settings: list[str]
    progress: Progress
    run_ids: list[str]
    tuned: TunedFound | None
    strategy_file: str
    error: Trouble | None
    created_at: str
    started_at: str | None
    finished_at: str | None


class EvaluationJobPage(Page[EvaluationJob]): ...


class TunableSetting(BaseModel):
    """A setting that a search may change, and the values that it tries."""

    name: str
    values: list[Any]


class JudgingModel(BaseModel):
    """A language model that can judge, and the strategy whose `llm.*` names it; `default` stands for the settings as they are."""

    strategy: str
    model: str


class SetMetric(BaseModel):
    """A metric of another tool, and what it needs of a case besides the question."""

    name: str
    needs: list[Literal["answer", "passages", "reference"]]


class OfferedMetricSet(BaseModel):
    """Another tool's metrics. `missing` says why it can't be used, and is empty where it can; `command` installs it."""

    name: str
    metrics: list[SetMetric]
    missing: str
    command: str


class EvaluationChoices(BaseModel):
    """What an evaluation can be asked for. `answers_by` names the language model, and is empty where answers are extracts."""

    datasets: list[str]
    strategies: list[str]
    tunable: list[TunableSetting]
    answers_by: str
    judges: list[JudgingModel]
    metric_sets: list[OfferedMetricSet]


class EvaluationCost(BaseModel):
    """About how often the judging model is asked for a run: by `judge` and by tools, and in all; `limit` is what is allowed.

    Answers are taken to have four sentences, contexts as many passages as are asked for, and nothing to be known from earlier
    runs. A reply without the form is asked for once more.
    """

    questions: int
    calls: dict[str, int]
    total: int
    limit: int


class StrategyBody(RequestBody):
    name: str = Field(pattern=r"^\w[\w-]*$", max_length=64)


class SavedStrategy(BaseModel):
    name: str
    path: str
