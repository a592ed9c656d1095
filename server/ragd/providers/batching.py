"""Rows of token ids into batches, and batches into what a graph takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


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


def padded(rows: Sequence[Sequence[int]], pad_id: int) -> dict[str, NDArray[np.int64]]:
    """Rows of token ids as a graph takes them: `input_ids` and `attention_mask`, int64 `[rows, longest]`."""
    ids = np.full((len(rows), max(len(row) for row in rows)), pad_id, np.int64)
    mask = np.zeros_like(ids)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
        mask[index, : len(row)] = 1
    return {"input_ids": ids, "attention_mask": mask}
