"""Planners over real analyzers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from ragd.config.answering import RetrievalSettings
from ragd.core.query import Filters, QueryPlan, Turn
from ragd.providers.analyzers.sudachi import SudachiAnalyzer
from ragd.providers.protocols import Completion, Message
from ragd.retrieve.planning.planner import Planner
from ragd.retrieve.planning.synonyms import Synonyms


class ScriptedModel:
    """A language model that answers what it was told to, or raises it, and keeps what it was asked."""

    name = "scripted"
    model = "scripted-1"
    context_tokens = 4096

    def __init__(self, reply: str | Exception, finish: str = "complete") -> None:
        self._reply = reply
        self._finish = finish
        self.asked: list[Sequence[Message]] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def stream(self, messages: Sequence[Message], max_tokens: int, on_end: Callable[[Completion], None]) -> Iterator[str]:
        self.asked.append(messages)
        if isinstance(self._reply, Exception):
            raise self._reply
        yield from (self._reply[:5], self._reply[5:])
        on_end(Completion(self._finish, {}))  # type: ignore[arg-type]

    def close(self) -> None:
        pass


@pytest.fixture
def scripted() -> type[ScriptedModel]:
    """`scripted(reply)`: a language model that answers so."""
    return ScriptedModel


@pytest.fixture(scope="session")
def analyzer() -> SudachiAnalyzer:
    return SudachiAnalyzer()


@pytest.fixture
def planner(analyzer: SudachiAnalyzer, tmp_path: Path) -> Callable[..., Planner]:
    """`planner(synonyms="- [a, b]", rewrite="model", model=...)`"""

    def make(synonyms: str | None = None, max_chars: int = 8192, model: object = None, **values: object) -> Planner:
        path = tmp_path / "synonyms.yaml"
        if synonyms is not None:
            path.write_text(synonyms, encoding="utf-8")
        options = RetrievalSettings.model_validate(values)
        return Planner(analyzer=analyzer, max_chars=max_chars, synonyms=Synonyms(path, analyzer), options=options, model=model)  # type: ignore[arg-type]

    return make


@pytest.fixture
def plan(planner: Callable[..., Planner]) -> Callable[..., QueryPlan]:
    """The plan of a question after these turns of the user, by a planner with these options."""

    def make(text: str, *earlier: str, filters: Filters | None = None, **options: object) -> QueryPlan:
        history = tuple(Turn("user", turn) for turn in earlier)
        return planner(**options).plan(text, mode="hybrid", filters=filters or Filters(), history=history)

    return make


@pytest.fixture
def linear() -> Callable[[Callable[[str], object], str], None]:
    """Asserts that eight times the text takes some eight times the time, not sixty-four."""

    def seconds(work: Callable[[str], object], text: str) -> float:
        began = time.process_time()
        work(text)
        return time.process_time() - began

    def check(work: Callable[[str], object], unit: str) -> None:
        short, long = (unit * (size // len(unit)) for size in (2_000, 16_000))
        least = min(seconds(work, short) for _ in range(3))
        assert min(seconds(work, long) for _ in range(3)) < 30 * max(least, 0.001)

    return check
