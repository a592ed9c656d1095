"""Packages that are not needed by everybody, installed into the environment that runs.

Each extra of pyproject.toml has a lock in this folder: exact versions with hashes, of all that it needs. An extra is
installed from it and never by a bare name: an index, whichever the machine is set up with, can give nothing but these files.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from ragd.core.errors import RagError
from ragd.models.wheel import pip_runners

LOCKS: Final = Path(__file__).parent

FOR: Final = {
    "ocr": "text in pictures and scanned pages (the quick start and the editor have it)",
    "llm": "language models by the SDKs of OpenAI and Anthropic, and services that speak as they do",
    "eval": "the metrics of `rag eval run`",
    "otel": "traces to an OpenTelemetry collector (`observability.otlp_endpoint`)",
    "legacy-office": "Word and PowerPoint files of before 2007 (.doc, .ppt)",
    "postgres": "PostgreSQL as the store (store.url)",
    "workers": "jobs in processes of their own (`rag worker`, jobs.queue: procrastinate)",
    "ray": "bulk ingestion on a Ray cluster (`rag ingest --ray`), some 500 MB",
    "s3": "uploads and pictures in a bucket that speaks S3 (blobs.url)",
    "qdrant": "indexes in Qdrant, as a server or inside the daemon",
    "milvus": "indexes in Milvus, as a server or in its small edition inside the daemon (some 400 MB)",
    "gpu": "models on NVIDIA GPUs",
    "directml": "models on any GPU, Windows only",
    "openvino": "models on Intel CPUs, GPUs and NPUs",
}
"""What each extra is for, in the order of `rag extras list`."""

NOTED: Final = "rag-assistant-extras.json"
"""In the environment: the names of its extras, which the set-up reads when it makes the environment again."""
_LAST_LINES: Final = 12
_DISTRIBUTION: Final = "ragd"


class InstallationFailed(RagError):
    """The packages of an extra could not be installed; what was there before may be changed in part."""


@dataclass(frozen=True, slots=True)
class Extra:
    name: str
    packages: dict[str, str | None]
    """What was asked for by name, with the installed version; None where it is missing. Empty on machines that it is not for."""
    is_known: bool = True
    """Whether what is installed knows of it: a checkout may have gone on since its environment was made."""

    @property
    def state(self) -> str:
        if not self.is_known:
            return "after the next set-up"
        if not self.packages:
            return "not for this machine"
        return "installed" if all(self.packages.values()) else "not installed"


def extra(name: str) -> Extra:
    """How it stands with an extra in this environment."""
    known = metadata.metadata(_DISTRIBUTION).get_all("Provides-Extra") or ()
    return Extra(name, {wanted: _installed(wanted) for wanted in _wanted(name)}, name in known)


def install(name: str, index_url: str | None = None) -> None:
    """Install an extra from its lock, by this environment's pip, else uv, else another pip: with their settings.

    Raises `InstallationFailed`.
    """
    install_into(sys.executable, name, LOCKS / f"{name}.lock", index_url)
    importlib.invalidate_caches()
    note_extra(name)


def install_into(python: str, name: str, lock: Path, index_url: str | None = None) -> None:
    """Install all that a lock names into the environment of a Python, as `install` does. Raises `InstallationFailed`."""
    for command in _installers(python):
        options = ["--require-hashes", "-r", str(lock), *(["--index-url", index_url] if index_url else [])]
        # A setting to install for the user, or into environments only, is not meant for the environment that runs.
        environment = {**os.environ, "PIP_USER": "0", "PIP_NO_INPUT": "1", "PIP_REQUIRE_VIRTUALENV": "0"}
        done = subprocess.run(
            [*command, *options],
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        if done.returncode == 0:
            return
        if "No module named pip" not in done.stdout:
            said = "\n".join(f"  {line}" for line in done.stdout.strip().splitlines()[-_LAST_LINES:])
            raise InstallationFailed(
                f"The extra {name} was not installed. The installer said:\n{said}\n"
                "What pip or uv is set up with applies; --index-url names another index."
            )
    raise InstallationFailed(f"The extra {name} needs pip or uv, and neither is here. Install one of them, then try again.")


def lost_by() -> str:
    """The installer that makes this environment anew with each release, without its extras; "" where none does."""
    owners = {"uv-receipt.toml": "uv tool", "pipx_metadata.json": "pipx"}
    return next((owner for file, owner in owners.items() if Path(sys.prefix, file).exists()), "")


def note_extra(name: str) -> None:
    """Have the set-up add it again when it makes this environment again."""
    if sys.prefix == sys.base_prefix:
        return  # no environment, so nothing of ours makes it again
    file = Path(sys.prefix, NOTED)
    try:
        names = json.loads(file.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        names = []
    file.write_text(json.dumps(sorted({name, *names})), "utf-8")


def _installers(python: str) -> list[list[str]]:
    """Commands that install into the environment of a Python, best first. One without a pip of its own says so."""
    own, *others = ([*runner, "--python", python, "install"] for runner in pip_runners())
    uv = shutil.which("uv")
    return [own, *([[uv, "pip", "install", "--python", python]] if uv else []), *others]


def _wanted(name: str) -> Sequence[str]:
    """The packages that the distribution's metadata names for an extra, on this machine."""
    declared = [Requirement(text) for text in metadata.requires(_DISTRIBUTION) or ()]
    return [
        one.name
        for one in declared
        if one.marker and one.marker.evaluate({"extra": name}) and not one.marker.evaluate({"extra": ""})
    ]


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
