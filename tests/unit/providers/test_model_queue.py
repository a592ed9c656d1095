"""Who gets the processor, and when. The model here is the fake one, with runs that the tests hold up and let go."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import numpy as np
import pytest

from ragd.core.errors import ModelUnavailable
from ragd.providers.fakes import FakeEmbedder
from ragd.providers.model_queue import ModelQueue, Priority
from ragd.providers.protocols import TokenEmbedder, Vectors
from ragd.providers.queued_embedder import LocalEmbedder, QueuedEmbedder, queued
from ragd.testing import EmbedderContract

POISON = 666


class HeldModel(FakeEmbedder):
    """A local model of which each row is the row's own number. It remembers its runs; those with a `held` row wait for `go`."""

    batch_tokens = 8

    def __init__(self, passage_runs: int = 1) -> None:
        super().__init__(dimension=2)
        self.passage_runs = passage_runs
        self.runs: list[list[int]] = []
        self.started = threading.Semaphore(0)
        self.held: set[int] = set()
        self.go = threading.Event()

    def query_rows(self, texts: Sequence[str]) -> list[list[int]]:
        return [[int(text)] for text in texts]

    def passage_rows(self, texts: Sequence[str]) -> list[list[int]]:
        return self.query_rows(texts)

    def embed_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        self.runs.append([row[0] for row in rows])
        if self.held.intersection(self.runs[-1]):
            self.started.release()
            assert self.go.wait(60)
        if any(row[0] == POISON for row in rows):
            raise ValueError("poison")
        return np.array([[row[0], 1] for row in rows], np.float32)

    def embed_passage_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        return self.embed_rows(rows)

    def embed_query_rows_and_tokens(self, rows: Sequence[Sequence[int]]) -> tuple[Vectors, list[Vectors]]:
        vectors = self.embed_rows(rows)
        return vectors, [-vectors[[index]] for index in range(len(rows))]

    def embed_passage_rows_and_tokens(self, rows: Sequence[Sequence[int]]) -> tuple[Vectors, list[Vectors]]:
        return self.embed_rows(rows), [self.embed_rows([row]) for row in rows]


class RowFake(FakeEmbedder):
    """The fake embedder with its tokenizing apart, so that the contract of embedders can be held against the queue."""

    batch_tokens = 64
    passage_runs = 2

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[str] = []

    def query_rows(self, texts: Sequence[str]) -> list[list[int]]:
        start = len(self._texts)
        self._texts += texts
        return [[start + index] * (1 + self.tokenizer.count(text)) for index, text in enumerate(texts)]

    def passage_rows(self, texts: Sequence[str]) -> list[list[int]]:
        return self.query_rows(texts)

    def embed_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        return self._embed([self._texts[row[0]] for row in rows])

    def embed_passage_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        return self.embed_rows(rows)

    def embed_passage_rows_and_tokens(self, rows: Sequence[Sequence[int]]) -> tuple[Vectors, list[Vectors]]:
        return self.embed_rows(rows), self.passage_tokens([self._texts[row[0]] for row in rows])

    def embed_query_rows_and_tokens(self, rows: Sequence[Sequence[int]]) -> tuple[Vectors, list[Vectors]]:
        return self.embed_passage_rows_and_tokens(rows)


class TestQueuedEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> QueuedEmbedder:
        return QueuedEmbedder(RowFake(), ModelQueue())


@pytest.fixture
def model() -> HeldModel:
    return HeldModel()


@pytest.fixture
def queue() -> ModelQueue:
    """One that never loses patience, and takes large batches again at once."""
    return ModelQueue(patience_s=60, quiet_s=0)


@pytest.fixture
def workers() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as pool:
        yield pool


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def hold(model: HeldModel, row: int, start: Callable[[], Future[Vectors]]) -> Future[Vectors]:
    """Start something and wait until the run of a row has begun; it goes on when `model.go` is set."""
    model.held.add(row)
    held = start()
    assert model.started.acquire(timeout=300)
    return held


def test_a_queued_model_is_an_embedder_with_tokens_and_a_remote_one_stays_as_it_is(model: HeldModel, queue: ModelQueue) -> None:
    wrapped = queued(model, queue)
    assert isinstance(wrapped, QueuedEmbedder)
    assert isinstance(wrapped, TokenEmbedder)
    assert isinstance(model, LocalEmbedder)
    without_rows = FakeEmbedder()
    assert queued(without_rows, queue) is without_rows


def test_passages_keep_their_batches_while_nobody_asks(model: HeldModel, queue: ModelQueue) -> None:
    done: list[int] = []
    vectors = QueuedEmbedder(model, queue).embed_passages([str(number) for number in range(20)], done.append)
    assert model.runs == [list(range(8)), list(range(8, 16)), list(range(16, 20))]
    assert sorted(done) == [4, 8, 8]
    assert vectors[:, 0].tolist() == list(range(20))


def test_a_query_overtakes_reranking_and_both_overtake_ingestion(queue: ModelQueue, workers: ThreadPoolExecutor) -> None:
    order: list[Priority] = []

    def take(priority: Priority) -> None:
        with queue.turn(priority):
            order.append(priority)

    with queue.turn(Priority.RERANK):
        arrived = [Priority.INGEST, Priority.RERANK, Priority.RERANK, Priority.QUERY]
        asked = []
        for count, priority in enumerate(arrived, start=1):
            asked.append(workers.submit(take, priority))
            until(lambda count=count: len(queue.waiting()) == count)
    for one in asked:
        one.result(10)
    assert order == [Priority.QUERY, Priority.RERANK, Priority.RERANK, Priority.INGEST]


def test_two_ingestions_take_turns(queue: ModelQueue, workers: ThreadPoolExecutor) -> None:
    with queue.turn(Priority.INGEST):
        other = workers.submit(lambda: queue.turn(Priority.INGEST).__enter__())
        until(lambda: queue.waiting() == [Priority.INGEST])
        assert not other.done()
    other.result(10)


def test_a_query_runs_beside_the_batch_of_an_ingestion_and_those_after_it_are_single_texts(
    model: HeldModel, workers: ThreadPoolExecutor
) -> None:
    embedder = QueuedEmbedder(model, ModelQueue(patience_s=60, quiet_s=60))
    ingested = hold(model, 0, lambda: workers.submit(embedder.embed_passages, [str(number) for number in range(20)]))
    assert embedder.embed_queries(["100"])[0, 0] == 100
    assert model.runs == [list(range(8)), [100]]
    model.go.set()
    assert ingested.result(10)[:, 0].tolist() == list(range(20))
    assert model.runs[2:] == [[number] for number in range(8, 20)]


def test_large_batches_come_back_when_queries_have_stopped(model: HeldModel) -> None:
    queue = ModelQueue(patience_s=60, quiet_s=0.02)
    embedder = QueuedEmbedder(model, queue)
    embedder.embed_queries(["100"])
    until(lambda: not queue.interactive_pending())
    embedder.embed_passages(["1", "2"])
    assert model.runs == [[100], [1, 2]]


def test_passages_run_side_by_side_while_nobody_asks(queue: ModelQueue, workers: ThreadPoolExecutor) -> None:
    model = HeldModel(passage_runs=2)
    embedder, done = QueuedEmbedder(model, queue), list[int]()
    model.held = {0, 8, 16}
    ingested = workers.submit(embedder.embed_passages, [str(number) for number in range(20)], done.append)
    assert model.started.acquire(timeout=300)
    assert model.started.acquire(timeout=300)
    until(lambda: queue.waiting() == [Priority.INGEST])
    assert len(model.runs) == 2, "as many as the model has runs for, and no more"
    model.go.set()
    assert ingested.result(10)[:, 0].tolist() == list(range(20))
    assert sorted(model.runs) == [list(range(8)), list(range(8, 16)), list(range(16, 20))]
    assert sum(done) == 20


def test_passages_run_one_by_one_once_somebody_has_asked(workers: ThreadPoolExecutor) -> None:
    class Counting(HeldModel):
        def embed_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
            with counted:
                now.append(rows[0][0])
                most.append(len(now))
            try:
                return super().embed_rows(rows)
            finally:
                with counted:
                    now.remove(rows[0][0])

    counted, now, most = threading.Lock(), list[int](), list[int]()
    model = Counting(passage_runs=2)
    queue = ModelQueue(patience_s=60, quiet_s=60)
    embedder = QueuedEmbedder(model, queue)
    embedder.embed_queries(["100"])
    ingested = hold(model, 0, lambda: workers.submit(embedder.embed_passages, [str(number) for number in range(20)]))
    until(lambda: queue.waiting() == [Priority.INGEST] * 2)
    assert model.runs == [[100], [0]], "the other core is for those who ask"
    model.go.set()
    assert ingested.result(10)[:, 0].tolist() == list(range(20))
    assert max(most) == 1


def test_passages_that_nobody_wants_any_more_are_left(workers: ThreadPoolExecutor) -> None:
    def cancelled(_count: int) -> None:
        raise InterruptedError

    model = HeldModel(passage_runs=2)
    with pytest.raises(InterruptedError):
        QueuedEmbedder(model, ModelQueue()).embed_passages([str(number) for number in range(800)], cancelled)
    assert len(model.runs) <= 6


def test_questions_that_arrive_together_are_embedded_together(
    model: HeldModel, queue: ModelQueue, workers: ThreadPoolExecutor
) -> None:
    embedder = QueuedEmbedder(model, queue)
    first = hold(model, 100, lambda: workers.submit(embedder.embed_queries, ["100"]))
    others = [workers.submit(embedder.embed_queries, [str(number)]) for number in range(10)]
    until(lambda: len(queue.waiting()) == 10)
    model.go.set()
    assert first.result(10)[0, 0] == 100
    assert [other.result(10)[0, 0] for other in others] == list(range(10))
    assert model.runs[0] == [100]
    assert [sorted(run) for run in model.runs[1:]] == [list(range(10))]


def test_an_error_reaches_the_one_who_caused_it_and_no_other(
    model: HeldModel, queue: ModelQueue, workers: ThreadPoolExecutor
) -> None:
    embedder = QueuedEmbedder(model, queue)
    first = hold(model, 100, lambda: workers.submit(embedder.embed_queries, ["100"]))
    others = [workers.submit(embedder.embed_queries, [str(number)]) for number in (1, POISON, 2)]
    until(lambda: len(queue.waiting()) == 3)
    model.go.set()
    assert first.result(10)[0, 0] == 100
    assert (others[0].result(10)[0, 0], others[2].result(10)[0, 0]) == (1, 2)
    with pytest.raises(ValueError, match="poison"):
        others[1].result(10)
    assert embedder.embed_queries(["3"])[0, 0] == 3
    with pytest.raises(ValueError, match="poison"):
        embedder.embed_passages([str(POISON)])
    assert embedder.embed_passages(["4"])[0, 0] == 4


def test_ingestion_begins_nothing_while_a_query_is_in_progress(queue: ModelQueue, workers: ThreadPoolExecutor) -> None:
    begun = threading.Event()

    def ingest() -> None:
        with queue.turn(Priority.INGEST):
            begun.set()

    with queue.interactive():
        ingesting = workers.submit(ingest)
        until(lambda: queue.waiting() == [Priority.INGEST])
        with queue.turn(Priority.QUERY):
            pass
        with queue.turn(Priority.RERANK):
            assert not begun.is_set()
        assert queue.waiting() == [Priority.INGEST]
    ingesting.result(10)


def test_ingestion_does_not_starve_under_queries_that_never_end(model: HeldModel, workers: ThreadPoolExecutor) -> None:
    queue = ModelQueue(patience_s=0.01, quiet_s=60)
    embedder = QueuedEmbedder(model, queue)
    stop = threading.Event()

    def ask() -> int:
        count = 0
        while not stop.is_set():
            with queue.interactive():
                embedder.embed_queries(["100"])
                count += 1
        return count

    asking = [workers.submit(ask) for _ in range(3)]
    try:
        assert workers.submit(embedder.embed_passages, ["1", "2", "3"]).result(10)[:, 0].tolist() == [1, 2, 3]
    finally:
        stop.set()
    assert all(one.result(10) > 0 for one in asking)
    assert [run for run in model.runs if run[0] < 100] == [[1], [2], [3]]


def test_ingestion_runs_by_itself_when_its_patience_is_over(workers: ThreadPoolExecutor) -> None:
    queue = ModelQueue(patience_s=0.01)

    def ingest() -> bool:
        with queue.turn(Priority.INGEST):
            return True

    with queue.interactive():  # a query that does nothing, and gives nobody a turn by ending one
        assert workers.submit(ingest).result(10)


def test_closing_sends_those_who_wait_away_and_lets_the_running_one_finish(
    model: HeldModel, queue: ModelQueue, workers: ThreadPoolExecutor
) -> None:
    embedder = QueuedEmbedder(model, queue)
    running = hold(model, 100, lambda: workers.submit(embedder.embed_queries, ["100"]))
    waiting = [workers.submit(embedder.embed_queries, ["1"]), workers.submit(embedder.embed_passages, ["2"])]
    until(lambda: len(queue.waiting()) == 2)
    queue.close()
    for one in waiting:
        with pytest.raises(ModelUnavailable, match="being closed"):
            one.result(10)
    model.go.set()
    assert running.result(10)[0, 0] == 100
    with pytest.raises(ModelUnavailable, match="being closed"):
        embedder.embed_queries(["3"])


def test_token_vectors_come_from_the_model_in_turns(model: HeldModel, queue: ModelQueue) -> None:
    embedder = QueuedEmbedder(model, queue)
    assert embedder.gives_tokens
    np.testing.assert_array_equal(embedder.query_tokens("a cat"), model.query_tokens("a cat"))
    assert [tokens.shape for tokens in embedder.passage_tokens(["a cat", "", "東京"])] == [(2, 2), (0, 2), (2, 2)]
    assert queue.waiting() == []


def test_passages_give_vectors_and_tokens_in_the_same_turns(queue: ModelQueue) -> None:
    model = RowFake()
    tokens: dict[int, Vectors] = {}

    def keep(index: int, vectors: Vectors) -> None:
        tokens[index] = vectors
        with queue.turn(Priority.QUERY):  # nobody waits for what is made of tokens
            pass

    texts = ["a cat sat", "the", "東京の cat"]
    found = QueuedEmbedder(model, queue).embed_passages_and_tokens(texts, keep)
    np.testing.assert_array_equal(found, model.embed_passages(texts))
    for index, own in enumerate(model.passage_tokens(texts)):
        np.testing.assert_array_equal(tokens[index], own)


def test_the_next_passages_run_while_tokens_of_the_last_ones_are_dealt_with(queue: ModelQueue) -> None:
    class Counted(RowFake):
        passage_runs = 1

        def embed_passage_rows_and_tokens(self, rows: Sequence[Sequence[int]]) -> tuple[Vectors, list[Vectors]]:
            begun.release()
            return super().embed_passage_rows_and_tokens(rows)

    begun, first, given = threading.Semaphore(0), threading.Semaphore(1), list[int]()

    def keep(index: int, _tokens: Vectors) -> None:
        if first.acquire(blocking=False):
            assert begun.acquire(timeout=300)
            assert begun.acquire(timeout=300), "a second run, though the first is not dealt with"
        given.append(index)

    texts = [f"{'word ' * 40}{number}" for number in range(4)]
    QueuedEmbedder(Counted(), queue).embed_passages_and_tokens(texts, keep)
    assert sorted(given) == [0, 1, 2, 3]


def test_questions_give_vectors_and_tokens_out_of_one_run_in_their_order(model: HeldModel, queue: ModelQueue) -> None:
    vectors, tokens = QueuedEmbedder(model, queue).embed_queries_and_tokens(["3", "1", "2"])
    assert vectors[:, 0].tolist() == [3, 1, 2]
    assert [own[:, 0].tolist() for own in tokens] == [[-3], [-1], [-2]]
    assert len(model.runs) == 1


def test_questions_with_and_without_tokens_share_a_run(model: HeldModel, queue: ModelQueue, workers: ThreadPoolExecutor) -> None:
    embedder = QueuedEmbedder(model, queue)
    running = hold(model, 100, lambda: workers.submit(embedder.embed_queries, ["100"]))
    plain = workers.submit(embedder.embed_queries, ["1"])
    until(lambda: len(queue.waiting()) == 1)
    both = workers.submit(embedder.embed_queries_and_tokens, ["2", "3"])
    until(lambda: len(queue.waiting()) == 2)
    model.go.set()
    assert running.result(10)[0, 0] == 100
    assert plain.result(10)[:, 0].tolist() == [1]
    vectors, tokens = both.result(10)
    assert vectors[:, 0].tolist() == [2, 3]
    assert [own[:, 0].tolist() for own in tokens] == [[-2], [-3]]
    assert len(model.runs) == 2, "the one that was held, and one for both"


def test_queries_in_progress_share_the_time() -> None:
    queue = ModelQueue()
    assert queue.interactive_share() == 1
    with queue.interactive(), queue.interactive(), queue.interactive(), queue.interactive():
        assert queue.interactive_share() == 0.25
    assert queue.interactive_share() == 1


def test_in_a_crowd_nobody_has_time_for_reranking() -> None:
    queue = ModelQueue()
    with ExitStack() as crowd:
        for _ in range(7):
            crowd.enter_context(queue.interactive())
        assert queue.interactive_share() > 0
        crowd.enter_context(queue.interactive())
        assert queue.interactive_share() == 0
    assert queue.interactive_share() == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ranks threads one by one")
@pytest.mark.parametrize("asked", [True, False], ids=["somebody has asked", "nobody has asked"])
def test_passages_run_in_a_thread_behind_all_others_once_somebody_has_asked_and_questions_never(*, asked: bool) -> None:
    class Watched(HeldModel):
        def embed_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
            seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
            return super().embed_rows(rows)

    seen: list[int] = []
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    embedder = QueuedEmbedder(Watched(), ModelQueue(patience_s=60, quiet_s=60))
    if asked:
        embedder.embed_queries(["1"])
        assert seen.pop() == own
    embedder.embed_passages(["1"])
    embedder.embed_passages_and_tokens(["1"], lambda _index, _tokens: None)
    ingested = len(seen)
    embedder.embed_queries(["2"])
    embedder.embed_for_answer(["3"])
    embedder.close()
    assert all(priority > own if asked else priority == own for priority in seen[:ingested])
    assert seen[ingested:] == [own, own]
