"""What a replay found to differ, as people read it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from ragd.cli.common.output import cells, fields, moment, note, one_line, plural, table, warn

_NAMED: Final = 44
"""Columns of a passage's name."""
_DOCUMENTS: Final = {"new": "came since", "changed": "changed since", "gone": "gone since"}


def print_replay(answer: Mapping[str, Any], *, every: bool) -> None:
    """What differs, from the whole to the parts; `every` candidate, or those of the two contexts."""
    if answer["trace_type"] == "query":
        _print_query(answer, every)
    else:
        _print_ingestion(answer)
    for message in answer["notes"]:
        note(f"Note: {message}")
    for message in answer.get("warnings", ()):
        warn(message)


def _print_query(answer: Mapping[str, Any], every: bool) -> None:
    lists = {row["name"]: row for row in answer["lists"]}
    confidence = answer["confidence"]
    then = "not known" if confidence["before"] is None else f"{confidence['before']:.2f}"
    fields(
        [
            ("Question", answer["query"]),
            ("Recorded", moment(answer["recorded_at"])),
            ("Replay", answer["replay"]),
            ("Result", _result(answer, lists.get("context"))),
            ("Confidence", f"{then} then, {confidence['after']:.2f} now"),
        ]
    )
    _print_changes("setting", [*answer["settings"], *answer["request"]])
    _print_changes("understood as", answer["plan"])
    _print_providers(answer["providers"])
    if lists:
        click.echo()
        rows = [
            (name, _count(row["before"]), _count(row["after"]), row["kept"], len(row["entered"]), len(row["left"]), row["moved"])
            for name, row in lists.items()
        ]
        headings = ("list", "then", "now", "kept", "new", "gone", "moved")
        table(headings, rows, numeric=headings[1:])
    shown = [one for one in answer["candidates"] if every or "context" in one["before"] or "context" in one["after"]]
    if shown:
        click.echo("\nRanks, then→now:")
        names = tuple(lists)
        table(("passage", *names), [(_passage(one), *(_ranks(one, name) for name in names)) for one in shown], numeric=names)
    _print_documents(answer)
    _print_times(answer["times"])


def _result(answer: Mapping[str, Any], context: Mapping[str, Any] | None) -> str:
    if answer["same"]:
        return "the same in every list"
    if context is None:
        return "no passages, neither then nor now" if not answer["lists"] else "different"
    if not (context["entered"] or context["left"] or context["moved"]):
        return "the same context, by other lists"
    changes = {"new": len(context["entered"]), "gone": len(context["left"]), "at another rank": context["moved"]}
    return "another context: " + ", ".join(f"{count} {name}" for name, count in changes.items() if count)


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)


def _ranks(candidate: Mapping[str, Any], name: str) -> str:
    then, now = (str(candidate[side][name]["rank"]) if name in candidate[side] else "" for side in ("before", "after"))
    return then if then == now else f"{then}→{now}"


def _passage(candidate: Mapping[str, Any]) -> str:
    document = candidate["document"]
    if document is None:
        return f"{candidate['chunk_id'][:8]} ({'not for you' if candidate['live'] else 'gone'})"
    text = one_line(f"{document['source']}, {document['place']}" if document["place"] else document["source"])
    while cells(text) > _NAMED:
        text = f"…{text[2:]}"
    return text


def _print_changes(heading: str, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        click.echo()
        table((heading, "then", "now"), [(row["name"], _value(row["before"]), _value(row["after"])) for row in rows])


def _value(value: Any) -> str:
    if value is None:
        return "(default)"
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _print_providers(rows: Sequence[Mapping[str, Any]]) -> None:
    named = [
        {"name": row["name"].removeprefix("stage."), "before": _provider(row["before"]), "after": _provider(row["after"])}
        for row in rows
    ]
    _print_changes("provider of", named)


def _provider(provider: Mapping[str, Any]) -> str:
    return " ".join(part for part in (provider["id"], provider["profile"]) if part)


def _print_documents(answer: Mapping[str, Any]) -> None:
    changed = [one for one in answer["documents"] if one["state"] != "same"]
    if changed:
        click.echo("\nDocuments of these passages:")
        for one in changed:
            click.echo(f"  {_DOCUMENTS[one['state']]:<14}{one_line(one['source'] or one['doc_id'])}")
    since = {name: count for name, count in answer["since"].items() if count}
    if since:
        said = ", ".join(f"{count:,} {name}" for name, count in since.items())
        click.echo(f"\nDocuments in these collections since then: {said}.")


def _print_times(rows: Sequence[Mapping[str, Any]]) -> None:
    click.echo()
    shown = [(row["name"].removeprefix("stage."), _ms(row["before"]), _ms(row["after"])) for row in rows]
    table(("ms", "then", "now"), shown, numeric=("then", "now"))


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def _print_ingestion(answer: Mapping[str, Any]) -> None:
    from ragd.retrieve.context import place_of

    document, failed = answer["document"], answer["failed"]
    if failed["after"]:
        said = f"it can't be read: {failed['after']['message']}"
    elif answer["same"]:
        said = "the same would come of it"
    elif failed["before"]:
        said = "it failed then, and can be read now"
    elif not answer["values"]:
        said = "the same would come of it, by other means"
    else:
        said = "something else would come of it"
    pairs = [("Document", f"{document['source']} ({document['collection']})"), ("Recorded", moment(answer["recorded_at"]))]
    fields([*pairs, ("Result", said), *_failed_then(failed)])
    if failed["after"]:
        return
    _print_providers(answer["providers"])
    _print_changes("counted", answer["values"])
    chunks = answer["chunks"]
    then = "an unknown number of" if chunks["before"] is None else f"{chunks['before']:,}"
    click.echo(f"\nChunks: {then} then, {chunks['after']:,} now.")
    if not chunks["named"]:
        click.echo("Which differ can't be said: the chunks of that reading are no longer stored.")
    for name, text in (("gone", "no more"), ("new", "new")):
        for chunk in chunks.get(name, ()):
            place = place_of(chunk) or "all of it"
            click.echo(f"  {text:<8}{one_line(place)}, chunk {chunk['chunk_id'][:8]}")
    if chunks["named"] and not (chunks["new"] or chunks["gone"]):
        click.echo(f"The {plural(chunks['kept'], 'stored chunk')} would be cut again as before.")
    _print_times(answer["times"])


def _failed_then(failed: Mapping[str, Any]) -> list[tuple[str, object]]:
    return [("Then", "failed: " + ", ".join(error["code"] for error in failed["before"]))] if failed["before"] else []
