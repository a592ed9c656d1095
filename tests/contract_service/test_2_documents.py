"""Requirement 2 of the service contract: documents in, and what becomes of them. A test is named after its criterion."""

from __future__ import annotations

import io
import uuid
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ragd.config.service import LimitsSettings

from ..unit.providers.model_service import DIMENSION, Asked, ModelService, Reply, speak


@pytest.fixture
def model_service() -> Iterator[ModelService]:
    service = ModelService()
    yield service
    service.close()


MARKDOWN = "# Terms\n\nPayment within thirty days.\n\n- by transfer\n- in euro\n\n| lot | sum |\n| --- | --- |\n| A | 100 |\n"


def test_2_01_an_upload_is_accepted_and_known_from_then_on(idle: Any) -> None:
    kb_id = idle.create()
    doc_id = idle.upload(kb_id, "terms.md", MARKDOWN)
    document = idle.ok(idle.client.get(f"/documents/{doc_id}"), 200)
    assert (document["status"], document["chunk_count"], document["filename"]) == ("processing", 0, "terms.md")


def test_2_01_what_is_not_there_or_not_available_is_said_before_the_file_is_looked_at(idle: Any) -> None:
    kb_id = idle.create()
    wrong = ("tool.exe", b"MZ")
    idle.refused(idle.post(uuid.uuid4().hex, *wrong), 404, "KNOWLEDGE_BASE_NOT_FOUND")
    idle.client.patch(f"/knowledge_bases/{kb_id}", json={"status": "disabled"})
    idle.refused(idle.post(kb_id, *wrong), 403, "KNOWLEDGE_BASE_UNAVAILABLE")
    idle.delete(kb_id)
    idle.refused(idle.post(kb_id, *wrong), 403, "KNOWLEDGE_BASE_UNAVAILABLE")
    anonymous = idle.client.post(f"/knowledge_bases/{uuid.uuid4().hex}/documents", headers={"Authorization": ""})
    idle.refused(anonymous, 401, "UNAUTHORIZED")


def test_2_01_a_form_without_one_file_is_invalid(idle: Any) -> None:
    at = f"/knowledge_bases/{idle.create()}/documents"
    two = [("file", ("a.md", b"a")), ("file", ("b.md", b"b"))]
    for form in ({"files": two}, {"files": [("files", ("a.md", b"a"))]}, {"files": {"file": (None, b"text")}}):
        idle.refused(idle.client.post(at, **form), 400, "VALIDATION_ERROR")
    assert not list((idle.app.directories.data / "uploads" / "incoming").glob("*"))


FORMATS = {
    "terms.md": MARKDOWN.encode(),
    "terms.txt": b"Terms\n\nPayment within thirty days.\n",
    "terms.html": b"<html><body><h1>Terms</h1><p>Payment within thirty days.</p><ul><li>by transfer</li></ul></body></html>",
    "handbook.docx": "word/handbook-en.docx",
    "parts.xlsx": "excel/parts-en.xlsx",
    "report.pdf": "pdf/tagged-en.pdf",
    "slides.pptx": "powerpoint/*.pptx",
}


def test_2_02_office_files_pages_and_text_keep_their_structure(service: Any, project_root: Path) -> None:
    kb_id = service.create()
    data = project_root / "tests" / "data"
    doc_ids = {}
    for name, content in FORMATS.items():
        given = content if isinstance(content, bytes) else next(data.glob(content)).read_bytes()
        doc_ids[name] = service.upload(kb_id, name, given)
    for name, doc_id in doc_ids.items():
        document = service.read(doc_id)
        assert (document["status"], document["chunk_count"] > 0) == ("completed", True), (name, document)
    text = service.ok(service.client.get(f"/api/documents/{doc_ids['terms.md']}/content"), 200)["markdown"]
    assert all(part in text for part in ("# Terms", "- by transfer", "| A | 100 |"))
    assert "# Terms" in service.client.get(f"/api/documents/{doc_ids['terms.html']}/content").json()["markdown"]
    assert "|" in service.client.get(f"/api/documents/{doc_ids['parts.xlsx']}/content").json()["markdown"]


def test_2_03_without_text_recognition_pictures_are_left_out_and_the_document_says_so(opened: Any, project_root: Path) -> None:
    with opened({"ocr.provider": "none"}) as service:
        picture = (project_root / "tests" / "data" / "image" / "english.png").read_bytes()
        document = service.read(service.upload(service.create(), "english.png", picture))
        assert (document["status"], document["metadata"]) == ("completed", {"ocr_skipped": True})
        plain = service.read(service.upload(service.create("Other"), "a.md", "# A\n\nWords."))
        assert plain["metadata"] == {"ocr_skipped": False}


@pytest.mark.slow
@pytest.mark.parametrize("opened_in", ["sqlite"], indirect=True, scope="session")
def test_2_03_with_text_recognition_a_picture_is_text(own: Any, project_root: Path) -> None:
    with Image.open(project_root / "tests" / "data" / "image" / "english.png") as picture:
        picture.convert("RGB").save(data := io.BytesIO(), "JPEG")
    document = own.read(own.upload(own.create(), "scan.jpg", data.getvalue()))
    assert (document["status"], document["metadata"]) == ("completed", {"ocr_skipped": False}), document
    text = own.ok(own.client.get(f"/api/documents/{document['id']}/content"), 200)["markdown"]
    assert "until its lease ends" in text


def test_2_04_a_format_that_nothing_reads_is_refused_with_those_that_are_read(idle: Any) -> None:
    kb_id = idle.create()
    error = idle.refused(idle.post(kb_id, "tool.exe", b"MZ"), 415, "UNSUPPORTED_MEDIA_TYPE")
    for extension in (".pdf", ".docx", ".xlsx", ".pptx", ".txt", ".md", ".html", ".png", ".jpg", ".jpeg"):
        assert extension in error["message"]
    answer = idle.client.post(f"/knowledge_bases/{kb_id}/documents", json={"file": "a.md"})
    idle.refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


def test_2_05_a_file_over_the_limit_is_too_large(opened: Any) -> None:
    assert LimitsSettings().max_document_size == 50 * 1024 * 1024
    with opened({"limits.max_document_size": 1000}, runs=False) as service:
        kb_id = service.create()
        service.refused(service.post(kb_id, "long.txt", "x" * 1001), 413, "PAYLOAD_TOO_LARGE")
        service.upload(kb_id, "fits.txt", "x" * 1000)
        assert len(list((service.app.directories.data / "uploads" / "incoming").glob("*"))) == 1


def test_2_05_a_file_may_be_larger_than_other_bodies(opened: Any) -> None:
    with opened({"limits.max_body_size": 1024}, runs=False) as service:
        service.upload(service.create(), "long.txt", "words " * 1000)


def test_2_06_text_is_cut_by_tokens_with_an_overlap(opened: Any) -> None:
    words = [f"word{number}" for number in range(2000)]
    with opened({"splitter.chunk_size": 512, "splitter.chunk_overlap": 64, "splitter.strategy": "fixed"}) as service:
        doc_id = service.add(service.create(), "long.txt", " ".join(words))
        chunks = service.ok(service.client.get(f"/api/documents/{doc_id}/chunks"), 200)["items"]
        assert [chunk["ordinal"] for chunk in chunks] == list(range(len(chunks)))
        count = service.app.models.count_tokens
        assert len(chunks) > 2
        assert max(count(chunk["content"]) for chunk in chunks) <= 512
        for one, next_one in pairwise(chunks):
            shared = set(one["content"].split()) & set(next_one["content"].split())
            assert 0 < count(" ".join(shared)) <= 64
        assert service.ok(service.client.get(f"/documents/{doc_id}"), 200)["filename"] == "long.txt"


def test_2_07_vectors_have_length_one_and_belong_to_chunks_of_their_document(service: Any) -> None:
    kb_id = service.create()
    doc_id = service.add(kb_id, "terms.md", MARKDOWN)
    [(doc, name, created)] = service.store.run(f"SELECT doc_id, source, created_at FROM documents WHERE kb_id = '{kb_id}'")
    assert (doc, name, bool(created)) == (doc_id, "terms.md", True)
    joined = "chunk_occurrences o JOIN chunks c USING (chunk_id)"
    rows = service.store.run(f"SELECT o.ordinal, o.dense_id, c.text FROM {joined} WHERE c.doc_id = '{doc_id}'")
    assert [row[0] for row in sorted(rows)] == list(range(len(rows)))
    assert any("thirty days" in row[2] for row in rows)
    dense = service.app.indexes().dense
    assert dense.ids(kb_id) == {row[1] for row in rows}
    vectors = dense.vectors(kb_id, [row[1] for row in rows])
    for row in rows:
        assert np.linalg.norm(np.asarray(vectors[row[1]], dtype=np.float32)) == pytest.approx(1, abs=1e-3)


def test_2_08_a_document_is_found_when_all_of_it_is_there(idle: Any) -> None:
    kb_id = idle.create()
    doc_id = idle.upload(kb_id, "terms.md", MARKDOWN)
    assert idle.search(kb_id, "payment") == []
    idle.app.runner.start()
    document = idle.read(doc_id)
    assert document["status"] == "completed"
    assert document["chunk_count"] == idle.client.get(f"/api/documents/{doc_id}/chunks").json()["total"] > 0
    assert idle.search(kb_id, "payment")


def test_2_09_nothing_of_a_document_that_failed_can_be_found(own: Any) -> None:
    kb_id = own.create()
    # The last step of all fails, after vectors and index entries were written.
    own.store.refuse("refuse_ready", "UPDATE OF ready_at ON versions")
    document = own.read(own.upload(kb_id, "terms.md", MARKDOWN))
    assert document["status"] == "failed"
    assert "refused by the test" in document["error_message"]
    assert document["chunk_count"] == 0
    assert own.search(kb_id, "payment") == []
    assert own.store.run("SELECT count(*) FROM chunk_occurrences") == [(0,)]
    own.store.allow("refuse_ready")
    own.add(kb_id, "terms.md", MARKDOWN)
    assert len({found["document_id"] for found in own.search(kb_id, "payment")}) == 1


def test_2_09_when_one_chunk_gets_no_vector_nothing_of_the_document_can_be_found(
    opened: Any, model_service: ModelService
) -> None:
    def answer(asked: Asked) -> Reply:
        if any("lot 9" in text for text in asked.body["input"]):
            return Reply({"error": {"message": "this text is refused"}}, 400)
        return speak(asked)

    model_service.answer = answer
    remote = {"provider": "openai", "model": "m", "url": f"{model_service.url}/v1", "dimension": DIMENSION}
    with opened({f"embedding.{name}": value for name, value in remote.items()}) as service:
        kb_id = service.create()
        text = "\n\n".join(f"# Lot {number}\n\nThe quarry of lot {number} opens at nine." for number in range(10))
        document = service.read(service.upload(kb_id, "lots.md", text))
        assert (document["status"], document["chunk_count"]) == ("failed", 0)
        assert "this text is refused" in document["error_message"]
        assert service.search(kb_id, "quarry") == []
        assert service.store.run("SELECT count(*) FROM chunk_occurrences") == [(0,)]
        assert service.app.indexes().dense.ids(kb_id) == service.app.indexes().sparse.ids(kb_id) == set()
        model_service.answer = speak
        service.add(kb_id, "lots.md", text)
        assert service.search(kb_id, "quarry")


def test_2_09_a_file_that_cannot_be_converted_fails_with_its_reason(service: Any) -> None:
    kb_id = service.create()
    document = service.read(service.upload(kb_id, "broken.docx", b"PK\x03\x04 not a document"))
    assert document["status"] == "failed"
    assert "broken.docx" in document["error_message"]


def test_2_09_an_earlier_version_stays_when_a_newer_one_fails(service: Any) -> None:
    kb_id = service.create()
    doc_id = service.add(kb_id, "terms.txt", "Payment within thirty days.")
    assert service.upload(kb_id, "terms.txt", b"") == doc_id
    assert service.read(doc_id)["status"] == "failed"
    assert service.search(kb_id, "payment")[0]["document_id"] == doc_id
    assert service.add(kb_id, "terms.txt", "Payment within sixty days.") == doc_id
    assert ["sixty" in found["chunk_text"] for found in service.search(kb_id, "payment")] == [True]


def test_2_10_a_document_says_all_about_itself(service: Any) -> None:
    kb_id = service.create()
    document = service.ok(service.client.get(f"/documents/{service.add(kb_id, 'terms.md', MARKDOWN)}"), 200)
    assert {"id", "knowledge_base_id", "filename", "status", "error_message", "chunk_count", "created_at", "updated_at"} <= set(
        document
    )
    assert (document["knowledge_base_id"], document["error_message"]) == (kb_id, None)
    assert document["created_at"] <= document["updated_at"]


def test_2_11_documents_are_listed_by_page_and_status(own: Any) -> None:
    kb_id = own.create()
    names = ["a.md", "b.md", "c.md"]
    doc_ids = [own.add(kb_id, name, f"# {name}\n\nWords.") for name in names]
    failed = own.upload(kb_id, "broken.docx", b"PK\x03\x04")
    own.read(failed)
    own.client.delete(f"/documents/{doc_ids[0]}")
    own.app.runner.stop(10)
    own.upload(kb_id, "b.md", "# b.md\n\nNew words.")

    def ids(query: str = "") -> list[str]:
        page = own.ok(own.client.get(f"/knowledge_bases/{kb_id}/documents{query}"), 200)
        assert page["total"] >= len(page["items"])
        return [item["id"] for item in page["items"]]

    assert ids() == [*doc_ids, failed]
    assert ids("?status=deleted") == doc_ids[:1]
    assert ids("?status=processing") == doc_ids[1:2]
    assert ids("?status=completed") == doc_ids[2:]
    assert ids("?status=failed") == [failed]
    assert [ids(f"?page={page}&page_size=3") for page in (1, 2)] == [doc_ids, [failed]]
    missing = own.client.get(f"/knowledge_bases/{uuid.uuid4().hex}/documents?page=0")
    own.refused(missing, 404, "KNOWLEDGE_BASE_NOT_FOUND")
    own.refused(own.client.get(f"/knowledge_bases/{kb_id}/documents?status=lost"), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_2_12_a_deleted_document_is_gone_and_an_unknown_one_never_was(service: Any, method: str) -> None:
    kb_id = service.create()
    doc_id = service.add(kb_id, "terms.md", MARKDOWN)
    answer = service.client.delete(f"/documents/{doc_id}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert service.search(kb_id, "payment") == []
    assert service.store.run(f"SELECT count(*) FROM chunks WHERE doc_id = '{doc_id}'") == [(0,)]
    assert service.app.indexes().dense.ids(kb_id) == set()
    service.refused(service.client.request(method, f"/documents/{doc_id}"), 410, "DOCUMENT_DELETED")
    service.refused(service.client.request(method, f"/documents/{uuid.uuid4().hex}"), 404, "DOCUMENT_NOT_FOUND")


def test_2_12_a_deletion_holds_against_uploads_that_wait(idle: Any) -> None:
    kb_id = idle.create()
    doc_id = idle.upload(kb_id, "terms.md", MARKDOWN)
    assert idle.client.delete(f"/documents/{doc_id}").status_code == 204
    idle.refused(idle.client.get(f"/documents/{doc_id}"), 410, "DOCUMENT_DELETED")
    # Uploaded again, it is processed again; deleted again, nothing is left.
    assert idle.upload(kb_id, "terms.md", MARKDOWN) == doc_id
    assert idle.client.get(f"/documents/{doc_id}").json()["status"] == "processing"
    assert idle.client.delete(f"/documents/{doc_id}").status_code == 204
    last = idle.upload(kb_id, "other.md", MARKDOWN)
    idle.app.runner.start()
    assert idle.read(last)["status"] == "completed"
    idle.refused(idle.client.get(f"/documents/{doc_id}"), 410, "DOCUMENT_DELETED")


def test_2_12_an_upload_whose_job_was_cancelled_has_failed(idle: Any) -> None:
    doc_id = idle.upload(idle.create(), "terms.md", MARKDOWN)
    [job] = idle.ok(idle.client.get("/api/jobs"), 200)["items"]
    idle.client.delete(f"/api/jobs/{job['job_id']}")
    document = idle.ok(idle.client.get(f"/documents/{doc_id}"), 200)
    assert (document["status"], "cancelled" in document["error_message"]) == ("failed", True)
