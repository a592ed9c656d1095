"""Text embedding by an ONNX graph in onnxruntime.

Texts are sorted by length and run in batches of about `batch_tokens` padded tokens, which is fastest and keeps the influence that
batch-mates have on int8 activations small.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from ragd.config.fields import Device
from ragd.core.errors import ModelUnavailable
from ragd.models.rows import ModelFiles
from ragd.providers.batching import batches, padded
from ragd.providers.devices import Graph, open_graph, physical_cores
from ragd.providers.protocols import Vectors
from ragd.providers.tokenizers.onnx import OnnxTokenizer
from ragd.providers.while_used import WhileUsed

_POOLED_OUTPUT = "sentence_embedding"
_TOKENISED_AT_ONCE = 256
"""Texts whose tokens are there at a time as the library has them, 400 bytes for each; four are kept. For the 66,000 passages of a
text file of 34 MB that would be 11 GB."""
_TOKEN_OUTPUTS = ("token_embeddings", "last_hidden_state")

# Padded tokens in one batch: what a processor's caches hold (measured); a GPU is idle with so few (as cross_encoder.py).
_CPU_BATCH_TOKENS = 512
_GPU_BATCH_TOKENS = 8192
# Runs of passages side by side on a processor: each takes some 20 MB. On a GPU one prepares while another runs.
_MOST_RUNS = 8
_GPU_RUNS = 2
# Seconds after which a graph for passages is closed that no ingestion has used.
_IDLE_S = 60.0


class OnnxEmbedder:
    """A model of the table, loaded. `device` is what was got, `warnings` say where that is not what was asked for."""

    needs_files = True

    def __init__(
        self,
        files: ModelFiles,
        *,
        device: Device = "auto",
        threads: int = 0,
        batch_tokens: int | None = None,
        spinning: bool = False,
    ) -> None:
        self.model_id = files.row.id
        self.revision = files.revision
        self.dimension = files.row.dimension
        self.max_tokens = files.row.max_tokens
        self.tokenizer = OnnxTokenizer(files.tokenizer, files.tables)
        self._row = files.row
        self._prefix_length = cache(self.tokenizer.prefix_length)
        open_with = partial(open_graph, files.model, self.model_id, device=device, quantized=files.quantized, spinning=spinning)
        self._graph = open_with(threads=threads)
        self.device = self._graph.device
        cores = threads or physical_cores() or 1
        self.passage_runs = min(cores, _MOST_RUNS) if self.device == "cpu" else _GPU_RUNS
        # Passages share the cores run by run, not within a run: less of the processor for each, and the same vectors.
        self._of_passages = WhileUsed(partial(open_with, threads=max(1, cores // self.passage_runs)), _IDLE_S)
        self.batch_tokens = batch_tokens or (_CPU_BATCH_TOKENS if self.device == "cpu" else _GPU_BATCH_TOKENS)
        self.warnings = self._graph.warnings
        outputs = [item.name for item in self._graph.outputs]
        self._pooled = _POOLED_OUTPUT in outputs
        self._output = _POOLED_OUTPUT if self._pooled else outputs[0]
        self._token_output = next((name for name in _TOKEN_OUTPUTS if name in outputs), None)
        self.gives_tokens = self._token_output is not None

    @property
    def passage_overhead(self) -> int:
        frame = len(self.tokenizer.begin_ids) + len(self.tokenizer.end_ids)
        return frame + self._prefix_length(self._row.passage_prefix)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self.query_rows(texts), None)

    def embed_queries_and_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        return self.embed_query_rows_and_tokens(self.query_rows(texts))

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        return self._embed(self.passage_rows(texts), on_batch)

    def query_rows(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        return self._rows(self._row.query_prefix, texts)

    def passage_rows(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        return self._rows(self._row.passage_prefix, texts)

    def embed_passages_and_tokens(
        self, texts: Sequence[str], on_tokens: Callable[[int, Vectors], None], on_batch: Callable[[int], None] | None = None
    ) -> Vectors:
        return self._embed(self.passage_rows(texts), on_batch, on_tokens)

    def embed_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        """Vectors of rows of token ids, in one run of the graph."""
        return self._vectors(self._graph, rows)

    def embed_passage_rows(self, rows: Sequence[Sequence[int]]) -> Vectors:
        """As `embed_rows`, as one of `passage_runs` runs."""
        return self._vectors(self._passage_graph(), rows)

    def embed_query_rows_and_tokens(self, rows: Sequence[Sequence[int]]) -> tuple[Vectors, list[Vectors]]:
        """As `embed_rows`, of `query_rows`, and the token vectors of each as `query_tokens` gives them."""
        return self._rows_and_tokens(self._graph, self._row.query_prefix, rows)

    def embed_passage_rows_and_tokens(self, rows: Sequence[Sequence[int]]) -> tuple[Vectors, list[Vectors]]:
        """As `embed_passage_rows`, and the token vectors of each as `passage_tokens` gives them."""
        return self._rows_and_tokens(self._passage_graph(), self._row.passage_prefix, rows)

    def _passage_graph(self) -> Graph:
        # A GPU's graph is one for all: a second one would be a second copy in its memory.
        return self._of_passages.get() if self.device == "cpu" and self.passage_runs > 1 else self._graph

    def _vectors(self, graph: Graph, rows: Sequence[Sequence[int]]) -> Vectors:
        feed = self._feed(rows)
        return self._unit(graph.run(self._output, feed), feed)

    def _rows_and_tokens(self, graph: Graph, prefix: str, rows: Sequence[Sequence[int]]) -> tuple[Vectors, list[Vectors]]:
        feed = self._feed(rows)
        names = list(dict.fromkeys([self._output, self._token_name()]))
        outputs = dict(zip(names, graph.run_all(names, feed), strict=True))
        tokens = self._own_tokens(prefix, rows, outputs[self._token_name()])
        return self._unit(outputs[self._output], feed), tokens

    def _unit(self, output: Vectors, feed: Mapping[str, NDArray[np.int64]]) -> Vectors:
        if not self._pooled:
            output = pool(output, feed["attention_mask"], self._row.pooling)
        if output.shape[1] != self.dimension:
            raise ModelUnavailable(
                f"The files of {self.model_id} give vectors of {output.shape[1]} numbers, where {self.dimension} are expected: "
                "they are of another model."
            )
        norm = np.linalg.norm(output, axis=1, keepdims=True)
        unit: Vectors = output / np.maximum(norm, np.finfo(np.float32).tiny)
        return unit

    def query_tokens(self, text: str) -> Vectors:
        return self._embed_tokens(self._row.query_prefix, [text])[0]

    def passage_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        return self._embed_tokens(self._row.passage_prefix, texts)

    def close(self) -> None:
        self._graph.close()
        if (graph := self._of_passages.opened) is not None:
            graph.close()

    def _rows(self, prefix: str, texts: Sequence[str]) -> list[array[int]]:
        rows: list[array[int]] = []
        for start in range(0, len(texts), _TOKENISED_AT_ONCE):
            part = [prefix + text.strip() for text in texts[start : start + _TOKENISED_AT_ONCE]]
            rows += [array("i", row) for row in self.tokenizer.token_ids(part, self.max_tokens)]
        return rows

    def _embed(
        self,
        rows: Sequence[Sequence[int]],
        on_batch: Callable[[int], None] | None,
        on_tokens: Callable[[int, Vectors], None] | None = None,
    ) -> Vectors:
        vectors = np.empty((len(rows), self.dimension), np.float32)
        for batch in batches([len(row) for row in rows], self.batch_tokens):
            chosen = [rows[index] for index in batch]
            if on_tokens is None:
                vectors[batch] = self.embed_rows(chosen)
            else:
                vectors[batch], tokens = self._rows_and_tokens(self._graph, self._row.passage_prefix, chosen)
                for index, own in zip(batch, tokens, strict=True):
                    on_tokens(index, own)
            if on_batch is not None:
                on_batch(len(batch))
        return vectors

    def _embed_tokens(self, prefix: str, texts: Sequence[str]) -> list[Vectors]:
        name = self._token_name()
        if not texts:
            return []
        rows = self._rows(prefix, texts)
        return self._own_tokens(prefix, rows, self._graph.run(name, self._feed(rows)))

    def _token_name(self) -> str:
        if self._token_output is None:
            raise ModelUnavailable(f"The graph of {self.model_id} gives no token vectors.")
        return self._token_output

    def _own_tokens(self, prefix: str, rows: Sequence[Sequence[int]], hidden: Vectors) -> list[Vectors]:
        """Of the states of each row, those of its text: without special tokens and prefix."""
        first = len(self.tokenizer.begin_ids) + self._prefix_length(prefix)
        end = len(self.tokenizer.end_ids)
        found = []
        for row, states in zip(rows, hidden, strict=True):
            # The blank between prefix and text is a token of its own in front of scripts that are written without blanks.
            start = first + (list(row[first : first + 1]) == [self.tokenizer.blank_id])
            found.append(states[start : len(row) - end])
        return found

    def _feed(self, rows: Sequence[Sequence[int]]) -> dict[str, NDArray[np.int64]]:
        feed = padded(rows, self.tokenizer.pad_id)
        if "token_type_ids" in self._graph.inputs:
            feed["token_type_ids"] = np.zeros_like(feed["input_ids"])
        return feed


def pool(tokens: Vectors, mask: NDArray[np.int64], pooling: str) -> Vectors:
    """Token vectors `[batch, sequence, dimension]` to text vectors: of the first token, or the mean over the mask."""
    if pooling == "cls":
        return tokens[:, 0]
    weights = mask.astype(np.float32)[:, :, None]
    pooled: Vectors = (tokens * weights).sum(axis=1) / weights.sum(axis=1)
    return pooled
