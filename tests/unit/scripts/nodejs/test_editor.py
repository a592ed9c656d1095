"""What the editor of the tests asks of the machine, and when it is installed again; scripts/test.py really installs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..loading import load

editor = load("nodejs.editor")


def nothing(_name: str) -> None:
    return None


def has(*names: str) -> editor.Which:
    return lambda name: f"/usr/bin/{name}" if name in names else None


class TestMachine:
    @pytest.mark.parametrize(("system", "machine"), [("darwin", "arm64"), ("win32", "AMD64"), ("linux", "aarch64")])
    def test_another_than_linux_on_x86_64_is_told_how_to_leave_these_tests_out(self, system: str, machine: str) -> None:
        problem = editor.machine_problem(system, machine, has("chromium"), {})
        assert problem is not None
        assert "--fast" in problem

    def test_any_known_browser_will_do(self) -> None:
        assert editor.machine_problem("linux", "x86_64", has("google-chrome"), {}) is None

    def test_without_a_browser_and_without_apt_the_packages_are_named(self) -> None:
        problem = editor.machine_problem("linux", "x86_64", nothing, {})
        assert problem is not None
        assert "chromium fonts-liberation fonts-noto-cjk" in problem

    def test_a_chosen_browser_that_is_not_there_is_named(self) -> None:
        problem = editor.machine_problem("linux", "x86_64", has("chromium"), {"RAG_TEST_BROWSER": "/opt/no-such"})
        assert problem == "RAG_TEST_BROWSER names /opt/no-such, which is no program here."

    def test_a_chosen_browser_wins(self) -> None:
        assert editor.browser_path(has("chromium", "brave"), {"RAG_TEST_BROWSER": "brave"}) == "/usr/bin/brave"


class TestStamp:
    @pytest.fixture
    def installed(self, tmp_path: Path) -> editor.Editor:
        (tmp_path / "package.json").write_text("{}", "utf-8")
        (tmp_path / "package-lock.json").write_text("{}", "utf-8")
        made = editor.Editor(tmp_path)
        made.node.parent.mkdir(parents=True)
        made.node.touch()
        made.write_stamp()
        return made

    def test_what_was_installed_is_not_installed_again(self, installed: editor.Editor) -> None:
        assert installed.is_current()

    def test_another_lock_is_installed(self, installed: editor.Editor) -> None:
        (installed.folder / "package-lock.json").write_text('{"lockfileVersion": 3}', "utf-8")
        assert not installed.is_current()

    def test_a_missing_node_is_installed(self, installed: editor.Editor) -> None:
        installed.node.unlink()
        assert not installed.is_current()

    def test_a_folder_without_a_stamp_is_installed(self, tmp_path: Path) -> None:
        assert not editor.Editor(tmp_path).is_current()
