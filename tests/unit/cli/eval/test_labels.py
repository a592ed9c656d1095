"""Labels become datasets that `rag eval run` reads, also after the passages were cut anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from ragd.cli.common.context import CliContext

from ..conftest import Rag

pytestmark = pytest.mark.slow

_MORE = "".join(f"\n- Step {number}: check the log of the server before the next one.\n" for number in range(12))
TEXTS = {
    "backup.md": f"# Backup\n\nBackups are kept for 35 days.\n\nRestore a snapshot with kestrel restore.\n{_MORE}",
    "queue.md": f"# Queue\n\nA queue keeps jobs in the order in which they came.\n\nA lease lasts ninety seconds.\n{_MORE}",
    "経費.md": "# 経費\n\n経費の精算は月末までに申請する。\n",
}
QUESTIONS = {"How long are backups kept?": "backup.md", "How long does a lease last?": "queue.md"}


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def judge(author: str = "ada", collection: str = "default") -> None:
    """Mark of each question what answers it with 2 and the first other passage with 0, as the page of the dashboard does."""
    with CliContext().connect() as client:
        for question, source in QUESTIONS.items():
            results = client.post("/api/query", {"query": question, "collection": collection})["results"]
            good = next(one for one in results if one["source"] == source)
            bad = next(one for one in results if one["source"] != source)
            for hit, grade in ((good, 2), (bad, 0)):
                mark = {"question": question, "collection": collection, "chunk_id": hit["chunk_id"], "grade": grade}
                client.post("/api/labels", {**mark, "author": author})


def figures(printed: str) -> dict[str, float]:
    (run,) = json.loads(printed)["runs"]
    assert run["metrics"]["overall"]["questions"] == len(QUESTIONS)
    return dict(run["metrics"]["overall"]["metrics"])


def test_labels_are_exported_as_questions_and_asked_again_also_after_the_documents_were_cut_anew(
    rag: Rag, documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rag("ingest", str(documents))
    judge()
    before, after = tmp_path / "before.yaml", tmp_path / "after.yaml"
    assert "2 questions" in rag("eval", "labels", "export", "--format", "golden", "--out", str(before)).stdout
    asked = ("--collection", "default", "--no-rerank", "--json")
    assert figures(rag("eval", "run", "--dataset", str(before), *asked).stdout)["hit@5"] == 1
    # Smaller chunks have other texts and ids; the place of what was judged is still the answer's.
    monkeypatch.setenv("RAG_SPLITTER__CHUNK_SIZE", "32")
    monkeypatch.setenv("RAG_SPLITTER__CHUNK_OVERLAP", "0")
    rag("ingest", "--force", str(documents))
    with CliContext().connect() as client:
        assert "cut_otherwise" in {label["state"] for label in client.pages("/api/labels")}
    rag("eval", "labels", "export", "--format", "golden", "--out", str(after))
    assert yaml.safe_load(after.read_text("utf-8")) == yaml.safe_load(before.read_text("utf-8"))
    assert figures(rag("eval", "run", "--dataset", str(after), *asked).stdout)["hit@5"] == 1


def test_labels_are_exported_as_a_beir_folder_and_asked_of_it(rag: Rag, documents: Path, tmp_path: Path) -> None:
    rag("ingest", str(documents))
    judge()
    out = tmp_path / "mine"
    printed = rag("eval", "labels", "export", "--format", "beir", "--out", str(out))
    assert "2 questions" in printed.stdout
    assert "3 documents" in printed.stderr
    assert {line.rpartition("\t")[2] for line in (out / "qrels" / "test.tsv").read_text().splitlines()[1:]} == {"0", "2"}
    assert figures(rag("eval", "run", "--dataset", str(out), "--no-rerank", "--json").stdout)["hit@1"] == 1
    assert "is there already" in rag("eval", "labels", "export", "--format", "beir", "--out", str(out), code=2).stderr


def test_what_was_judged_and_how_far_people_agree_is_listed(rag: Rag, documents: Path) -> None:
    rag("ingest", str(documents))
    assert "No labels" in rag("eval", "labels", "list").stdout
    judge()
    assert "No two people" in rag("eval", "labels", "agreement").stdout
    judge("grace")
    assert "ada 2, grace 2" in rag("eval", "labels", "list").stdout
    printed = rag("eval", "labels", "agreement").stdout
    assert "100%" in printed
    assert "1.00 (1.00 to 1.00)" in printed


def test_an_export_says_of_which_collection_it_is_to_be(rag: Rag, documents: Path, tmp_path: Path) -> None:
    out = ("--format", "golden", "--out", str(tmp_path / "x.yaml"))
    assert "There are no labels" in rag("eval", "labels", "export", *out, code=2).stderr
    rag("ingest", str(documents))
    rag("ingest", str(documents), "--collection", "second", "--create")
    judge()
    judge("grace", "second")
    assert "default, second" in rag("eval", "labels", "export", *out, code=2).stderr
    rag("eval", "labels", "export", *out, "--collection", "second")
    assert (
        "no question of which a passage"
        in rag(
            "eval",
            "labels",
            "export",
            "--format",
            "golden",
            "--out",
            str(tmp_path / "y.yaml"),
            "-c",
            "second",
            "--author",
            "ada",
            code=2,
        ).stderr
    )
