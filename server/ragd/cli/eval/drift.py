"""`rag eval drift`: a run against a baseline, and what people ask against a run's questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.failures import GATE_NOT_MET
from ragd.cli.common.output import echo_json, note, one_line, plural, table
from ragd.cli.eval.lookup import find_pair, find_run
from ragd.core.errors import TraceNotFound

if TYPE_CHECKING:
    from ragd.client.blocking import Client
    from ragd.evaluation.drift import Asked

_LIVE_AT_MOST: Final = 1000


@click.command("drift")
@click.argument("baseline", metavar="BASELINE")
@click.argument("run", metavar="RUN", required=False)
@click.option("--max-drop", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="A drop up to this is none.")
@click.option("--live", is_flag=True, help="Hold what people asked against the questions of BASELINE, by their traces.")
@click.option("--days", type=click.FloatRange(0, min_open=True), default=7.0, show_default=True, help="With --live: since then.")
@click.option("--gate", "gates", multiple=True, metavar="COND", help="With --live: exit with 6 unless 'unanswered<=0.2'.")
@click.option("--changes", type=click.IntRange(0), default=10, show_default=True, help="Show so many changed questions.")
@options.as_json
@click.pass_obj
def drift(
    context: CliContext,
    baseline: str,
    run: str | None,
    max_drop: float,
    live: bool,
    days: float,
    gates: tuple[str, ...],
    changes: int,
    as_json: bool,
) -> int:
    """Say whether figures have drifted: RUN against BASELINE, both of one dataset, question by question.

    Exits with 6 where a metric is worse by more than --max-drop and by more than chance explains (paired bootstrap, 95 %).
    """
    from ragd.evaluation.drift import LIVE_MEASURES, between_runs
    from ragd.evaluation.gates import read_gate

    if (run is None) != live:
        raise click.UsageError("Give a second run, or --live, and not both.")
    if gates and not live:
        raise click.UsageError("--gate goes with --live; runs are held to --max-drop.")
    resamples = context.settings().evaluation.resamples
    if live:
        return _live(context, baseline, days, [read_gate(gate, 0, more=LIVE_MEASURES) for gate in gates], as_json)
    assert run is not None
    with context.connect() as client:
        first, second = find_pair(client, baseline, run)
    found = between_runs(first, second, resamples=resamples, max_drop=max_drop)
    dropped = [row["metric"] for row in found["metrics"] if row["dropped"]]
    if as_json:
        echo_json({"first": first["run_id"], "second": second["run_id"], **found})
    else:
        _print_runs(found, changes)
        note(f"Dropped: {', '.join(dropped)}." if dropped else "Nothing dropped by more than chance explains.")
    return GATE_NOT_MET if dropped else 0


def _live(context: CliContext, baseline: str, days: float, gates: Sequence[Any], as_json: bool) -> int:
    from ragd.evaluation.drift import live_values, of_live

    settings = context.settings()
    since = (datetime.now(UTC) - timedelta(days=days)).isoformat()
    with context.connect() as client:
        run = find_run(client, baseline)
        own = [one["trace_id"] for one in run["questions"]]
        reference = _asked(client, own, settings.answer.min_confidence)
        rows = [row for row in client.pages("/api/traces", type="query") if row["started_at"] >= since]
        live = _asked(client, [row["trace_id"] for row in rows[:_LIVE_AT_MOST]], settings.answer.min_confidence, live=True)
    if gone := len(own) - len(reference):
        note(f"{plural(gone, 'trace')} of the run {'is' if gone == 1 else 'are'} gone (observability.keep_traces).")
    found = of_live(live, reference, resamples=settings.evaluation.resamples)
    values = live_values(found)
    missed = [gate for gate in gates if not gate.holds(values[gate.name])]
    if as_json:
        echo_json({**found, "gates_not_met": [str(gate) for gate in missed]})
    else:
        _print_live(found)
    for gate in gates:
        note(f"Gate {gate} {'not met' if gate in missed else 'met'}: {values[gate.name]:.4g}")
    return GATE_NOT_MET if missed else 0


def _asked(client: Client, trace_ids: Sequence[str], min_confidence: float, *, live: bool = False) -> list[Asked]:
    """The questions of traces that are still there; with `live`, without those that an evaluation or a replay asked."""
    from ragd.client.errors import ApiError
    from ragd.evaluation.drift import asked_of

    found = []
    for trace_id in trace_ids:
        try:
            trace = client.get(f"/api/traces/{trace_id}")
        except ApiError as error:
            if error.code != TraceNotFound.code:
                raise
            continue
        links = trace["links"]
        if not (live and (links.get("eval") or links.get("replay_of"))):
            found.append(asked_of(trace, min_confidence))
    return [asked for asked in found if asked is not None]


def _print_runs(found: Mapping[str, Any], changes: int) -> None:
    rows = [
        (row["metric"], f"{row['first']:.4f}", f"{row['second']:.4f}", f"{row['difference']:+.4f}",
         f"{row['low']:+.4f} to {row['high']:+.4f}", "dropped" if row["dropped"] else "")
        for row in found["metrics"]
    ]  # fmt: skip
    table(("metric", "baseline", "run", "difference", "95 % interval", ""), rows, numeric=("baseline", "run", "difference"))
    if changed := found["changed"][:changes]:
        click.echo(f"\n{plural(len(found['changed']), 'question')} changed, by {found['metric']}:")
        table(
            ("question", "text", "baseline", "run"),
            [(one["id"], one_line(one["query"])[:60], f"{one['first']:.3f}", f"{one['second']:.3f}") for one in changed],
            numeric=("baseline", "run"),
        )


def _print_live(found: Mapping[str, Any]) -> None:
    rows = []
    for name in ("run", "live"):
        side = found[name]
        languages = ", ".join(f"{language} {share:.0%}" for language, share in side["languages"].items())
        confidence = " / ".join(f"{side['confidence'][key]:.2f}" for key in ("p10", "p50", "p90"))
        rows.append((name, side["questions"], f"{side['unanswered']:.1%}", confidence, languages))
    table(("", "questions", "unanswered", "confidence p10 / p50 / p90", "languages"), rows, numeric=("questions",))
    rise = found["unanswered_rise"]
    far = "more" if found["confidence_distance"] > found["confidence_bound"] else "no more"
    click.echo(
        f"\nUnanswered {rise['value']:+.1%}, 95 % interval {rise['low']:+.1%} to {rise['high']:+.1%}. Confidences are "
        f"{found['confidence_distance']:.3f} apart, {far} than chance explains ({found['confidence_bound']:.3f}). "
        f"Languages are {found['language_distance']:.3f} apart."
    )
