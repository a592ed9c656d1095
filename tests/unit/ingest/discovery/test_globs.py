"""Globs as git understands them, and in bounded time."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from ragd.ingest.discovery.file_rules import FileRules, Selection
from ragd.ingest.discovery.globs import compile_glob, compile_globs


def takes(lines: str, path: str) -> bool | None:
    """The verdict on a path; a folder's ends with a slash."""
    return compile_globs(lines.split("\n")).verdict(path.rstrip("/"), is_folder=path.endswith("/"))


@pytest.mark.parametrize(
    ("lines", "path", "verdict"),
    [
        ("*.md", "a/b/c.md", True),
        ("*.md", "a/c.mdx", None),
        ("/*.md", "a/c.md", None),
        ("/*.md", "c.md", True),
        ("docs/*.md", "docs/c.md", True),
        ("docs/*.md", "x/docs/c.md", None),
        ("**/docs/*.md", "x/docs/c.md", True),
        ("docs/**", "docs/a/b", True),
        ("docs/**", "docs/", None),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**/b", "a/xb", None),
        ("build/", "x/build/", True),
        ("build/", "x/build", None),
        ("*.md\n!keep.md", "a/keep.md", False),
        ("!keep.md\n*.md", "a/keep.md", True),
        ("# x\n\n", "# x", None),
        (r"\#x", "#x", True),
        (r"\!x", "!x", True),
        ("a  ", "a", True),
        ("a\\ ", "a ", True),
        ("[a-c]?[!0-9]", "b1x", True),
        ("[a-c]?[!0-9]", "b12", None),
        ("[[:digit:]]*", "1x", True),
        ("[]x]", "]", True),
        ("*", "日本語.md", True),
        ("議事録*", "2026/議事録 4月.md", True),
        ("下書き/", "2026/下書き/", True),
    ],
)
def test_a_pattern_takes_what_git_would_ignore(lines: str, path: str, verdict: bool | None) -> None:
    assert takes(lines, path) is verdict


@pytest.mark.parametrize("line", ["", "   ", "#", "# a comment", "/", "!", "[", "a[b", "[[:none:]]", "a\\"])
def test_a_line_that_can_match_nothing_is_no_pattern(line: str) -> None:
    assert compile_glob(line) is None


def test_case_counts_unless_it_is_told_not_to() -> None:
    assert takes("*.PDF", "a.pdf") is None
    assert compile_globs(["*.PDF"], any_case=True).verdict("a.pdf", is_folder=False) is True


def test_a_folder_that_is_taken_covers_what_is_in_it_but_what_is_taken_back() -> None:
    globs = compile_globs(["docs/", "!docs/drafts/", "docs/drafts/final.md"])
    assert [
        path for path in ("docs/a.md", "docs/x/a.md", "a.md", "docs/drafts/a.md", "docs/drafts/final.md") if globs.covers(path)
    ] == [
        "docs/a.md",
        "docs/x/a.md",
        "docs/drafts/final.md",
    ]


@pytest.mark.parametrize(
    "pattern", ["*a" * 100 + "b", "/" + "*a" * 100 + "b", "**/b/**/b/**/c", "b/**/" * 30 + "c", "**/*b*/*b*/*b*/c"]
)
def test_no_pattern_makes_the_match_slow(pattern: str) -> None:
    globs = compile_globs([pattern])
    started = time.thread_time()
    for path in ("a" * 255, "a/" + "b/" * 2040 + "b", ("a" * 250 + "/") * 16 + "a"):
        assert globs.verdict(path, is_folder=False) is None
    assert time.thread_time() - started < 1


SEGMENTS = (
    "* a* *.md ? a? [ab] [!a]* [a-c]* ** foo a b *b* a*c **a 日* [[:alpha:]] [[:digit:][:upper:]]* \\a \\#h []x]* [z-a] *a*b* "
    "[\\]a] [a-]* \\!k *** [^a] *\\** x\\\\y ??"
).split()
NAMES = ["a", "b", "ab", "abc", "a.md", "b.txt", "foo", "foo.md", "日本.md", "a b", "a-b", "[x]", "!k", "#h", "z*", "x\\y", "Aa"]


def random_pattern(chance: random.Random) -> str:
    path = "/".join(chance.choice(SEGMENTS) for _ in range(chance.choice([1, 1, 2, 2, 3, 4])))
    return "!" * (chance.random() < 0.25) + "/" * (chance.random() < 0.25) + path + "/" * (chance.random() < 0.25)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None or os.name == "nt", reason="git is the oracle, and the names are of POSIX")
@pytest.mark.parametrize("seed", range(4))
def test_a_folder_with_ignore_files_at_every_level_gives_what_git_would_not_ignore(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    repository = tmp_path / "repository"
    for _ in range(150):
        file = repository.joinpath(*(chance.choice(NAMES) for _ in range(chance.randint(1, 4))))
        if not any(parent.is_file() for parent in file.parents) and not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    folders = [repository, *(path for path in sorted(repository.rglob("*")) if path.is_dir() and ".git" not in path.parts)]
    for _ in range(25):
        written = [*chance.sample(folders, min(len(folders), 5)), repository]
        for folder in written:
            lines = [random_pattern(chance) for _ in range(chance.randint(1, 3))]
            (folder / ".gitignore").write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = ["git", "-C", str(repository), "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"]
        kept = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
        assert taken(repository) == {name for name in kept if name and not name.endswith(".gitignore")}
        for folder in written:
            (folder / ".gitignore").unlink(missing_ok=True)


def taken(folder: Path) -> set[str]:
    selection = Selection(folder, FileRules())
    found = set()
    for root, folders, files in os.walk(folder):
        prefix = "" if root == str(folder) else f"{Path(root).relative_to(folder).as_posix()}/"
        folders[:] = [name for name in folders if name != ".git" and selection.passes_folder(prefix + name)]
        found |= {prefix + name for name in files if name != ".gitignore" and selection.passes_file(prefix + name)}
    return found
