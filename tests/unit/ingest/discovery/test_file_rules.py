"""What rules, ignore files and temporary names leave out of a folder, and looking at a part of it."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from ragd.core.errors import ValidationFailed
from ragd.ingest.discovery.file_rules import TEMPORARY, FileRules, Selection, check_globs
from ragd.ingest.discovery.files import Found, Part, find_files


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def find(*paths: Path, roots: tuple[Path, ...] = (), **options: Any) -> Found:
    return find_files([str(path) for path in paths], recursive=True, allowed_roots=[str(root) for root in roots], **options)


def sources(found: Found) -> list[str]:
    return [item.source for item in found.items]


@pytest.mark.parametrize(
    "name",
    [
        "~$report.docx", ".~lock.report.odt#", "report.docx.sb-1a2b3c4d-AbCdEf", ".guide.md.swp", "guide.md.swx", "4913",
        "guide.md~", "#guide.md#", ".#guide.md", "guide.md___jb_tmp___", "guide.md___jb_old___", "~WRD0001.tmp", "setup.pdf.part",
        "a.pdf.partial", "a.pdf.crdownload", "a.pdf.download", "a.pdf.opdownload", "~syncthing~a.md.tmp", "THUMBS.DB",
        "desktop.ini", ".DS_Store",
    ],
)  # fmt: skip
def test_what_editors_and_tools_leave_behind_is_passed_over_in_folders(tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    found = find(tmp_path)
    assert (found.items, found.skipped, found.failed, found.ignored) == ([], 0, [], 0)
    assert not Selection(tmp_path, FileRules()).reaches(name, is_folder=None)
    assert not Selection(tmp_path, FileRules()).reaches(f"{name}/a.md", is_folder=False)


def test_every_temporary_name_has_its_reason() -> None:
    assert all(glob and reason for glob, reason in TEMPORARY)


@pytest.mark.parametrize("name", ["guide.md", "49130.md", "part.md", "tmp.md", "~home.md", "a#b.md", "C#.md", "#1 of 3.md"])
def test_a_name_that_only_looks_temporary_is_taken(tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    assert sources(find(tmp_path)) == [name]


def test_ignore_files_hold_at_every_level_and_a_deeper_one_overrules(tmp_path: Path) -> None:
    for name in ("a.md", "draft.md", "build/x.md", "sub/draft.md", "sub/b.md", "sub/deep/b.md", "sub/deep/note.txt"):
        write(tmp_path / name)
    write(tmp_path / ".gitignore", "draft.md\n/build/\n*.txt\n")
    write(tmp_path / "sub" / ".gitignore", "!draft.md\n/b.md\n")
    found = find(tmp_path)
    assert sources(found) == ["a.md", "sub/draft.md", "sub/deep/b.md"]
    assert (found.ignored, found.skipped, found.failed) == (4, 0, [])
    assert len(find(tmp_path, rules=FileRules(gitignore=False)).items) == 7


def test_ignore_files_above_hold_as_far_as_the_git_work_tree_goes(tmp_path: Path) -> None:
    docs = tmp_path / "project" / "docs"
    for name in ("a.md", "secret.md", "draft.md"):
        write(docs / name)
    write(tmp_path / ".gitignore", "a.md\n")
    write(tmp_path / "project" / ".gitignore", "draft.md\n/docs/secret.md\n")
    assert len(find(docs).items) == 3
    (tmp_path / "project" / ".git").mkdir()
    assert sources(find(docs)) == ["a.md"]


def test_a_folder_that_is_ignored_itself_is_taken_when_it_is_named(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / ".gitignore", "/generated/\n*.md\n")
    write(tmp_path / "generated" / "api" / "a.md")
    assert sources(find(tmp_path / "generated" / "api")) == ["a.md"]
    assert sources(find(tmp_path)) == []


def test_a_file_that_is_named_itself_is_taken_whatever_the_rules_say(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "*.md\n")
    ignored, hidden = write(tmp_path / "a.md"), write(tmp_path / ".b.md")
    assert sources(find(ignored, hidden, rules=FileRules(exclude=("*",)))) == ["a.md", ".b.md"]


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_an_ignore_file_that_is_a_link_or_no_file_or_no_text_ignores_nothing_more(tmp_path: Path) -> None:
    write(tmp_path / "outside", "*.md\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / ".gitignore").symlink_to(tmp_path / "outside")
    write(tmp_path / "docs" / "sub" / "a.md")
    (tmp_path / "docs" / "sub" / ".gitignore").mkdir()
    write(tmp_path / "docs" / "binary" / "b.md")
    (tmp_path / "docs" / "binary" / ".gitignore").write_bytes(b"\xef\xbb\xbfc.md\r\n\xff\xfe\x00\n")
    write(tmp_path / "docs" / "binary" / "c.md")
    assert sources(find(tmp_path / "docs")) == ["binary/b.md", "sub/a.md"]


def test_globs_choose_and_leave_out_in_any_case(tmp_path: Path) -> None:
    for name in ("A.PDF", "b.md", "old/c.pdf", "docs/d.md", "docs/drafts/e.md", "Archive/f.pdf"):
        write(tmp_path / name)
    assert sources(find(tmp_path, rules=FileRules(include=("*.pdf", "docs/**"), exclude=("archive/", "drafts")))) == [
        "A.PDF",
        "docs/d.md",
        "old/c.pdf",
    ]
    assert sources(find(tmp_path, rules=FileRules(include=("docs", "!docs/drafts")))) == ["docs/d.md"]
    assert sources(find(tmp_path, rules=FileRules(exclude=("*", "!*/", "!b.md")))) == ["b.md"]


def test_a_glob_finds_a_japanese_name_however_it_is_composed(tmp_path: Path) -> None:
    write(tmp_path / unicodedata.normalize("NFD", "ガイド") / unicodedata.normalize("NFD", "手順ガイド.md"))
    write(tmp_path / "下書き.md")
    for form in ("NFC", "NFD"):
        glob = unicodedata.normalize(form, "ガイド/")
        assert sources(find(tmp_path, rules=FileRules(include=(glob,)))) == ["ガイド/手順ガイド.md"]
        assert sources(find(tmp_path, rules=FileRules(exclude=(glob,)))) == ["下書き.md"]


def test_a_glob_that_can_match_nothing_is_told() -> None:
    assert check_globs(["*.md", "!a", "日本/**"], "include") == ("*.md", "!a", "日本/**")
    with pytest.raises(ValidationFailed) as caught:
        check_globs(["*.md", "# md", "", "a\nb"], "exclude")
    assert [problem.field for problem in caught.value.details] == ["exclude[1]", "exclude[2]", "exclude[3]"]


def test_a_part_of_a_folder_is_looked_at_under_the_same_rules(tmp_path: Path) -> None:
    for name in ("a.md", "sub/b.md", "sub/deep/c.md", "sub/deep/ignored.md", "sub/x/d.md", "subway/e.md", "build/f.md"):
        write(tmp_path / name)
    write(tmp_path / ".gitignore", "ignored.md\n/build/\n")
    for names, expected in [
        (["a.md"], ["a.md"]),
        (["sub"], ["sub/b.md", "sub/deep/c.md", "sub/x/d.md"]),
        (["sub/deep", "sub/x/d.md", "gone.md"], ["sub/deep/c.md", "sub/x/d.md"]),
        (["sub/deep/ignored.md", "build/f.md", "build"], []),
        ([], []),
    ]:
        assert sources(find(tmp_path, part=Part(names))) == expected


def test_a_folder_to_avoid_is_not_entered_even_by_a_link(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.md")
    own = write(tmp_path / "docs" / "data" / "logs" / "log.md").parent
    (tmp_path / "docs" / "link").symlink_to(own)
    assert sources(find(tmp_path / "docs", avoid=[own.resolve()])) == ["a.md"]
    assert sources(find(own, avoid=[own.resolve()])) == ["log.md"]


def test_what_can_not_be_looked_at_is_listed_apart_from_what_is_not_there(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.md")
    write(tmp_path / "outside" / "b.md")
    (tmp_path / "docs" / "dangling.md").symlink_to(tmp_path / "docs" / "nothing.md")
    (tmp_path / "docs" / "out").symlink_to(tmp_path / "outside")
    found = find(tmp_path / "docs", roots=(tmp_path / "docs",))
    assert sorted((failure.source, failure.code) for failure in found.failed) == [
        ("dangling.md", "VANISHED"),
        ("out", "FORBIDDEN_PATH"),
    ]
    assert found.unread == ["out"]
