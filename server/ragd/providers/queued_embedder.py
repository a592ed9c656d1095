"""A local embedding model behind the model queue: an embedder like any other, whose work is done in turns.

Questions that arrive while another question or rerank runs are embedded together in the next run. While queries are pending,
passages come one text a turn instead of one batch; what an answer needs comes in small batches at any time. Once somebody has
asked, passages run in a thread that the system puts behind the others: a query that comes meanwhile has the processor nearly to
itself. While nobody asks they run in ordinary threads, or whatever else is busy on the machine would leave them next to nothing.

Several runs of passages go side by side, as the model says: cores that share a run wait for each other in each of its steps, and
for whatever else has one of them.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

import numpy as np

from ragd.providers.batching import batches
from ragd.providers.model_queue import ModelQueue, Priority
from ragd.providers.protocols import Embedder, TokenEmbedder, Vectors

T = TypeVar("T")

_MICRO_BATCH_TOKENS = 256
"""Padded tokens of questions that are embedded together: some 20 questions, in about 10 ms on two cores."""

_ANSWER_BATCH_TOKENS = 512
"""Padded tokens of one run for an answer, which takes two cores for some 50 ms: what a query waits for at most."""


_NICE: Final = 10
"""A thread of this niceness gets a tenth of a core that an ordinary one wants as well."""


@runtime_checkable
class LocalEmbedder(Embedder, TokenEmbedder, Protocol):
    """An embedder whose tokenizing and whose single runs can be had apart: a model that runs in this process."""

    batch_tokens: int
    passage_runs: int
    """How many runs of passages go best side by side."""

    def query_rows(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        """The token ids of each question, as the graph takes them."""
        ...

    def passage_rows(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        """The token ids of each passage, as the graph takes them."""
        ...

    def embed_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        """Vectors of rows of token ids, in one run of the graph."""
        ...

    def embed_query_rows_and_tokens(self, rows: Sequence[Sequence[int]]) -> tuple[Vectors, list[Vectors]]:
        """As `embed_rows`, of questions, and the vectors of each one's own tokens, out of the same run."""
        ...

    def embed_passage_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        """As `embed_rows`, as one of `passage_runs` runs."""
        ...

    def embed_passage_rows_and_tokens(self, rows: Sequence[Sequence[int]]) -> tuple[Vectors, list[Vectors]]:
        """As `embed_passage_rows`, and the vectors of each one's own tokens, out of the same run."""
        ...


class _Asked:
    """Questions of one caller that wait for a run. `alone` after a run together with others failed."""

    def __init__(self, rows: Sequence[Sequence[int]], with_tokens: bool) -> None:
        self.rows = rows
        self.with_tokens = with_tokens
        self.alone = False
        self.answered = False
        self.vectors: Vectors = np.empty(0, np.float32)
        self.tokens: list[Vectors] = []

    @property
    def longest(self) -> int:
        return max(len(row) for row in self.rows)


class QueuedEmbedder:
    """Wraps a `LocalEmbedder`; the queue may serve other models, too. Safe to use from several threads."""

    needs_files = True

    def __init__(self, model: LocalEmbedder, queue: ModelQueue) -> None:
        self.model_id = model.model_id
        self.revision = model.revision
        self.dimension = model.dimension
        self.max_tokens = model.max_tokens
        self.device = model.device
        self.tokenizer = model.tokenizer
        self.gives_tokens = model.gives_tokens
        self.warnings: Sequence[str] = getattr(model, "warnings", ())
        self._model = model
        self._queue = queue
        self._asked: list[_Asked] = []
        self._lock = threading.Lock()
        self._background = _Background(queue.interactive_pending)

    @property
    def passage_overhead(self) -> int:
        return self._model.passage_overhead

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed_queries(texts, with_tokens=False)[0]

    def embed_queries_and_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        return self._embed_queries(texts, with_tokens=True)

    def _embed_queries(self, texts: Sequence[str], *, with_tokens: bool) -> tuple[Vectors, list[Vectors]]:
        vectors = np.empty((len(texts), self.dimension), np.float32)
        tokens: dict[int, Vectors] = {}
        rows = self._model.query_rows(texts)
        for batch in batches([len(row) for row in rows], self._model.batch_tokens):
            asked = _Asked([rows[index] for index in batch], with_tokens)
            self._ask(asked)
            vectors[batch] = asked.vectors
            tokens.update(zip(batch, asked.tokens, strict=False))
        return vectors, [tokens[index] for index in sorted(tokens)]

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        return self._embed_passages(texts, on_batch, None)

    def embed_passages_and_tokens(
        self, texts: Sequence[str], on_tokens: Callable[[int, Vectors], None], on_batch: Callable[[int], None] | None = None
    ) -> Vectors:
        return self._embed_passages(texts, on_batch, on_tokens)

    def _embed_passages(
        self,
        texts: Sequence[str],
        on_batch: Callable[[int], None] | None,
        on_tokens: Callable[[int, Vectors], None] | None,
    ) -> Vectors:
        passages = _Passages(self._model, self._queue, self._background, texts, on_tokens)
        # One more than has a turn waits for the next: no core is idle while tokens are dealt with, or batches counted.
        threads = max(1, min(passages.batches, self._model.passage_runs + 1))
        with ThreadPoolExecutor(threads, "rag-passages") as runs:
            running = {runs.submit(passages.run) for _ in range(threads)}
            try:
                while running:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for count in [run.result() for run in done]:
                        if count:
                            running.add(runs.submit(passages.run))
                            if on_batch is not None:
                                on_batch(count)
            finally:
                passages.leave_the_rest()
        return passages.vectors

    def embed_for_answer(self, texts: Sequence[str]) -> Vectors:
        """As `embed_passages`, for somebody who waits: before ingestion, in runs that keep nobody else waiting for long."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        rows = self._model.passage_rows(texts)
        for batch in batches([len(row) for row in rows], min(self._model.batch_tokens, _ANSWER_BATCH_TOKENS)):
            with self._queue.turn(Priority.ANSWER):
                vectors[batch] = self._model.embed_rows([rows[index] for index in batch])
        return vectors

    def query_tokens(self, text: str) -> Vectors:
        with self._queue.turn(Priority.QUERY):
            return self._model.query_tokens(text)

    def passage_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        with self._queue.turn(Priority.RERANK):
            return self._model.passage_tokens(texts)

    def close(self) -> None:
        self._background.close()
        self._model.close()

    def _ask(self, own: _Asked) -> None:
        with self._lock:
            self._asked.append(own)
        try:
            with self._queue.turn(Priority.QUERY):
                if own.answered:  # somebody's run had room for it
                    return
                others = self._take(own)
                if others:
                    try:
                        self._run([own, *others])
                    # Whose text it was is not known; each is run again alone, and the error reaches the one who caused it.
                    except BaseException as error:
                        self._give_back(others)
                        if not isinstance(error, Exception):
                            raise
                if not own.answered:
                    self._run([own])
        finally:
            with self._lock:
                if own in self._asked:
                    self._asked.remove(own)

    def _take(self, own: _Asked) -> list[_Asked]:
        """Others that fit into a run with `own`, in order of arrival."""
        taken: list[_Asked] = []
        with self._lock:
            self._asked.remove(own)
            count, longest = len(own.rows), own.longest
            for other in [] if own.alone else [asked for asked in self._asked if not asked.alone]:
                if (count + len(other.rows)) * max(longest, other.longest) <= _MICRO_BATCH_TOKENS:
                    taken.append(other)
                    self._asked.remove(other)
                    count, longest = count + len(other.rows), max(longest, other.longest)
        return taken

    def _give_back(self, others: Sequence[_Asked]) -> None:
        with self._lock:
            for other in others:
                other.alone = True
                self._asked.insert(0, other)

    def _run(self, asked: Sequence[_Asked]) -> None:
        rows = [row for one in asked for row in one.rows]
        tokens: list[Vectors] = []
        if any(one.with_tokens for one in asked):
            vectors, tokens = self._model.embed_query_rows_and_tokens(rows)
        else:
            vectors = self._model.embed_rows(rows)
        start = 0
        for one in asked:
            end = start + len(one.rows)
            one.vectors, one.tokens, one.answered = vectors[start:end], tokens[start:end] if one.with_tokens else [], True
            start = end


class _Background:
    """Where passages run: in the thread that calls, but for the time in which somebody asks in one behind all others."""

    def __init__(self, asked: Callable[[], bool]) -> None:
        self._asked = asked
        # Of its own, since it holds no lock that a query may want: a thread in the background would be long in giving it back.
        self._behind = ThreadPoolExecutor(1, "rag-ingest-behind", initializer=_go_behind)

    def run(self, work: Callable[..., T], *arguments: Any) -> T:
        return self._behind.submit(work, *arguments).result() if self._asked() else work(*arguments)

    def close(self) -> None:
        self._behind.shutdown()


class _Passages:
    """Passages on their way through the model: several threads call `run`, until it has nothing left."""

    def __init__(
        self,
        model: LocalEmbedder,
        queue: ModelQueue,
        background: _Background,
        texts: Sequence[str],
        on_tokens: Callable[[int, Vectors], None] | None,
    ) -> None:
        self.vectors: Vectors = np.empty((len(texts), model.dimension), np.float32)
        self._model = model
        self._queue = queue
        self._background = background
        self._on_tokens = on_tokens
        self._rows = model.passage_rows(texts)
        self._planned = deque(batches([len(row) for row in self._rows], model.batch_tokens))
        self.batches = len(self._planned)
        self._lock = threading.Lock()

    def run(self) -> int:
        """Embed the next batch; returns how many passages it was, 0 when none is left.

        What is made of tokens needs no turn: another run begins meanwhile.
        """
        with self._queue.turn(Priority.INGEST, self._model.passage_runs):
            batch = self._next()
            if not batch:
                return 0
            chosen = [self._rows[index] for index in batch]
            if self._on_tokens is None:
                self.vectors[batch] = self._background.run(self._model.embed_passage_rows, chosen)
                return len(batch)
            self.vectors[batch], tokens = self._background.run(self._model.embed_passage_rows_and_tokens, chosen)
        self._background.run(_hand, self._on_tokens, batch, tokens)
        return len(batch)

    def leave_the_rest(self) -> None:
        with self._lock:
            self._planned.clear()

    def _next(self) -> list[int]:
        with self._lock:
            batch = self._planned.popleft() if self._planned else []
            if len(batch) > 1 and self._queue.interactive_pending():
                batch, rest = batch[:1], batch[1:]
                self._planned.appendleft(rest)
            return batch


def _go_behind() -> None:
    """Let other threads go before this one, where a system ranks threads one by one."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)


def _hand(on_tokens: Callable[[int, Vectors], None], batch: Sequence[int], tokens: Sequence[Vectors]) -> None:
    for index, own in zip(batch, tokens, strict=True):
        on_tokens(index, own)


def queued(embedder: Embedder, queue: ModelQueue) -> Embedder:
    """The embedder, in turns when it runs in this process; one that asks a service needs none."""
    return QueuedEmbedder(embedder, queue) if isinstance(embedder, LocalEmbedder) else embedder
