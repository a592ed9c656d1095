"""The text of pages and the outline by REST."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from pptx.util import Inches
from reportlab.pdfgen.canvas import Canvas
from starlette.testclient import TestClient

pytestmark = pytest.mark.slow

Finish = Callable[[str], dict[str, Any]]


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"ocr.provider": "none"}


@pytest.fixture
def ingest(client: TestClient, finish: Finish, tmp_path: Path) -> Callable[[str, bytes], str]:
    """Ingest one file; gives the document's id."""

    def run(name: str, content: bytes) -> str:
        (tmp_path / name).write_bytes(content)
        job = finish(client.post("/api/ingest", json={"paths": [str(tmp_path / name)]}).json()["job_id"])
        assert job["result"]["failed"] == [], job
        return next(str(item["id"]) for item in client.get("/api/documents").json()["items"] if item["source"] == name)

    return run


def pdf(count: int) -> bytes:
    """Pages with a bookmark each, and a name that Markdown would take for emphasis."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(400, 600), invariant=1)
    for number in range(1, count + 1):
        canvas.bookmarkPage(f"p{number}")
        canvas.addOutlineEntry(f"Chapter {number}", f"p{number}", level=0)
        canvas.drawString(40, 540, f"Chapter {number}")
        canvas.drawString(40, 500, f"valve _{number}_ opens at {number * 7} degrees")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def words(answer: dict[str, Any]) -> str:
    return "\n".join(" ".join(word["text"] for word in line["words"]) for line in answer["lines"])


def test_a_pages_text_is_that_of_this_page_as_printed_with_its_places(client: TestClient, ingest) -> None:
    url = f"/api/documents/{ingest('manual.pdf', pdf(3))}/pages"
    answer = client.get(f"{url}/2/text").json()
    assert (answer["page"], answer["recognised"]) == (2, False)
    assert words(answer) == "Chapter 2\nvalve _2_ opens at 14 degrees"
    assert [tuple(one.values()) for one in answer["paragraphs"]] == [
        ("heading", "Chapter 2"),
        ("text", "valve _2_ opens at 14 degrees"),
    ]
    left, top, right, bottom = answer["lines"][1]["words"][1]["bbox"]
    assert 0.1 < left < right < 0.3
    assert top < 100 / 600 < bottom
    assert client.get(f"{url}/4/text").json()["error"]["message"].endswith("there is no page 4.")
    assert client.get(f"{url}/0/text").status_code == 400


def test_neighbouring_pages_come_without_the_file_being_read_again(client: TestClient, ingest, tmp_path: Path) -> None:
    url = f"/api/documents/{ingest('manual.pdf', pdf(20))}/pages"
    assert "_1_" in words(client.get(f"{url}/1/text").json())
    (tmp_path / "manual.pdf").unlink()
    assert "_9_" in words(client.get(f"{url}/9/text").json())
    assert client.get(f"{url}/18/text").json()["error"]["code"] == "VANISHED"


def test_the_text_of_all_pages_can_be_had_without_the_file(client: TestClient, ingest, tmp_path: Path) -> None:
    doc_id = ingest("manual.pdf", pdf(3))
    (tmp_path / "manual.pdf").unlink()
    answer = client.get(f"/api/documents/{doc_id}/pages", params={"page": 2, "page_size": 2}).json()
    assert answer["total"] == 3
    assert [item["page"] for item in answer["items"]] == [3]
    assert "valve _3_ opens at 21 degrees" in answer["items"][0]["text"]
    assert "#" not in answer["items"][0]["text"]


def test_a_new_version_has_its_own_text(client: TestClient, ingest) -> None:
    doc_id = ingest("manual.pdf", pdf(1))
    assert client.get(f"/api/documents/{doc_id}/pages").json()["total"] == 1
    assert ingest("manual.pdf", pdf(2)) == doc_id
    assert client.get(f"/api/documents/{doc_id}/pages").json()["total"] == 2
    assert "_2_" in words(client.get(f"/api/documents/{doc_id}/pages/2/text").json())


def test_the_outline_leads_to_pages_or_characters(client: TestClient, ingest) -> None:
    outline = client.get(f"/api/documents/{ingest('manual.pdf', pdf(3))}/outline").json()
    assert [(entry["title"], entry["page"]) for entry in outline["items"]] == [(f"Chapter {n}", n) for n in (1, 2, 3)]
    doc_id = ingest("notes.md", "# 𝒜\n\ntext\n\n## B\n\nmore\n".encode())
    content = client.get(f"/api/documents/{doc_id}/content").json()["markdown"]
    entries = client.get(f"/api/documents/{doc_id}/outline").json()["items"]
    assert [(entry["level"], content[entry["start"] :].split("\n")[0]) for entry in entries] == [(1, "# 𝒜"), (2, "## B")]
    assert client.get(f"/api/documents/{doc_id}/pages").json() == {"items": [], "total": 0, "page": 1, "page_size": 20}
    assert client.get(f"/api/documents/{doc_id}/pages/1/text").json()["error"]["code"] == "VALIDATION_ERROR"


def test_merged_cells_and_places_on_slides_are_told_beside_the_content(client: TestClient, ingest) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Routes"
    table = slide.shapes.add_table(3, 2, Inches(1), Inches(3), Inches(8), Inches(3)).table
    for number, text in enumerate(("Line", "Stops", "North", "4", "", "5")):
        table.cell(number // 2, number % 2).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    buffer = io.BytesIO()
    deck.save(buffer)
    url = f"/api/documents/{ingest('routes.pptx', buffer.getvalue())}"
    content = client.get(f"{url}/content").json()["markdown"]
    cells = client.get(f"{url}/merged-cells", params={"start": 0, "end": len(content)}).json()["items"]
    assert cells == [{"start": content.index("| North | 4"), "column": 0, "rows": 2, "columns": 1}]
    assert client.get(f"{url}/merged-cells", params={"start": 0, "end": 5}).json() == {"items": []}
    answer = client.get(f"{url}/slides").json()
    assert (answer["total"], answer["items"][0]["slide"], round(answer["items"][0]["ratio"], 2)) == (1, 1, 1.33)
    blocks = answer["items"][0]["blocks"]
    assert [content[block["start"] : block["end"]].split("\n")[0] for block in blocks] == ["## Routes", "| Line | Stops |"]
    assert blocks[1]["bbox"] == [0.1, 0.4, 0.9, 0.8]
