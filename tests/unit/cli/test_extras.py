"""`rag extras`: what each extra is installed from, and that nothing tells anybody to install by a name that others could hold."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from email.message import Message
from importlib import metadata
from pathlib import Path

import pytest

from ragd.cli.extras.packages import FOR, LOCKS, lost_by
from ragd.evaluation.external import environments

from ...e2e.package_index import Index, pinned, serving, wheel
from ..scripts.loading import load
from .conftest import Rag

noted_extras = load("setup.extras")
ROOT = Path(__file__).resolve().parents[3]
# A release has been there under the first name, by somebody else; the second is ours only as long as nobody takes it.
OUR_NAMES = r"(?:rag-assistant|rag_assistant|ragd)\b(?!-)"
BY_NAME = re.compile(
    rf"\b{OUR_NAMES}\[|(?:pip3?|pipx|uv|uvx|tool) (?:install|add|run)(?: -\S+)* ['\"]?{OUR_NAMES}"
    rf"|dependencies = .*\"{OUR_NAMES}\""
)


def test_every_extra_that_users_install_has_a_lock_and_says_what_it_is_for() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(FOR) == declared.keys() - {"test"} == {path.stem for path in LOCKS.glob("*.lock")}
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    assert set(environments.FOR) == {path.stem for path in Path(environments.__file__).parent.glob("*.lock")} <= groups.keys()


def test_the_extras_are_listed_with_their_state(rag: Rag) -> None:
    rows = {line.split()[0]: line for line in rag("extras", "list").stdout.splitlines()[1:]}
    assert list(rows) == [*FOR, *environments.FOR]
    assert " installed" in rows["ocr"]
    if sys.platform != "win32":
        assert "not for this machine" in rows["directml"]


def test_what_can_not_be_added_is_said(rag: Rag) -> None:
    assert "There are: ocr, llm, eval" in rag("extras", "add", "lmm", code=2).stderr
    if sys.platform != "win32":
        assert "not for this machine" in rag("extras", "add", "directml", code=2).stderr


def test_an_extra_that_came_after_the_environment_asks_for_the_set_up(rag: Rag, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Message()
    before["Provides-Extra"] = "ocr"
    monkeypatch.setattr(metadata, "metadata", lambda _name: before)
    assert "Run the set-up (scripts/quickstart.py) again" in rag("extras", "add", "llm", code=2).stderr
    assert "after the next set-up" in rag("extras", "list").stdout


@pytest.mark.parametrize(
    "text",
    [
        "pip install 'rag-assistant[llm]'",
        "install ragd[keyring]",
        "pip install ragd",
        "uv tool install ragd",
        'dependencies = ["ragd"]',
    ],
)
def test_what_is_looked_for_is_found(text: str) -> None:
    assert BY_NAME.search(text)


def test_nothing_tells_anybody_to_install_us_by_a_name() -> None:
    kinds = {".py", ".md", ".ts", ".json", ".toml", ".yaml"}
    places = [ROOT / name for name in ("server", "scripts", "docs", "extension/src", "extension/l10n")]
    ours = [*(path for place in places for path in place.rglob("*")), *ROOT.glob("*"), ROOT / "extension/package.json"]
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in ours
        if path.suffix in kinds and path.name != "CHANGELOG.md"
        for match in BY_NAME.finditer(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(("file", "owner"), [("uv-receipt.toml", "uv tool"), ("pipx_metadata.json", "pipx"), ("other", "")])
def test_who_would_lose_an_extra_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, owner: str) -> None:
    (tmp_path / file).touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert lost_by() == owner


@pytest.mark.slow
class TestInstalling:
    """In an environment of its own, whose package has a lock that names a small wheel, with an index on loopback."""

    @pytest.fixture
    def python(self, tmp_path: Path) -> Path:
        folder = tmp_path / "environment"
        venv.create(folder, with_pip=True)
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        (packages,) = {*folder.glob("lib/python3*/site-packages"), *folder.glob("Lib/site-packages")}
        # What runs there are our packages, and the code of this checkout, but with the distribution and the lock of a test.
        import click

        (packages / "ours.pth").write_text(f"{Path(click.__file__).parents[1]}\n{ROOT / 'server'}\n", "utf-8")
        info = packages / "ragd-9.9.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: ragd\nVersion: 9.9\nProvides-Extra: llm\nRequires-Dist: kestrel; extra == 'llm'\n",
            "utf-8",
        )
        return python

    def add(self, python: Path, locks: Path, index: Index, name: str = "llm") -> subprocess.CompletedProcess[str]:
        code = (
            "import pathlib, sys; from ragd.cli.extras import packages; from ragd.cli import cli;"
            "from ragd.evaluation.external import environments; from ragd.cli.extras import apart;"
            "packages.LOCKS = pathlib.Path(sys.argv[1]);"
            "apart.lock_of = environments.lock_of = lambda name: packages.LOCKS / f'{name}.lock';"
            "cli(['extras', 'add', sys.argv[2]])"
        )
        # Nothing but the index of the test: neither what this machine's pip is set up with, nor a uv of it.
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
        env |= {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": index.url, "PIP_NO_CACHE_DIR": "1", "RAG_DATA_DIR": str(locks)}
        return subprocess.run([python, "-c", code, str(locks), name], env=env, capture_output=True, encoding="utf-8", check=False)

    def test_an_extra_comes_from_its_lock_into_the_environment_that_runs(self, python: Path, tmp_path: Path) -> None:
        with serving(Index()) as index:
            file, data = wheel("kestrel", "1.0", "answer = 42\n")
            newer, other = wheel("kestrel", "2.0", "answer = 43\n")
            index.files = {file: data, newer: other}
            (tmp_path / "llm.lock").write_text(pinned(file, data), "utf-8")
            done = self.add(python, tmp_path, index)
        assert (done.returncode, done.stdout) == (0, "llm: kestrel 1.0\n"), done.stdout + done.stderr
        assert subprocess.run([python, "-c", "import kestrel; assert kestrel.answer == 42"], check=False).returncode == 0
        # What the set-up reads when it makes the environment again.
        assert noted_extras.noted(tmp_path / "environment") == ["llm"]

    def test_one_that_can_not_be_with_ours_gets_an_environment_of_its_own_once(self, python: Path, tmp_path: Path) -> None:
        with serving(Index()) as index:
            file, data = wheel("kestrel", "1.0", "answer = 42\n")
            index.files = {file: data}
            (tmp_path / "ragas.lock").write_text(pinned(file, data), "utf-8")
            done = self.add(python, tmp_path, index, "ragas")
        own = tmp_path / "environment" / "rag-extras" / "ragas"
        assert (done.returncode, done.stdout) == (0, f"ragas: {own}\n"), done.stdout + done.stderr
        asked = "import kestrel; assert kestrel.answer == 42"
        assert subprocess.run([environments.interpreter(own), "-c", asked], check=False).returncode == 0
        assert subprocess.run([python, "-c", asked], check=False, capture_output=True).returncode == 1
        # The index is gone: what is installed needs it no more, and a set-up asks for it again by its name.
        assert self.add(python, tmp_path, index, "ragas").returncode == 0
        assert noted_extras.noted(tmp_path / "environment") == ["ragas"]

    def test_another_file_of_that_name_is_refused(self, python: Path, tmp_path: Path) -> None:
        with serving(Index()) as index:
            file, data = wheel("kestrel", "1.0", "answer = 42\n")
            index.files = dict([wheel("kestrel", "1.0", "answer = 'a stranger'\n")])
            (tmp_path / "llm.lock").write_text(pinned(file, data), "utf-8")
            done = self.add(python, tmp_path, index)
        assert done.returncode == 1
        assert "The extra llm was not installed" in done.stderr
        assert "DO NOT MATCH" in done.stderr
        assert subprocess.run([python, "-c", "import kestrel"], check=False, capture_output=True).returncode == 1
        assert noted_extras.noted(tmp_path / "environment") == []
