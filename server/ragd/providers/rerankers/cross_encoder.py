"""Reranking by a cross-encoder: a sequence classification graph that reads question and passage together.

Batches are of neighbours and don't depend on how fast the machine is, so that int8 scores, which depend a little on batch-mates,
stay the same; the clock only says after which batch to stop. The first is one passage, which shows the time that others take.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragd.config.fields import Device
from ragd.core.errors import ModelUnavailable
from ragd.core.results import Passage
from ragd.models.rows import ModelFiles
from ragd.providers.batching import padded
from ragd.providers.devices import Graph, open_graph
from ragd.providers.tokenizers.onnx import OnnxTokenizer

_TAKEN_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_OUTPUT = "logits"
# On a processor larger batches are hardly faster, and the budget ends between two of them.
_CPU_BATCH_TOKENS = 512
_GPU_BATCH_TOKENS = 8192
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

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        encoding = self._tokenizer.encode("a", "a")
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
        self._tokenizer = _PairTokenizer(files.tokenizer)
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
        self._seconds_per_token = 0.0
        # What can't be run is found out now, and the first run, which is slow, is not a question's.
        with turn():
            self._run(self._tokenizer.pairs("a", ["a"], self._max_tokens))

    def score(self, question: str, passages: Sequence[Passage], deadline: float) -> list[float]:
        """Relevance 0..1 of the first passages, each with its headings, until the `deadline`. Raises `ModelUnavailable`."""
        if not passages or self._clock() >= deadline:
            return []
        pairs = self._tokenizer.pairs(question.strip(), [_shown(passage) for passage in passages], self._max_tokens)
        scores: list[float] = []
        for batch in _neighbours(pairs, self._batch_tokens):
            if not self._fits(batch, deadline):
                break
            with self._turn():
                began = self._clock()
                if began >= deadline:  # others had their turns first
                    break
                scores += self._run(batch)
            self._learn(batch, self._clock() - began)
        return scores

    def close(self) -> None:
        self._graph.close()

    def _fits(self, batch: Sequence[_Pair], deadline: float) -> bool:
        with self._pace_lock:
            fits = self._clock() + _tokens(batch) * self._seconds_per_token < deadline
            if not fits and len(batch) == 1:
                self._seconds_per_token *= _DOUBT
        return fits

    def _learn(self, batch: Sequence[_Pair], seconds: float) -> None:
        pace = seconds / _tokens(batch)
        with self._pace_lock:
            # One stall is not believed at once; that it was quicker is.
            self._seconds_per_token = min(pace, (pace + self._seconds_per_token) / 2) if self._seconds_per_token else pace

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


def _neighbours(pairs: Sequence[_Pair], batch_tokens: int) -> Iterator[list[_Pair]]:
    """The first pair alone, then as many as follow each other within `batch_tokens` padded tokens."""
    batch: list[_Pair] = []
    for index, pair in enumerate(pairs):
        if batch and (index == 1 or _tokens([*batch, pair]) > batch_tokens):
            yield batch
            batch = []
        batch.append(pair)
    if batch:
        yield batch


def _tokens(batch: Sequence[_Pair]) -> int:
    return len(batch) * max(len(pair.ids) for pair in batch)


def _shown(passage: Passage) -> str:
    heading = _HEADING_MARK.join(passage.section_path)
    return f"{heading}\n{passage.content}" if heading else passage.content
