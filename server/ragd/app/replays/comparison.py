"""What differs between two traces of one kind, stage by stage: functions of two envelopes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ragd.core.results import Passage
from ragd.core.tracing import LISTED

Envelope = Mapping[str, Any]

LISTS: Final = ("dense", "sparse", "feedback", "fusion", "rerank", "context")
# What the event of a plan has beside the plan.
_BESIDE: Final = {"query_hash", "asked", "text", "query", "request", "settings", "detail_level"}


def payloads(envelope: Envelope, kind: str) -> list[Mapping[str, Any]]:
    """Of the events of a kind, in order."""
    return [event["payload"] for event in envelope["events"] if event["kind"] == kind]


def payload(envelope: Envelope, kind: str) -> Mapping[str, Any]:
    """Of the one event of a kind; empty where there is none."""
    return next(iter(payloads(envelope, kind)), {})


def rankings(envelope: Envelope) -> dict[str, list[Mapping[str, Any]]]:
    """The ranked lists that a query's trace holds, by `LISTS`: candidates as in the trace; those of the context have no score."""
    found = {one["source"]: list(one["candidates"]) for one in payloads(envelope, "retrieval.candidates")}
    for name in ("fusion", "rerank"):
        for one in payloads(envelope, f"{name}.ranked"):
            found[name] = list(one["candidates"])
    for one in payloads(envelope, "context.final"):
        found["context"] = [{"chunk_id": chunk_id, "rank": rank} for rank, chunk_id in enumerate(one["chunk_ids"], start=1)]
    return found


def described(passage: Passage) -> dict[str, str]:
    """What a passage is of, for whoever may see it."""
    named = {"doc_id": passage.doc_id, "source": passage.source, "title": passage.title}
    return named | {"place": passage.place_label}


def compared_lists(before: Envelope, after: Envelope) -> list[dict[str, Any]]:
    """One entry for each list that either has: its length then and now, what came and went, and how many changed their ranks.

    `before` and `after` are None for a list that was not made, or that its trace does not hold.
    """
    then, now = rankings(before), rankings(after)
    rows = []
    for name in LISTS:
        sides = then.get(name), now.get(name)
        if not any(sides):
            continue
        old, new = ({one["chunk_id"]: one for one in side or ()} for side in sides)
        both = old.keys() & new.keys()
        drift = [abs(old[key]["score"] - new[key]["score"]) for key in both if "score" in old[key]]
        rows.append(
            {
                "name": name,
                "before": None if sides[0] is None else len(sides[0]),
                "after": None if sides[1] is None else len(sides[1]),
                "kept": len(both),
                "entered": [key for key in new if key not in old],
                "left": [key for key in old if key not in new],
                "moved": sum(old[key]["rank"] != new[key]["rank"] for key in both),
                "score_drift": round(max(drift, default=0.0), 6),
            }
        )
    return rows


def flow(before: Envelope, after: Envelope) -> list[dict[str, Any]]:
    """Every candidate of either trace with its rank and score in each list: `{chunk_id, before: {list: {rank, score}}, after}`.

    What stands best in the last list that holds it comes first, today's before those of then.
    """
    sides = {"before": rankings(before), "after": rankings(after)}
    found: dict[str, dict[str, Any]] = {}
    for side, lists in sides.items():
        for name in LISTS:
            for one in lists.get(name, ()):
                entry = found.setdefault(one["chunk_id"], {"chunk_id": one["chunk_id"], "before": {}, "after": {}})
                entry[side][name] = {"rank": one["rank"], "score": one.get("score")}
    return sorted(found.values(), key=_best)


def _best(entry: Mapping[str, Any]) -> tuple[int, int, int, str]:
    for place, name in enumerate(reversed(LISTS)):
        ranks = [(side, entry[key][name]["rank"]) for side, key in enumerate(("after", "before")) if name in entry[key]]
        if ranks:
            side, rank = ranks[0]
            return place, side, rank, entry["chunk_id"]
    raise AssertionError("a candidate of no list")


def changed_values(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    """`{name, before, after}` for each name whose values differ; None where one side has none."""
    names = sorted(before.keys() | after.keys())
    return [
        {"name": name, "before": before.get(name), "after": after.get(name)}
        for name in names
        if before.get(name) != after.get(name)
    ]


def changed_plan(before: Envelope, after: Envelope) -> list[dict[str, Any]]:
    """How the question was understood otherwise; nothing where one trace holds only counts of words."""
    plans = [payload(envelope, "query.normalized") for envelope in (before, after)]
    if any("text" not in plan for plan in plans):
        return []
    old, new = ({name: value for name, value in plan.items() if name not in _BESIDE} for plan in plans)
    return changed_values(old, new)


def changed_providers(before: Envelope, after: Envelope) -> list[dict[str, Any]]:
    """`{name, before, after}` for each stage that another provider did, or one of another profile."""
    old, new = ({span["name"]: span["provider"] for span in envelope["spans"]} for envelope in (before, after))
    shared = old.keys() & new.keys()
    return [row for row in changed_values(old, new) if row["name"] in shared]


def times(before: Envelope, after: Envelope) -> list[dict[str, Any]]:
    """Milliseconds of each stage, then of all: `{name, before, after}`."""
    old, new = ({**envelope["aggregates"]["stage_latency_ms"]} for envelope in (before, after))
    rows = [{"name": name, "before": old.get(name), "after": new.get(name)} for name in dict.fromkeys([*old, *new])]
    totals = [envelope["aggregates"]["latency_ms"] for envelope in (before, after)]
    return [*rows, {"name": "total", "before": totals[0], "after": totals[1]}]


def states(
    doc_ids: Iterable[str], known: Mapping[str, Mapping[str, Any]], moment: str, then: Mapping[str, str]
) -> dict[str, str]:
    """What became of documents since a moment: `new`, `changed`, `gone` or `same`, by id.

    `known` is `DocumentReader.states` of them; `then` has the versions that were used, where the trace says.
    """
    return {doc_id: _state(known.get(doc_id), moment, then.get(doc_id)) for doc_id in doc_ids}


def _state(row: Mapping[str, Any] | None, moment: str, version_then: str | None) -> str:
    if row is None or row["status"] == "deleted":
        return "gone"
    if row["created_at"] > moment:
        return "new"
    changed = row["updated_at"] > moment if version_then is None else row["version_id"] != version_then
    return "changed" if changed else "same"


def query_notes(before: Envelope, after: Envelope) -> list[str]:
    """What can't be compared, and why, for people."""
    plan = payload(before, "query.normalized")
    notes: list[str] = []
    if before["status"] != "ok":
        codes = ", ".join(error["code"] for error in before["aggregates"]["errors"]) or before["status"]
        notes.append(f"The question did not come to its end then ({codes}): stages after that have nothing to be compared with.")
    if "request" not in plan:
        notes.append(
            "The trace was recorded by a version that kept neither the request nor the settings: the question was asked of every "
            "enabled collection, with the settings' own top_k, and settings are not compared."
        )
    elif before["build"] != after["build"]:
        builds = f"{before['build']} then, {after['build']} now"
        notes.append(f"The program's version differs ({builds}): a default that changed between them is not among the settings.")
    if "text" not in plan:
        notes.append(
            "The trace was recorded at observability.detail_level minimal: how the question was understood is not compared, and "
            "filters and preferences of the request are not repeated."
        )
    sides = (before, after)
    if any(one["found"] is None for side in sides for one in payloads(side, "retrieval.candidates")):
        notes.append("The question filters by names: of its lists, which would disclose names, only the context is kept.")
    elif any(_is_cut(side) for side in sides):
        notes.append(
            f"Of each list the first {LISTED} candidates are kept: one that entered or left may have stood further down. "
            "observability.detail_level verbose keeps all."
        )
    if payload(before, "generation.summary"):
        notes.append("The answer in words is not made again.")
    return notes


def _is_cut(envelope: Envelope) -> bool:
    whole = payload(envelope, "query.normalized").get("detail_level") == "verbose"
    return not whole and any(len(candidates) >= LISTED for candidates in rankings(envelope).values())


def difference(before: Sequence[str], after: Sequence[str]) -> dict[str, list[str]]:
    """Ids that are only in the first (`gone`) or only in the second (`new`), in their order."""
    old, new = set(before), set(after)
    return {"new": [key for key in after if key not in old], "gone": [key for key in before if key not in new]}
