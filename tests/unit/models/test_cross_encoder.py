"""The cross-encoder's plumbing: loading, pairing, cutting, batching, scores, the deadline.

The model is a tiny XLM-RoBERTa for sequence classification with random weights, held against the same computation in numpy. It
says nothing of how well a real model ranks: none can be had where these tests run.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import tokenizers
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import models, pre_tokenizers, processors

from ragd.core.documents import Place
from ragd.core.errors import ModelDamaged, ModelUnavailable
from ragd.core.results import Passage
from ragd.models.rows import HubSource, ModelFiles, ModelRow
from ragd.models.store import ensure_model, find_model
from ragd.providers.protocols import Reranker
from ragd.providers.rerankers.cross_encoder import CrossEncoderReranker, relevance

Array = NDArray[np.float32]

HIDDEN, POSITIONS, FIRST_POSITION, MAX_TOKENS = 8, 64, 2, 24
WORDS = "<s> <pad> </s> <unk> where is the token kept in a file far away from here".split()
ROW = ModelRow(
    id="tiny-reranker",
    task="reranking",
    max_tokens=MAX_TOKENS,
    licence="MIT",
    languages="none",
    hub=HubSource(
        "someone/tiny-reranker",
        ("onnx/model_int8.onnx", "tokenizer.json"),
        model="onnx/model_int8.onnx",
        tokenizer="tokenizer.json",
        quantized=True,
    ),
)
QUESTION = "where is the token"
TEXTS = ["the token is kept in a file", "far away", "", "in a file far away from here is the token kept", "a", "here " * 60]


class TinyWeights:
    """Weights by name, and what the graph made of them must compute."""

    def __init__(self, labels: int) -> None:
        random = np.random.default_rng(3)
        shapes = {"word": (len(WORDS), HIDDEN), "position": (POSITIONS, HIDDEN), "type": (2, HIDDEN)}
        shapes |= dict.fromkeys(("q", "k", "v", "dense"), (HIDDEN, HIDDEN)) | {"out": (HIDDEN, labels)}
        self.values = {name: random.normal(0, 1, shape).astype(np.float32) for name, shape in shapes.items()}

    def logits(self, ids: list[int], types: list[int] | None = None) -> Array:
        """For one pair, without padding."""
        w = self.values
        x = w["word"][ids] + w["position"][FIRST_POSITION : FIRST_POSITION + len(ids)]
        if types is not None:
            x = x + w["type"][types]
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        scores = (x @ w["q"]) @ (x @ w["k"]).T / math.sqrt(HIDDEN)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        x = x + weights / weights.sum(-1, keepdims=True) @ (x @ w["v"])
        return np.asarray(np.tanh(x[0] @ w["dense"]) @ w["out"], np.float32)


def graph(weights: TinyWeights, *, typed: bool = False, output: str = "logits", asks: tuple[str, ...] = ()) -> onnx.ModelProto:
    labels = weights.values["out"].shape[1]
    constants: dict[str, NDArray[Any]] = {
        **weights.values,
        "ones": np.ones(HIDDEN, np.float32),
        "zeros": np.zeros(HIDDEN, np.float32),
        "scale": np.float32(math.sqrt(HIDDEN)),
        "huge": np.float32(1e9),
        "one": np.float32(1),
        "first": np.array([FIRST_POSITION], np.int64),
        "zero": np.array(0, np.int64),
        "axis": np.array([1], np.int64),
        "row": np.array([0], np.int64),
    }
    steps: list[tuple[str, list[str], str, dict[str, Any]]] = [
        ("Gather", ["word", "input_ids"], "words", {}),
        ("Shape", ["input_ids"], "length", {"start": 1, "end": 2}),
        ("Add", ["length", "first"], "end", {}),
        ("Slice", ["position", "first", "end", "row"], "positions", {}),
        ("Add", ["words", "positions"], "placed", {}),
    ]
    embedded = "placed"
    if typed:
        steps += [("Gather", ["type", "token_type_ids"], "types", {}), ("Add", ["placed", "types"], "told", {})]
        embedded = "told"
    steps += [
        ("LayerNormalization", [embedded, "ones", "zeros"], "x", {"epsilon": 1e-5}),
        *(("MatMul", ["x", name], f"x{name}", {}) for name in "qkv"),
        ("Transpose", ["xk"], "keys", {"perm": [0, 2, 1]}),
        ("MatMul", ["xq", "keys"], "products", {}),
        ("Div", ["products", "scale"], "scaled", {}),
        ("Cast", ["attention_mask"], "mask", {"to": TensorProto.FLOAT}),
        ("Sub", ["mask", "one"], "absent", {}),
        ("Mul", ["absent", "huge"], "penalty", {}),
        ("Unsqueeze", ["penalty", "axis"], "penalties", {}),
        ("Add", ["scaled", "penalties"], "masked", {}),
        ("Softmax", ["masked"], "attention", {"axis": -1}),
        ("MatMul", ["attention", "xv"], "attended", {}),
        ("Add", ["x", "attended"], "states", {}),
        ("Gather", ["states", "zero"], "start", {"axis": 1}),
        ("MatMul", ["start", "dense"], "densed", {}),
        ("Tanh", ["densed"], "pooled", {}),
        ("MatMul", ["pooled", "out"], output, {}),
    ]
    nodes = [helper.make_node(operator, inputs, [result], **options) for operator, inputs, result, options in steps]
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if typed else []), *asks]
    model = helper.make_model(
        helper.make_graph(
            nodes,
            "tiny",
            [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"]) for name in names],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["b", labels])],
            [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=10,
    )
    onnx.checker.check_model(model)
    return model


def tokenizer(*, typed: bool = False) -> tokenizers.Tokenizer:
    """RoBERTa's pair template, or BERT's with its types, over whole words."""
    made = tokenizers.Tokenizer(models.WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.add_special_tokens(["<s>", "<pad>", "</s>"])
    pair = "<s>:0 $A:0 </s>:0 $B:1 </s>:1" if typed else "<s> $A </s> </s> $B </s>"
    made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair=pair, special_tokens=[("<s>", 0), ("</s>", 2)])
    return made


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., ModelFiles]:
    """A folder with a model's files, as a user gives it, taken in by the supply chain."""

    def made(model: onnx.ModelProto, *, typed: bool = False) -> ModelFiles:
        folder = tmp_path / "given" / ROW.id
        (folder / "onnx").mkdir(parents=True)
        onnx.save_model(model, folder / "onnx" / "model_int8.onnx")
        tokenizer(typed=typed).save(str(folder / "tokenizer.json"))
        return ensure_model(ROW, tmp_path / "models", extra_dirs=[tmp_path / "given"])

    return made


@pytest.fixture
def weights() -> TinyWeights:
    return TinyWeights(labels=1)


@pytest.fixture
def files(make: Callable[..., ModelFiles], weights: TinyWeights) -> ModelFiles:
    return make(graph(weights))


def passage(text: str, *section_path: str) -> Passage:
    place = ("/docs/a.md", "file:///docs/a.md", "markdown", "A")
    return Passage("c", "d", "v", "default", text, *place, section_path, Place(), 0, 1)  # type: ignore[arg-type]


def ids_of(text: str) -> list[int]:
    return [WORDS.index(word) for word in text.split()]


def pair_ids(question: list[int], text: list[int]) -> list[int]:
    return [0, *question, 2, 2, *text, 2]


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def in_time() -> float:
    return time.monotonic() + 60


def test_scores_are_the_sigmoid_of_what_the_published_model_computes(files: ModelFiles, weights: TinyWeights) -> None:
    reranker = CrossEncoderReranker(files, threads=1)
    assert isinstance(reranker, Reranker)
    assert (reranker.judges, reranker.device, reranker.warnings) == (True, "cpu", [])
    assert files.revision in reranker.profile
    scores = reranker.score(f"  {QUESTION}\n", [passage(text) for text in TEXTS], in_time())
    room = MAX_TOKENS - 4 - 4
    expected = [sigmoid(weights.logits(pair_ids(ids_of(QUESTION), ids_of(text)[:room]))[0]) for text in TEXTS]
    np.testing.assert_allclose(scores, expected, atol=1e-5)


def test_a_long_question_is_cut_to_half_of_the_room_and_the_passage_to_the_rest(files: ModelFiles, weights: TinyWeights) -> None:
    question, text = ids_of("where " * 15), ids_of("here " * 30)
    (score,) = CrossEncoderReranker(files, threads=1).score("where " * 15, [passage("here " * 30)], in_time())
    assert score == pytest.approx(sigmoid(weights.logits(pair_ids(question[:10], text[:10]))[0]), abs=1e-5)
    (score,) = CrossEncoderReranker(files, threads=1).score("where " * 8, [passage("here " * 30)], in_time())
    assert score == pytest.approx(sigmoid(weights.logits(pair_ids(question[:8], text[:12]))[0]), abs=1e-5)


def test_a_passage_is_read_under_its_headings(files: ModelFiles) -> None:
    reranker = CrossEncoderReranker(files, threads=1)
    under, inline = reranker.score(QUESTION, [passage("here", "a", "file"), passage("a > file here")], in_time())
    assert under == pytest.approx(inline, abs=1e-6)


def test_text_that_spells_special_tokens_stays_text(files: ModelFiles, weights: TinyWeights) -> None:
    (score,) = CrossEncoderReranker(files, threads=1).score(QUESTION, [passage("here </s> the <pad>")], in_time())
    unknown = WORDS.index("<unk>")
    text = [*ids_of("here"), unknown, *ids_of("the"), unknown]
    assert score == pytest.approx(sigmoid(weights.logits(pair_ids(ids_of(QUESTION), text))[0]), abs=1e-5)


def test_a_model_that_wants_token_types_gets_those_of_its_own_template(
    make: Callable[..., ModelFiles], weights: TinyWeights
) -> None:
    reranker = CrossEncoderReranker(make(graph(weights, typed=True), typed=True), threads=1)
    scores = reranker.score(QUESTION, [passage(text) for text in TEXTS[:4]], in_time())
    for score, text in zip(scores, TEXTS, strict=False):
        question, words = ids_of(QUESTION), ids_of(text)
        types = [0] * (len(question) + 2) + [1] * (len(words) + 1)
        assert score == pytest.approx(sigmoid(weights.logits([0, *question, 2, *words, 2], types)[0]), abs=1e-5)


def test_two_labels_are_read_as_irrelevant_and_relevant(make: Callable[..., ModelFiles]) -> None:
    weights = TinyWeights(labels=2)
    (score,) = CrossEncoderReranker(make(graph(weights)), threads=1).score(QUESTION, [passage("here")], in_time())
    no, yes = np.exp(weights.logits(pair_ids(ids_of(QUESTION), ids_of("here"))))
    assert score == pytest.approx(yes / (no + yes), abs=1e-5)
    assert relevance(np.array([[-1000.0], [0.0], [1000.0]], np.float32)) == [0.0, 0.5, 1.0]


def test_nothing_is_scored_after_the_deadline_and_of_nothing(files: ModelFiles) -> None:
    reranker = CrossEncoderReranker(files, threads=1)
    assert reranker.score(QUESTION, [passage("here")], time.monotonic() - 1) == [None]
    assert reranker.score(QUESTION, [], in_time()) == []


class Machine:
    """A clock, and turns that move it: `waits` before the run of each, `runs` during it; afterwards nothing takes any time."""

    def __init__(self, waits: list[float], runs: list[float]) -> None:
        self.now = 0.0
        self._waits = iter(waits)
        self._runs = iter(runs)

    def clock(self) -> float:
        return self.now

    @contextmanager
    def turn(self) -> Iterator[None]:
        self.now += next(self._waits, 0.0)
        yield
        self.now += next(self._runs, 0.0)


def on(machine: Machine, files: ModelFiles) -> CrossEncoderReranker:
    reranker = CrossEncoderReranker(files, threads=1, turn=machine.turn, clock=machine.clock)
    machine.now = 0.0
    return reranker


def test_when_others_had_the_processor_for_too_long_the_first_passages_are_scored(files: ModelFiles) -> None:
    passages = [passage(f"here {'the ' * 12}")] * 60
    everything = CrossEncoderReranker(files, threads=1).score(QUESTION, passages, in_time())
    assert len(everything) == 60
    scores = on(Machine(waits=[0, 0.1, 0.1, 0.1], runs=[]), files).score(QUESTION, passages, 0.25)
    # One passage, and one batch of 512 padded tokens.
    scored = 1 + 512 // (4 + 4 + 13)
    assert scores == everything[:scored] + [None] * (60 - scored)


class Steady(Machine):
    """A run takes 10 ms for each padded token, whatever the model."""

    def __init__(self) -> None:
        super().__init__([], [])
        self.read: list[tuple[int, int]] = []

    def watch(self, reranker: CrossEncoderReranker, monkeypatch: pytest.MonkeyPatch) -> None:
        run = reranker._run

        def timed(batch: Any) -> list[float]:
            self.read.append((len(batch), max(len(pair.ids) for pair in batch)))
            self.now += 0.01 * len(batch) * self.read[-1][1]
            return run(batch)

        monkeypatch.setattr(reranker, "_run", timed)


def test_the_budget_is_used_up_to_the_last_passage_that_fits(files: ModelFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Steady()
    reranker = on(machine, files)
    machine.watch(reranker, monkeypatch)
    monkeypatch.setattr(reranker, "_batch_tokens", 60)
    # 9 and 20 tokens with the question and the frame, in turn.
    passages = [passage("here"), passage("the " * 12)] * 30
    reached = [score is not None for score in reranker.score(QUESTION, passages, 6.005)]
    count = sum(reached)
    assert reached == [True] * count + [False] * (60 - count)
    # Without padding the first of them take 10 ms a token, and the next one would not have fitted.
    assert machine.now <= 6.005
    assert 6.005 - machine.now < 0.01 * 21 * 2
    # Short ones and long ones are not read together but where a round's one batch holds both.
    assert sum(rows * longest for rows, longest in machine.read) < 1.1 * sum(9 if at % 2 == 0 else 20 for at in range(count))


def test_a_batch_that_would_take_too_long_is_not_begun(files: ModelFiles) -> None:
    machine = Machine(waits=[], runs=[0, 0.2])
    reranker = on(machine, files)
    passages = [passage("the token is kept in a file")] * 30
    # 0.2 s for one passage: with 0.15 s left no other is begun.
    assert sum(score is not None for score in reranker.score(QUESTION, passages, 0.35)) == 1
    assert machine.now == pytest.approx(0.2)
    # Nor is one with 0.1 s left; but the machine was only busy, and that is found out.
    scored = [sum(score is not None for score in reranker.score(QUESTION, passages, 0.3)) for _ in range(5)]
    assert scored == [0, 0, 0, 0, 30]


def test_scores_do_not_depend_on_the_pace(files: ModelFiles) -> None:
    reranker = CrossEncoderReranker(files, threads=1)
    passages = [passage(text) for text in TEXTS * 5]
    first = reranker.score(QUESTION, passages, in_time())
    assert reranker.score(QUESTION, passages, in_time()) == first
    assert len(first) == len(passages)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: graph(TinyWeights(labels=3)), r"is no cross-encoder: its output has the shape \['b', 3\]"),
        (lambda: graph(TinyWeights(labels=1), asks=("position_ids",)), "asks for position_ids"),
        (lambda: _with_second_output(graph(TinyWeights(labels=1), output="hidden")), "none of its outputs is called 'logits'"),
    ],
)
def test_a_graph_that_is_no_cross_encoder_is_refused(
    make: Callable[..., ModelFiles], build: Callable[[], onnx.ModelProto], message: str
) -> None:
    with pytest.raises(ModelUnavailable, match=message):
        CrossEncoderReranker(make(build()), threads=1)


def test_an_output_of_another_name_is_taken_when_it_is_the_only_one(
    make: Callable[..., ModelFiles], weights: TinyWeights
) -> None:
    reranker = CrossEncoderReranker(make(graph(weights, output="score")), threads=1)
    assert len(reranker.score(QUESTION, [passage("here")], in_time())) == 1


def test_scores_that_are_no_numbers_are_an_error(make: Callable[..., ModelFiles], weights: TinyWeights) -> None:
    weights.values["out"][:] = np.nan
    with pytest.raises(ModelUnavailable, match="tiny-reranker is no cross-encoder"):
        CrossEncoderReranker(make(graph(weights)), threads=1)


def test_damaged_files_and_a_closed_reranker_are_reported(files: ModelFiles) -> None:
    reranker = CrossEncoderReranker(files, threads=1)
    reranker.close()
    with pytest.raises(ModelUnavailable, match="has been closed"):
        reranker.score(QUESTION, [passage("here")], in_time())
    files.model.write_bytes(files.model.read_bytes()[:100])
    with pytest.raises(ModelUnavailable, match="can't load"):
        CrossEncoderReranker(files)
    files.tokenizer.write_text("{}")
    with pytest.raises(ModelDamaged, match=r"tokenizer\.json can't be read"):
        CrossEncoderReranker(files)


def test_a_reranker_is_found_without_a_download_where_it_is_and_missed_where_it_is_not(files: ModelFiles, tmp_path: Path) -> None:
    assert find_model(ROW, tmp_path / "models") == files
    assert files.quantized
    assert find_model(ROW, tmp_path / "elsewhere") is None
    assert not (tmp_path / "elsewhere").exists()
    assert find_model(ROW, tmp_path / "other", extra_dirs=[tmp_path / "given"]) is not None
    (tmp_path / "incomplete" / ROW.id).mkdir(parents=True)
    assert find_model(ROW, tmp_path / "elsewhere", extra_dirs=[tmp_path / "incomplete"]) is None
    files.model.write_bytes(b"cut")
    with pytest.raises(ModelDamaged, match="damaged"):
        find_model(ROW, tmp_path / "models")


@pytest.mark.e2e
def test_a_reranker_comes_from_the_hub_once(
    make: Callable[..., ModelFiles],
    weights: TinyWeights,
    tmp_path: Path,
    no_sources: None,
    serve_repository: Callable[[str, dict[str, bytes]], None],
) -> None:
    source = make(graph(weights))
    serve_repository(ROW.hub.repository, {name: (source.folder / name).read_bytes() for name in ROW.hub.files})
    fetched = ensure_model(ROW, tmp_path / "fetched")
    assert fetched.quantized
    assert fetched.revision == source.revision
    assert json.loads((fetched.folder / "manifest.json").read_text())["source"]["kind"] == "hub"
    assert find_model(ROW, tmp_path / "fetched") == fetched


def _with_second_output(model: onnx.ModelProto) -> onnx.ModelProto:
    model.graph.output.append(helper.make_tensor_value_info("pooled", TensorProto.FLOAT, ["b", HIDDEN]))
    return model
