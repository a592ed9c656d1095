"""Counts of a question's passages from cloud sources, and a sentence for each source. No titles."""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal

from ragd.retrieve.admission import Admitted

_Why = Literal["forbidden", "refused", "gone", "unverified", "no_token", "readable", "proved"]

_UNVERIFIED: Final = "live_unverified"

_LEFT_OUT: Final[dict[str, str]] = {
    "forbidden": "your token for '{name}' may not read {them}.",
    "refused": "your token for '{name}' was refused. Give another one.",
    "gone": "what {they} said is no longer in '{name}'.",
    "unverified": "whether your token for '{name}' may read {them} could not be checked in time. Ask again in a moment.",
    "no_token": "no token for '{name}' came with the question.",
}
ADMITTED: Final = ("checked", "refreshed")

NOT_COUNTED: Final = (
    "The question filters by names, so passages that your tokens may not read are left out without being counted: a count would "
    "tell what they are called."
)

_COUNTS: Final = ("checked", "refreshed", "forbidden", "gone", "unverified", "no_token")


class AccessReport:
    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._dropped: Counter[tuple[str, str]] = Counter()
        self._private = False

    def admit(self, *, private: bool, refreshed: bool = False) -> None:
        self._counts["checked"] += 1
        self._counts["refreshed"] += refreshed
        self._private |= private

    def drop(self, why: _Why, name: str) -> None:
        """A passage of the source `name` was left out. An empty name: its source is not known."""
        self._counts["forbidden" if why == "refused" else why] += 1
        self._dropped[why, name] += 1

    def summary(self) -> Admitted:
        counts = {name: self._counts[name] for name in _COUNTS}
        return Admitted(
            counts=counts if any(counts.values()) else {},
            private=self._private,
            degraded=(_UNVERIFIED,) if self._counts["unverified"] else (),
            warnings=tuple(_sentence(why, name, count) for (why, name), count in self._dropped.items()),
        )


def _sentence(why: str, name: str, count: int) -> str:
    one = count == 1
    left_out = "1 passage was left out" if one else f"{count} passages were left out"
    if not name:
        return f"{left_out}: nobody can say who may read {'it' if one else 'them'}, until its source was read again."
    return f"{left_out}: {_LEFT_OUT[why].format(name=name, them='it' if one else 'them', they='it' if one else 'they')}"
