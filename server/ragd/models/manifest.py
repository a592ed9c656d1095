"""The manifest of a model folder: SHA-256 and size of what it was made from and of every file that is loaded.

It is written last, before the folder gets its name. All files are hashed at every load (77 MB take about 50 ms).
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ragd.core.errors import ModelDamaged
from ragd.core.files import sync

MANIFEST = "manifest.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class FileRecord:
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """`source` says where the inputs came from; `model` and `tokenizer` are two of `files`, by path inside the folder."""

    id: str
    source: Mapping[str, str]
    inputs: Mapping[str, FileRecord]
    files: Mapping[str, FileRecord]
    model: str
    tokenizer: str

    @property
    def revision(self) -> str:
        """Hash of every file that shapes a vector, cut to 16 hex digits."""
        lines = "".join(f"{name}\0{record.sha256}\n" for name, record in sorted(self.files.items()))
        return hashlib.sha256(lines.encode()).hexdigest()[:16]

    @property
    def size(self) -> int:
        return sum(record.size for record in self.files.values())

    @staticmethod
    def read(folder: Path) -> Manifest | None:
        """The folder's manifest, or None where there is none. Raises `ModelDamaged` when it can't be understood."""
        path = folder / MANIFEST
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            if values["format"] != _FORMAT:
                raise ModelDamaged(f"{path} has format {values['format']}; this version reads format {_FORMAT}.")
            manifest = Manifest(
                id=str(values["id"]),
                source={str(key): str(value) for key, value in values["source"].items()},
                inputs=_records(values["inputs"]),
                files=_records(values["files"]),
                model=str(values["model"]),
                tokenizer=str(values["tokenizer"]),
            )
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelDamaged(f"The model manifest {path} can't be read ({error}). Delete the folder {folder}.") from error
        if not {manifest.model, manifest.tokenizer} <= manifest.files.keys():
            raise ModelDamaged(f"The model manifest {path} does not list the files that it names as model and tokenizer.")
        return manifest

    def write(self, folder: Path) -> None:
        values = {"format": _FORMAT, **asdict(self)}
        (folder / MANIFEST).write_text(json.dumps(values, indent=2, sort_keys=True) + "\n", encoding="utf-8")

    def problems(self, folder: Path) -> list[str]:
        """What is wrong with the files, one sentence each: missing, outside the folder, of another size, of another content."""
        problems = []
        for name, expected in self.files.items():
            path = folder / name
            if not stays_inside(name) or not path.resolve().is_relative_to(folder.resolve()):
                problems.append(f"{name} lies outside the model's folder {folder}.")
            elif not path.is_file():
                problems.append(f"{path} is missing.")
            elif (size := path.stat().st_size) != expected.size:
                problems.append(f"{path} has {size} bytes; its manifest says {expected.size}.")
            elif record_file(path) != expected:
                problems.append(f"{path} has another SHA-256 than its manifest says.")
        return problems


def record_file(path: Path) -> FileRecord:
    with path.open("rb") as stream:
        return FileRecord(path.stat().st_size, hashlib.file_digest(stream, "sha256").hexdigest())


def stays_inside(name: str) -> bool:
    """Whether a relative POSIX path names a file below the folder that it is relative to."""
    path = PurePosixPath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts and "\\" not in name and ":" not in name


def publish(staging: Path, target: Path) -> None:
    """Give a finished folder its name, durably. What stood there is moved away first and then deleted."""
    for path in sorted(staging.rglob("*")):
        sync(path)
    sync(staging)
    retired = staging.with_name(f"{staging.name}.old")
    if target.exists():
        target.rename(retired)
    staging.rename(target)
    sync(target.parent)
    if retired.exists():
        shutil.rmtree(retired)


def _records(values: Mapping[str, Any]) -> dict[str, FileRecord]:
    return {str(name): FileRecord(int(record["size"]), str(record["sha256"])) for name, record in values.items()}
