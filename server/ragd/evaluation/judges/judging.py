"""A judge for all runs of one command, or of one job: they share its verdicts and the calls that are allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ragd.evaluation.judges.judge import Judge
from ragd.evaluation.judges.measures import judge_records, to_ask, verdicts_of
from ragd.evaluation.judges.prompts import language_of
from ragd.language.detection import question_language
from ragd.providers.protocols import LanguageModel

EARLIER: Final = 5
"""Earlier runs of the same dataset whose verdicts are looked through."""
# Of the control questions: with fewer right, the figures say more of the judge than of the answers.
_ENOUGH: Final = 0.8


@dataclass(slots=True)
class Judging:
    """`calls_left` is how often the model may still be asked; `controls` are the control questions asked, and those right."""

    model: LanguageModel
    max_tokens: int
    calls_left: int
    controls: tuple[int, int] = (0, 0)
    _known: dict[str, dict[str, Any]] = field(default_factory=dict)
    _spent: dict[str, int] = field(default_factory=dict)

    @property
    def profile_id(self) -> str:
        """Of the model and all wordings: verdicts of the same profile are taken over."""
        return self._judge().profile_id

    @property
    def is_reliable(self) -> bool:
        """Whether enough of the control questions were answered rightly."""
        asked, right = self.controls
        return right >= _ENOUGH * asked

    def try_out(self, question: str) -> None:
        """Ask the control questions, in the language of this one. Raises as `Judge.try_out` does."""
        judge = self._judge()
        judge.try_out(language_of(question_language(question)))
        self.controls, self.calls_left = (judge.controls, judge.right), judge.calls_left
        self._spent = {"calls": judge.calls, "retried": judge.retried, **judge.usage}

    def learn(self, runs: Mapping[str, dict[str, Any]]) -> None:
        """Take over verdicts of earlier runs, by key; what this judge has said itself counts before them."""
        self._known = {**runs, **self._known}

    def ahead(self, records: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
        """How many questions the model will be asked about these records, and how many tokens they have."""
        judge = self._judge()
        listed = to_ask(records, judge)
        return len(listed), sum(judge.size(task) for task in listed)

    def judge(
        self, records: Sequence[Mapping[str, Any]], progress: Callable[[int, int], None]
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The records with what the judge says of them, and the account of it: `stopped` says why not all was judged."""
        judge = self._judge()
        judged, stopped = judge_records(records, judge, progress)
        self.calls_left = judge.calls_left
        self._known |= verdicts_of([{"questions": judged}])
        judge.controls, judge.right = self.controls
        account = judge.account() | {"stopped": stopped, "reliable": self.is_reliable}
        # The control questions are paid for once, by the first run.
        account |= {name: account[name] + count for name, count in self._spent.items()}
        self._spent = {}
        return judged, account

    def _judge(self) -> Judge:
        return Judge(model=self.model, max_tokens=self.max_tokens, known=self._known, calls_left=self.calls_left)
