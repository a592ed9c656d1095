"""Late interaction: what is scored, in which order, until when, and what is kept in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragd.config.answering import RerankSettings
from ragd.core.documents import Place
from ragd.core.errors import ModelUnavailable
from ragd.core.results import Passage
from ragd.providers.calibration.measure import unit
from ragd.providers.calibration_cache import CalibrationCache
from ragd.providers.fakes import FakeEmbedder
from ragd.providers.protocols import Reranker, Vectors
from ragd.providers.registry import build
from ragd.providers.rerankers.maxsim import MaxSimReranker, PackedTokens, TokenCache, shown
from ragd.testing import RerankerContract

NEVER = float("inf")


class Clock:
    """Time that passes only by what is done."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class TimedEmbedder(FakeEmbedder):
    """Notes each batch of passages, and takes `pace` seconds for each padded token."""

    def __init__(self, clock: Clock, pace: float = 0.0) -> None:
        super().__init__()
        self.clock = clock
        self.pace = pace
        self.batches: list[list[str]] = []

    def query_tokens(self, text: str) -> Vectors:
        return super().passage_tokens([text])[0]

    def passage_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        found = super().passage_tokens(texts)
        self.batches.append(list(texts))
        self.clock.now += self.pace * len(texts) * max(map(len, found))
        return found

    @property
    def read(self) -> list[str]:
        return [text for batch in self.batches for text in batch]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the fake model's calibration is found again."""
    return tmp_path_factory.mktemp("calibrations")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def embedder(clock: Clock) -> TimedEmbedder:
    return TimedEmbedder(clock)


def reranker_of(embedder: TimedEmbedder, folder: Path, **options: Any) -> MaxSimReranker:
    """The calibration's own reading of passages is over when it comes back."""
    pace, embedder.pace = embedder.pace, 0.0
    calibration_cache = CalibrationCache(embedder, folder, 0.0)
    calibration_cache.get()
    embedder.pace = pace
    embedder.batches.clear()
    batch_tokens = options.pop("batch_tokens", 512)
    settings = RerankSettings(**options)
    return MaxSimReranker(embedder, calibration_cache, settings, batch_tokens=batch_tokens, clock=embedder.clock)


def passage(content: str, path: tuple[str, ...] = (), tokens: int | None = None) -> Passage:
    return Passage(
        chunk_id=content,
        doc_id="doc",
        version_id="version",
        collection="default",
        content=content,
        source="a.md",
        source_uri="file:///a.md",
        doc_type="markdown",
        title="A",
        section_path=path,
        place=Place(),
        ordinal=0,
        tokens=len(content.split()) if tokens is None else tokens,
    )


def words(name: str, count: int) -> str:
    return " ".join(f"{name}{number}" for number in range(count))


class TestMaxSim(RerankerContract):
    @pytest.fixture
    def reranker(self, folder: Path) -> Reranker:
        embedder = FakeEmbedder()
        made: Reranker = build(
            "reranker", "maxsim", embedder=embedder, calibration=CalibrationCache(embedder, folder, 0.0), options=RerankSettings()
        )
        return made


def test_the_passage_that_holds_the_questions_words_scores_highest(embedder: TimedEmbedder, folder: Path) -> None:
    passages = [passage("a pump stops"), passage("the disk is mounted by hand"), passage("how is disk three mounted")]
    scores = reranker_of(embedder, folder).score("how is disk three mounted", passages, NEVER)
    none, half, whole = (score for score in scores if score is not None)
    assert 0 < none < half < whole < 1


def test_a_passage_is_read_with_its_headings_in_front(embedder: TimedEmbedder, folder: Path) -> None:
    reranker_of(embedder, folder).score("disk", [passage("It is mounted.", ("Disks", "Mounting"))], NEVER)
    assert embedder.read == ["Disks > Mounting\nIt is mounted."]


def test_a_heading_that_begins_the_text_is_not_repeated() -> None:
    assert shown(passage("Disks are mounted.", ("Disks", "Mounting"))) == "Mounting\nDisks are mounted."
    assert shown(passage("Disks are mounted.", ("Disks",))) == "Disks are mounted."
    assert shown(passage("Text.")) == "Text."


def test_passages_are_read_in_the_order_given_in_batches_of_padded_tokens(embedder: TimedEmbedder, folder: Path) -> None:
    passages = [passage(words(name, 30)) for name in "abcde"]
    passages.insert(2, passage(words("long", 200)))
    scores = reranker_of(embedder, folder, batch_tokens=100).score("a1", passages, NEVER)
    assert None not in scores
    assert embedder.read == [item.content for item in passages]
    assert [len(batch) for batch in embedder.batches] == [2, 1, 2, 1]


def test_no_batch_is_begun_that_would_not_end_before_the_deadline(embedder: TimedEmbedder, clock: Clock, folder: Path) -> None:
    embedder.pace = 0.001
    reranker = reranker_of(embedder, folder, batch_tokens=110)
    passages = [passage(words(f"w{number}x", 50)) for number in range(20)]
    reranker.score("w0x1", passages[:2], NEVER)  # 0.1 s: how long tokens take is known now
    deadline = clock.now + 0.52
    scores = reranker.score("w2x1", passages[2:], deadline)
    assert clock.now <= deadline
    scored = [score is not None for score in scores]
    assert scored == sorted(scored, reverse=True)
    assert 8 <= sum(scored) <= 10
    assert scores[17] is None


def test_the_last_batch_is_made_smaller_to_fit(embedder: TimedEmbedder, clock: Clock, folder: Path) -> None:
    embedder.pace = 0.001
    reranker = reranker_of(embedder, folder, batch_tokens=1000)
    reranker.score("q", [passage(words("first", 100))], NEVER)
    scores = reranker.score("q", [passage(words(f"w{number}x", 50)) for number in range(10)], clock.now + 0.17)
    assert [score is not None for score in scores] == [True] * 3 + [False] * 7


def test_the_first_call_of_a_slow_machine_is_careful(embedder: TimedEmbedder, clock: Clock, folder: Path) -> None:
    embedder.pace = 0.0002
    deadline = clock.now + 0.3
    scores = reranker_of(embedder, folder).score("q", [passage(words(f"w{number}x", 100)) for number in range(30)], deadline)
    assert clock.now <= deadline
    assert 10 <= sum(score is not None for score in scores) <= 15


def test_a_stall_is_forgotten_after_some_calls(embedder: TimedEmbedder, clock: Clock, folder: Path) -> None:
    embedder.pace = 1.0
    reranker = reranker_of(embedder, folder)
    reranker.score("q", [passage(words("stalled", 50))], NEVER)
    embedder.pace = 0.0001
    fresh = [passage(words("fresh", 50))]
    calls = 0
    while reranker.score("q", fresh, clock.now + 0.3) == [None]:
        calls += 1
        assert calls < 40
    assert calls > 0


def test_after_the_deadline_not_even_the_question_is_read(embedder: TimedEmbedder, clock: Clock, folder: Path) -> None:
    reranker = reranker_of(embedder, folder)
    known = passage("known text")
    reranker.score("known", [known], NEVER)
    assert reranker.score("known", [known, passage("new text")], clock.now) == [None, None]
    assert embedder.read == ["known text"]


def test_what_is_in_memory_is_scored_wherever_it_stands(embedder: TimedEmbedder, clock: Clock, folder: Path) -> None:
    embedder.pace = 0.01
    reranker = reranker_of(embedder, folder)
    passages = [passage(words(f"w{number}x", 50)) for number in range(6)]
    (first,) = reranker.score("w5x1", passages[5:], NEVER)
    embedder.batches.clear()
    scores = reranker.score("w5x1", passages, clock.now + 0.1)
    assert scores == [None] * 5 + [first]
    assert embedder.batches == []


def test_without_a_cache_each_call_reads_and_gives_the_same(embedder: TimedEmbedder, folder: Path) -> None:
    reranker = reranker_of(embedder, folder, cache_mb=0)
    passages = [passage("how is disk three mounted")]
    assert reranker.score("disk", passages, NEVER) == reranker.score("disk", passages, NEVER)
    assert len(embedder.read) == 2


def test_a_text_that_stands_many_times_in_the_list_is_read_once(embedder: TimedEmbedder, folder: Path) -> None:
    same = passage("how is disk three mounted")
    scores = reranker_of(embedder, folder, cache_mb=0).score("disk", [same, passage("other"), same, same], NEVER)
    assert scores[0] == scores[2] == scores[3] != scores[1]
    assert embedder.read == ["how is disk three mounted", "other"]


def test_a_question_without_a_token_scores_nothing(embedder: TimedEmbedder, folder: Path) -> None:
    assert reranker_of(embedder, folder).score(" ", [passage("text")], NEVER) == [None]


def test_a_passage_without_a_token_is_not_relevant(embedder: TimedEmbedder, folder: Path) -> None:
    assert reranker_of(embedder, folder).score("text", [passage(" ")], NEVER) == [0.0]


def test_principal_components_take_less_and_still_tell_right_from_wrong(embedder: TimedEmbedder, folder: Path) -> None:
    passages = [passage("the service reads settings from a file"), passage("the train is booked in second class")]
    compact = reranker_of(embedder, folder, cache_dimensions=128)
    right, wrong = compact.score("settings file of the service", passages, NEVER)
    assert right is not None
    assert wrong is not None
    assert right > wrong
    assert compact.profile != reranker_of(embedder, folder).profile


def test_a_model_without_token_vectors_is_refused(folder: Path) -> None:
    embedder = FakeEmbedder()
    embedder.gives_tokens = False
    with pytest.raises(ModelUnavailable, match="no token vectors"):
        MaxSimReranker(embedder, CalibrationCache(embedder, folder, 0.0), RerankSettings())


def test_ten_at_once_get_what_one_gets(folder: Path) -> None:
    embedder = FakeEmbedder()
    calibration_cache = CalibrationCache(embedder, folder, 0.0)
    settings = RerankSettings(cache_mb=1)
    passages = [passage(words(f"w{number}x", 40)) for number in range(12)]
    questions = [f"w{number}x1 w{number}x2" for number in range(10)]
    alone = MaxSimReranker(embedder, calibration_cache, settings)
    expected = [alone.score(question, passages, time.monotonic() + 60) for question in questions]
    shared = MaxSimReranker(embedder, calibration_cache, settings)
    together = threading.Barrier(10)

    def ask(question: str) -> Sequence[float | None]:
        together.wait(10)
        return shared.score(question, passages, time.monotonic() + 60)

    with ThreadPoolExecutor(10) as workers:
        assert list(workers.map(ask, questions)) == expected


def test_packed_vectors_come_back_within_half_a_level() -> None:
    vectors = unit(np.random.default_rng(1).normal(size=(50, 384)).astype(np.float32))
    vectors[7] = 0
    packed = PackedTokens.of(vectors)
    assert packed.levels.nbytes + packed.scales.nbytes == 50 * (384 + 4)
    assert np.abs(packed.vectors - vectors).max() <= np.abs(vectors).max() / 127 / 2 + 1e-6
    assert not packed.vectors[7].any()


def test_the_longest_unused_entry_leaves_a_full_cache_first() -> None:
    packed = PackedTokens.of(np.ones((4, 8), np.float32))
    cache = TokenCache(3 * packed.size)
    for key in "abc":
        cache.put(key, packed)
    assert cache.get("a") is packed
    cache.put("d", packed)
    cache.put("d", packed)
    assert [key for key in "abcd" if cache.get(key)] == ["a", "c", "d"]
    assert len(cache) == 3
    assert cache.size == 3 * packed.size


def test_an_entry_larger_than_the_cache_is_not_kept() -> None:
    cache = TokenCache(100)
    cache.put("a", PackedTokens.of(np.ones((4, 80), np.float32)))
    assert cache.get("a") is None
    assert cache.size == 0
