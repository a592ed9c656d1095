"""Evaluation runs, taken in and given out in one shape; and feedback, which is kept as a case for evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, WithJsonSchema

from ragd.api.schemas.base import Page, RequestBody
from ragd.api.schemas.chat import MAX_ANSWER_CHARS, ChatDone, ChunkId
from ragd.api.schemas.query import FILTERS, HISTORY, QueryAnswer, QueryBody, TurnBody
from ragd.core.logs import request_id
from ragd.core.query import ChatRequest, QueryRequest
from ragd.retrieve.history import parse_history
from ragd.store.evaluation.feedback import Verdict

Share = Annotated[float, Field(ge=0, le=1)]
Milliseconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Hash = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
Name = Annotated[str, Field(max_length=255)]
Moment = Annotated[str, Field(max_length=32)]
PlaceValues = dict[str, str | int | list[int]]


class TrialBody(QueryBody):
    """A question under other settings, to be measured."""

    settings: dict[str, Any] = Field(
        default={}, description="Values by dotted name, as a replay takes them, over those of `strategy` where it names a file."
    )

    def request(self, source_tokens: Mapping[str, str], readable: frozenset[str] | None = None) -> QueryRequest:
        """The request as the services take it. Raises as a query's does."""
        return QueryRequest(**self._fields(source_tokens, readable), changes=self.settings)


class GivenPassage(RequestBody):
    """A passage of a dataset."""

    text: str = Field(min_length=1, max_length=50_000)
    source: Name = ""


class GivenBody(RequestBody):
    """A question to be answered from passages that come with it: nothing is searched."""

    query: str
    passages: list[GivenPassage] = Field(min_length=1, max_length=100)
    strategy: str | None = Field(default=None, description="A mode, or the name of a file in `config/strategies/`.")
    history: Annotated[list[Any] | None, WithJsonSchema(HISTORY)] = None
    evaluation: Hash | None = None

    def request(self) -> ChatRequest:
        """The request as the services take it. Raises as a query's does."""
        return ChatRequest(
            self.query,
            strategy=self.strategy,
            history=parse_history(self.history),
            evaluation=self.evaluation,
            request_id=request_id.get(),
        )


class GivenAnswer(BaseModel):
    """`retrieval` has the passages as citations, `done` the answer made of them."""

    retrieval: QueryAnswer
    done: ChatDone


class Latency(RequestBody):
    p50: Milliseconds
    p95: Milliseconds


class Summary(RequestBody):
    """Means over questions. `empty` counts those that nothing was found for."""

    questions: Count
    empty: Count
    metrics: dict[str, Share]
    latency_ms: Latency


class Summaries(RequestBody):
    """Of all questions, and of each group of each kind: `groups.type.exact`."""

    overall: Summary
    groups: dict[str, dict[str, Summary]]


class RelevantPlace(RequestBody):
    source: str
    place: PlaceValues
    grade: Count
    rank: Count | None = Field(description="Where it came in the ranking, from 1; null when it was not found.")


class FoundPassage(RequestBody):
    chunk_id: str
    source: str
    section: str
    place: PlaceValues
    score: float = Field(allow_inf_nan=False)


class EvaluatedQuestion(RequestBody):
    """A question of a run: what answers it and where that came, the first passages that were found, and the metrics."""

    id: str
    query: str
    groups: dict[str, str]
    relevant: list[RelevantPlace]
    found: list[FoundPassage]
    results: Count
    latency_ms: Milliseconds
    trace_id: str
    metrics: dict[str, Share]
    artifacts: dict[str, Any] = Field(default={}, description="Stages of the passages, context, times, and the answer.")


class Controls(RequestBody):
    """Questions whose verdict is known, which a judge was asked first."""

    asked: Count
    right: Count


class JudgeAccount(RequestBody):
    """What judged a run and at what cost. Verdicts that are `unparsable`, `failed` or `too_long` do not count."""

    profile_id: Hash = Field(description="Hash of provider, model and the wording of all questions.")
    provider: Name
    model: Name
    controls: Controls
    reliable: bool | None = Field(
        default=None, description="Whether it was right about enough of them; null in runs of earlier versions."
    )
    calls: Count
    cached: Count = Field(description="Verdicts taken over from earlier runs.")
    retried: Count
    unparsable: Count
    failed: Count
    too_long: Count
    input_tokens: Count
    output_tokens: Count
    stopped: str = Field(description="Why not all was judged; empty when it was.")


class MetricSetAccount(RequestBody):
    """Another tool whose metrics a run has, as `name:metric`, and what its judging cost."""

    name: Name
    version: Name
    metrics: list[Name]
    metric_set_id: Hash = Field(description="Hash of the tool, its release and the metrics.")
    provider: Name
    model: Name
    missing: Count = Field(description="Values that the tool did not give.")
    calls: Count
    input_tokens: Count
    output_tokens: Count
    stopped: str = Field(description="Why not all was measured; empty when it was.")


class EvaluationOptions(RequestBody):
    mode: Literal["retrieval_only", "generation_only", "end_to_end"] = "retrieval_only"
    rerank: bool
    top_k: Count
    limit: Count | None
    judge: JudgeAccount | None = None
    metric_sets: list[MetricSetAccount] = Field(default=[])


class EvaluationRow(RequestBody):
    run_id: Hash
    name: Name
    dataset: Name
    dataset_hash: Hash
    collection: Name
    strategy: Name
    strategy_config_id: Hash
    options: EvaluationOptions
    started_at: Moment
    finished_at: Moment
    metrics: Summaries


class Evaluation(EvaluationRow):
    questions: list[EvaluatedQuestion] = Field(min_length=1)


class EvaluationPage(Page[EvaluationRow]): ...


class Figure(BaseModel):
    """The mean of a metric over the questions that have it, and its 95 % interval."""

    metric: str
    counted: int
    mean: float
    low: float
    high: float


class GroupFigure(Figure):
    kind: str
    group: str
    questions: int


class EvaluationFigures(BaseModel):
    run: EvaluationRow
    main: str = Field(description="The metric that stands for the quality of an answer.")
    metrics: list[Figure]
    groups: list[GroupFigure] = Field(description="The main metric of each group of questions.")


class QuestionRow(BaseModel):
    id: str
    query: str
    groups: dict[str, str]
    relevant: list[RelevantPlace]
    found: list[FoundPassage]
    results: int
    latency_ms: float
    trace_id: str
    metrics: dict[str, float]


class EvaluatedQuestionPage(Page[QuestionRow]): ...


class ComparedMetric(BaseModel):
    """`p` is the chance of such a difference when both runs are equally good (paired randomisation test)."""

    metric: str
    first: float
    second: float
    difference: float
    p: float
    wins: int
    losses: int


class ComparedQuestion(BaseModel):
    id: str
    query: str
    first: float
    second: float
    difference: float
    first_trace: str
    second_trace: str


class EvaluationComparison(BaseModel):
    """Two runs of the same questions; `changed` are questions by `metric`, the greatest loss of the second first."""

    first: EvaluationRow
    second: EvaluationRow
    questions: int
    metric: str
    metrics: list[ComparedMetric]
    changed: Page[ComparedQuestion]


class FeedbackBody(RequestBody):
    """`chunk_ids` are the passages that were shown, best those that the answer cites. Their places are kept, not the ids."""

    question: str = Field(max_length=20_000)
    verdict: Verdict
    collection: str | None = Field(default=None, description="The collection that was asked; without it, every enabled one.")
    filters: Annotated[dict[str, Any] | None, WithJsonSchema(FILTERS)] = None
    history: Annotated[list[Any] | None, WithJsonSchema(HISTORY)] = None
    chunk_ids: list[ChunkId] = Field(max_length=100)
    answer: str | None = Field(default=None, max_length=MAX_ANSWER_CHARS)
    comment: str | None = Field(default=None, max_length=10_000)
    trace_id: str | None = Field(default=None, pattern="^[0-9a-f]{32}$")


class RelevantTo(BaseModel):
    """A document, and the place in it that was shown, written as in a dataset of `rag eval`."""

    source: str
    place: dict[str, str | int | list[int]]


class Feedback(BaseModel):
    id: str
    created_at: str
    question: str
    verdict: Verdict
    collection: str | None
    filters: dict[str, Any] | None
    history: list[TurnBody]
    relevant: list[RelevantTo]
    answer: str | None
    comment: str | None
    trace_id: str | None


class FeedbackPage(Page[Feedback]): ...
