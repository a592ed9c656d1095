"""A folder's configuration, what is found in it, and which changes below it can matter."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ragd.core.errors import ForbiddenPath, ServiceUnavailable, ValidationFailed
from ragd.sources.folder.config import MAX_CHANGES, FolderConfig


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    for name in ("a.md", "sub/b.md", "sub/c.xyz", "drafts/d.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("text")
    return folder


def config(folder: Path, **options: Any) -> FolderConfig:
    return FolderConfig.parse({"path": str(folder), **options}, ())


def changed(folder: Path, *names: str, avoid: tuple[Path, ...] = (), **options: Any) -> set[str] | None:
    found = config(folder, **options).relevant([str(folder / name) for name in names], avoid)
    return None if found is None else set(found)


def fields_of(values: dict[str, Any], roots: tuple[str, ...] = ()) -> dict[str, str]:
    with pytest.raises(ValidationFailed) as caught:
        FolderConfig.parse(values, roots)
    return {problem.field: problem.code for problem in caught.value.details}


def test_a_configuration_keeps_what_was_given_and_can_be_stored(docs: Path) -> None:
    given = {
        "path": str(docs),
        "include": ["*.md", "規程/**"],
        "exclude": ["drafts/"],
        "gitignore": False,
        "watch": False,
        "poll": True,
    }
    made = FolderConfig.parse(given, (str(docs.parent),))
    assert made.as_dict() == given
    assert FolderConfig.stored(made.as_dict()) == made
    assert config(docs).as_dict() == {
        "path": str(docs),
        "include": [],
        "exclude": [],
        "gitignore": True,
        "watch": True,
        "poll": None,
    }


def test_each_wrong_value_is_told_with_its_field(docs: Path) -> None:
    wrong = {"path": " ", "include": "*.md", "exclude": [1], "gitignore": "yes", "watch": None, "poll": 1, "pathh": "x"}
    assert fields_of(wrong) == {
        "config.path": "missing",
        "config.include": "invalid",
        "config.exclude": "invalid",
        "config.gitignore": "invalid",
        "config.watch": "invalid",
        "config.poll": "invalid",
        "config.pathh": "unknown",
    }
    assert fields_of({}) == {"config.path": "missing"}
    assert fields_of({"path": str(docs), "include": ["*.md", "#"]}) == {"config.include[1]": "invalid"}


@pytest.mark.parametrize(
    ("path", "code"),
    [("docs", "relative"), ("{tmp}/none", "not_found"), ("{tmp}/docs/a.md", "not_a_folder"), ("{tmp}/a\0b", "unreadable")],
)
def test_a_path_that_is_no_folder_is_told(docs: Path, path: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(docs.parent)
    assert fields_of({"path": path.format(tmp=docs.parent)}) == {"config.path": code}


def test_a_folder_outside_the_allowed_roots_is_forbidden_even_by_a_link(docs: Path) -> None:
    (docs.parent / "allowed").mkdir()
    (docs.parent / "allowed" / "link").symlink_to(docs)
    for path in (docs, docs.parent / "allowed" / "link", docs.parent / "allowed" / ".." / "docs"):
        with pytest.raises(ForbiddenPath):
            FolderConfig.parse({"path": str(path)}, (str(docs.parent / "allowed"),))


def test_a_link_stays_a_link_and_dots_are_resolved(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (docs.parent / "current").symlink_to(docs)
    assert config(docs.parent / "current").path == str(docs.parent / "current")
    assert config(docs / "sub" / "..").path == str(docs)
    monkeypatch.setenv("HOME", str(docs.parent))
    assert config(Path("~/docs")).path == str(docs)


def test_a_scan_follows_the_rules_and_names_files_from_the_folder(docs: Path) -> None:
    found = config(docs, exclude=["drafts/"]).scan((), ())
    assert [item.source for item in found.items] == ["a.md", "sub/b.md"]
    assert (found.skipped, found.ignored) == (1, 1)
    assert [item.source for item in config(docs).scan((), (), ["sub"]).items] == ["sub/b.md"]


def test_changes_are_told_relative_to_the_folder(docs: Path) -> None:
    assert changed(docs, "a.md", "sub/b.md", "sub", "gone.md", "gone-folder", "新しい.md") == {
        "a.md",
        "sub/b.md",
        "sub",
        "gone.md",
        "gone-folder",
        "新しい.md",
    }


def test_changes_that_can_not_matter_are_left_out(docs: Path) -> None:
    names = (
        "sub/c.xyz",
        "~$a.docx",
        "a.md~",
        ".git/index",
        "node_modules/x/y.md",
        "a.md.tmp",
        "sub/.b.md.swp",
        "drafts/d.md",
        "4913",
    )
    assert changed(docs, *names, exclude=["drafts/"]) == set()
    assert changed(docs, "drafts/d.md", "a.md", include=["drafts"]) == {"drafts/d.md"}


def test_ignored_changes_are_left_out_but_a_changed_ignore_file_matters(docs: Path) -> None:
    (docs / ".gitignore").write_text("/drafts/\n*.log\n")
    assert changed(docs, "drafts/d.md", "x.log", "sub/y.log", "a.md") == {"a.md"}
    assert changed(docs, "a.md", ".gitignore") is None
    assert changed(docs, "sub/.gitignore") == {"sub"}
    assert changed(docs, "drafts/.gitignore") == set()
    assert changed(docs, ".gitignore", "drafts/d.md", gitignore=False) == {"drafts/d.md"}


def test_what_is_ours_is_never_a_change(docs: Path) -> None:
    own = docs / "data"
    assert changed(docs, "data/logs/x.md", "data", "a.md", avoid=(own,)) == {"a.md"}
    assert changed(docs / "sub", "b.md", avoid=(docs, docs / "sub")) == {"b.md"}


def test_a_path_that_is_not_below_the_folder_means_everything(docs: Path) -> None:
    for path in (docs, docs.parent, docs.parent / "docs2" / "a.md"):
        assert config(docs).relevant([str(path)], ()) is None
    (docs.parent / "link").symlink_to(docs)
    assert config(docs.parent / "link").relevant([str(docs / "a.md")], ()) == {"a.md"}


def test_too_many_changes_mean_everything(docs: Path) -> None:
    assert changed(docs, *(f"{number}.md" for number in range(MAX_CHANGES))) is not None
    assert changed(docs, *(f"{number}.md" for number in range(MAX_CHANGES + 1))) is None


def test_a_link_to_a_file_may_be_a_document_whatever_it_is_called(docs: Path) -> None:
    (docs / "current").symlink_to(docs / "a.md")
    (docs / "plain").write_text("x")
    assert changed(docs, "current", "plain") == {"current"}


def test_a_name_below_a_link_is_known(docs: Path) -> None:
    (docs / "link").symlink_to(docs / "sub")
    assert config(docs).is_below_link("link/b.md")
    assert not config(docs).is_below_link("sub/b.md")
    assert not config(docs).is_below_link("link")


def test_a_root_that_is_gone_or_no_folder_or_forbidden_is_told_and_another_one_of_its_name_is_known(docs: Path) -> None:
    made = config(docs)
    first = made.check_root("guide", ())
    assert first == made.check_root("guide", ())
    with pytest.raises(ForbiddenPath):
        made.check_root("guide", (str(docs / "sub"),))
    docs.rename(docs.with_name("away"))
    with pytest.raises(ServiceUnavailable, match=r"of the source 'guide' is not there.*No document was deleted"):
        made.check_root("guide", ())
    docs.write_text("a file")
    with pytest.raises(ServiceUnavailable, match="can't be read"):
        made.check_root("guide", ())
    os.remove(docs)
    docs.mkdir()
    assert made.check_root("guide", ()) != first
