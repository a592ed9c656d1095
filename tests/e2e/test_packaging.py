"""The wheel as it is released, and the set-up that the extension does with it, from the registry that this machine knows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..unit.scripts.loading import ROOT, load

pytestmark = pytest.mark.e2e

console = load("setup.console")
wheels = load("release.wheel")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the VSIX carries."""
    target = tmp_path_factory.mktemp("packaging")
    wheel = wheels.build_wheel(ROOT, Path(sys.executable), target, console.Console(1))
    wheels.put_server_folder(ROOT, wheel, target / "server")
    server: Path = target / "server"
    return server


def files_of_the_package() -> Iterator[str]:
    for path in (ROOT / "server").rglob("*"):
        if path.is_file() and path.suffix != ".pyc" and ".egg-info" not in str(path):
            yield str(path.relative_to(ROOT / "server"))


def test_the_wheel_holds_every_file_of_the_package(folder: Path) -> None:
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        held = {name for name in archive.namelist() if not name.startswith("ragd-")}
    assert held == set(files_of_the_package())


def test_the_same_sources_give_the_same_wheel(folder: Path, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        again = wheels.build_wheel(ROOT, Path(sys.executable), tmp_path, console.Console(1))
    finally:
        os.umask(before)
    with zipfile.ZipFile(again) as one, zipfile.ZipFile(next(folder.glob("*.whl"))) as other:
        assert {entry.filename: entry.CRC for entry in one.infolist()} == {
            entry.filename: entry.CRC for entry in other.infolist()
        }
        assert {entry.date_time for entry in one.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.timeout(600)
def test_the_set_up_makes_a_daemon_that_starts_outside_of_the_checkout(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(folder / "setup" / "bootstrap.py"), "--environment", str(tmp_path / "server 0.1")]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    first = subprocess.run(command, env=env, cwd="/", capture_output=True, encoding="utf-8", check=False)
    assert first.returncode == 0, first.stdout + first.stderr
    assert '"event": "done"' in first.stdout.splitlines()[-1]
    again = subprocess.run(command, env=env, cwd="/", capture_output=True, encoding="utf-8", check=True)
    assert [json.loads(line)["event"] for line in again.stdout.splitlines()] == ["step", "done"], "nothing is done twice"

    rag = tmp_path / "server 0.1" / "bin" / "rag"
    listed = subprocess.run([rag, "models", "list"], env=env, cwd="/", capture_output=True, encoding="utf-8", check=False)
    assert "multilingual-e5-small" in listed.stdout, listed.stdout + listed.stderr
    added = subprocess.run([rag, "extras", "add", "eval"], env=env, cwd="/", capture_output=True, encoding="utf-8", check=False)
    assert added.stdout.startswith("eval: ir-measures "), added.stdout + added.stderr
    shutil.rmtree(tmp_path / "server 0.1")  # 0.85 GB
