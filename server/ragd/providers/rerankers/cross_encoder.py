"""Reranking by a cross-encoder: a sequence classification graph that reads question and passage together.

Passages of like length share a batch, as padding costs what tokens cost. What a batch will take is told by the time that tokens
took before, so each round reads as many of the best passages as there is time for, and the budget is used up to the last one that
fits. int8 scores depend a little on batch-mates, and so on what was read together.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragd.config.fields import Device
from ragd.core.errors import ModelUnavailable
from ragd.core.results import Passage
from ragd.models.rows import ModelFiles
from ragd.providers.batching import batches, padded
from ragd.providers.devices import Graph, open_graph
from ragd.providers.tokenizers.onnx import OnnxTokenizer

_TAKEN_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_OUTPUT = "logits"
# On a processor larger batches are hardly faster, and the budget ends between two of them.
_CPU_BATCH_TOKENS = 512
_GPU_BATCH_TOKENS = 8192
# The share of the time left that a round may be planned for, while more rounds follow: should it take longer, a batch of it is
# left out, and with it all passages behind the first that it held.
_PLANNED = 0.8
# A pace that let nothing be scored is believed a little less each time: the machine may only have been busy.
_DOUBT = 0.8
_HEADING_MARK = " > "


@dataclass(frozen=True, slots=True)
class _Pair:
    """Token ids of a question and a passage, and which of the two texts each belongs to, as the model expects."""

    ids: list[int]
    types: list[int]


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place of the template: the question (0), the passage (1), or one special token."""

    text: int | None
    token: int
    type: int


class _PairTokenizer(OnnxTokenizer):
    """Question and passage as one row of tokens, by the pair template of the model's own `tokenizer.json`."""

    def __init__(self, path: Path, tables: Path | None) -> None:
        super().__init__(path, tables)
        encoding = self._template.encode("a", "a")
        self._slots: list[_Slot] = []
        for text, token, kind in zip(encoding.sequence_ids, encoding.ids, encoding.type_ids, strict=True):
            if text is None or not self._slots or self._slots[-1].text != text:
                self._slots.append(_Slot(text, token, kind))
        self._frame = sum(slot.text is None for slot in self._slots)

    def pairs(self, question: str, passages: Sequence[str], max_tokens: int) -> list[_Pair]:
        """One row for each passage, of at most `max_tokens`. The passage is cut; the question only beyond half of the room."""
        room = max_tokens - self._frame
        asked, *found = self.plain_ids([question, *passages])
        asked = asked[: room // 2]
        return [self._pair(asked, passage[: room - len(asked)]) for passage in found]

    def _pair(self, question: list[int], passage: list[int]) -> _Pair:
        ids: list[int] = []
        types: list[int] = []
        for slot in self._slots:
            part = [slot.token] if slot.text is None else (question, passage)[slot.text]
            ids += part
            types += [slot.type] * len(part)
        return _Pair(ids, types)


class CrossEncoderReranker:
    """A reranking model of the table, loaded. `device` is what was got, `warnings` say where that is not what was asked for.

    `turn` is entered around each run; `clock` is what deadlines are of. Safe to use from several threads.
    """

    name = "cross_encoder"
    judges = True

    def __init__(
        self,
        files: ModelFiles,
        *,
        device: Device = "auto",
        threads: int = 0,
        spinning: bool = False,
        turn: Callable[[], AbstractContextManager[object]] = nullcontext,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises `ModelUnavailable` for a graph that can't be loaded or is no cross-encoder, `ModelDamaged` for its tokenizer."""
        self.model_id = files.row.id
        self.revision = files.revision
        self.profile = f"cross-encoder-1/{self.model_id}/{self.revision}"
        self._max_tokens = files.row.max_tokens
        self._tokenizer = _PairTokenizer(files.tokenizer, files.tables)
        self._graph = open_graph(
            files.model, self.model_id, device=device, quantized=files.quantized, threads=threads, spinning=spinning
        )
        self.device = self._graph.device
        self.warnings = self._graph.warnings
        self._batch_tokens = _CPU_BATCH_TOKENS if self.device == "cpu" else _GPU_BATCH_TOKENS
        self._output = _logits_of(self._graph, self.model_id)
        self._turn = turn
        self._clock = clock
        self._pace_lock = threading.Lock()
        self._seconds_per_token: float | None = None
        # What can't be run is found out now, and the first run, which is slow, is not a question's.
        with turn():
            self._run(self._tokenizer.pairs("a", ["a"], self._max_tokens))

    def score(self, question: str, passages: Sequence[Passage], deadline: float) -> list[float | None]:
        """Relevance 0..1 of each passage with its headings; None where the `deadline` came first. Raises `ModelUnavailable`."""
        scores: list[float | None] = [None] * len(passages)
        if not passages or self._clock() >= deadline:
            return scores
        pairs = self._tokenizer.pairs(question.strip(), [_shown(passage) for passage in passages], self._max_tokens)
        start = 0
        while count := self._reach(pairs[start:], deadline):
            lengths = [len(pair.ids) for pair in pairs[start : start + count]]
            # The batch of the best passage first: what follows may be left out.
            for batch in sorted(batches(lengths, self._batch_tokens), key=min):
                tokens = _tokens([lengths[index] for index in batch])
                places = [start + index for index in sorted(batch)]
                with self._turn():
                    began = self._clock()
                    if began + tokens * (self._seconds_per_token or 0.0) >= deadline:  # others had their turns first
                        return scores
                    found = self._run([pairs[place] for place in places])
                self._learn(tokens, self._clock() - began)
                for place, score in zip(places, found, strict=True):
                    scores[place] = score
            start += count
        if not start and self._seconds_per_token:
            self._seconds_per_token *= _DOUBT
        return scores

    def close(self) -> None:
        self._graph.close()

    def _reach(self, pairs: Sequence[_Pair], deadline: float) -> int:
        """How many of the first of these pairs there is time for: all, or what takes most of the time left; 0 for none."""
        left = deadline - self._clock()
        if not pairs or left <= 0:
            return 0
        pace = self._seconds_per_token
        if pace is None:  # the first shows the time that others take
            return 1
        lengths = [len(pair.ids) for pair in pairs]
        costs = (pace * self._padded(lengths[:count]) for count in range(1, len(lengths) + 1))
        takes = list(accumulate(costs, max))
        if takes[-1] < left:
            return len(pairs)
        return bisect_left(takes, left * _PLANNED) or bisect_left(takes, left)

    def _padded(self, lengths: Sequence[int]) -> int:
        """Tokens of all their batches."""
        return sum(_tokens([lengths[index] for index in batch]) for batch in batches(lengths, self._batch_tokens))

    def _learn(self, tokens: int, seconds: float) -> None:
        pace = seconds / tokens
        with self._pace_lock:
            known = self._seconds_per_token
            # One stall is not believed at once; that it was quicker is.
            self._seconds_per_token = pace if known is None else min(pace, (pace + known) / 2)

    def _run(self, batch: Sequence[_Pair]) -> list[float]:
        feed = padded([pair.ids for pair in batch], self._tokenizer.pad_id)
        if "token_type_ids" in self._graph.inputs:
            feed["token_type_ids"] = padded([pair.types for pair in batch], 0)["input_ids"]
        logits = self._graph.run(self._output, feed)
        if logits.shape not in ((len(batch), 1), (len(batch), 2)) or not np.isfinite(logits).all():
            raise ModelUnavailable(f"{self.model_id} is no cross-encoder: it gave {logits.shape} numbers for {len(batch)} pairs.")
        return relevance(logits)


def relevance(logits: NDArray[np.float32]) -> list[float]:
    """Logits `[pairs, 1]` or `[pairs, 2]` (irrelevant, relevant) to 0..1: sigmoid, or softmax."""
    # The softmax of two numbers is the sigmoid of their difference.
    margin = logits[:, -1].astype(np.float64) - (logits[:, 0] if logits.shape[1] == 2 else 0.0)
    return [float(score) for score in 0.5 * (1.0 + np.tanh(margin / 2.0))]


def _logits_of(graph: Graph, model_id: str) -> str:
    """Which of the graph's outputs holds the logits. Raises `ModelUnavailable` for one that is no cross-encoder."""
    if unknown := graph.inputs - _TAKEN_INPUTS:
        raise ModelUnavailable(f"{model_id} is no cross-encoder that can be used: it asks for {', '.join(sorted(unknown))}.")
    outputs = graph.outputs
    found = next((item for item in outputs if item.name == _OUTPUT), outputs[0] if len(outputs) == 1 else None)
    if found is None:
        raise ModelUnavailable(f"{model_id} is no cross-encoder: none of its outputs is called '{_OUTPUT}'.")
    if found.shape and (len(found.shape) != 2 or (isinstance(found.shape[1], int) and found.shape[1] not in (1, 2))):
        raise ModelUnavailable(
            f"{model_id} is no cross-encoder: its output has the shape {found.shape}, not 1 or 2 numbers a pair."
        )
    return str(found.name)


def _tokens(lengths: Sequence[int]) -> int:
    """Of a batch, with its padding."""
    return len(lengths) * max(lengths)


def _shown(passage: Passage) -> str:
    heading = _HEADING_MARK.join(passage.section_path)
    return f"{heading}\n{passage.content}" if heading else passage.content
