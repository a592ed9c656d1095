"""What a set of metrics is (provider kind `metric_set`), and what it gets and gives."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

Field = Literal["answer", "passages", "reference"]

ANSWER: Final[Field] = "answer"
PASSAGES: Final[Field] = "passages"
REFERENCE: Final[Field] = "reference"


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what was made of it. What is not there is empty.

    `answer` is without citation marks, `passages` are the texts of the context in their order, `reference` is a right answer.
    """

    question: str
    answer: str = ""
    passages: tuple[str, ...] = ()
    reference: str = ""

    def has(self, wanted: Iterable[Field]) -> bool:
        """Whether everything is there that a metric needs."""
        held = {ANSWER: self.answer, PASSAGES: self.passages, REFERENCE: self.reference}
        return all(held[name] for name in wanted)


@dataclass(frozen=True, slots=True)
class Value:
    """`value` is 0..1, None where the metric gave none: `problem` then says why. `reason` is the tool's own, where it has one."""

    value: float | None
    reason: str = ""
    problem: str = ""


class Advisor(Protocol):
    """The models that a set may ask. A `RagError` of it costs one metric of one case, any other ends the measuring."""

    def reply(self, prompt: str) -> str:
        """What the judging model says to a prompt."""
        ...

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of norm 1 for each text, of the embedding model that searches."""
        ...


class MetricSet(Protocol):
    """The metrics of one tool. `metrics` maps the name of each to what it needs of a case besides the question.

    `calls` says how often each asks the judging model of a case: so many times, and so many times for each of its passages.
    """

    name: str
    metrics: Mapping[str, frozenset[Field]]
    calls: Mapping[str, tuple[int, int]]

    @property
    def version(self) -> str:
        """The tool's own. Raises as `require` does."""
        ...

    def require(self) -> None:
        """Raises `ServiceUnavailable`, which says what to run, where the tool is not installed."""
        ...

    def measure(self, cases: Iterable[tuple[Case, Sequence[str]]], advisor: Advisor) -> Generator[dict[str, Value], None, None]:
        """The values of each case's metrics, in order, by the metrics' names.

        Of no case, it only opens the tool. Raises `ServiceUnavailable` when the tool itself fails.
        """
        ...
