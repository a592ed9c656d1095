"""`rag` in this process, with providers that need no model, on a data directory of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ragd.cli import cli

LIGHT = {
    "RAG_EMBEDDING__PROVIDER": "fake",
    "RAG_DENSE__BACKEND": "exact",
    "RAG_SPARSE__BACKEND": "fts5",
    "RAG_SPARSE__ANALYZER": "bigram",
    # A busy machine must not change what is found.
    "RAG_RERANK__BUDGET_MS": "60000",
}

Rag = Callable[..., Result]


@pytest.fixture
def rag(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Rag:
    """Runs one command. The exit code must be `code`, 0 unless the test says otherwise."""
    for name, value in LIGHT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RAG_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str, code: int = 0, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(cli, arguments, input=stdin)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Three small documents: two English, one Japanese."""
    folder = tmp_path / "docs"
    (folder / "guide").mkdir(parents=True)
    (folder / "guide" / "backup.md").write_text(
        "# Operations\n\nIntroduction.\n\n## Restore\n\nRun `restore --from snapshot` and wait.\n", encoding="utf-8"
    )
    (folder / "queues.txt").write_text("A queue keeps jobs in the order in which they came.\n", encoding="utf-8")
    (folder / "休暇規程.md").write_text("# 休暇規程\n\n有給休暇は五営業日前までに申請する。\n", encoding="utf-8")
    return folder
