"""Each recipe of docs/where-to-add.md, followed to the letter in a copy of the project, and used."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "where-to-add.md"
# Followed by extension/tests/unit/recipes.test.ts, and by tests/unit/sources/test_example_source.py.
ELSEWHERE = {"A webview", "A source"}

_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?:#|//) (?P<path>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_OUTCOME = re.compile(r"^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|SUBPASSED\S*|SUBFAILED\S*) ([^\s:]+\.py)", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """A new file (`diff` False) or a change of a file: lines that begin with ' ' or '-' stand there, those with '+' come."""

    path: str
    text: str
    diff: bool

    def take(self, root: Path) -> None:
        target = root / self.path
        if not self.diff:
            assert not target.exists(), f"{self.path} is there already"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.text, encoding="utf-8")
            return
        lines = self.text.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        text = target.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"these lines stand {text.count(before)} times in {self.path}:\n{before}"
        target.write_text(text.replace(before, after), encoding="utf-8")


def recipes() -> dict[str, list[Step]]:
    """The steps of each recipe by its heading."""
    sections = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {
        title: [Step(found["path"], found["text"], found["kind"] == "diff") for found in _BLOCK.finditer(body)]
        for title, body in zip(sections[1::2], sections[2::2], strict=True)
    }


@dataclass(frozen=True)
class Copy:
    """A copy of the project's sources that recipes may change."""

    root: Path

    def follow(self, title: str) -> None:
        for step in recipes()[title]:
            step.take(self.root)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Python, with the copy's package in place of ours; its modules are compiled once, for all that is run."""
        env = {**os.environ, "PYTHONPATH": str(self.root / "server"), "RAG_CONFIG_DIR": str(self.root / "config")}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        return subprocess.run(
            [sys.executable, *arguments], env=env, cwd=self.root, capture_output=True, encoding="utf-8", check=False, timeout=900
        )

    def printed(self, *arguments: str) -> str:
        """What Python prints when all is well."""
        done = self.run(*arguments)
        assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def outcomes(self, paths: Iterable[str]) -> tuple[dict[str, Counter[str]], str]:
        """How many tests of each file ended in which way, of one run over all of them; and what pytest printed."""
        done = self.run("-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-p", "no:xdist", *paths)
        found: dict[str, Counter[str]] = {path: Counter() for path in paths}
        for outcome, path in _OUTCOME.findall(done.stdout):
            found.setdefault(path, Counter())[outcome] += 1
        return found, f"{done.stdout}\n{done.stderr}"


@pytest.fixture
def copy(tmp_path: Path) -> Iterator[Copy]:
    root = tmp_path / "project"
    ignored = shutil.ignore_patterns("__pycache__", "samples", "data", "e2e", "atlassian_server", "cloud", "golden")
    # What is compiled already need not be compiled again.
    shutil.copytree(ROOT / "server", root / "server")
    for name in ("config", "docs", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    (root / "scripts").mkdir()
    shutil.copy(ROOT / "pyproject.toml", root)
    yield Copy(root)
    shutil.rmtree(root)


def format_(copy: Copy) -> None:
    program = """
from ragd.formats.registry import format_of_loader, loader_name_for, supported_extensions
from ragd.providers.registry import build
name = loader_name_for("Ann.VCF")
document = build("loader", name).load(b"BEGIN:VCARD\\nFN:Ann\\nEND:VCARD\\n", "Ann.VCF")
print(name, format_of_loader(name).label, ".vcf" in supported_extensions(), "FN:Ann" in document.markdown)
"""
    assert copy.printed("-c", program) == "vcard Contact True True\n"


def command(copy: Copy) -> None:
    assert copy.printed("-m", "ragd", "hello", "Ann") == "Hello, Ann.\n"
    assert "Say hello to NAME." in copy.printed("-m", "ragd", "--help")


USES: dict[str, Callable[[Copy], None]] = {"A format": format_, "A command": command}
TESTS: dict[str, list[str]] = {
    "A provider": ["tests/unit/providers/test_shortest.py"],
    "A setting": ["tests/unit/config/test_settings.py"],
    "A route": ["tests/unit/api/routes/test_hello.py", "tests/unit/api/test_documentation.py"],
}
MAP = "tests/unit/test_structure.py"


@pytest.mark.slow
def test_the_recipes_give_what_they_say_and_keep_the_map(copy: Copy, subtests: pytest.Subtests) -> None:
    for title in (*USES, *TESTS):
        with subtests.test(f"{title}: its steps"):
            copy.follow(title)
    for title, use in USES.items():
        with subtests.test(f"{title}: its use"):
            use(copy)
    # One process for all: each takes seconds before its first test.
    outcomes, printed = copy.outcomes([*(path for paths in TESTS.values() for path in paths), MAP])
    for title, paths in {**TESTS, "The map": [MAP]}.items():
        with subtests.test(f"{title}: its tests"):
            for path in paths:
                assert set(outcomes.pop(path)) == {"PASSED"}, f"{path} after all recipes:\n{printed}"
    assert not outcomes, printed


def test_every_recipe_is_followed() -> None:
    assert set(recipes()) == {*USES, *TESTS, *ELSEWHERE}
    assert [title for title, steps in recipes().items() if not steps] == ["A source"]
