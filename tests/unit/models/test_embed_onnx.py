from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from ragd.core.errors import ModelDamaged, ModelUnavailable
from ragd.models.e5_onnx import onnx_model
from ragd.models.e5_weights import read_container
from ragd.models.rows import ModelFiles, ModelRow
from ragd.models.store import ensure_model
from ragd.providers.batching import batches
from ragd.providers.embedders.onnx import OnnxEmbedder, pool
from ragd.providers.protocols import Embedder, Tokenizer
from ragd.providers.tokenizers.onnx import OnnxTokenizer

TEXTS = ["a cat sat", "東京のcat", "the", "", "a cat sat a cat sat a cat", "😀 the 東京", "unknown words here"]


@pytest.fixture
def files(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path) -> ModelFiles:
    return ensure_model(tiny_row, tmp_path / "models", extra_dirs=[wheel_folder])


@pytest.fixture
def exact_files(files: ModelFiles, tiny_model: Any) -> ModelFiles:
    """The same model with its matrices in float32."""
    files.model.write_bytes(onnx_model(read_container(tiny_model.data), "float32"))
    return files


@pytest.fixture
def embedder(files: ModelFiles) -> Iterator[OnnxEmbedder]:
    made = OnnxEmbedder(files, threads=1)
    yield made
    made.close()


def test_the_embedder_fulfils_the_protocols(embedder: OnnxEmbedder, files: ModelFiles) -> None:
    assert isinstance(embedder, Embedder)
    assert isinstance(embedder.tokenizer, Tokenizer)
    assert (embedder.model_id, embedder.dimension, embedder.max_tokens) == ("tiny-e5", 64, 32)
    assert (embedder.revision, embedder.device, embedder.warnings) == (files.revision, "cpu", [])


def test_the_graph_computes_the_published_encoder(exact_files: ModelFiles, tiny_model: Any) -> None:
    exact = OnnxEmbedder(exact_files, threads=1)
    ids = exact.tokenizer.token_ids(["passage: " + text for text in TEXTS], 32)
    expected = np.stack([tiny_model.embed(row) for row in ids])
    vectors = exact.embed_passages(TEXTS)
    # Token embeddings are rounded to float16 by the graph, nothing else is.
    np.testing.assert_allclose(vectors, expected, atol=2e-4)
    assert (vectors * expected).sum(axis=1).min() > 0.999999


def test_int8_vectors_stay_close_to_the_exact_ones(embedder: OnnxEmbedder, tiny_model: Any) -> None:
    ids = embedder.tokenizer.token_ids(["query: " + text for text in TEXTS], 32)
    expected = np.stack([tiny_model.embed(row) for row in ids])
    cosines = (embedder.embed_queries(TEXTS) * expected).sum(axis=1)
    assert cosines.min() > 0.99


def test_token_vectors_are_an_output_of_the_graph(exact_files: ModelFiles) -> None:
    session = onnxruntime.InferenceSession(str(exact_files.model), providers=["CPUExecutionProvider"])
    ids = np.array([[0, 8, 9, 2]], np.int64)
    pooled, tokens = session.run(
        ["sentence_embedding", "token_embeddings"], {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    )
    mean = tokens[0].mean(axis=0)
    np.testing.assert_allclose(pooled[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_vectors_are_unit_float32_in_the_order_of_the_texts(exact_files: ModelFiles) -> None:
    exact = OnnxEmbedder(exact_files, threads=1, batch_tokens=24)
    together = exact.embed_passages(TEXTS)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = np.concatenate([exact.embed_passages([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_no_texts_give_no_vectors(embedder: OnnxEmbedder) -> None:
    assert embedder.embed_passages([]).shape == (0, 64)


def test_queries_and_passages_have_prefixes_of_their_own(embedder: OnnxEmbedder) -> None:
    assert not np.allclose(embedder.embed_queries(["a cat"]), embedder.embed_passages(["a cat"]))
    np.testing.assert_array_equal(embedder.embed_queries(["  a cat\n"]), embedder.embed_queries(["a cat"]))
    assert embedder.passage_overhead == 4


def test_a_text_of_the_longest_length_keeps_its_tail_and_a_longer_one_is_cut(embedder: OnnxEmbedder) -> None:
    room = embedder.max_tokens - embedder.passage_overhead
    full = " ".join(["cat"] * (room - 1) + ["sat"])
    assert embedder.tokenizer.count(full) == room
    np.testing.assert_array_equal(embedder.embed_passages([full]), embedder.embed_passages([f"{full} the a the a"]))
    other = " ".join(["cat"] * room)
    assert not np.array_equal(embedder.embed_passages([full]), embedder.embed_passages([other]))
    (ids,) = embedder.tokenizer.token_ids(["cat " * 100], 32)
    assert (len(ids), ids[0], ids[-1]) == (32, 0, 2)


def test_progress_counts_every_text_once(files: ModelFiles) -> None:
    done: list[int] = []
    OnnxEmbedder(files, threads=1, batch_tokens=20).embed_passages(TEXTS, done.append)
    assert sum(done) == len(TEXTS)
    assert len(done) > 1


def test_batches_are_sorted_by_length_and_bounded_in_padded_tokens() -> None:
    lengths = [5, 300, 7, 100, 6, 512, 90]
    made = list(batches(lengths, 256))
    assert [index for batch in made for index in batch] == sorted(range(len(lengths)), key=lengths.__getitem__)
    for batch in made:
        assert len(batch) == 1 or len(batch) * max(lengths[index] for index in batch) <= 256
    assert list(batches([], 256)) == []


def test_threads_may_embed_at_once(exact_files: ModelFiles) -> None:
    exact = OnnxEmbedder(exact_files, threads=1)
    expected = exact.embed_passages(TEXTS)
    with ThreadPoolExecutor(8) as workers:
        for vectors in workers.map(lambda _: exact.embed_passages(TEXTS), range(40)):
            np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_a_closed_embedder_says_so(files: ModelFiles) -> None:
    embedder = OnnxEmbedder(files, threads=1)
    embedder.close()
    with pytest.raises(ModelUnavailable, match="has been closed"):
        embedder.embed_queries(["a"])


def test_a_device_that_is_not_there_falls_back_to_the_cpu_with_a_warning(files: ModelFiles) -> None:
    missing = "directml" if "DmlExecutionProvider" not in onnxruntime.get_available_providers() else "coreml"
    embedder = OnnxEmbedder(files, device=missing, threads=1)  # type: ignore[arg-type]
    assert embedder.device == "cpu"
    assert embedder.warnings == [f"tiny-e5 runs on the CPU: the installed onnxruntime has no support for {missing}."]
    assert embedder.embed_queries(["a"]).shape == (1, 64)


def test_auto_keeps_int8_models_on_the_cpu(files: ModelFiles) -> None:
    assert OnnxEmbedder(files, device="auto", threads=1).device == "cpu"


def test_a_graph_that_onnxruntime_refuses_is_reported(files: ModelFiles) -> None:
    files.model.write_bytes(b"no graph")
    with pytest.raises(ModelUnavailable, match=r"can't load .*model\.onnx"):
        OnnxEmbedder(files)


def test_a_tokenizer_that_cannot_be_read_is_reported(files: ModelFiles) -> None:
    files.tokenizer.write_text("{}")
    with pytest.raises(ModelDamaged, match=r"tokenizer\.json can't be read"):
        OnnxEmbedder(files)


@pytest.mark.parametrize("location", ["../outside.bin", "{folder}/outside.bin"])
def test_a_graph_whose_data_lies_outside_its_folder_is_not_loaded(files: ModelFiles, location: str) -> None:
    (files.folder.parent / "outside.bin").write_bytes(np.ones(4, np.float32).tobytes())
    outside = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location.format(folder=files.folder.parent), "offset": "0", "length": "16"}.items():
        outside.external_data.add(key=key, value=value)
    _write_graph(files.model, [outside])
    with pytest.raises(ModelUnavailable, match=r"[Ee]xternal data"):
        OnnxEmbedder(files)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_graph_that_does_not_pool_is_pooled_as_its_row_says(files: ModelFiles, pooling: Any) -> None:
    table = np.random.default_rng(1).normal(size=(64, 4)).astype(np.float32)
    _write_graph(files.model, [numpy_helper.from_array(table, "w")])
    row = replace(files.row, pooling=pooling, dimension=4, query_prefix="")
    embedder = OnnxEmbedder(replace(files, row=row), threads=1)
    texts = ["a cat sat", "the"]
    rows = embedder.tokenizer.token_ids(texts, 32)
    expected = np.stack([table[ids[0]] if pooling == "cls" else table[ids].mean(axis=0) for ids in rows])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(embedder.embed_queries(texts), expected, atol=1e-6)


@pytest.mark.parametrize("text", ["a cat sat", "東京のcat", "  the cat\n", "cat " * 100])
def test_token_vectors_are_of_the_tokens_of_the_text_alone(exact_files: ModelFiles, tiny_model: Any, text: str) -> None:
    exact = OnnxEmbedder(exact_files, threads=1)
    (row,) = exact.tokenizer.token_ids([f"query: {text.strip()}"], 32)
    before = len(["<s>", "▁query", ":"])
    tokens = exact.query_tokens(text)
    assert tokens.shape == (len(row) - before - 1, 64)
    np.testing.assert_allclose(tokens, tiny_model.hidden_states(row)[before:-1], atol=2e-3)


def test_the_blank_in_front_of_a_text_without_blanks_is_no_token_of_it(exact_files: ModelFiles) -> None:
    exact = OnnxEmbedder(exact_files, threads=1)
    (row,) = exact.tokenizer.token_ids(["query: ガギ"], 32)
    assert row[3] == exact.tokenizer.blank_id
    assert exact.query_tokens("ガギ").shape == (2, 64)


def test_passages_get_their_token_vectors_in_one_batch_without_padding(exact_files: ModelFiles) -> None:
    exact = OnnxEmbedder(exact_files, threads=1)
    together = exact.passage_tokens(TEXTS)
    assert [len(tokens) for tokens in together[:4]] == [3, 4, 1, 0]
    for text, tokens in zip(TEXTS, together, strict=True):
        np.testing.assert_allclose(tokens, exact.passage_tokens([text])[0], atol=1e-4)
    assert exact.passage_tokens([]) == []


def test_vectors_and_token_vectors_of_passages_come_out_of_the_same_runs(exact_files: ModelFiles) -> None:
    exact = OnnxEmbedder(exact_files, threads=1, batch_tokens=64)
    runs: list[int] = []
    tokens: dict[int, np.ndarray] = {}
    vectors = exact.embed_passages_and_tokens(TEXTS, lambda index, own: tokens.update({index: own.copy()}), runs.append)
    np.testing.assert_allclose(vectors, exact.embed_passages(TEXTS), atol=1e-5)
    for index, own in enumerate(exact.passage_tokens(TEXTS)):
        np.testing.assert_allclose(tokens[index], own, atol=1e-4)
    assert (sum(runs), len(tokens)) == (len(TEXTS), len(TEXTS))


def test_vectors_and_token_vectors_of_questions_come_out_of_one_run(exact_files: ModelFiles) -> None:
    exact = OnnxEmbedder(exact_files, threads=1)
    vectors, tokens = exact.embed_queries_and_tokens(TEXTS)
    np.testing.assert_allclose(vectors, exact.embed_queries(TEXTS), atol=1e-5)
    for text, own in zip(TEXTS, tokens, strict=True):
        np.testing.assert_allclose(own, exact.query_tokens(text), atol=1e-4)


def test_a_graph_with_vectors_of_another_length_is_reported(files: ModelFiles) -> None:
    embedder = OnnxEmbedder(replace(files, row=replace(files.row, dimension=384)), threads=1)
    with pytest.raises(ModelUnavailable, match="vectors of 64 numbers, where 384 are expected"):
        embedder.embed_queries(["a cat"])


def test_a_graph_without_token_vectors_says_so(files: ModelFiles) -> None:
    graph = onnx.load(files.model)
    del graph.graph.output[1:]
    onnx.save_model(graph, files.model)
    embedder = OnnxEmbedder(files, threads=1)
    assert not embedder.gives_tokens
    with pytest.raises(ModelUnavailable, match="tiny-e5 gives no token vectors"):
        embedder.query_tokens("a cat")


def test_pooling_leaves_padding_out() -> None:
    tokens = np.array([[[1.0, 1.0], [3.0, 5.0], [99.0, 99.0]]], np.float32)
    mask = np.array([[1, 1, 0]])
    np.testing.assert_array_equal(pool(tokens, mask, "mean"), [[2.0, 3.0]])
    np.testing.assert_array_equal(pool(tokens, mask, "cls"), [[1.0, 1.0]])


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a cat", ["a", " cat"]),
        ("  a   cat  ", ["a", " cat"]),
        ("東京の東", ["東京", "の", "東"]),
        ("ＡＢＣ", ["ＡＢＣ"]),
        ("c～c", ["c", "～", "c"]),
        ("cafe\u0301", None),
        ("ｶﾞｷﾞ", None),
        ("😀 the", None),
        ("", []),
        (" \n ", []),
    ],
)
def test_tokens_start_at_places_of_the_text_as_given(embedder: OnnxEmbedder, text: str, pieces: list[str] | None) -> None:
    starts = embedder.tokenizer.starts(text)
    assert len(starts) == embedder.tokenizer.count(text)
    assert starts == sorted(starts)
    assert all(0 <= start < len(text) for start in starts)
    assert not text[: starts[0] if starts else len(text)].strip()
    if pieces is not None:
        parts = [text[start:end].strip() for start, end in pairwise([*starts, len(text)])]
        assert [part for part in parts if part] == [piece.strip() for piece in pieces]


def test_decomposed_letters_are_the_same_token_and_keep_their_marks(embedder: OnnxEmbedder) -> None:
    for text in ("ｶﾞｷﾞ", "e\u0301", "ガ", "カ\u3099"):
        composed = unicodedata.normalize("NFKC", text)
        ids = embedder.tokenizer.token_ids([text, composed], 32)
        assert ids[0] == ids[1]


@pytest.mark.parametrize("text", ["a<s>b", "a</s>b", "<pad>", "<mask> <mask>", "＜s＞", "<s></s><s>", "a ＜/s＞"])
def test_text_that_spells_a_special_token_does_not_become_one(embedder: OnnxEmbedder, text: str) -> None:
    (ids,) = embedder.tokenizer.token_ids([text], 32)
    special = {embedder.tokenizer.begin_ids[0], embedder.tokenizer.end_ids[0], embedder.tokenizer.pad_id, ids[0], ids[-1]}
    assert special.isdisjoint(ids[1:-1])
    assert embedder.tokenizer.count(text) == len(embedder.tokenizer.starts(text)) == len(ids) - 2


def test_many_passages_are_tokenised_some_at_a_time(embedder: OnnxEmbedder, monkeypatch) -> None:
    texts = [f"a cat sat on mat {number}" for number in range(600)]
    expected = embedder.tokenizer.token_ids([f"passage: {text}" for text in texts], embedder.max_tokens)
    token_ids, sizes = embedder.tokenizer.token_ids, []

    def noting(part: Sequence[str], max_tokens: int) -> list[list[int]]:
        sizes.append(len(part))
        return token_ids(part, max_tokens)

    monkeypatch.setattr(embedder.tokenizer, "token_ids", noting)
    rows = embedder.passage_rows(texts)
    assert list(map(list, rows)) == expected
    assert sum(sizes) == 600
    assert max(sizes) <= 256
    assert {row.itemsize for row in rows} == {4}


def test_half_a_surrogate_pair_is_no_error(embedder: OnnxEmbedder) -> None:
    assert embedder.embed_queries(["a \ud83d cat"]).shape == (1, 64)
    assert embedder.tokenizer.starts("\ud83d cat")[-1] == 2


def test_settings_in_a_tokenizer_file_do_not_cut_or_pad_what_is_counted(files: ModelFiles) -> None:
    import tokenizers

    given = tokenizers.Tokenizer.from_file(str(files.tokenizer))
    given.enable_truncation(4)
    given.enable_padding(length=9)
    given.save(str(files.tokenizer))
    assert OnnxTokenizer(files.tokenizer).count("a cat sat a cat sat") == 6


def _write_graph(path: Path, initializers: list[TensorProto]) -> None:
    """A graph that looks its tokens up in the table `w` and pools nothing."""
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"]) for name in ("input_ids", "attention_mask")]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, None)]
    nodes = [helper.make_node("Gather", ["w", "input_ids"], ["last_hidden_state"])]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.save_model(model, path)
