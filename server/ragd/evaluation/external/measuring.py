"""From the records of a run to the cases of other tools' metrics, and their values back into the records.

A metric is called `SET:METRIC`, such as `ragas:faithfulness`. As with our own judge, an answer that says "not found" is none, and
passages count only where the dataset says that something answers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from ragd.core.errors import ServiceUnavailable, SettingsError, ValidationFailed, did_you_mean
from ragd.core.ids import hash32
from ragd.evaluation.external.protocol import ANSWER, Advisor, Case, Field, MetricSet, Value
from ragd.evaluation.judges.judge import Judge, JudgeStopped
from ragd.evaluation.judges.measures import plain
from ragd.providers.registry import build, names

KIND: Final = "metric_set"
LONGEST_REPLY: Final = 4096
"""Tokens. They ask for longer replies than our judge does: a list of claims, a verdict on each of eight passages."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A set, and the names of its metrics that are asked for."""

    own: MetricSet
    metrics: tuple[str, ...]

    @property
    def full_names(self) -> tuple[str, ...]:
        return tuple(f"{self.own.name}:{metric}" for metric in self.metrics)

    @property
    def metric_set_id(self) -> str:
        """Hash of what measures: the tool, its release, the metrics."""
        return hash32(self.own.name, self.own.version, *self.metrics)


def choose(texts: Iterable[str], *, answers: bool) -> list[Chosen]:
    """The metrics that people name: `SET:METRIC`, or `SET` for all of a set that the run allows, with commas between them.

    `answers`: whether the run has answers. Raises `ValidationFailed` for what is not known or needs answers, and
    `ServiceUnavailable`, which says what to run, for a set that is not installed.
    """
    wanted: dict[str, list[str]] = {}
    sets: dict[str, MetricSet] = {}
    for text in (one.strip() for given in texts for one in given.split(",")):
        name, colon, metric = text.partition(":")
        if name not in sets:
            sets[name] = _set(name)
        known = sets[name].metrics
        possible = [one for one, needs in known.items() if answers or ANSWER not in needs]
        if colon and metric not in known:
            raise ValidationFailed(
                f"{name} has no metric '{metric}'.{did_you_mean(metric, list(known))} It has: {', '.join(known)}."
            )
        if colon and metric not in possible:
            raise ValidationFailed(f"{text} measures an answer: give --mode end_to_end or --mode generation_only.")
        wanted.setdefault(name, []).extend([metric] if colon else possible)
    for one in sets.values():
        one.require()
    return [Chosen(sets[name], tuple(dict.fromkeys(listed))) for name, listed in wanted.items()]


def open_tool(chosen: Chosen) -> None:
    """Start a tool, for no case. Raises `ServiceUnavailable` where it does not start."""
    with closing(chosen.own.measure([], _NoAdvisor())) as values:
        assert not list(values)


class _NoAdvisor:
    """For no case nothing is asked."""

    def reply(self, prompt: str) -> str:
        raise NotImplementedError

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class JudgeAdvisor:
    """The models that a tool asks: a judge, and the embedding model that searches."""

    judge: Judge
    embed: Callable[[Sequence[str]], list[list[float]]]

    def reply(self, prompt: str) -> str:
        return self.judge.reply(prompt)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        return self.embed(texts)


def calls_of_case(chosen: Chosen, held: Collection[Field], passages: int) -> int:
    """How often the judging model is asked about a case that has these fields, and so many passages."""
    asked = [chosen.own.calls[metric] for metric in chosen.metrics if chosen.own.metrics[metric] <= set(held)]
    return sum(once + each * passages for once, each in asked)


def _set(name: str) -> MetricSet:
    try:
        made: MetricSet = build(KIND, name)
    except SettingsError as error:
        known = names(KIND)
        raise ValidationFailed(
            f"There is no set of metrics '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}. Write SET:METRIC, "
            "such as ragas:faithfulness."
        ) from error
    return made


def case_of(record: Mapping[str, Any]) -> Case:
    """The case of a record of `runner.evaluate` with the passages' texts among its artifacts."""
    kept = record["artifacts"]
    found = bool(kept.get("found"))
    texts = tuple(one["content"] for one in kept.get("passages", ())) if found or record["relevant"] else ()
    return Case(record["query"], plain(kept["answer"]) if found else "", texts, kept.get("reference", ""))


def wanted_of(case: Case, chosen: Chosen) -> list[str]:
    """The metrics that a case has everything for."""
    return [metric for metric in chosen.metrics if case.has(chosen.own.metrics[metric])]


def without(records: Sequence[Mapping[str, Any]], chosen: Chosen) -> list[str]:
    """The metrics that no record has everything for, such as those of a reference where no question has an answer."""
    cases = [case_of(record) for record in records]
    return [metric for metric in chosen.metrics if not any(metric in wanted_of(case, chosen) for case in cases)]


def measure_records(
    records: Sequence[Mapping[str, Any]], chosen: Chosen, advisor: Advisor, progress: Callable[[int, int], None]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The records with the values of the set and, under `artifacts.metric_sets`, what it said; and the account of it.

    When the judging model or the tool has to stop, the records that were measured keep their values, and the account says why.
    """
    asked = [(case, wanted) for record in records if (wanted := wanted_of(case := case_of(record), chosen))]
    measured: list[dict[str, Any]] = []
    stopped, problems = "", 0
    with closing(chosen.own.measure(asked, advisor)) as values:
        for number, record in enumerate(records):
            progress(number, len(records))
            found: dict[str, Value] = {}
            if not stopped and wanted_of(case_of(record), chosen):
                try:
                    found = next(values)
                except (JudgeStopped, ServiceUnavailable) as reason:
                    stopped = str(reason)
            problems += sum(one.value is None for one in found.values())
            measured.append(_with(record, chosen.own.name, found))
    progress(len(records), len(records))
    account = {
        "name": chosen.own.name,
        "version": chosen.own.version,
        "metrics": list(chosen.metrics),
        "metric_set_id": chosen.metric_set_id,
        "missing": problems,
        "stopped": stopped,
    }
    return measured, account


def measured_by_judge(
    records: Sequence[Mapping[str, Any]], chosen: Chosen, advisor: JudgeAdvisor, progress: Callable[[int, int], None]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """As `measure_records`, with the model and what it was asked for these records in the account."""
    before = _spent(advisor.judge)
    measured, account = measure_records(records, chosen, advisor, progress)
    spent = {name: count - before[name] for name, count in _spent(advisor.judge).items()}
    model = advisor.judge.model
    return measured, {**account, "provider": model.name, "model": model.model, **spent}


def _spent(judge: Judge) -> dict[str, int]:
    return {"calls": judge.calls, **judge.usage}


def _with(record: Mapping[str, Any], name: str, found: Mapping[str, Value]) -> dict[str, Any]:
    if not found:
        return dict(record)
    values = {f"{name}:{metric}": one.value for metric, one in found.items() if one.value is not None}
    said = {
        f"{name}:{metric}": {"value": one.value, "reason": one.reason, "problem": one.problem} for metric, one in found.items()
    }
    kept = record["artifacts"]
    artifacts = {**kept, "metric_sets": {**kept.get("metric_sets", {}), **said}}
    return {**record, "metrics": {**record["metrics"], **values}, "artifacts": artifacts}
