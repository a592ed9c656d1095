"""Asks a language model for verdicts, one after the other, and keeps account of them.

A reply without the form is asked for once more; then it is `unparsable`, and counts neither for nor against. What was judged
before, by the same model in the same wording, is not asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from ragd.core.errors import RemoteRefused, RemoteUnavailable, ValidationFailed
from ragd.core.ids import hash32
from ragd.evaluation.judges.prompts import WORDS, Reply, Task, again, controls, messages, prompts_id, read_reply
from ragd.providers.protocols import Completion, LanguageModel, Message

# Calls that fail one after the other, each after its own retries: then the service is taken to be out of order.
_FAILURES: Final = 3
# A service that pays no heed to the limit of tokens.
_LONGEST_REPLY: Final = 20_000
PROBLEMS: Final = ("unparsable", "failed", "too_long")
"""Why there is no verdict."""


class JudgeStopped(Exception):
    """No more verdicts are to be had; the message says why. What was judged stays."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`word` is None where there is none: `problem` is then `unparsable`, `failed` or `too_long`."""

    key: str
    word: str | None
    reason: str = ""
    problem: str = ""

    @property
    def value(self) -> float | None:
        """0..1, None where there is none."""
        return None if self.word is None else WORDS[self.word]

    def as_dict(self) -> dict[str, Any]:
        """The shape in a run's artifacts."""
        return {"key": self.key, "verdict": self.word, "reason": self.reason} | (
            {"problem": self.problem} if self.problem else {}
        )


@dataclass(kw_only=True, slots=True)
class Judge:
    """A judging model. `known` are verdicts of earlier runs, by key; `calls_left` is how often the model may still be asked."""

    model: LanguageModel
    max_tokens: int
    known: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    calls_left: int = 1_000_000
    calls: int = 0
    cached: int = 0
    retried: int = 0
    right: int = 0
    controls: int = 0
    problems: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PROBLEMS, 0))
    usage: dict[str, int] = field(default_factory=lambda: {"input_tokens": 0, "output_tokens": 0})
    _failures: int = 0
    _own: dict[str, Verdict] = field(default_factory=dict)

    @property
    def profile_id(self) -> str:
        """Hash of what judges: provider, model and all wordings. The temperature is 0."""
        return hash32(self.model.name, self.model.model, prompts_id())

    def key(self, task: Task) -> str:
        """Under which a verdict is kept: of the model, the wording and what is judged."""
        return hash32(self.model.name, self.model.model, task.key)

    def is_known(self, task: Task) -> bool:
        return self.key(task) in self.known

    def try_out(self, language: str) -> None:
        """Ask what the answer is known of, and count what is `right`. Raises `ValidationFailed` for a model that can't keep the
        form, and the error of a service that can't be asked.
        """
        for task, expected in controls(language):
            read = self._read(task)
            if read is None:
                raise ValidationFailed(
                    f"{self.model.name} {self.model.model} can't judge: to a question on '{task.kind}' it gave no verdict "
                    "in the form that is asked for, twice. Choose another model: llm.model, or a strategy with --judge-strategy."
                )
            self.controls += 1
            self.right += read.word == expected

    def decide(self, task: Task) -> Verdict:
        """The verdict on one question, of an earlier run where there is one.

        Raises `JudgeStopped` when the calls are used up, or the service refuses or fails again and again.
        """
        key = self.key(task)
        if found := self._own.get(key):
            return found
        if kept := self.known.get(key):
            self.cached += 1
            verdict = Verdict(key, kept["verdict"], kept["reason"])
        else:
            verdict = self._decided(key, task)
        if verdict.problem:
            self.problems[verdict.problem] += 1
        self._own[key] = verdict
        return verdict

    def account(self) -> dict[str, Any]:
        """What is kept of the judging in a run."""
        return {
            "profile_id": self.profile_id,
            "provider": self.model.name,
            "model": self.model.model,
            "controls": {"asked": self.controls, "right": self.right},
            "calls": self.calls,
            "cached": self.cached,
            "retried": self.retried,
            **self.problems,
            **self.usage,
        }

    def _decided(self, key: str, task: Task) -> Verdict:
        if self.size(task) + self.max_tokens > self.model.context_tokens:
            return Verdict(key, None, problem="too_long")
        try:
            with self._minded():
                read = self._read(task)
        except RemoteUnavailable as error:
            return Verdict(key, None, error.message, problem="failed")
        return Verdict(key, read.word, read.reason) if read else Verdict(key, None, problem="unparsable")

    def reply(self, prompt: str) -> str:
        """What the model says to a prompt that is not ours. Counted as any call.

        Raises `RemoteUnavailable` for a call that failed, `ValidationFailed` for a prompt that is too long, and `JudgeStopped` as
        `decide` does.
        """
        if self.model.count_tokens(prompt) + self.max_tokens > self.model.context_tokens:
            self.problems["too_long"] += 1
            raise ValidationFailed(f"The prompt and {self.max_tokens:,} tokens of a reply do not fit into the model's context.")
        try:
            with self._minded():
                return self._ask([Message("user", prompt)])
        except RemoteUnavailable:
            self.problems["failed"] += 1
            raise

    @contextmanager
    def _minded(self) -> Iterator[None]:
        """Around a call: a service that refuses, or fails again and again, ends the judging."""
        try:
            yield
        except RemoteRefused as error:
            raise JudgeStopped(error.message) from error
        except RemoteUnavailable as error:
            self._failures += 1
            if self._failures >= _FAILURES:
                raise JudgeStopped(f"{_FAILURES} calls failed one after the other: {error.message}") from error
            raise
        self._failures = 0

    def size(self, task: Task) -> int:
        """Tokens of a question to the model, by its count."""
        return sum(self.model.count_tokens(message.text) for message in messages(task))

    def _read(self, task: Task) -> Reply | None:
        """The reply in its form; after one that had it not, the question is asked once more. None for neither."""
        asked = messages(task)
        text = self._ask(asked)
        if (read := read_reply(text, task.kind)) is not None:
            return read
        self.retried += 1
        return read_reply(self._ask([*asked, *again(task, text)]), task.kind)

    def _ask(self, asked: Sequence[Message]) -> str:
        if self.calls_left <= 0:
            raise JudgeStopped("all calls that it was allowed are used.")
        self.calls_left -= 1
        self.calls += 1
        ends: list[Completion] = []
        text = ""
        with closing(self.model.stream(asked, self.max_tokens, ends.append)) as stream:
            for piece in stream:
                text += piece
                if len(text) > _LONGEST_REPLY:
                    break
        for name in self.usage:
            self.usage[name] += int(ends[0].usage.get(name, 0)) if ends else 0
        return text
