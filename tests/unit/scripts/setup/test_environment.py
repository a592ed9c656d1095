"""What an environment asks of the machine, and when it is made again."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest

from ..loading import load
from ..programs import write_program

environment = load("setup.environment")


class TestTheMachine:
    def test_an_old_python_is_told_apart_and_a_newer_one_on_path_is_named(self) -> None:
        assert environment.python_problem((3, 11, 0), lambda _: None) is None
        alone = environment.python_problem((3, 9, 2), lambda _: None)
        assert "3.11 or newer is needed; this is 3.9.2" in alone
        beside = environment.python_problem((3, 9, 2), lambda name: "/usr/bin/" + name if name == "python3.12" else None)
        assert "python3.12 scripts/" in beside

    @pytest.mark.parametrize("present", [{"venv", "pip"}, {"venv", "ensurepip"}])
    def test_pip_or_ensurepip_is_enough(self, present: set[str]) -> None:
        assert environment.modules_problem(present.__contains__, False, True) is None

    def test_uv_replaces_pip_but_not_venv(self) -> None:
        assert environment.modules_problem({"venv"}.__contains__, True, True) is None
        assert environment.modules_problem({"pip"}.__contains__, True, True) is not None

    def test_the_advice_fits_the_system(self) -> None:
        assert "apt-get install -y python3-venv" in environment.modules_problem({"venv"}.__contains__, False, True)
        assert "apt-get" not in environment.modules_problem({"venv"}.__contains__, False, False)

    def test_a_system_without_packages_is_named(self) -> None:
        assert environment.system_problem("Linux", "aarch64", "") is None
        assert environment.system_problem("Windows", "AMD64", "") is None
        assert environment.system_problem("Darwin", "arm64", "14.0") is None
        assert "built for arm64" in environment.system_problem("Darwin", "x86_64", "15.1")
        assert "macOS 14 or newer is needed; this is 13.6.1" in environment.system_problem("Darwin", "arm64", "13.6.1")

    def test_a_full_disk_is_said_with_both_numbers(self) -> None:
        assert environment.disk_problem(1_500_000_000) is None
        assert "1.5 GB of free disk space is needed here; there is 0.2 GB" in environment.disk_problem(200_000_000)


class TestTheStamp:
    def test_what_was_installed_is_current(self, checkout) -> None:
        assert not checkout.is_current("requirements.lock")
        checkout.write_stamp("requirements.lock")
        assert checkout.is_current("requirements.lock")
        assert not checkout.is_current("requirements-test.lock")

    def test_the_test_lock_covers_the_base_lock(self, checkout) -> None:
        checkout.write_stamp("requirements-test.lock")
        assert checkout.is_current("requirements-test.lock")
        assert checkout.is_current("requirements.lock")

    @pytest.mark.parametrize("changed", ["requirements.lock", "pyproject.toml"])
    def test_a_changed_lock_or_project_file_is_installed_again(self, checkout, changed: str) -> None:
        checkout.write_stamp("requirements.lock")
        (checkout.root / changed).write_text("# changed\n", "utf-8")
        assert not checkout.is_current("requirements.lock")

    def test_a_moved_checkout_is_installed_again(self, checkout, tmp_path: Path) -> None:
        checkout.write_stamp("requirements.lock")
        shutil.copytree(tmp_path, tmp_path.parent / "moved")
        assert not environment.Environment(tmp_path.parent / "moved").is_current("requirements.lock")

    def test_an_environment_without_its_python_is_installed_again(self, checkout) -> None:
        checkout.write_stamp("requirements.lock")
        checkout.program("python").unlink()
        assert not checkout.is_current("requirements.lock")

    @pytest.mark.parametrize("content", ["", "{", "[]"])
    def test_a_damaged_stamp_counts_as_none(self, checkout, content: str) -> None:
        checkout.stamp.write_text(content, "utf-8")
        assert not checkout.is_current("requirements.lock")

    def test_a_current_environment_is_left_alone(self, checkout, terminal, output: io.StringIO) -> None:
        checkout.write_stamp("requirements.lock")
        write_program(checkout.program("python"), "exit 1")
        checkout.ensure("requirements.lock", terminal)
        assert "up to date" in output.getvalue()
