"""Finding files in a hostile folder: links, names, permissions, and what is no file."""

from __future__ import annotations

import os
import shutil
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragd.core.errors import DocumentUnreadable, ForbiddenPath
from ragd.ingest.discovery.file_rules import FileRules, shown
from ragd.ingest.discovery.files import Found, check_allowed, find_files
from ragd.ingest.discovery.items import FileItem

NOBODY = 65534


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def find(*paths: Path | str, recursive: bool = True, roots: tuple[Path, ...] = ()) -> Found:
    return find_files([str(path) for path in paths], recursive=recursive, allowed_roots=[str(root) for root in roots])


def sources(found: Found) -> list[str]:
    return [item.source for item in found.items]


def failures(found: Found) -> list[tuple[str, str]]:
    return [(failure.source, failure.code) for failure in found.failed]


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything; drop that right for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that other users can enter (pytest's own ones are private)."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        path.chmod(0o700)
    shutil.rmtree(folder)


def test_a_folder_gives_its_files_in_order_with_paths_relative_to_it(tmp_path: Path) -> None:
    for name in ("b.md", "a.txt", "sub/c.md", "sub/deep/d.py", "Makefile", "photo.xyz"):
        write(tmp_path / name)
    found = find(tmp_path)
    assert sources(found) == ["Makefile", "a.txt", "b.md", "sub/c.md", "sub/deep/d.py"]
    assert (found.skipped, found.failed) == (1, [])
    assert found.items[3].path == tmp_path / "sub" / "c.md"
    assert sources(find(tmp_path, recursive=False)) == ["Makefile", "a.txt", "b.md"]


def test_a_file_named_itself_is_known_by_its_name(tmp_path: Path) -> None:
    path = write(tmp_path / "sub" / "a.md")
    assert [(item.source, item.uri) for item in find(path).items] == [("a.md", path.as_uri())]


def test_hidden_names_and_folders_of_tools_are_passed_over_unless_named(tmp_path: Path) -> None:
    for name in (".git/config.md", ".env.md", "node_modules/x.md", "sub/__pycache__/x.py", "sub/.hidden/x.md", "a.md"):
        write(tmp_path / name)
    found = find(tmp_path)
    assert (sources(found), found.skipped, found.failed) == (["a.md"], 0, [])
    assert sources(find(tmp_path / ".git", tmp_path / ".env.md")) == ["config.md", ".env.md"]


def test_what_is_left_out_is_named_with_its_reason(tmp_path: Path) -> None:
    for name in (
        ".git/config",
        ".env.md",
        "a.md",
        "plan.vsd",
        "Makefile.local",
        "sub/b.md",
        "sub/c.log",
        "out/x.md",
        "sub/d.tmp",
    ):
        write(tmp_path / name)
    (tmp_path / ".gitignore").write_text("out/\n")
    (tmp_path / "sub" / ".gitignore").write_text("*.log\n")
    found = find(tmp_path)
    assert sources(found) == ["a.md", "sub/b.md"]
    reasons = {one.source: (one.code, one.message) for one in found.left_out}
    assert reasons["plan.vsd"] == ("UNSUPPORTED_MEDIA_TYPE", "no reader for .vsd")
    assert reasons["out/"] == ("IGNORED", "ignored by .gitignore")
    assert reasons["sub/c.log"] == ("IGNORED", "ignored by sub/.gitignore")
    assert {reasons[name][0] for name in (".git/", ".env.md", ".gitignore", "sub/d.tmp")} == {"HIDDEN"}
    assert found.left_out[0].code == "UNSUPPORTED_MEDIA_TYPE"
    assert (found.skipped, found.ignored) == (2, 2)
    by_glob = find_files(
        [str(tmp_path)], recursive=True, allowed_roots=(), rules=FileRules(("*.md",), ("sub/",), gitignore=False)
    )
    assert {one.message for one in by_glob.left_out if one.code == "IGNORED"} == {"in no include glob", "in an exclude glob"}


def test_a_named_file_that_can_not_be_taken_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    unknown = write(tmp_path / "photo.xyz")
    found = find(tmp_path / "none.md", unknown, tmp_path / "pipe.md")
    assert [code for _, code in failures(found)] == ["VANISHED", "UNSUPPORTED_MEDIA_TYPE", "UNREADABLE"]
    assert ".md" in found.failed[1].message
    assert find(tmp_path).skipped == 2  # in a folder, what is no file of a known type is passed over


def test_a_circle_of_links_ends_and_each_file_is_taken_once(tmp_path: Path) -> None:
    write(tmp_path / "sub" / "a.md")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "sub")
    (tmp_path / "loop.md").symlink_to(tmp_path / "loop.md")
    found = find(tmp_path)
    assert len(found.items) == 1
    assert failures(found) == [("loop.md", "UNREADABLE")]


def test_a_file_reached_by_two_links_or_named_twice_is_taken_once(tmp_path: Path) -> None:
    real = write(tmp_path / "real" / "a.md")
    (tmp_path / "docs").mkdir()
    for name in ("one.md", "two.md"):
        (tmp_path / "docs" / name).symlink_to(real)
    assert sources(find(tmp_path / "docs")) == ["one.md"]
    assert len(find(real, tmp_path / "docs", tmp_path / "real", f"{real.parent}/../real/a.md").items) == 1


def test_what_a_link_points_to_decides_whether_it_is_read(tmp_path: Path) -> None:
    write(tmp_path / "store" / "blob.xyz")
    write(tmp_path / "store" / "guide.md")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").symlink_to(tmp_path / "store" / "blob.xyz")
    (tmp_path / "docs" / "current").symlink_to(tmp_path / "store" / "guide.md")
    found = find(tmp_path / "docs")
    assert (sources(found), found.skipped) == (["current"], 1)


def test_a_dangling_link_is_told(tmp_path: Path) -> None:
    (tmp_path / "gone.md").symlink_to(tmp_path / "nothing.md")
    assert failures(find(tmp_path)) == [("gone.md", "VANISHED")]
    assert [code for _, code in failures(find(tmp_path / "gone.md"))] == ["VANISHED"]


@pytest.mark.parametrize("way", ["direct", "dots", "link", "prefix"])
def test_no_way_leads_out_of_the_allowed_roots(tmp_path: Path, way: str) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    secret = write(tmp_path / ("docs-secret" if way == "prefix" else "secret") / "s.md")
    (root / "link.md").symlink_to(secret)
    named = {"direct": secret, "dots": f"{root}/../secret/s.md", "link": root / "link.md", "prefix": secret}[way]
    found = find(named, roots=(root,))
    assert (found.items, [code for _, code in failures(found)]) == ([], ["FORBIDDEN_PATH"])
    with pytest.raises(ForbiddenPath, match="allowed_roots"):
        check_allowed(Path(named), [str(root)])


def test_a_link_to_a_folder_outside_is_one_failure_and_tells_no_name_of_what_is_there(tmp_path: Path) -> None:
    write(tmp_path / "outside" / "secret.md")
    write(tmp_path / "docs" / "a.md")
    (tmp_path / "docs" / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "docs" / "b.md").symlink_to(tmp_path / "outside" / "secret.md")
    found = find(tmp_path / "docs", roots=(tmp_path / "docs",))
    assert sources(found) == ["a.md"]
    assert sorted(failures(found)) == [("b.md", "FORBIDDEN_PATH"), ("out", "FORBIDDEN_PATH")]
    assert "secret" not in str(found.failed)


def test_a_link_that_stays_inside_an_allowed_root_is_followed(tmp_path: Path) -> None:
    write(tmp_path / "shared" / "a.md")
    (tmp_path / "docs").symlink_to(tmp_path / "shared")
    found = find(tmp_path / "docs", roots=(tmp_path / "other", tmp_path / "shared"))
    assert (sources(found), found.failed) == (["a.md"], [])


def test_what_may_not_be_read_is_told_and_the_rest_is_taken(public_folder: Path) -> None:
    write(public_folder / "a.md")
    write(public_folder / "closed" / "b.md")
    (public_folder / "closed").chmod(0)
    with as_nobody():
        found = find(public_folder)
        named = find(public_folder / "closed" / "b.md")
    assert sources(found) == ["a.md"]
    assert failures(found) == [("closed", "UNREADABLE")]
    assert [code for _, code in failures(named)] == ["UNREADABLE"]


def test_a_file_that_may_not_be_opened_or_is_a_folder_by_now_is_unreadable(public_folder: Path) -> None:
    closed = write(public_folder / "closed.md")
    closed.chmod(0)
    (public_folder / "folder.md").mkdir()
    with as_nobody():
        for path in (closed, public_folder / "folder.md"):
            with pytest.raises(DocumentUnreadable, match=f"'{path.name}' can't be read"):
                FileItem(path, path.name).read(100)


def test_a_name_of_any_characters_can_be_stored_and_sent(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    decomposed = unicodedata.normalize("NFD", "ガイド.md")
    for name in (b"new\nline.md", "🚀.md".encode(), decomposed.encode(), b"\xff\x83.md", b"' OR 1=1 --.md"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"text")
    found = find(tmp_path)
    assert set(sources(found)) == {"new\nline.md", "🚀.md", "ガイド.md", "\ufffd\ufffd.md", "' OR 1=1 --.md"}
    assert len({item.uri for item in found.items}) == 5
    for item in found.items:
        (item.source + item.uri).encode()
        assert item.path.read_bytes() == b"text"


@pytest.mark.parametrize("path", ["a\x00b.md", "~nobody-of-that-name/a.md", "half \ud83d.md", "x" * 5000, "", "."])
def test_a_path_that_is_none_is_a_failure_and_never_a_crash(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = find(path)
    assert found.items == []
    for failure in found.failed:
        assert failure.code in {"UNREADABLE", "VANISHED"}
        f"{failure.source} {failure.message}".encode()
    assert bool(found.failed) == (path not in {"", "."})


def test_a_path_that_can_not_be_resolved_is_one_of_our_errors(tmp_path: Path) -> None:
    for path in ("a\x00b", "~nobody-of-that-name"):
        with pytest.raises(DocumentUnreadable):
            check_allowed(Path(path), [])


def test_the_home_folder_may_be_named_by_its_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "notes" / "a.md")
    found = find("~/notes", "~/notes/a.md", roots=(Path("~"),))
    assert (sources(found), found.failed) == (["a.md"], [])


def test_a_shown_name_is_composed_and_without_halves_of_pairs() -> None:
    assert shown(unicodedata.normalize("NFD", "ガ")) == "ガ"
    assert shown("a\udcffb\ud83d") == "a\ufffdb\ufffd"
