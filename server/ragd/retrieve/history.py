"""The turns of a conversation as a request gives them, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from ragd.core.errors import FieldProblem, ValidationFailed
from ragd.core.query import Role, Turn
from ragd.retrieve.filters import nearest

MAX_TURNS: Final = 50
MAX_TURN_CHARS: Final = 20_000

_FIELDS: Final = ("role", "text")


def parse_history(values: Sequence[Any] | None) -> tuple[Turn, ...]:
    """Turns, oldest first, from `{"role": "user" | "assistant", "text": "..."}`; those without text are left out.

    Raises `ValidationFailed` with one detail for each thing that is wrong.
    """
    problems: list[FieldProblem] = []
    turns: list[Turn] = []
    values = values or ()
    if len(values) > MAX_TURNS:
        message = f"Holds {len(values)} turns; {MAX_TURNS} are the most. Send the newest."
        raise ValidationFailed.of_field("history", "too_long", message)
    for index, value in enumerate(values):
        field = f"history[{index}]"
        if isinstance(value, Mapping):
            before = len(problems)
            _check(value, field, problems)
            if len(problems) == before and value["text"].strip():
                turns.append(Turn(value["role"], value["text"]))
        else:
            problems.append(FieldProblem(field, "invalid", "Must be an object with role and text."))
    if problems:
        raise ValidationFailed.of_fields("The history can't be used.", problems)
    return tuple(turns)


def _check(value: Mapping[str, Any], field: str, problems: list[FieldProblem]) -> None:
    for name in value:
        if name not in _FIELDS:
            problems.append(FieldProblem(f"{field}.{name}", "unknown", f"A turn has no '{name}'.{nearest(str(name), _FIELDS)}"))
    if value.get("role") not in get_args(Role):
        problems.append(FieldProblem(f"{field}.role", "invalid", f"Must be one of: {', '.join(get_args(Role))}."))
    text = value.get("text")
    if not isinstance(text, str):
        problems.append(FieldProblem(f"{field}.text", "invalid", "Must be a string."))
    elif len(text) > MAX_TURN_CHARS:
        message = f"Has {len(text):,} characters; {MAX_TURN_CHARS:,} are the most. Shorten it."
        problems.append(FieldProblem(f"{field}.text", "too_long", message))
