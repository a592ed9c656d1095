"""The token index as a third view of the content: made with the vectors, left behind by nothing, made later where it lacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragd.core.query import Filters
from ragd.ingest.indexes import Indexes, find_drift
from ragd.providers.token_index.basis import DIMENSIONS, TokenBasis
from ragd.providers.token_index.file import FileTokenIndex
from ragd.providers.token_view import TokenView

GUIDE = "# Setup\n\nRun setup on port 8443.\n\n# Backup\n\nCopies are made at night.\n"


def view_in(folder: Path, dimension: int = 32) -> TokenView:
    """Over the fake embedder's vectors, turned: half of the numbers of one would be 0."""
    rotation = np.linalg.qr(np.random.default_rng(3).standard_normal((DIMENSIONS, DIMENSIONS)))[0].astype(np.float32)
    means = np.zeros((4, dimension), np.float32)
    return TokenView(FileTokenIndex(folder), TokenBasis(means, means, rotation[:dimension]))


@pytest.fixture
def coded(new_line: Any, tmp_path: Path) -> Any:
    line = new_line(tokens=view_in(tmp_path / "tokens"))
    line.write("a.md", GUIDE)
    line.write("b.md", "# Other\n\nStays.\n")
    line.ingest()
    yield line
    view_of(line).index.close()


def view_of(line: Any) -> Any:
    return line.pipeline._indexes.tokens


def drift_of(line: Any) -> Any:
    return find_drift(line.pipeline._indexes, line.kb_id, line.writer.live_entries(line.kb_id))


def dense_ids(line: Any) -> set[str]:
    return {row[1] for row in line.writer.live_entries(line.kb_id)}


def test_codes_come_with_the_vectors_out_of_one_run_of_the_model(coded: Any) -> None:
    assert view_of(coded).index.ids(coded.kb_id) == dense_ids(coded)
    assert (len(coded.embedder.texts), coded.token_requests) == (3, [])
    question = view_of(coded).question("backup copies", coded.embedder.query_tokens("copies at night"))
    ids = sorted(dense_ids(coded))
    best = ids[int(view_of(coded).index.score(coded.kb_id, question, ids).argmax())]
    chunk_id = coded.passages.resolve("dense", [best], Filters())[best].chunk_id
    assert "night" in coded.passages.passages([chunk_id])[chunk_id].content


def test_a_new_version_takes_the_codes_of_the_old_one_away(coded: Any) -> None:
    before = dense_ids(coded)
    coded.write("a.md", GUIDE.replace("8443", "9443"))
    coded.ingest()
    assert view_of(coded).index.ids(coded.kb_id) == dense_ids(coded) != before


def test_a_deleted_document_leaves_no_codes(coded: Any) -> None:
    coded.pipeline.delete(coded.kb_id, [coded.doc_id("a.md")])
    assert len(view_of(coded).index.ids(coded.kb_id)) == 1
    assert view_of(coded).index.ids(coded.kb_id) == dense_ids(coded)


def test_a_dropped_collection_leaves_no_codes(coded: Any) -> None:
    coded.pipeline._indexes.drop(coded.kb_id)
    assert view_of(coded).index.ids(coded.kb_id) == set()


def test_codes_that_nothing_live_needs_are_surplus_until_removed(coded: Any) -> None:
    view_of(coded).index.upsert(coded.kb_id, {"f" * 32: np.zeros((1, 32), np.uint8)})
    drift = drift_of(coded)
    assert drift.surplus.tokens == ("f" * 32,)
    coded.pipeline._indexes.remove({coded.kb_id: drift.surplus})
    assert view_of(coded).index.ids(coded.kb_id) == dense_ids(coded)


def test_what_was_indexed_without_codes_is_found_and_asked_for_and_made_on_request_alone(new_line: Any, tmp_path: Path) -> None:
    line = new_line()
    line.write("a.md", GUIDE)
    line.ingest()
    line.embedder.texts.clear()
    view = view_in(tmp_path / "later")
    line.pipeline._indexes = Indexes(line.dense, line.sparse, tokens=view)
    line.pipeline.embedding = replace(line.pipeline.embedding, indexes=line.pipeline._indexes)
    drift = drift_of(line)
    assert (drift.incomplete_documents, drift.without_tokens) == ((), (line.doc_id("a.md"),))
    # The vectors are kept: nothing waits for the model, and the codes are asked for.
    line.ingest(force=True)
    assert (line.embedder.texts, line.token_requests) == ([], [1])
    assert view.index.ids(line.kb_id) == set()
    vectors = line.vectors.get([row[2] for row in line.writer.live_entries(line.kb_id)])
    line.pipeline.rebuild(drift.without_tokens, report=lambda *_: None, links={}, tokens=True)
    assert len(line.embedder.texts) == 2
    assert drift_of(line).without_tokens == ()
    after = line.vectors.get(list(vectors))
    assert all(np.array_equal(after[key], vectors[key]) for key in vectors)
    line.check()
    view.index.close()


def test_a_run_that_was_cut_off_behind_its_vectors_leaves_its_codes_to_be_made(coded: Any) -> None:
    coded.write("c.md", "# Third\n\nIs new.\n")
    coded.trouble.steps["flip.before"] = RuntimeError("killed")
    with pytest.raises(RuntimeError, match="killed"):
        coded.ingest()
    coded.ingest()
    assert coded.token_requests in ([], [1])
    coded.pipeline.rebuild(drift_of(coded).without_tokens, report=lambda *_: None, links={}, tokens=True)
    assert view_of(coded).index.ids(coded.kb_id) == dense_ids(coded)
    coded.check()
