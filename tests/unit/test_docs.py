"""What the documents name is there: links between them, anchors, and files of the project."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "extension/*.md", "tests/**/README.md")
    for path in ROOT.glob(pattern)
    if "node_modules" not in path.parts
)
# The changelog names files as they were called then.
OF_TODAY = [page for page in PAGES if page.name != "CHANGELOG.md"]
_LINK = re.compile(r"\]\((?!https?:|mailto:|command:)([^)\s#]*)(#[^)\s]*)?\)")
# Neither a user's own files (`.vscode/mcp.json`) nor patterns (`config/strategies/NAME.yaml`).
_FILE = re.compile(r"`((?:(?!\.)[\w.-]+/)+(?![A-Z]+\.)[\w.-]*\w\.(?:py|ts|mjs|md|json|yaml|yml|toml|lock))`")
_TESTS = re.compile(r"`([\w./-]+\.(?:py|ts))`((?:,? “[^”]+”)+)")
_BASES = ("", "server/ragd", "extension", "extension/src", "docs", "tests", "tests/unit", "scripts")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{name(page)} links to {target}"
        if anchor and file.suffix == ".md":
            assert anchor.removeprefix("#") in anchors(file), f"{name(page)} links to {target}{anchor}"


@pytest.mark.parametrize("page", OF_TODAY, ids=name)
def test_files_that_are_named_exist(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    missing = [file for file in _FILE.findall(text) if not any((ROOT / base / file).exists() for base in (*_BASES, page.parent))]
    assert missing == [], f"{name(page)} names files that are not there"


def test_tests_that_the_review_of_the_editor_names_are_there() -> None:
    named = [
        (file, test)
        for file, tests in _TESTS.findall((ROOT / "docs" / "editor-review.md").read_text(encoding="utf-8"))
        for test in re.findall("“([^”]+)”", tests)
    ]
    assert len(named) > 60
    for file, test in named:
        found = next(path for base in _BASES if (path := ROOT / base / file).exists())
        assert test in found.read_text(encoding="utf-8"), f"{file} has no test “{test}”"


def test_the_readme_takes_a_minute_and_the_contents_a_screen() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 110
    assert len((ROOT / "docs" / "README.md").read_text(encoding="utf-8").splitlines()) <= 30


def test_every_page_is_in_the_contents() -> None:
    contents = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert [
        page.name for page in (ROOT / "docs").glob("*.md") if page.name != "README.md" and f"({page.name})" not in contents
    ] == []
