"""Opening an ONNX graph on the execution provider that was asked for, and on the CPU with a warning where it can't be had."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil
from numpy.typing import NDArray

from ragd.config.fields import Device
from ragd.core.errors import ModelUnavailable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

EXECUTION_PROVIDERS = {
    "cuda": "CUDAExecutionProvider",
    "directml": "DmlExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
}
_CPU = "CPUExecutionProvider"
# What `auto` may choose: these pay off for any transformer. The others are for those who ask for them.
_AUTO = ("cuda", "directml")
# int8 operators that these lack run on the CPU, with a copy to it and back around each.
_FLOAT_ONLY = ("cuda", "directml", "coreml")
_ERRORS_ONLY = 3


class Graph:
    """A loaded graph. `device` is what was got, `warnings` say where that is not, or not quite, what was asked for."""

    def __init__(self, session: InferenceSession, model_id: str, device: str, warnings: Sequence[str]) -> None:
        self.device = device
        self.warnings = list(warnings)
        self.inputs = {item.name for item in session.get_inputs()}
        self.outputs = session.get_outputs()
        self._session: InferenceSession | None = session
        self._model_id = model_id

    def run(self, output: str, feed: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        """One output of one run, as float32. Raises `ModelUnavailable` when the graph was closed or onnxruntime fails."""
        return self.run_all([output], feed)[0]

    def run_all(self, outputs: Sequence[str], feed: Mapping[str, NDArray[Any]]) -> list[NDArray[np.float32]]:
        """As `run`, several outputs of one run."""
        session = self._session
        if session is None:
            raise ModelUnavailable(f"The model {self._model_id} has been closed.")
        try:
            return [values.astype(np.float32, copy=False) for values in session.run(list(outputs), feed)]
        # onnxruntime's errors have no common base of their own.
        except Exception as error:
            raise ModelUnavailable(f"{self._model_id} could not be run: {_first_line(error)}") from error

    def close(self) -> None:
        self._session = None


def open_graph(
    graph: Path,
    model_id: str,
    *,
    device: Device = "auto",
    quantized: bool = False,
    threads: int = 0,
    spinning: bool = False,
    available: Sequence[str] | None = None,
) -> Graph:
    """Load a graph. `available` are the execution providers to choose from, by default those of the installed onnxruntime.

    `quantized` graphs hold int8 operators; `threads` 0 is one for each physical core. Raises `ModelUnavailable` when even the
    CPU can't run the graph.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or physical_cores()
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    # A plan of memory for each length of a text costs 18 MB and gains nothing: lengths hardly come again.
    options.enable_mem_pattern = False
    # Spinning threads take the processor from the rest of the daemon between two calls.
    options.add_session_config_entry("session.intra_op.allow_spinning", "1" if spinning else "0")

    def open_on(providers: list[str]) -> InferenceSession:
        return onnxruntime.InferenceSession(str(graph), options, providers=providers)

    providers = onnxruntime.get_available_providers() if available is None else available
    got, warnings = choose_device(model_id, device, quantized, providers)
    if got != "cpu":
        if got == "cuda":
            # CUDA's libraries may come from packages beside onnxruntime, where the system's loader does not look.
            onnxruntime.preload_dlls()
        session, problem = _try(open_on, got)
        if session is not None:
            return Graph(session, model_id, got, warnings)
        warnings = (*warnings, f"{model_id} runs on the CPU: {problem}")
    try:
        return Graph(open_on([_CPU]), model_id, "cpu", warnings)
    # onnxruntime's errors have no common base of their own.
    except Exception as error:
        raise ModelUnavailable(f"onnxruntime can't load {graph}: {_first_line(error)}") from error


def choose_device(model_id: str, device: Device, quantized: bool, available: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Which device to try, and warnings. `auto` is a GPU where there is one and the graph is made for it, else the CPU."""
    if device == "cpu":
        return "cpu", ()
    if device == "auto":
        found = [name for name in _AUTO if EXECUTION_PROVIDERS[name] in available]
        return (found[0] if found and not quantized else "cpu"), ()
    if EXECUTION_PROVIDERS[device] not in available:
        return "cpu", (f"{model_id} runs on the CPU: the installed onnxruntime has no support for {device}.",)
    if quantized and device in _FLOAT_ONLY:
        return device, (
            f"{model_id} has int8 operators, which {device} leaves to the CPU: expect it to be slower than the CPU alone. "
            "Choose a model without them for this device, such as multilingual-e5-small-float16.",
        )
    return device, ()


def physical_cores(topology: Path = Path("/sys/devices/system/cpu")) -> int:
    """Cores that this process may use, hardware threads of one core counted once; 0 where the system does not say."""
    if not hasattr(os, "sched_getaffinity"):
        return psutil.cpu_count(logical=False) or 0
    allowed = os.sched_getaffinity(0)
    cores = set()
    for number in allowed:
        siblings = topology / f"cpu{number}" / "topology" / "thread_siblings_list"
        cores.add(siblings.read_text() if siblings.is_file() else str(number))
    return len(cores)


def _try(open_on: Callable[[list[str]], InferenceSession], device: str) -> tuple[InferenceSession | None, str]:
    try:
        session = open_on([EXECUTION_PROVIDERS[device], _CPU])
    # Drivers fail in their own ways, and none of them is a reason to have no model.
    except Exception as error:  # noqa: BLE001
        return None, f"{device} could not be started ({_first_line(error)})."
    # Without the driver's libraries onnxruntime leaves a provider out, and says so only in its log.
    if EXECUTION_PROVIDERS[device] not in session.get_providers():
        return None, f"onnxruntime could not start {device}."
    return session, ""


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:300]
