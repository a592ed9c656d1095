"""What tests of several scripts need: a terminal whose output can be read, and a checkout with its environment."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from .loading import load
from .programs import write_program

console = load("setup.console")
environment = load("setup.environment")


@pytest.fixture
def output() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def terminal(output: io.StringIO):
    return console.Console(steps=2, stream=output)


@pytest.fixture
def checkout(tmp_path: Path):
    """A project with locks and an environment whose Python is a stand-in."""
    for name in ("requirements.lock", "requirements-test.lock", "pyproject.toml"):
        (tmp_path / name).write_text(f"# {name}\n", "utf-8")
    made = environment.Environment(tmp_path)
    write_program(made.program("python"), "exit 0")
    return made
