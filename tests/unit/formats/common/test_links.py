"""Pictures beside a document: found below the folder that was added, and nothing else is ever read."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from ragd.formats.common.links import LinkedFiles

PNG = b"\x89PNG\r\n\x1a\n" + b"picture"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """`added/` with a document's folder `added/docs/`, and a picture outside of it."""
    folder = tmp_path / "added"
    (folder / "docs" / "img").mkdir(parents=True)
    (folder / "shared").mkdir()
    for name in ("docs/a.png", "docs/img/b.JPG", "docs/my picture.png", "docs/C# 100%.png", "shared/図 1.svg", "top.gif"):
        (folder / name).write_bytes(PNG)
    (folder / "docs" / "notes.txt").write_bytes(b"text")
    (tmp_path / "outside.png").write_bytes(b"secret")
    return folder


def linked(root: Path, max_bytes: int = 1000) -> LinkedFiles:
    return LinkedFiles(root / "docs", root, max_bytes)


@pytest.mark.parametrize(
    "reference",
    [
        "a.png", "./a.png", "img/b.JPG", "img\\b.JPG", ".\\img\\..\\a.png", "../top.gif", "..\\top.gif", "a.png?raw=true",
        "a.png#frag", "my%20picture.png", "my picture.png", "C# 100%.png", "C%23%20100%25.png", "../shared/図 1.svg",
        "../shared/%E5%9B%B3%201.svg", "/shared/図 1.svg", "/top.gif", "\\top.gif", " a.png\n", "img/./../a.png",
        "nothing/../a.png",
    ],
)  # fmt: skip
def test_a_picture_below_the_root_is_found_however_it_is_written(root: Path, reference: str) -> None:
    assert linked(root)(reference) == PNG


@pytest.mark.parametrize(
    "reference",
    [
        "../../outside.png", "..\\..\\outside.png", "%2e%2e/%2e%2e/outside.png", "..%2f..%2foutside.png", "..%5C..%5Coutside.png",
        "/../outside.png", "img/../../../outside.png", "../../added/../outside.png", "%252e%252e/%252e%252e/outside.png",
        "../../../../../../../../etc/passwd", "/etc/passwd", "/etc/hostname.png", "//server/share/a.png",
        "\\\\server\\share\\a.png",
        "%5C%5Cserver%5Cshare%5Ca.png", "%2F%2Fserver/a.png", "\\\\?\\C:\\a.png", "C:\\a.png", "C:/a.png", "c%3A/a.png",
        "file:///a.png", "file:a.png", "FILE:///etc/passwd", "http://host/a.png", "https://host/a.png",
        "data:image/png;base64,AAAA",
        "javascript:a.png", "a.png\0.txt", "a%00.png", "a.png%00", "a\n.png", "", " ", ".", "..", "/", "?a.png", "#a.png", "img",
        "img/", "notes.txt", "missing.png", ".png", "~/outside.png", "x" * 300 + ".png", "x/" * 5000 + "a.png",
    ],
)  # fmt: skip
def test_anything_else_is_not_read(root: Path, reference: str) -> None:
    assert linked(root)(reference) is None


def test_an_absolute_path_is_not_read_even_when_it_is_below_the_root(root: Path) -> None:
    assert linked(root)(str(root / "docs" / "a.png")) is None


def test_a_link_that_leads_out_of_the_root_is_not_followed(root: Path) -> None:
    (root / "docs" / "out.png").symlink_to(root.parent / "outside.png")
    (root / "docs" / "up").symlink_to(root.parent)
    (root / "docs" / "circle.png").symlink_to("circle.png")
    found = linked(root)
    assert [found(name) for name in ("out.png", "up/outside.png", "circle.png")] == [None, None, None]


def test_a_link_inside_the_root_is_followed_to_a_picture_only(root: Path) -> None:
    (root / "docs" / "same.png").symlink_to("img/b.JPG")
    (root / "docs" / "text.png").symlink_to("notes.txt")
    found = linked(root)
    assert (found("same.png"), found("text.png")) == (PNG, None)


def test_a_root_that_is_itself_a_link_is_resolved(root: Path) -> None:
    alias = root.parent / "alias"
    alias.symlink_to(root)
    assert LinkedFiles(alias / "docs", alias, 1000)("../top.gif") == PNG


def test_a_picture_larger_than_allowed_is_not_read(root: Path) -> None:
    assert linked(root, max_bytes=len(PNG))("a.png") == PNG
    assert linked(root, max_bytes=len(PNG) - 1)("a.png") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_what_is_no_regular_file_is_not_opened(root: Path) -> None:
    os.mkfifo(root / "docs" / "pipe.png")
    (root / "docs" / "folder.png").mkdir()
    assert (linked(root)("pipe.png"), linked(root)("folder.png")) == (None, None)


@pytest.mark.parametrize(("on_disk", "written"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_a_japanese_name_is_found_whichever_way_it_is_composed(root: Path, on_disk: str, written: str) -> None:
    name = "ガイドブック.png"
    (root / "docs" / unicodedata.normalize(on_disk, name)).write_bytes(PNG)  # type: ignore[arg-type]  # both are forms
    assert linked(root)(unicodedata.normalize(written, name)) == PNG  # type: ignore[arg-type]  # both are forms


def test_a_document_outside_of_the_root_gets_nothing_by_relative_paths(root: Path) -> None:
    (root.parent / "beside.png").write_bytes(PNG)
    assert LinkedFiles(root.parent, root, 1000)("beside.png") is None
