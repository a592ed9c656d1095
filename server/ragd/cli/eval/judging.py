"""A language model as judge of a run: opened by the settings `llm.*`, tried out first, its cost said before it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note, plural, warn
from ragd.core.errors import SettingsError

if TYPE_CHECKING:
    from ragd.client.blocking import Client
    from ragd.evaluation.datasets import Dataset, Question
    from ragd.evaluation.judges.judging import Judging
    from ragd.providers.protocols import LanguageModel


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
    from ragd.evaluation.judges.judging import Judging

    return Judging(*open_model(context, strategy, "--judge"), calls)


def try_out(judging: Judging, question: Question) -> None:
    """Say who judges, and ask the control questions. Raises as `Judging.try_out` does."""
    where = getattr(judging.model, "url", "")
    note(f"Judge: {judging.model.name} {judging.model.model}{where and f' at {where}'}. It gets questions, answers and passages.")
    judging.try_out(question.text)
    if not judging.is_reliable:
        asked, right = judging.controls
        warn(f"The judge was right about {right} of {asked} control questions only. Do not rely on its figures.")


def judge_run(
    judging: Judging, client: Client, dataset: Dataset, records: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The records with what the judge says of them, and the account of it. What it costs is said before the first call."""
    from ragd.cli.common.progress import JobProgress
    from ragd.evaluation.judges.judge import PROBLEMS

    judging.learn(_earlier(client, dataset, judging.profile_id))
    ahead, tokens = judging.ahead(records)
    note(f"The judge is asked {plural(ahead, 'question')}, about {tokens:,} tokens; a reply without the form once more.")
    if ahead > judging.calls_left:
        warn(f"Only {judging.calls_left} calls are left (--judge-calls): not all questions will be judged.")
    with JobProgress("Judging") as bar:
        judged, account = judging.judge(records, lambda done, total: bar.show("questions", done, total))
    if account["stopped"]:
        warn(f"Not all was judged: {account['stopped']}")
    if skipped := sum(account[name] for name in PROBLEMS):
        said = ", ".join(f"{account[name]} {name.replace('_', ' ')}" for name in PROBLEMS if account[name])
        warn(f"{plural(skipped, 'verdict')} missing ({said}); they count neither for nor against.")
    return judged, account


def _earlier(client: Client, dataset: Dataset, profile_id: str) -> dict[str, dict[str, Any]]:
    """Verdicts of the same judge in the newest runs of the dataset."""
    from ragd.evaluation.judges.judging import EARLIER
    from ragd.evaluation.judges.measures import verdicts_of

    rows = [
        row
        for row in client.pages("/api/evaluations")
        if row["dataset"] == dataset.name and (row["options"]["judge"] or {}).get("profile_id") == profile_id
    ]
    return verdicts_of(client.get(f"/api/evaluations/{row['run_id']}") for row in rows[:EARLIER])
