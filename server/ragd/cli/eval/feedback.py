"""Feedback on the command line: as a dataset, and as a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import moment, one_line, plural

if TYPE_CHECKING:
    from ragd.cli.eval.corpus import Material

HEADINGS = ("case", "answer", "question", "collection", "shown", "given", "comment")
_VERDICTS = {"up": "good", "down": "bad"}


def read_feedback(context: CliContext, collection: str | None) -> Material:
    """The feedback of the data directory as a dataset: all of it, or what was asked of one collection.

    Raises `ValidationFailed` when there is none that can be asked.
    """
    from ragd.cli.eval.corpus import Material
    from ragd.evaluation.feedback import feedback_dataset

    with context.connect() as client:
        cases = [case for case in client.pages("/api/feedback") if collection in (None, case["collection"])]
        enabled = {item["name"] for item in client.pages("/api/collections") if item["status"] == "enabled"}
    return Material(feedback_dataset(cases, enabled), as_asked=True)


def row_of(case: Mapping[str, Any]) -> tuple[str, ...]:
    """A case under `HEADINGS`."""
    shown, given = plural(len(case["relevant"]), "place"), moment(case["created_at"])[5:16]
    about = one_line(case["question"]), case["collection"] or "all"
    return case["id"][:8], _VERDICTS[case["verdict"]], *about, shown, given, one_line(case["comment"] or "")
