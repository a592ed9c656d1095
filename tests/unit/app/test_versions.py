"""Older versions of documents are kept as the settings say, whichever part of the application makes a version live."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.app.container import Application

from .conftest import finish


@pytest.mark.slow
def test_older_versions_are_kept_whoever_makes_a_version_live(open_app: Callable[..., Application], tmp_path: Path) -> None:
    app = open_app(ingest__keep_versions=2)
    note = tmp_path / "note.md"
    for text in ("First.", "Second.", "Third."):
        note.write_text(text, encoding="utf-8")
        finish(app, app.documents.ingest([str(note)]))
    doc_id = app.document_reader.page()[0][0]["id"]
    before = [version["status"] for version in app.document_reader.get(doc_id)["versions"]]
    assert before == ["ready", "superseded", "superseded"]
    (stored,) = app.writer.contents([doc_id])
    trace = app.tracer.start("ingestion", strategy_config_id="test")
    app.writer.flip([app.ingestion()._drafter.from_stored(stored, trace).version])
    assert [version["status"] for version in app.document_reader.get(doc_id)["versions"]] == before
