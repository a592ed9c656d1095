"""How the packages get into an environment. Programs are stand-ins that note how they were called."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ..loading import load
from ..programs import write_program

console = load("setup.console")
installers = load("setup.installers")
environment = load("setup.environment")


@pytest.fixture
def _no_pip_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        if name.startswith(("PIP_", "UV_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.mark.usefixtures("_no_pip_settings")
class TestInstalling:
    @pytest.fixture
    def calls(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
        """A uv and an environment's Python that note their arguments; `UV_FAILS` lets uv fail."""
        log = tmp_path / "calls"
        write_program(
            tmp_path / "bin" / "uv",
            f'[ "$1" = --version ] && exit 0\n[ -n "$UV_FAILS" ] && echo boom && exit 3\n'
            f'echo "uv $* [$UV_FIND_LINKS]" >> "{log}"',
        )
        write_program(tmp_path / "venv" / "python", f'echo "python $*" >> "{log}"')
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
        return lambda: log.read_text("utf-8").splitlines()

    def install(self, tmp_path: Path, terminal) -> None:
        project = installers.editable(tmp_path)
        installers.Installation(tmp_path / "requirements.lock", project, tmp_path / "venv" / "python", terminal).install()

    @pytest.mark.slow
    def test_uv_installs_the_lock_by_hash_and_then_the_project(self, tmp_path: Path, terminal, calls, monkeypatch) -> None:
        monkeypatch.setenv("PIP_FIND_LINKS", "/wheels")
        self.install(tmp_path, terminal)
        packages, project = calls()
        assert "--require-hashes -r" in packages
        assert packages.endswith("[/wheels]")
        assert "--no-deps --no-build-isolation --editable" in project

    def test_the_package_of_the_former_name_is_taken_out_first(self, tmp_path: Path, terminal, calls) -> None:
        packages = tmp_path / "lib" / "python3.11" / "site-packages"
        kept = ["ragd/__init__.py", "rag_assistant_static_site/__init__.py", "rag_assistant_static_site-0.1.0.dist-info/RECORD"]
        former = ["rag_assistant/__init__.py", "rag_assistant-0.1.0.dist-info/RECORD", "__editable__.rag_assistant-0.1.0.pth"]
        for name in (*kept, *former):
            (packages / name).parent.mkdir(parents=True, exist_ok=True)
            (packages / name).touch()
        write_program(tmp_path / "bin" / "rag", "exit 0")
        self.install(tmp_path, terminal)
        assert {path.relative_to(packages).as_posix() for path in packages.rglob("*") if path.is_file()} == set(kept)
        assert (tmp_path / "bin" / "rag").exists()
        assert len(calls()) == 2

    @pytest.mark.slow
    def test_when_uv_fails_pip_installs_and_the_reason_is_told(
        self, tmp_path: Path, terminal, calls, output, monkeypatch
    ) -> None:
        monkeypatch.setenv("UV_FAILS", "1")
        self.install(tmp_path, terminal)
        assert "uv could not install" in output.getvalue()
        assert "| boom" in output.getvalue()
        packages, project = calls()
        assert packages.startswith("python ")
        assert "--require-hashes -r" in packages
        assert "-m pip install --no-compile --no-deps --no-build-isolation --editable" in project

    @pytest.mark.slow
    def test_pip_settings_without_a_counterpart_in_uv_make_pip_install(
        self, tmp_path: Path, terminal, calls, output, monkeypatch
    ) -> None:
        monkeypatch.setenv("PIP_ONLY_BINARY", ":all:")
        self.install(tmp_path, terminal)
        assert "only-binary" in output.getvalue()
        assert [call.split()[0] for call in calls()] == ["python", "python"]

    @pytest.mark.slow
    def test_a_failed_install_ends_with_the_installers_words_and_advice(
        self, tmp_path: Path, terminal, calls, monkeypatch
    ) -> None:
        monkeypatch.setenv("UV_FAILS", "1")
        write_program(tmp_path / "venv" / "python", "echo 'OSError: No space left on device'; exit 1")
        with pytest.raises(
            console.StopError, match=r"(?s)Installing the packages failed.*No space left.*The disk is full"
        ) as raised:
            self.install(tmp_path, terminal)
        assert raised.value.exit_code == 1

    def test_a_mirror_without_uv_is_no_failure(self, tmp_path: Path, terminal, output: io.StringIO) -> None:
        pip = [sys.executable, "-c", "import sys; print('no such package'); sys.exit(1)"]
        assert installers.fetch_uv(pip, tmp_path / "requirements-tools.lock", tmp_path / "tools", terminal) is None
        assert "no such package" in output.getvalue()

    def test_nothing_of_another_environment_reaches_the_installers(self) -> None:
        leftovers = {"PYTHONPATH": "/x", "VIRTUAL_ENV": "/v", "UV_SYSTEM_PYTHON": "1", "PATH": "/bin"}
        assert installers.child_environment(leftovers) == {"PATH": "/bin"}
