"""Text embedding by an ONNX graph in onnxruntime.

Texts are sorted by length and run in batches of about `batch_tokens` padded tokens, which wastes least on padding, is
fastest, and keeps the influence that batch-mates have on int8 activations small.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rag_assistant.errors import ModelUnavailable
from rag_assistant.providers.base import Vectors
from rag_assistant.providers.models import ModelFiles
from rag_assistant.providers.tokenize_onnx import OnnxTokenizer

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Device = Literal["auto", "cpu", "cuda", "directml", "coreml", "openvino"]

EXECUTION_PROVIDERS = {
    "cuda": "CUDAExecutionProvider",
    "directml": "DmlExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
}
_CPU = "CPUExecutionProvider"
# What `auto` may choose: these pay off for any transformer. The others are for those who ask for them.
_AUTO = ("cuda", "directml")
_POOLED_OUTPUT = "sentence_embedding"
_ERRORS_ONLY = 3


class OnnxEmbedder:
    """A model of the table, loaded. `device` is what was got, `warnings` say where that is not what was asked for."""

    needs_files = True

    def __init__(self, files: ModelFiles, *, device: Device = "auto", threads: int = 0, batch_tokens: int = 1024) -> None:
        self.model_id = files.row.id
        self.revision = files.revision
        self.dimension = files.row.dimension
        self.max_tokens = files.row.max_tokens
        self.tokenizer = OnnxTokenizer(files.tokenizer)
        self.warnings: list[str] = []
        self._row = files.row
        self._batch_tokens = batch_tokens
        self._session: InferenceSession | None
        self._session, self.device = self._open(files, device, threads)
        self._inputs = {item.name for item in self._session.get_inputs()}
        outputs = [item.name for item in self._session.get_outputs()]
        self._pooled = _POOLED_OUTPUT in outputs
        self._output = _POOLED_OUTPUT if self._pooled else outputs[0]

    @property
    def passage_overhead(self) -> int:
        """Tokens that the passage prefix and the special tokens take out of `max_tokens`."""
        frame = len(self.tokenizer.begin_ids) + len(self.tokenizer.end_ids)
        return frame + self.tokenizer.count(f"{self._row.passage_prefix}a") - self.tokenizer.count("a")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """float32 array `[len(texts), dimension]`, rows of L2 norm 1, order kept."""
        return self._embed(self._row.query_prefix, texts, None)

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        """As `embed_queries`, with the passage prefix. `on_batch(n)` is called after each batch with the texts done in it."""
        return self._embed(self._row.passage_prefix, texts, on_batch)

    def close(self) -> None:
        self._session = None

    def _embed(self, prefix: str, texts: Sequence[str], on_batch: Callable[[int], None] | None) -> Vectors:
        session = self._session
        if session is None:
            raise ModelUnavailable(f"The model {self.model_id} has been closed.")
        vectors = np.empty((len(texts), self.dimension), np.float32)
        ids = self.tokenizer.token_ids([prefix + text.strip() for text in texts], self.max_tokens)
        for batch in batches([len(row) for row in ids], self._batch_tokens):
            vectors[batch] = self._run(session, [ids[index] for index in batch])
            if on_batch is not None:
                on_batch(len(batch))
        return vectors

    def _run(self, session: InferenceSession, rows: list[list[int]]) -> Vectors:
        width = max(len(row) for row in rows)
        ids = np.full((len(rows), width), self.tokenizer.pad_id, np.int64)
        mask = np.zeros_like(ids)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = row
            mask[index, : len(row)] = 1
        feed = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(ids)
        output: Vectors = session.run([self._output], feed)[0].astype(np.float32, copy=False)
        if not self._pooled:
            output = pool(output, mask, self._row.pooling)
        norm = np.linalg.norm(output, axis=1, keepdims=True)
        unit: Vectors = output / np.maximum(norm, np.finfo(np.float32).tiny)
        return unit

    def _open(self, files: ModelFiles, device: Device, threads: int) -> tuple[InferenceSession, str]:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or physical_cores()
        options.inter_op_num_threads = 1
        options.log_severity_level = _ERRORS_ONLY
        # Spinning threads take the processor from the rest of the daemon between two calls.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        wanted = self._choose(device, files.quantized, onnxruntime.get_available_providers())
        if wanted != "cpu":
            try:
                session = onnxruntime.InferenceSession(str(files.model), options, providers=[EXECUTION_PROVIDERS[wanted], _CPU])
            # Drivers fail in their own ways, and none of them is a reason to have no model.
            except Exception as error:  # noqa: BLE001
                self.warnings.append(f"{self.model_id} runs on the CPU: {wanted} could not be started ({_first_line(error)}).")
            else:
                if EXECUTION_PROVIDERS[wanted] in session.get_providers():
                    return session, wanted
                self.warnings.append(f"{self.model_id} runs on the CPU: onnxruntime could not start {wanted}.")
                return session, "cpu"
        try:
            return onnxruntime.InferenceSession(str(files.model), options, providers=[_CPU]), "cpu"
        # onnxruntime's errors have no common base of their own.
        except Exception as error:
            raise ModelUnavailable(f"onnxruntime can't load {files.model}: {_first_line(error)}") from error

    def _choose(self, device: Device, quantized: bool, available: Sequence[str]) -> str:
        if device == "cpu":
            return "cpu"
        if device == "auto":
            found = [name for name in _AUTO if EXECUTION_PROVIDERS[name] in available]
            return found[0] if found and not quantized else "cpu"
        if EXECUTION_PROVIDERS[device] in available:
            return device
        self.warnings.append(f"{self.model_id} runs on the CPU: the installed onnxruntime has no support for {device}.")
        return "cpu"


def batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Indices in order of length, cut so that texts * longest text <= batch_tokens; a longer text is a batch of its own."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > batch_tokens:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def pool(tokens: Vectors, mask: NDArray[np.int64], pooling: str) -> Vectors:
    """Token vectors `[batch, sequence, dimension]` to text vectors: of the first token, or the mean over the mask."""
    if pooling == "cls":
        return tokens[:, 0]
    weights = mask.astype(np.float32)[:, :, None]
    pooled: Vectors = (tokens * weights).sum(axis=1) / weights.sum(axis=1)
    return pooled


def physical_cores(topology: Path = Path("/sys/devices/system/cpu")) -> int:
    """Cores that this process may use, hardware threads of one core counted once; 0 where onnxruntime has to find out."""
    if not hasattr(os, "sched_getaffinity"):
        return 0
    allowed = os.sched_getaffinity(0)
    cores = set()
    for number in allowed:
        siblings = topology / f"cpu{number}" / "topology" / "thread_siblings_list"
        cores.add(siblings.read_text() if siblings.is_file() else str(number))
    return len(cores)


def _first_line(error: Any) -> str:
    return str(error).strip().partition("\n")[0][:300]
