"""What decides, before anything of a passage is used, whether this question may use it: the values that pass between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ragd.core.results import Passage


@dataclass(frozen=True, slots=True)
class Admitted:
    """What there is to say of a question's passages from cloud sources.

    `counts` are passages, by what became of them: `checked` those that were admitted on a proof, `refreshed` those among them
    whose text is newer than the index, then those that were left out, by the reason. Empty: none came from a cloud source.
    `private` says that some were used that not everybody may read; then no text of the question goes into its trace.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    private: bool = False
    degraded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Admission(Protocol):
    """Admits passages for one question, on the rights of its user."""

    def admit(self, passages: Sequence[Passage], question: str) -> Mapping[str, Passage]:
        """By chunk id, those that may be used, as they are to be used. May be called several times; never raises for one that
        can't be checked: it is left out."""
        ...

    def summary(self, *, by_name: bool) -> Admitted:
        """What there is to say, so far. `by_name`: the question filters by names, and what was left out would confirm them."""
        ...

    def closed(self) -> Sequence[str]:
        """Ids of the sources of which nothing can be admitted, because no token came for them."""
        ...
