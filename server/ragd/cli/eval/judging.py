"""A language model as judge of a run: opened by the settings `llm.*`, tried out first, its cost said before it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note, plural, warn
from ragd.core.errors import SettingsError

if TYPE_CHECKING:
    from ragd.client.blocking import Client
    from ragd.evaluation.datasets import Dataset, Question
    from ragd.providers.protocols import LanguageModel

# Earlier runs of the same dataset whose verdicts are looked through.
_EARLIER: Final = 5
# Of the control questions: with fewer right, the figures say more of the judge than of the answers.
_ENOUGH: Final = 0.8


def measured_metrics(*, answers: bool, judged: bool) -> tuple[str, ...]:
    """The metrics that a run has beside those of its ranking."""
    from ragd.evaluation.answers import ANSWER_METRICS
    from ragd.evaluation.judges.measures import JUDGED_METRICS, OF_PASSAGES

    by_judge = JUDGED_METRICS if answers else OF_PASSAGES
    return (*(ANSWER_METRICS if answers else ()), *(by_judge if judged else ()))


def open_model(context: CliContext, strategy: str | None, option: str) -> tuple[LanguageModel, int]:
    """The model of the settings, or of a strategy's, at temperature 0, and how many tokens it may write.

    Raises `SettingsError`, which names the `option` that needs it, where there is none, or it can't be used.
    """
    from ragd.config.secrets import resolve
    from ragd.providers.registry import build

    options = context.settings(strategy).llm
    if options.provider == "none":
        named = ", or name a strategy with them by --judge-strategy" if option == "--judge" else ""
        raise SettingsError(f"{option} needs a language model. Set llm.provider and llm.model{named}.")
    # The same question shall get the same reply.
    options = options.model_copy(update={"temperature": 0.0})
    model: LanguageModel = build("llm", options.provider, options=options, api_key=resolve(options.api_key, "llm.api_key"))
    return model, options.max_output_tokens


def open_judging(context: CliContext, strategy: str | None, calls: int) -> Judging:
    """The judge of the settings, or of a strategy's. Raises `SettingsError` where there is no model, or it can't be used."""
    return Judging(*open_model(context, strategy, "--judge"), calls)


@dataclass(slots=True)
class Judging:
    """Judges the runs of one command, which share the calls that are allowed and the verdicts."""

    model: LanguageModel
    max_tokens: int
    calls_left: int
    controls: tuple[int, int] = (0, 0)
    _known: dict[str, dict[str, Any]] = field(default_factory=dict)
    _spent: dict[str, int] = field(default_factory=dict)

    def try_out(self, question: Question) -> None:
        """Ask the control questions, in the language of this one. Raises as `Judge.try_out` does."""
        from ragd.evaluation.judges.judge import Judge
        from ragd.evaluation.judges.prompts import language_of
        from ragd.language.detection import question_language

        where = getattr(self.model, "url", "")
        note(f"Judge: {self.model.name} {self.model.model}{where and f' at {where}'}. It gets questions, answers and passages.")
        judge = Judge(model=self.model, max_tokens=self.max_tokens, calls_left=self.calls_left)
        judge.try_out(language_of(question_language(question.text)))
        self.controls, self.calls_left = (judge.controls, judge.right), judge.calls_left
        self._spent = {"calls": judge.calls, "retried": judge.retried, **judge.usage}
        if judge.right < _ENOUGH * judge.controls:
            warn(
                f"The judge was right about {judge.right} of {judge.controls} control questions only. Do not rely on its figures."
            )

    def judge(
        self, client: Client, dataset: Dataset, records: Sequence[Mapping[str, Any]]
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The records with what the judge says of them, and the account of it. What it costs is said before the first call."""
        from ragd.cli.common.progress import JobProgress
        from ragd.evaluation.judges.judge import Judge
        from ragd.evaluation.judges.measures import judge_records, to_ask, verdicts_of

        judge = Judge(model=self.model, max_tokens=self.max_tokens, calls_left=self.calls_left)
        judge.known = self._known = {**self._earlier(client, dataset, judge.profile_id), **self._known}
        ahead = to_ask(records, judge)
        tokens = sum(judge.size(task) for task in ahead)
        note(f"The judge is asked {plural(len(ahead), 'question')}, about {tokens:,} tokens; a reply without the form once more.")
        if len(ahead) > judge.calls_left:
            warn(f"Only {judge.calls_left} calls are left (--judge-calls): not all questions will be judged.")
        with JobProgress("Judging") as bar:
            judged, stopped = judge_records(records, judge, lambda done, total: bar.show("questions", done, total))
        if stopped:
            warn(f"Not all was judged: {stopped}")
        if skipped := sum(judge.problems.values()):
            said = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in judge.problems.items() if count)
            warn(f"{plural(skipped, 'verdict')} missing ({said}); they count neither for nor against.")
        self.calls_left = judge.calls_left
        self._known |= verdicts_of([{"questions": judged}])
        judge.controls, judge.right = self.controls
        account = judge.account() | {"stopped": stopped}
        # The control questions are paid for once, by the first run.
        account |= {name: account[name] + count for name, count in self._spent.items()}
        self._spent = {}
        return judged, account

    def _earlier(self, client: Client, dataset: Dataset, profile_id: str) -> dict[str, dict[str, Any]]:
        """Verdicts of the same judge in the newest runs of the dataset."""
        from ragd.evaluation.judges.measures import verdicts_of

        rows = [
            row
            for row in client.pages("/api/evaluations")
            if row["dataset"] == dataset.name and (row["options"]["judge"] or {}).get("profile_id") == profile_id
        ]
        return verdicts_of(client.get(f"/api/evaluations/{row['run_id']}") for row in rows[:_EARLIER])
