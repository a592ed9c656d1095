"""Other tools' metrics of a run: chosen and tried out before anything is asked, their models asked through ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note, plural, warn

if TYPE_CHECKING:
    from ragd.client.blocking import Client
    from ragd.evaluation.external.measuring import Chosen
    from ragd.evaluation.judges.judge import Judge

# They ask for longer replies than our judge does: a list of claims, a verdict on each of eight passages.
_LONGEST_REPLY: Final = 4096
_OPTION: Final = "--metrics"


def open_metric_sets(context: CliContext, named: Sequence[str], strategy: str | None, calls: int, *, answers: bool) -> MetricSets:
    """The metrics that are named, with the language model of the settings, or of a strategy's, as their judge.

    Each tool is started once. Raises `ValidationFailed` for what is not known, `ServiceUnavailable` for what is not installed or
    does not start, and `SettingsError` where there is no model.
    """
    from ragd.cli.common.progress import Preparation
    from ragd.cli.eval.judging import open_model
    from ragd.evaluation.external.measuring import choose
    from ragd.evaluation.judges.judge import Judge

    chosen = choose(named, answers=answers)
    model, max_tokens = open_model(context, strategy, _OPTION)
    judge = Judge(model=model, max_tokens=max(max_tokens, _LONGEST_REPLY), calls_left=calls)
    for one in chosen:
        with Preparation(f"Opening {one.own.name}"), closing(one.own.measure([], _NoAdvisor())) as values:
            assert not list(values)
    return MetricSets(tuple(chosen), judge)


class _NoAdvisor:
    """For no case nothing is asked."""

    def reply(self, prompt: str) -> str:
        raise NotImplementedError

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        raise NotImplementedError


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
        from ragd.evaluation.external.measuring import measure_records, without

        measured, accounts = [dict(record) for record in records], []
        for one in self.chosen:
            if lacking := without(records, one):
                warn(f"No question has what {', '.join(lacking)} of {one.own.name} needs, such as an expected answer.")
            before = self._spent()
            with JobProgress(f"Measuring ({one.own.name})") as bar:
                measured, account = measure_records(
                    measured,
                    one,
                    _Models(client, self.judge),
                    lambda done, total, bar=bar: bar.show("questions", done, total),  # type: ignore[misc]
                )
            if account["stopped"]:
                warn(f"Not all was measured by {one.own.name}: {account['stopped']}")
            elif account["missing"]:
                warn(f"{one.own.name} gave {plural(account['missing'], 'value')} too few; see artifacts.metric_sets of the run.")
            spent = {name: count - before[name] for name, count in self._spent().items()}
            accounts.append({**account, "provider": self.judge.model.name, "model": self.judge.model.model, **spent})
        return measured, accounts

    def _spent(self) -> dict[str, int]:
        return {"calls": self.judge.calls, **self.judge.usage}


@dataclass(slots=True)
class _Models:
    """The judge of the settings, and the embedding model that searches."""

    client: Client
    judge: Judge
    _embedding: str = ""

    def reply(self, prompt: str) -> str:
        return self.judge.reply(prompt)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        if not self._embedding:
            listed = self.client.get("/v1/models")["data"]
            self._embedding = next(one["id"] for one in listed if one["kind"] == "embedding")
        body = {"model": self._embedding, "input": list(texts), "input_type": "query"}
        return [one["embedding"] for one in self.client.post("/v1/embeddings", body)["data"]]
