"""What tests of several scripts need: a terminal whose output can be read, and a checkout with its environment."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from .loading import load
from .programs import write_program

console = load("setup.console")
environment = load("setup.environment")


SUBJECTS = (
    ("lease", "A lease is kept by its holder until it is given back or its time is over."),
    ("quota", "A quota bounds what a project may store, and counts every copy of a file."),
    ("snapshot", "A snapshot keeps a volume as it was at one moment, without copying it."),
    ("gateway", "The gateway checks the token of each request before it goes any further."),
    ("ledger", "The ledger names each item with the day on which it was last compared."),
    ("replica", "A replica follows its leader and answers while the leader is away."),
    ("tenant", "A tenant sees its own projects alone, whoever else is on the machine."),
    ("backup", "A backup is made each night and is checked before an older one is removed."),
)


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


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A folder of sections with a question for each, and a second file on each subject that counts neither way."""
    folder = tmp_path / "set"
    folder.mkdir()
    files = [{"file": f"{name}.txt", "text": f"{text} Nobody has to ask for it.", "section": name} for name, text in SUBJECTS]
    files += [{"file": f"{name}-more.txt", "text": f"More of the {name}: {text}", "section": name} for name, text in SUBJECTS]
    asked = [
        {
            "id": name,
            "type": "said",
            "query": f"please say in a few words what is known here of what is called a {name} and why it is there",
            "relevant": [f"{name}.txt"],
            "neutral": [f"{name}-more.txt"],
        }
        for name, _ in SUBJECTS
    ]
    for name, rows in (("corpus", files), ("queries", asked)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return folder
