"""Other tools' metrics of a run: chosen and tried out before anything is asked, their models asked through ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note, plural, warn

if TYPE_CHECKING:
    from ragd.client.blocking import Client
    from ragd.evaluation.external.measuring import Chosen
    from ragd.evaluation.judges.judge import Judge

_OPTION: Final = "--metrics"


def open_metric_sets(context: CliContext, named: Sequence[str], strategy: str | None, calls: int, *, answers: bool) -> MetricSets:
    """The metrics that are named, with the language model of the settings, or of a strategy's, as their judge.

    Each tool is started once. Raises `ValidationFailed` for what is not known, `ServiceUnavailable` for what is not installed or
    does not start, and `SettingsError` where there is no model.
    """
    from ragd.cli.common.progress import Preparation
    from ragd.cli.eval.judging import open_model
    from ragd.evaluation.external.measuring import LONGEST_REPLY, choose, open_tool
    from ragd.evaluation.judges.judge import Judge

    chosen = choose(named, answers=answers)
    model, max_tokens = open_model(context, strategy, _OPTION)
    judge = Judge(model=model, max_tokens=max(max_tokens, LONGEST_REPLY), calls_left=calls)
    for one in chosen:
        with Preparation(f"Opening {one.own.name}"):
            open_tool(one)
    return MetricSets(tuple(chosen), judge)


@dataclass(slots=True)
class MetricSets:
    """Measures the runs of one command, which share the calls that are allowed."""

    chosen: tuple[Chosen, ...]
    judge: Judge

    @property
    def names(self) -> tuple[str, ...]:
        """Of the metrics, as gates name them."""
        return tuple(name for one in self.chosen for name in one.full_names)

    def announce(self) -> None:
        """Say who is asked, and that it is asked often."""
        model, where = self.judge.model, getattr(self.judge.model, "url", "")
        tools = ", ".join(f"{one.own.name} {one.own.version} ({plural(len(one.metrics), 'metric')})" for one in self.chosen)
        note(
            f"Metrics of {tools}, judged by {model.name} {model.model}{where and f' at {where}'}. It gets questions, answers and "
            f"passages, several times for each metric, at most {self.judge.calls_left:,} times in all (--judge-calls)."
        )

    def measure(self, client: Client, records: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The records with the tools' values, and an account of each tool."""
        from ragd.cli.common.progress import JobProgress
        from ragd.evaluation.external.measuring import JudgeAdvisor, measured_by_judge, without

        advisor = JudgeAdvisor(self.judge, _embedded(client))
        measured, accounts = [dict(record) for record in records], []
        for one in self.chosen:
            if lacking := without(records, one):
                warn(f"No question has what {', '.join(lacking)} of {one.own.name} needs, such as an expected answer.")
            with JobProgress(f"Measuring ({one.own.name})") as bar:
                shown = partial(bar.show, "questions")
                measured, account = measured_by_judge(measured, one, advisor, shown)
            if account["stopped"]:
                warn(f"Not all was measured by {one.own.name}: {account['stopped']}")
            elif account["missing"]:
                warn(f"{one.own.name} gave {plural(account['missing'], 'value')} too few; see artifacts.metric_sets of the run.")
            accounts.append(account)
        return measured, accounts


def _embedded(client: Client) -> Callable[[Sequence[str]], list[list[float]]]:
    """By the embedding model of the daemon, whose name is asked for once."""

    @cache
    def model() -> str:
        listed = client.get("/v1/models")["data"]
        return next(str(one["id"]) for one in listed if one["kind"] == "embedding")

    def vectors(texts: Sequence[str]) -> list[list[float]]:
        body = {"model": model(), "input": list(texts), "input_type": "query"}
        return [one["embedding"] for one in client.post("/v1/embeddings", body)["data"]]

    return vectors
