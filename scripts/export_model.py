#!/usr/bin/env python3
"""Makes the ONNX files of a model of the table from its PyTorch weights: where the hub's ready files can't be had or don't fit.

    python3 scripts/export_model.py multilingual-e5-base models
    python3 scripts/export_model.py bge-reranker-base models --source ~/checkpoints/my-tuned-reranker
    python3 scripts/export_model.py bge-m3 models --half

Writes `models/<model id>/`. Name `models` in `embedding.model_folders`, and the model is taken from there. --source is a folder
or a repository of the hub with weights of the same architecture, such as a fine-tuned one. --half writes 16-bit floats, for
CUDA (it needs a GPU at hand).

The exporter (optimum-onnx 0.1.0) wants an older transformers than anything else here can be with, and PyTorch: this makes
an environment of its own for it, `.venv-export/`, from the group `export` of pyproject.toml. It takes some 6 GB on Linux.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = ROOT / ".venv-export"
MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
TASKS = {"embedding": "feature-extraction", "reranking": "text-classification"}


def main() -> int:
    sys.path.insert(0, str(ROOT / "server"))
    from ragd.core.errors import SettingsError
    from ragd.models.rows import model_row

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", help="a row of `rag models list`")
    parser.add_argument("folder", type=Path, help="where <model id>/ is written")
    parser.add_argument("--source", help="folder or hub repository of the PyTorch weights; default: the row's own repository")
    parser.add_argument("--half", action="store_true", help="16-bit floats, for a GPU")
    asked = parser.parse_args()
    try:
        row = model_row(asked.model)
    except SettingsError as error:
        parser.error(error.message)
    target = asked.folder / row.id
    if target.exists():
        parser.error(f"{target} is there already; delete it first.")
    source = str(Path(asked.source).expanduser()) if asked.source else row.hub.repository
    with tempfile.TemporaryDirectory() as scratch:
        command = [str(program("optimum-cli")), "export", "onnx", "--model", source, "--task", TASKS[row.task]]
        command += ["--dtype", "fp16", "--device", "cuda"] if asked.half else []
        try:
            make_environment()
            subprocess.run([*command, scratch], check=True)
        except subprocess.CalledProcessError as error:
            print(f"{error.cmd[0]} ended with status {error.returncode}; see above.", file=sys.stderr)
            return 1
        install(Path(scratch), target, row.id, source)
    print(f"Wrote {target}. Add '{asked.folder.resolve()}' to embedding.model_folders.")
    return 0


def make_environment() -> None:
    """An environment with what the group `export` names, unless it is there."""
    if program("optimum-cli").exists():
        return
    with (ROOT / "pyproject.toml").open("rb") as stream:
        wanted = tomllib.load(stream)["dependency-groups"]["export"]
    subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    subprocess.run([str(program("python")), "-m", "pip", "install", *wanted], check=True)


def program(name: str) -> Path:
    return ENVIRONMENT / "Scripts" / f"{name}.exe" if os.name == "nt" else ENVIRONMENT / "bin" / name


def install(exported: Path, target: Path, model_id: str, source: str) -> None:
    """A model folder with a manifest, as the supply chain takes it. External data keep their names: the graph refers to them."""
    from ragd.models.manifest import Manifest, record_file

    target.mkdir(parents=True)
    taken = [exported / MODEL, exported / TOKENIZER, *exported.glob("*.onnx_data")]
    for path in taken:
        shutil.copyfile(path, target / path.name)
    files = {path.name: record_file(target / path.name) for path in taken}
    Manifest(model_id, {"kind": "export", "of": source}, files, files, model=MODEL, tokenizer=TOKENIZER).write(target)


if __name__ == "__main__":
    sys.exit(main())
