"""Evaluation as jobs of the daemon: a run, and a search for better settings, by the code of `rag eval run` and `rag eval tune`.

They run beside the other jobs, one at a time, and begin anew when they were cut off: what is not finished is not kept.
"""

from __future__ import annotations

import math
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ragd.app.evaluations.asking import SearchAsker
from ragd.app.evaluations.datasets import EvaluationDatasets
from ragd.app.evaluations.judging import CALLS, Judges, JudgeWanted
from ragd.app.query_factory import QueryFactory
from ragd.app.search import Search
from ragd.config.loading import strategy_names
from ragd.core.errors import NotFound, ValidationFailed
from ragd.core.ids import hash32
from ragd.core.jobs import BESIDE, EVALUATION, TUNING, EvaluationResult
from ragd.core.query import MODES
from ragd.evaluation.datasets import Dataset, Question
from ragd.evaluation.metrics import require_library
from ragd.evaluation.runs.asking import DEPTH, Measured, Terms
from ragd.evaluation.runs.measuring import measured_run
from ragd.evaluation.runs.searching import Start, as_strategy, search
from ragd.evaluation.tuning import TUNABLE, halves
from ragd.ingest.reading import Report
from ragd.jobs.executor import JobHandler
from ragd.store.collections import Collections
from ragd.store.evaluation.evaluations import Evaluations
from ragd.store.jobs import Job, Jobs


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked with. `strategies` None stands for the settings as they are; `limit` takes the first questions only.

    Of a run: `mode`, `top_k` (None: as many as people get, or `DEPTH` where only passages are measured), `rerank`, `name`; who
    judges it, see `JudgeWanted`. Of a search: `minutes`, and the `settings` that it may change, all that can be tuned when empty;
    it begins at the first strategy.
    """

    dataset: str
    collection: str | None = None
    strategies: tuple[str | None, ...] = (None,)
    mode: Measured = "retrieval_only"
    top_k: int | None = None
    rerank: bool = True
    limit: int | None = None
    name: str = ""
    judge: bool = False
    metrics: tuple[str, ...] = ()
    judge_strategy: str | None = None
    judge_calls: int = CALLS
    minutes: float = 10.0
    settings: tuple[str, ...] = ()

    @classmethod
    def of_payload(cls, payload: Mapping[str, Any]) -> Wanted:
        """As `asdict` gave it, through JSON."""
        lists = {name: tuple(payload.get(name, ())) for name in ("strategies", "settings", "metrics")}
        return cls(**{**payload, **lists})

    @property
    def judges(self) -> JudgeWanted:
        return JudgeWanted(self.judge, self.metrics, self.judge_strategy, self.judge_calls)

    @property
    def answers(self) -> bool:
        """Whether answers are measured, and not passages alone."""
        return self.mode != "retrieval_only"


@dataclass(slots=True)
class _Counted:
    """How far a job is: `done` of `total`, what it did before the present run included."""

    report: Report
    stage: str
    total: int
    before: int = 0
    done: int = 0

    def reach(self, done: int, _of: int = 0) -> None:
        self.done = min(self.before + done, self.total)
        self.tell()

    def round(self, before: int, questions: int, number: int) -> Callable[[int, int], None]:
        """What is told how far a further round over the questions is, by its number from 0."""
        self.before = before + (number + 1) * questions
        return self.reach

    def tell(self) -> None:
        """Raises where the job is to end."""
        self.report(self.stage, self.done, self.total)


@dataclass(frozen=True, slots=True)
class Measuring:
    """Queues these jobs, and runs them."""

    queries: QueryFactory
    search: Search
    collections: Collections
    datasets: EvaluationDatasets
    evaluations: Evaluations
    jobs: Jobs
    kinds: frozenset[str] = field(default=BESIDE, init=False)

    def handlers(self) -> dict[str, JobHandler]:
        """What runs each kind."""
        return {EVALUATION: self.run, TUNING: self.tune}

    @property
    def judges(self) -> Judges:
        """What judges runs beyond what is measured without a model."""
        return Judges(self.queries, self.evaluations)

    def strategies(self) -> list[str]:
        """What a strategy may be: the modes, and the names of files."""
        return [*MODES, *strategy_names(self.queries.config_folder)]

    def queue(self, kind: str, wanted: Wanted, request_id: str | None) -> Job:
        """Queue a run (`EVALUATION`) or a search (`TUNING`). What can be known to be wrong is said now.

        Raises `NotFound`, `CollectionNotFound`, `CollectionUnavailable`, `ValidationFailed`, and `ServiceUnavailable` without the
        library of metrics or with too many jobs.
        """
        require_library()
        kb_id = self.collections.available(wanted.collection).kb_id if wanted.collection else ""
        questions = self._questions(wanted)[1]
        for strategy in wanted.strategies:
            self.queries.settings(Start(strategy).overlay)
        self.judges.open(wanted.judges, answers=wanted.answers)
        if kind == TUNING:
            if unknown := [name for name in wanted.settings if name not in TUNABLE]:
                message = f"'{unknown[0]}' is not tuned. What can be: {', '.join(TUNABLE)}."
                raise ValidationFailed.of_field("settings", "unknown", message)
            halves(questions)
        return self.jobs.add(kind, collection=wanted.collection or "", kb_id=kb_id, payload=asdict(wanted), request_id=request_id)

    def cost(self, wanted: Wanted) -> dict[str, Any]:
        """About how often the judging model is asked for a run, in the shape of `api.schemas.evaluation_jobs.EvaluationCost`.

        Raises as `queue` does, but for what only a start can say.
        """
        questions = self._questions(wanted)[1]
        asked: Counter[str] = Counter()
        for strategy in wanted.strategies:
            passages = self._top_k(wanted, strategy)
            asked.update(self.judges.cost(wanted.judges, questions, passages, answers=wanted.answers))
        return {"questions": len(questions), "calls": dict(asked), "total": asked.total(), "limit": wanted.judge_calls}

    def page(self, page: int, page_size: int) -> tuple[list[Job], int]:
        """These jobs, newest first, and how many there are."""
        return self.jobs.page(page, page_size, kinds=self.kinds)

    def get(self, job_id: str) -> Job:
        """One of them. Raises `NotFound`."""
        job = self.jobs.get(job_id)
        if job.kind not in self.kinds:
            raise NotFound(f"The job '{job_id}' measures nothing.")
        return job

    def save_strategy(self, job_id: str, name: str) -> Path:
        """Write what a search recommends as a strategy's file, which counts only where it is named.

        Raises `NotFound`, and `ValidationFailed` where nothing is recommended, the name is taken, or nothing can be written.
        """
        text = (self.get(job_id).result or {}).get("strategy_file", "")
        if not text:
            raise ValidationFailed("This search recommends nothing, so there is nothing to save.")
        if name in self.strategies():
            raise ValidationFailed.of_field("name", "taken", f"There is a strategy '{name}' already.")
        path = self.queries.config_folder / "strategies" / f"{name}.yaml"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise ValidationFailed(f"{path} can't be written: {error.strerror}.") from error
        return path

    def run(self, job: Job, report: Report) -> EvaluationResult:
        """A run for each strategy, kept as soon as it is finished. A job that goes on after a stop finds those of before."""
        wanted = Wanted.of_payload(job.payload)
        dataset, questions = self._questions(wanted)
        judges = self.judges.open(wanted.judges, answers=wanted.answers)
        rounds = 1 + (judges.rounds if judges else 0)
        counted = _Counted(report, "asking", len(wanted.strategies) * len(questions) * rounds)
        asker = SearchAsker(self.search, self.queries, job.request_id, counted.tell)
        runs: list[str] = []
        for at, strategy in enumerate(wanted.strategies):
            counted.before = at * len(questions) * rounds
            runs.append(run_id := hash32(job.job_id, str(at)))
            if self.evaluations.has(run_id):
                continue
            top_k = self._top_k(wanted, strategy)
            terms = Terms(run_id, top_k, wanted.mode, strategy, wanted.collection, wanted.rerank)
            run = measured_run(
                asker,
                dataset,
                questions,
                terms,
                name=wanted.name,
                limit=wanted.limit,
                judged=judges is not None,
                progress=counted.reach,
            )
            if judges:
                run = judges.measure(run, partial(counted.round, counted.before, len(questions)))
            self.evaluations.add(run)
        return EvaluationResult(tuple(runs))

    def tune(self, job: Job, report: Report) -> EvaluationResult:
        """The search, and its recommendation as a strategy's file. Nothing is changed by it."""
        wanted = Wanted.of_payload(job.payload)
        dataset, questions = self._questions(wanted)
        start = Start(wanted.strategies[0])
        seconds = math.ceil(wanted.minutes * 60)
        counted = _Counted(report, "tuning", seconds)
        found = search(
            SearchAsker(self.search, self.queries, job.request_id, counted.tell),
            dataset,
            questions,
            start.terms(uuid.uuid4().hex, wanted.collection, DEPTH),
            start.present(self.queries.settings(start.overlay)),
            seconds=wanted.minutes * 60,
            resamples=self.queries.own.evaluation.resamples,
            progress=counted.reach,
            names=wanted.settings or tuple(TUNABLE),
        )
        text = as_strategy(found, dataset.hash, self.queries.config_folder, start) if found.changes else ""
        return EvaluationResult(tuned=asdict(found), strategy_file=text)

    def _questions(self, wanted: Wanted) -> tuple[Dataset, Sequence[Question]]:
        dataset = self.datasets.dataset(wanted.dataset, wanted.collection)
        questions = dataset.questions
        if wanted.mode == "generation_only":
            questions = tuple(question for question in questions if question.passages)
            if not questions:
                raise ValidationFailed("No question of this dataset carries passages to answer from.")
        return dataset, questions[: wanted.limit]

    def _top_k(self, wanted: Wanted, strategy: str | None) -> int:
        if wanted.top_k is not None:
            return wanted.top_k
        if wanted.mode == "retrieval_only":
            return DEPTH
        return self.queries.settings(Start(strategy).overlay).retrieval.top_k
