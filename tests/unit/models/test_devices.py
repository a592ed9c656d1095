"""Which device is tried, what is got, and what people are told. No GPU is needed: what is there is given as a list."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from ragd.config.answering import RerankSettings
from ragd.config.fields import Device
from ragd.config.indexing import EmbeddingSettings
from ragd.core.errors import ModelUnavailable
from ragd.providers.devices import EXECUTION_PROVIDERS, choose_device, open_graph, physical_cores

CPU, CUDA, DML = "CPUExecutionProvider", "CUDAExecutionProvider", "DmlExecutionProvider"
COREML, OPENVINO, TENSORRT = "CoreMLExecutionProvider", "OpenVINOExecutionProvider", "TensorrtExecutionProvider"


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """It doubles its input."""
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in ("x", "y")]
    made = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y"])], "double", values[:1], values[1:])
    onnx.save_model(helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), tmp_path / "double.onnx")
    return tmp_path / "double.onnx"


@pytest.mark.parametrize(
    ("device", "quantized", "available", "expected"),
    [
        ("cpu", False, [CUDA, CPU], "cpu"),
        ("auto", False, [CPU], "cpu"),
        ("auto", False, [TENSORRT, CUDA, CPU], "cuda"),
        ("auto", False, [DML, CPU], "directml"),
        ("auto", False, [DML, CUDA, CPU], "cuda"),
        # What pays off only sometimes is for those who ask for it.
        ("auto", False, [COREML, OPENVINO, CPU], "cpu"),
        ("auto", True, [CUDA, CPU], "cpu"),
        ("coreml", False, [COREML, CPU], "coreml"),
        ("openvino", True, [OPENVINO, CPU], "openvino"),
    ],
)
def test_the_device_is_chosen_from_what_is_there(device: Device, quantized: bool, available: list[str], expected: str) -> None:
    assert choose_device("m", device, quantized, available) == (expected, ())


@pytest.mark.parametrize("device", EXECUTION_PROVIDERS)
def test_a_device_that_onnxruntime_has_no_support_for_is_told(device: Device) -> None:
    assert choose_device("m", device, False, [CPU]) == (
        "cpu",
        (f"m runs on the CPU: the installed onnxruntime has no support for {device}.",),
    )


@pytest.mark.parametrize("device", ["cuda", "directml", "coreml"])
def test_an_int8_model_on_a_device_for_floats_is_tried_with_a_warning(device: Device) -> None:
    got, (warning,) = choose_device("m", device, True, [EXECUTION_PROVIDERS[device], CPU])
    assert got == device
    assert "int8 operators" in warning


@pytest.mark.filterwarnings("ignore:Specified provider")
@pytest.mark.parametrize("device", EXECUTION_PROVIDERS)
def test_a_device_that_fails_to_start_leaves_the_model_on_the_cpu_with_a_warning(graph: Path, device: Device) -> None:
    opened = open_graph(graph, "m", device=device, threads=1, available=["NoSuch", EXECUTION_PROVIDERS[device], CPU])
    assert opened.device == "cpu"
    (warning,) = opened.warnings
    assert warning.startswith("m runs on the CPU: ")
    assert device in warning
    np.testing.assert_array_equal(opened.run("y", {"x": np.ones(3, np.float32)}), [2, 2, 2])


@pytest.mark.parametrize("spinning", [False, True])
def test_the_cpu_is_got_without_a_warning(graph: Path, spinning: bool) -> None:
    opened = open_graph(graph, "m", threads=1, spinning=spinning, available=[CPU])
    assert (opened.device, opened.warnings) == ("cpu", [])


def test_a_run_that_fails_is_one_of_our_errors(graph: Path) -> None:
    opened = open_graph(graph, "m", threads=1)
    with pytest.raises(ModelUnavailable, match="m could not be run"):
        opened.run("y", {"x": np.ones((2, 2), np.int64)})


def test_the_settings_know_the_devices() -> None:
    for settings in (EmbeddingSettings, RerankSettings):
        assert get_args(settings.model_fields["device"].annotation) == get_args(Device)
    assert {"auto", "cpu", *EXECUTION_PROVIDERS} == set(get_args(Device))


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux says which processors a process may use")
def test_two_hardware_threads_of_a_core_count_once(tmp_path: Path) -> None:
    cores = physical_cores(tmp_path)
    for number in range(1024):
        (tmp_path / f"cpu{number}" / "topology").mkdir(parents=True)
        (tmp_path / f"cpu{number}" / "topology" / "thread_siblings_list").write_text("0-1023\n")
    assert physical_cores(tmp_path) == 1 <= cores
