"""Pictures and pages by REST: what is shown, what isn't, and how a picture is kept from doing anything."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw
from reportlab.pdfgen.canvas import Canvas
from starlette.testclient import TestClient

from ragd.app.container import Application

pytestmark = pytest.mark.slow

Finish = Callable[[str], dict[str, Any]]

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="90"><rect width="90" height="40" fill="red"/>{}</svg>'


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"ocr.provider": "none", "splitter.chunk_size": 160, "splitter.chunk_overlap": 0}


def chart() -> bytes:
    picture = Image.new("RGB", (400, 240), "white")
    draw = ImageDraw.Draw(picture)
    for index in range(12):
        draw.rectangle((index * 32, 200 - (index * 37) % 180, index * 32 + 20, 220), fill=(20 * index, 80, 200))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def ingest(client: TestClient, finish: Finish, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Write one file (and what lies beside it) and ingest it; gives the document."""

    def run(name: str, content: bytes, **beside: bytes) -> dict[str, Any]:
        folder = tmp_path / "documents"
        folder.mkdir(exist_ok=True)
        for other, data in beside.items():
            (folder / other.replace("__", ".")).write_bytes(data)
        (folder / name).write_bytes(content)
        job = finish(client.post("/api/ingest", json={"paths": [str(folder / name)]}).json()["job_id"])
        assert job["result"]["failed"] == [], job
        (found,) = [item for item in client.get("/api/documents").json()["items"] if item["source"] == name]
        return dict(client.get(f"/api/documents/{found['id']}").json())

    return run


def pdf(*pages: str) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(400, 600), invariant=1)
    for text in pages:
        for number, line in enumerate(text.split("\n")):
            canvas.drawString(50, 550 - 20 * number, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def opened(answer: Any) -> Image.Image:
    assert answer.status_code == 200, answer.text
    return Image.open(io.BytesIO(answer.content))


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


class TestPictures:
    def test_a_query_shows_the_pictures_of_its_passages_and_they_can_be_fetched(self, client: TestClient, ingest) -> None:
        ingest("load.md", b"# Load\n\nThe load of each month: ![Load by month](chart.png)\n", chart__png=chart())
        (result,) = client.post("/api/query", json={"query": "load of each month"}).json()["results"]
        (image,) = result["images"]
        assert (image["mime"], image["caption"]) == ("image/png", "Load by month")
        raw = client.get(image["url"])
        assert (raw.headers["content-type"], raw.content) == ("image/png", chart())
        thumb = client.get(image["url"], params={"variant": "thumb"})
        assert thumb.headers["content-type"] == "image/webp"
        assert max(opened(thumb).size) <= 320

    def test_a_picture_can_run_and_load_nothing(self, client: TestClient, ingest) -> None:
        script = SVG.format('<script>alert(1)</script><text x="5" y="80">Kestrel</text>').encode()
        ingest("load.md", b"# Load\n\n![Diagram](flow.svg)\n", flow__svg=script)
        (result,) = client.post("/api/query", json={"query": "load"}).json()["results"]
        answer = client.get(result["images"][0]["url"])
        assert "sandbox" in answer.headers["content-security-policy"]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"

    def test_a_picture_needs_the_token_and_goes_with_its_document(self, client: TestClient, ingest) -> None:
        document = ingest("load.md", b"# Load\n\n![Load](chart.png)\n", chart__png=chart())
        (result,) = client.post("/api/query", json={"query": "load"}).json()["results"]
        url = result["images"][0]["url"]
        assert client.get(url, headers={"Authorization": ""}).status_code == 401
        client.delete(f"/api/documents/{document['id']}")
        assert code(client.get(url)) == (404, "ASSET_NOT_FOUND")

    @pytest.mark.parametrize("asset_id", ["f" * 32, "..%2f..%2fetc%2fpasswd", "x"])
    def test_an_unknown_picture_is_told(self, client: TestClient, asset_id: str) -> None:
        assert client.get(f"/api/assets/{asset_id}").status_code == 404

    def test_an_unknown_variant_is_told(self, client: TestClient) -> None:
        assert code(client.get(f"/api/assets/{'f' * 32}?variant=huge")) == (400, "VALIDATION_ERROR")


class TestPages:
    def test_a_page_is_shown_with_its_passage_marked(self, client: TestClient, ingest) -> None:
        document = ingest("manual.pdf", pdf("First page of the manual.", "Second page.\nThe valve opens at 40 degrees."))
        chunks = client.get(f"/api/documents/{document['id']}/chunks").json()["items"]
        (chunk,) = [chunk for chunk in chunks if "valve" in chunk["content"]]
        assert chunk["page"] == 2 or "First" in chunk["content"]
        url = f"/api/documents/{document['id']}/pages/{chunk['page']}"
        plain = opened(client.get(url, params={"width": 400}))
        marked = opened(client.get(url, params={"width": 400, "chunk_id": chunk["chunk_id"]}))
        assert plain.size == marked.size == (400, 600)
        left, _top, right, bottom = chunk["bbox"]
        inside = (round((left + right) / 2 * 400), round(bottom * 600) - 2)
        assert marked.convert("RGB").getpixel((390, 590)) == (255, 255, 255)
        assert marked.convert("RGB").getpixel(inside) != plain.convert("RGB").getpixel(inside)

    def test_all_passages_of_a_citation_are_marked(self, client: TestClient, ingest) -> None:
        lines = [f"Line {number} tells how valve {number} is opened and closed again by hand." for number in range(25)]
        document = ingest("manual.pdf", pdf("\n".join(lines)))
        chunks = client.get(f"/api/documents/{document['id']}/chunks").json()["items"]
        assert len(chunks) > 1
        url = f"/api/documents/{document['id']}/pages/1"
        chunk_ids = [chunk["chunk_id"] for chunk in chunks]

        def marked(*wanted: str) -> int:
            page = opened(client.get(url, params={"width": 400, "chunk_id": list(wanted)})).convert("RGB")
            red, _green, blue = np.moveaxis(np.asarray(page), 2, 0)
            return int(((red > 200) & (blue < 200)).sum())

        assert 0 == marked() < marked(chunk_ids[0]) < marked(*chunk_ids)
        assert code(client.get(url, params={"chunk_id": ["x"] * 51})) == (400, "VALIDATION_ERROR")

    def test_a_page_that_is_not_there_and_a_document_without_pages_are_told(self, client: TestClient, ingest) -> None:
        document = ingest("manual.pdf", pdf("First page of the manual."))
        answer = client.get(f"/api/documents/{document['id']}/pages/9")
        assert answer.status_code == 400
        assert "9" in answer.json()["error"]["message"]
        other = ingest("notes.md", b"# Notes\n\ntext\n")
        assert code(client.get(f"/api/documents/{other['id']}/pages/1")) == (400, "VALIDATION_ERROR")
        assert code(client.get(f"/api/documents/{'f' * 32}/pages/1")) == (404, "DOCUMENT_NOT_FOUND")

    def test_a_damaged_pdf_has_no_pages_and_says_why(self, client: TestClient, finish: Finish, tmp_path: Path) -> None:
        path = tmp_path / "truncated.pdf"
        path.write_bytes(pdf("First page of the manual.")[:200])
        finish(client.post("/api/ingest", json={"paths": [str(path)]}).json()["job_id"])
        (document,) = client.get("/api/documents", params={"status": "failed"}).json()["items"]
        message = client.get(f"/api/documents/{document['id']}/pages/1").json()["error"]["message"]
        assert message == f"There are no pages of 'truncated.pdf' to show. {document['error']['message']}"
        assert client.get(f"/api/documents/{document['id']}/content").json()["markdown"] == ""

    def test_a_file_that_has_changed_or_gone_since_is_told(self, client: TestClient, ingest, tmp_path: Path) -> None:
        document = ingest("manual.pdf", pdf("First page of the manual."))
        url = f"/api/documents/{document['id']}/pages/1"
        path = tmp_path / "documents" / "manual.pdf"
        path.write_bytes(pdf("Another text altogether."))
        assert code(client.get(url)) == (409, "DOCUMENT_CHANGED")
        path.unlink()
        assert code(client.get(url)) == (400, "VANISHED")

    def test_sizes_beyond_reason_are_refused(self, client: TestClient, ingest) -> None:
        document = ingest("manual.pdf", pdf("First page of the manual."))
        answer = client.get(f"/api/documents/{document['id']}/pages/1", params={"width": 100_000})
        assert code(answer) == (400, "VALIDATION_ERROR")


class TestDocuments:
    def test_a_document_tells_what_was_read_and_by_what(self, client: TestClient, ingest) -> None:
        document = ingest("notes.md", b"---\ntags: [ops]\n---\n# Pump\n\nThe pump is serviced every spring by two people.\n")
        assert document["tags"] == ["ops"]
        assert document["summary"].startswith("The pump is serviced")
        assert document["keywords"]
        version = document["versions"][0]
        assert version["loader"] == "markdown"
        assert all(version[name] for name in ("loader_version", "section_hash", "chunk_hash", "md_sha256", "profile_id"))

    def test_verify_agrees_and_finds_what_was_taken_away(
        self, client: TestClient, ingest, app: Application, tmp_path: Path
    ) -> None:
        document = ingest("load.md", b"# Load\n\nThe load. ![Load](chart.png)\n", chart__png=chart())
        assert client.post("/api/documents/verify").json()["ok"] is True
        live = app.writer.live_entries(app.collections.get("default").kb_id)
        app.indexes().dense.delete(app.collections.get("default").kb_id, [live[0][1]])
        for path in (tmp_path / "data" / "assets").glob("*/*"):
            path.unlink()
        report = client.post("/api/documents/verify", json={"collection": "default"}).json()
        assert report["ok"] is False
        assert report["collections"][0]["missing_from_views"] == {"count": 1, "doc_ids": [document["id"]]}
        assert report["missing_pictures"]["count"] == 1

    def test_verify_of_an_unknown_collection_is_told(self, client: TestClient) -> None:
        assert code(client.post("/api/documents/verify", json={"collection": "nothing"})) == (404, "KNOWLEDGE_BASE_NOT_FOUND")
