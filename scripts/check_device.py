#!/usr/bin/env python3
"""Checks that a model runs on a device of this machine: that it is got, gives the CPU's vectors, and how fast it is.

    .venv/bin/python scripts/check_device.py cuda
    .venv/bin/python scripts/check_device.py cuda --model bge-m3
    .venv/bin/python scripts/check_device.py directml --model bge-reranker-base

Says which execution providers the installed onnxruntime has, loads the model on the device and on the CPU, compares what both
make of the same 64 texts, and times them. Ends with status 0 when the device was got and agrees with the CPU: vectors by a
cosine of .99 at least, a reranker's scores within .05. What to install for a device is in docs/devices.md. Without --model it is
the first model of the table that is no int8 model: those belong on the CPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ragd.config.loading import Directories
from ragd.core.documents import Place
from ragd.core.errors import RagError
from ragd.core.results import Passage
from ragd.models.rows import MODELS, ModelFiles, model_row
from ragd.models.store import ensure_model
from ragd.providers.devices import EXECUTION_PROVIDERS
from ragd.providers.registry import build

TEXTS = 64
LEAST_COSINE = 0.99
LARGEST_DIFFERENCE = 0.05
QUESTION = "How is the index rebuilt when its folder is missing?"
SENTENCES = (
    "The index is rebuilt from the facts store when its folder is missing.",
    "Older kernels need the option --no-cgroups, which newer ones ignore.",
    "索引のフォルダーが見つからない場合は、保存された事実から作り直します。",
    "E1045: access denied for the user of the replication channel.",
)


def main() -> int:
    default = next(row.id for row in MODELS.values() if row.task == "embedding" and not row.packages and not row.hub.quantized)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("device", choices=sorted(EXECUTION_PROVIDERS))
    parser.add_argument("--model", default=default, help=f"a row of `rag models list`; default {default}")
    parser.add_argument("--models-folder", action="append", type=Path, default=[], help="a folder that holds models by id")
    asked = parser.parse_args()
    # Not before ours, which switches its telemetry off.
    import onnxruntime

    print(f"onnxruntime {onnxruntime.__version__} has: {', '.join(onnxruntime.get_available_providers())}")
    try:
        files = ensure_model(model_row(asked.model), Directories.default().models, extra_dirs=asked.models_folder)
        return compare(files, asked.device)
    except RagError as error:
        print(error.message)
        return 1


def compare(files: ModelFiles, device: str) -> int:
    """Run the model on both. The exit status."""
    texts = [" ".join(SENTENCES[index % 4 :] * (1 + index % 5)) for index in range(TEXTS)]
    on_device, got, warnings = open_on(files, device)
    for warning in warnings:
        print(f"warning: {warning}")
    if got != device:
        print(f"{device} was not got.")
        return 1
    on_cpu, _, _ = open_on(files, "cpu")
    values, seconds = timed(on_device, texts)
    expected, cpu_seconds = timed(on_cpu, texts)
    print(f"{files.row.id}: {TEXTS / seconds:.1f} texts/s on {device}, {TEXTS / cpu_seconds:.1f} on the CPU")
    print(f"{device} is {cpu_seconds / seconds:.1f} times as fast as the CPU")
    if files.row.task == "reranking":
        apart = float(np.abs(values - expected).max())
        print(f"scores differ by {apart:.4f} at most")
        return 0 if apart <= LARGEST_DIFFERENCE else 1
    cosine = float((values * expected).sum(axis=1).min())
    print(f"least cosine to the CPU's vector: {cosine:.5f}")
    return 0 if cosine >= LEAST_COSINE else 1


def open_on(files: ModelFiles, device: str) -> tuple[Callable[[list[str]], Any], str, list[str]]:
    """What turns texts into an array, the device that was got, and warnings."""
    if files.row.task == "reranking":
        reranker = build("reranker", "cross_encoder", files=files, device=device)

        def scored(texts: list[str]) -> Any:
            place = ("/check", "file:///check", "text", "check", (), Place(), 0, 1)
            passages = [Passage("c", "d", "v", "default", text, *place) for text in texts]  # type: ignore[arg-type]
            return np.array(reranker.score(QUESTION, passages, time.monotonic() + 3600))

        return scored, reranker.device, reranker.warnings
    embedder = build("embedder", "onnx", files=files, device=device)
    return embedder.embed_passages, embedder.device, embedder.warnings


def timed(run: Callable[[list[str]], Any], texts: list[str]) -> tuple[Any, float]:
    """The result, and seconds of the second of two runs: the first one makes the device ready."""
    run(texts)
    started = time.perf_counter()
    return run(texts), time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
