"""The table of formats, and a format that another package brings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from ragd.core.documents import DocType
from ragd.formats import registry
from ragd.formats.registry import doc_type_for, format_specs, loader_name_for, supported_extensions
from ragd.providers.protocols import Loader
from ragd.providers.registry import build, names

STRANGER = """
from ragd.core.documents import Document
from ragd.formats.registry import FormatSpec

OPML = FormatSpec("text", "OPML", "opml", "list-tree", extensions=(".opml", ".md"))


class OpmlLoader:
    name = "opml"
    version = "1"

    def load(self, data, name, context=None):
        return Document("text", name, data.decode(), loader=self.name, loader_version=self.version)
"""


@pytest.fixture
def fresh() -> Iterator[None]:
    """The table is put together anew, before and after."""
    for cached in (registry.format_specs, registry._by_name):
        cached.cache_clear()
    yield
    for cached in (registry.format_specs, registry._by_name):
        cached.cache_clear()


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, entry_points: str) -> None:
    info = folder / "opml_loader-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: opml-loader\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[ragd.providers]\n{entry_points}", encoding="utf-8")
    (folder / "opml_loader.py").write_text(STRANGER, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))


def test_each_type_of_document_has_one_row() -> None:
    assert [spec.doc_type for spec in format_specs()] == [*get_args(DocType)]


def test_each_row_names_a_loader_and_no_two_claim_the_same_files() -> None:
    for spec in format_specs():
        assert isinstance(build("loader", spec.loader), Loader)
    claims = [claim for spec in format_specs() for claim in (*spec.extensions, *spec.file_names)]
    assert len(claims) == len(set(claims))
    assert all(claim == claim.lower() for claim in claims)


def test_each_loader_has_a_row() -> None:
    assert sorted(spec.loader for spec in format_specs()) == sorted(names("loader"))


@pytest.mark.usefixtures("fresh")
def test_another_package_adds_a_format_by_a_class_and_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "loader.opml = opml_loader:OpmlLoader\nformat.opml = opml_loader:OPML\n")
    assert loader_name_for("outline.opml") == "opml"
    assert doc_type_for("outline.opml") == "text"
    assert ".opml" in supported_extensions()
    assert build("loader", "opml").load(b"<opml/>", "outline.opml").markdown == "<opml/>"
    assert loader_name_for("a.md") == "markdown"  # ours stay ours
    monkeypatch.delitem(sys.modules, "opml_loader")


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("target", ["opml_loader:MISSING", "opml_loader:OpmlLoader", "no_such_module:ROW"])
def test_a_defective_row_of_another_package_costs_that_format_alone(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, f"format.opml = {target}\n")
    assert loader_name_for("outline.opml") is None
    assert loader_name_for("a.pdf") == "pdf"
    monkeypatch.delitem(sys.modules, "opml_loader", raising=False)
