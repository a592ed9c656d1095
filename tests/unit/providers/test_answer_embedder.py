"""The embedder as answers use it: each text is read once, and before ingestion."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ragd.providers.answer_embedder import AnswerEmbedder
from ragd.providers.fakes import FakeEmbedder
from ragd.providers.model_queue import ModelQueue, Priority
from ragd.providers.protocols import Vectors
from ragd.providers.queued_embedder import QueuedEmbedder
from ragd.testing import EmbedderContract


class Counted(FakeEmbedder):
    """The fake embedder, which remembers what it was given; and a local model, whose rows are numbers of texts."""

    batch_tokens = 4
    passage_runs = 1

    def __init__(self) -> None:
        super().__init__(dimension=8)
        self.read: list[str] = []
        self.known: list[str] = []

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        self.read += texts
        return super().embed_passages(texts, on_batch)

    def query_rows(self, texts: Sequence[str]) -> list[list[int]]:
        self.known += texts
        return [[len(self.known) - len(texts) + place] for place in range(len(texts))]

    passage_rows = query_rows

    def embed_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        return self.embed_passages([self.known[row[0]] for row in rows])

    def embed_passage_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        return self.embed_rows(rows)


class TestAnswerEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> AnswerEmbedder:
        return AnswerEmbedder(FakeEmbedder())


def test_a_text_is_read_once_whoever_asks_and_the_longest_unused_goes_first() -> None:
    model = Counted()
    embedder = AnswerEmbedder(model, most=3)
    first = embedder.embed_passages(["a", "b", "a", "c"])
    assert model.read == ["a", "b", "c"]
    np.testing.assert_array_equal(first, FakeEmbedder(dimension=8).embed_passages(["a", "b", "a", "c"]))
    np.testing.assert_array_equal(embedder.embed_passages(["a"]), first[:1])
    embedder.embed_passages(["d"])
    assert model.read == ["a", "b", "c", "d"]
    embedder.embed_passages(["a", "c", "b"])
    assert model.read == ["a", "b", "c", "d", "b"]


def test_an_answer_goes_before_ingestion_and_in_batches_while_queries_come() -> None:
    queue, model = ModelQueue(patience_s=60, quiet_s=60), Counted()
    local = QueuedEmbedder(model, queue)
    embedder = AnswerEmbedder(local)
    runs: list[int] = []
    model.embed_rows, run = lambda rows: (runs.append(len(rows)), run(rows))[1], model.embed_rows  # type: ignore[method-assign]
    with ThreadPoolExecutor(1) as ingestion, queue.interactive():
        waiting = ingestion.submit(local.embed_passages, ["x"])
        assert embedder.embed_passages(list("abcdef")).shape == (6, 8)
        assert not waiting.done()
        assert runs == [4, 2]
        queue.close()
        assert waiting.exception(10) is not None


def test_an_answer_that_has_waited_goes_before_reranking() -> None:
    for patience_s, expected in ((60.0, [Priority.QUERY, Priority.RERANK, Priority.ANSWER]), (0.0, None)):
        queue = ModelQueue(patience_s=patience_s)
        order: list[Priority] = []

        def take(priority: Priority, queue: ModelQueue = queue, order: list[Priority] = order) -> None:
            with queue.turn(priority):
                order.append(priority)

        with ThreadPoolExecutor(3) as workers, queue.turn(Priority.QUERY):
            for count, priority in enumerate((Priority.ANSWER, Priority.RERANK, Priority.QUERY), start=1):
                workers.submit(take, priority)
                while len(queue.waiting()) < count:
                    time.sleep(0.001)
        assert order == (expected or [Priority.ANSWER, Priority.QUERY, Priority.RERANK])
