"""Providers of other people's packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragd.core.errors import SettingsError
from ragd.providers.registry import build, names

STRANGER = """
class Stranger:
    def __init__(self, **options):
        self.options = options
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, group: str) -> None:
    """A package with one provider, as other people's are installed: found by its entry point in this group."""
    info = folder / "stranger-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{group}]\nreranker.stranger = stranger:Stranger\n", encoding="utf-8")
    (folder / "stranger.py").write_text(STRANGER, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))


def test_another_package_adds_a_provider_by_an_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "ragd.providers")
    assert "stranger" in names("reranker")
    assert build("reranker", "stranger", top=3).options == {"top": 3}


def test_a_provider_under_the_former_group_says_how_to_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "rag_assistant.providers")
    assert "stranger" not in names("reranker")
    with pytest.raises(SettingsError, match=r"group 'ragd\.providers', and its imports from 'rag_assistant' to 'ragd'"):
        build("reranker", "stranger")


def test_an_unknown_name_gives_the_nearest_known_one() -> None:
    with pytest.raises(SettingsError, match=r"There is no reranker provider 'maxsimm'\. Did you mean 'maxsim'\?"):
        build("reranker", "maxsimm")
