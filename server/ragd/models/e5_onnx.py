"""An E5S1 container as an ONNX graph for onnxruntime: tokens stay in 4 bits, matrices become int8, pooling is in the graph.

The graph is written in onnxruntime's own operators, so that no optimizer need run, and is the same byte for byte on every
machine.
Biases are added by the matrix products: with BiasGelu and SkipLayerNormalization the whole was a third slower (onnxruntime 1.31).
Weights are quantized symmetrically for each output column, to 7 bits: processors without VNNI add two products in 16 bits, which
overflows with 8-bit weights and can't with 7-bit ones (2 * 255 * 64 < 2**15). Activations have one scale for each tensor.
GPUs have no int8 operators: for them matrices become float32 or float16, and pooling is in float32 in either case.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from ragd.models.e5_weights import BLOCK, Container
from ragd.models.rows import Precision

# onnx's own newest defaults are refused by onnxruntime.
_IR_VERSION = 10
_OPSET = 17
_FUSED = "com.microsoft"
_WEIGHT_MAX = 63

_FLOATS: dict[Precision, tuple[type[np.floating[Any]], int]] = {
    "int8": (np.float32, TensorProto.FLOAT),  # of what is not a matrix
    "float32": (np.float32, TensorProto.FLOAT),
    "float16": (np.float16, TensorProto.FLOAT16),
}


def onnx_model(container: Container, precision: Precision = "int8") -> bytes:
    """The serialised graph, with matrices of this precision.

    Inputs `input_ids`, `attention_mask`: int64 `[batch, sequence]`. Outputs `sentence_embedding`: float32 `[batch, hidden]`,
    L2 norm 1; `token_embeddings`: float32 `[batch, sequence, hidden]`.
    """
    graph = _Graph(container, precision)
    graph.embeddings()
    hidden = "embedded"
    for layer in range(container.layers):
        hidden = graph.layer(layer, hidden, graph.last if layer == container.layers - 1 else f"layer{layer}.out")
    graph.pooling(hidden)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"]) for name in ("input_ids", "attention_mask")
    ]
    outputs = [
        helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", container.hidden]),
        helper.make_tensor_value_info("token_embeddings", TensorProto.FLOAT, ["batch", "sequence", container.hidden]),
    ]
    model = helper.make_model(
        helper.make_graph(graph.nodes, "e5", inputs, outputs, graph.initializers),
        opset_imports=[helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)],
        ir_version=_IR_VERSION,
    )
    return bytes(model.SerializeToString(deterministic=True))


class _Graph:
    def __init__(self, container: Container, precision: Precision) -> None:
        self.container = container
        self.quantized = precision == "int8"
        self.float_type, self.float_code = _FLOATS[precision]
        # What leaves the graph is float32.
        self.last = "token_embeddings" if self.float_type is np.float32 else "token_embeddings.half"
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    def constant(self, name: str, values: NDArray[Any]) -> str:
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def floats(self, name: str, values: NDArray[np.float32]) -> str:
        return self.constant(name, values.astype(self.float_type, copy=False))

    def vector(self, name: str) -> str:
        return self.floats(name, self.container.vector(name))

    def node(self, operator: str, inputs: list[str], output: str | list[str], domain: str = "", **attributes: Any) -> None:
        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(helper.make_node(operator, inputs, outputs, name=outputs[0], domain=domain, **attributes))

    def embeddings(self) -> None:
        hidden = self.container.hidden
        halves, scales = self.container.blocks("emb.word", hidden)
        signed = halves ^ 8  # (half - 8) as a two's complement half byte
        packed = signed[:, 0::2] | (signed[:, 1::2] << 4)
        self.initializers.append(helper.make_tensor("emb.word", TensorProto.INT4, halves.shape, packed.tobytes(), raw=True))
        self.constant("emb.word.scale", scales)
        gather = {"block_size": BLOCK, "gather_axis": 0, "quantize_axis": 1}
        self.node("GatherBlockQuantized", ["emb.word", "input_ids", "emb.word.scale"], "tokens.half", _FUSED, **gather)
        self.node("Cast", ["tokens.half"], "tokens", to=self.float_code)
        # Every token is of type 0, so that type's vector is added to the positions once and for all.
        types = self.container.vector("emb.type").reshape(-1, hidden)
        self.floats("emb.pos", self.container.vector("emb.pos").reshape(-1, hidden) + types[0])
        self.constant("start", np.array([0], np.int64))
        self.node("Shape", ["input_ids"], "length", start=1, end=2)
        self.node("Slice", ["emb.pos", "start", "length", "start"], "positions")
        self.node("Add", ["tokens", "positions"], "summed")
        norm = ["summed", self.vector("emb.ln.w"), self.vector("emb.ln.b")]
        self.node("LayerNormalization", norm, "embedded", epsilon=self.container.epsilon)
        self.node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)

    def layer(self, index: int, source: str, result: str) -> str:
        read, hidden, prefix = self.container, self.container.hidden, f"l{index}."
        weights = np.concatenate([read.matrix(f"{prefix}{part}.w", hidden) for part in "qkv"])
        self.floats(f"{prefix}qkv.b", np.concatenate([read.vector(f"{prefix}{part}.b") for part in "qkv"]))
        self.attention(prefix, source, weights.T)
        self.product(f"{prefix}ao", f"{prefix}attended", read.matrix(f"{prefix}ao.w", hidden).T)
        self.normalise(prefix, "aln", source, f"{prefix}ao", f"{prefix}middle")
        self.product(f"{prefix}fi", f"{prefix}middle", read.matrix(f"{prefix}fi.w", hidden).T)
        self.node("Gelu", [f"{prefix}fi"], f"{prefix}gelu", _FUSED)
        self.product(f"{prefix}fo", f"{prefix}gelu", read.matrix(f"{prefix}fo.w", read.feed_forward).T)
        self.normalise(prefix, "oln", f"{prefix}middle", f"{prefix}fo", result)
        return result

    def attention(self, prefix: str, source: str, weights: NDArray[np.float32]) -> None:
        bias, output, heads = f"{prefix}qkv.b", f"{prefix}attended", self.container.heads
        if not self.quantized:
            self.node(
                "Attention", [source, self.floats(f"{prefix}qkv.w", weights), bias, "mask"], output, _FUSED, num_heads=heads
            )
            return
        matrix, scale, zero = self.quantize(f"{prefix}qkv.w", weights)
        levels, step, middle = (f"{prefix}levels", f"{prefix}step", f"{prefix}zero")
        self.node("DynamicQuantizeLinear", [source], [levels, step, middle])
        inputs = [levels, matrix, bias, step, scale, "mask", middle, zero]
        self.node("QAttention", inputs, output, _FUSED, num_heads=heads)

    def product(self, name: str, source: str, weights: NDArray[np.float32]) -> None:
        bias = self.vector(f"{name}.b")
        if not self.quantized:
            self.node("MatMul", [source, self.floats(f"{name}.w", weights)], f"{name}.product")
            self.node("Add", [f"{name}.product", bias], name)
            return
        self.node("DynamicQuantizeMatMul", [source, *self.quantize(f"{name}.w", weights), bias], name, _FUSED)

    def quantize(self, name: str, weights: NDArray[np.float32]) -> tuple[str, str, str]:
        largest = np.maximum(np.abs(weights).max(axis=0), np.finfo(np.float32).tiny)
        scale = (largest / np.float32(_WEIGHT_MAX)).astype(np.float32)
        levels = np.rint(weights / scale).astype(np.int8)
        zero = np.zeros(weights.shape[1], np.int8)
        return self.constant(name, levels), self.constant(f"{name}.scale", scale), self.constant(f"{name}.zero", zero)

    def normalise(self, prefix: str, norm: str, skip: str, source: str, result: str) -> None:
        self.node("Add", [skip, source], f"{prefix}{norm}.sum")
        parameters = [self.vector(f"{prefix}{norm}.w"), self.vector(f"{prefix}{norm}.b")]
        self.node("LayerNormalization", [f"{prefix}{norm}.sum", *parameters], result, epsilon=self.container.epsilon)

    def pooling(self, hidden: str) -> None:
        if hidden != "token_embeddings":
            self.node("Cast", [hidden], "token_embeddings", to=TensorProto.FLOAT)
        # The L2 norm takes out any factor, so the sum over the tokens serves as their mean.
        self.node("Cast", ["attention_mask"], "weights", to=TensorProto.FLOAT)
        self.constant("axis", np.array([1], np.int64))
        self.node("Unsqueeze", ["weights", "axis"], "row")
        self.node("MatMul", ["row", "token_embeddings"], "pooled")
        self.node("Squeeze", ["pooled", "axis"], "mean")
        self.node("LpNormalization", ["mean"], "sentence_embedding", axis=-1, p=2)
