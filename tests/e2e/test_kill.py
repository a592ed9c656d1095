"""kill -9 in the middle of an ingestion, again and again: nothing acknowledged is lost, nothing partial is served."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import httpx2
import openpyxl
import pptx
import psutil
import pytest
from PIL import Image
from pptx.util import Inches
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from sqlalchemy import func, select

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.core.jobs import Postponed
from ragd.store.database.engine import open_engine
from ragd.store.database.schema import assets, documents, versions
from ragd.testing.token_index import write_basis

from .conftest import Daemon, ended, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

REAL_INDEXES = {
    "RAG_DENSE__BACKEND": "usearch",
    "RAG_SPARSE__BACKEND": "tantivy",
    "RAG_TOKEN_INDEX__PROVIDER": "file",
    "RAG_OCR__PROVIDER": "none",
}
SAME_SETTINGS = {"embedding.provider": "fake", "sparse.analyzer": "bigram", "ocr.provider": "none"}
PROBLEMS = ("damaged_facts", "missing_from_views", "missing_vectors", "outdated_profile", "damaged_tokens")
NOTES = 120
SECTIONS = 12
OF_EACH_KIND = 4
DOCUMENTS = NOTES + 4 * OF_EACH_KIND


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Notes of several chunks, and among them other formats with pictures; so many that they are stored in several groups."""
    made = tmp_path / "documents"
    made.mkdir()
    for number in range(NOTES):
        sections = [f"## Part {part}\n\nThe value of item{number}x{part} is set here.\n" for part in range(SECTIONS)]
        (made / f"{number:04}.md").write_text(f"# Document {number}\n\n" + "\n".join(sections), encoding="utf-8")
    for number in range(OF_EACH_KIND):
        picture = io.BytesIO()
        Image.effect_mandelbrot((240, 160), (-2, -1.5 + number / 9, 1, 1.5), 40).save(picture, "PNG")
        write_office_files(made / f"{number * 30 + 15:04}", number, picture)
    return made


def write_office_files(stem: Path, number: int, picture: io.BytesIO) -> None:
    """A Word document, a workbook, a presentation and a PDF; all but the workbook show the picture."""
    word = docx.Document()
    word.add_heading(f"手順 {number}")
    word.add_picture(picture)
    word.save(f"{stem}.docx")
    book = openpyxl.Workbook()
    for row in range(50):
        book.worksheets[0].append([f"order{number}x{row}", "数量", row])
    book.save(f"{stem}.xlsx")
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = f"Slide of {number}"
    slide.shapes.add_picture(picture, Inches(1), Inches(2))
    show.save(f"{stem}.pptx")
    canvas = Canvas(f"{stem}.pdf")
    canvas.drawString(72, 780, f"The page of number {number} shows a picture of its own.")
    canvas.drawImage(ImageReader(picture), 72, 400)
    canvas.save()


def ready_documents(client: httpx2.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    page = 1
    while True:
        answer = client.get("/api/documents", params={"status": "ready", "page": page, "page_size": 100}).json()
        found += answer["items"]
        if page * 100 >= answer["total"]:
            return found
        page += 1


def kill(daemon: Daemon) -> None:
    """kill -9 of the daemon alone; the processes that read files end by themselves."""
    readers = psutil.Process(daemon.process.pid).children(recursive=True)
    daemon.process.kill()
    daemon.process.wait(timeout=180)

    def all_gone() -> bool:
        # Where nothing collects orphans, one that has ended stays as a zombie.
        return not [reader for reader in readers if reader.is_running() and reader.status() != psutil.STATUS_ZOMBIE]

    wait_for(all_gone, "the reading processes to end", 60)


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    return REAL_INDEXES | {"RAG_TOKEN_INDEX__BASIS": str(write_basis(tmp_path / "basis.npz"))}


def examine(data_dir: Path, models_dir: Path, copy: Path) -> int:
    """Hold a copy of the data to what must be true after a kill, before and after a start mends it. Returns what is ready."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(data_dir, copy)
    explicit = SAME_SETTINGS | {"token_index.basis": str(data_dir.with_name("basis.npz"))}
    app = Application(load_settings(copy, environment={}, explicit=explicit), Directories(copy, models_dir, copy))
    try:
        found = app.reconciler.verify()["collections"][0]
        assert not [found[what] for what in PROBLEMS if found[what]["count"]]
        assert app.reconciler.reconcile() is None, "nothing that was ready has to be made again"
        for job in app.jobs.waiting("tokens"):
            while True:
                try:
                    app.reconciler.tokens(job, lambda *_: None)
                    break
                except Postponed:  # after each slice it gives way to what else is queued, which nothing runs here
                    continue
        report = app.reconciler.verify()
        assert report["ok"], report
        assert app.indexes().tokens is not None
        assert not report["collections"][0]["missing_tokens"]["count"]
    finally:
        app.close()
    engine = open_engine("", copy)
    with engine.connect() as connection:
        statuses = set(connection.scalars(select(documents.c.status)))
        pending = connection.scalar(select(func.count()).where(versions.c.status == "pending"))
        pictures = set(connection.scalars(select(assets.c.asset_id)))
    engine.dispose()
    files = [path.name.partition(".")[0] for path in (copy / "assets").glob("*/*")]
    assert (statuses - {"ready"}, pending) == (set(), 0)
    assert sorted(files) == sorted([*pictures, *pictures]), "each picture has its file and its thumbnail"
    return int(report["collections"][0]["documents"])


def test_kills_at_any_moment_lose_nothing_and_serve_nothing_partial(
    start: Callable[..., Daemon], folder: Path, tmp_path: Path, models_dir: Path, settings: dict[str, str]
) -> None:
    daemon = start(**settings)
    with daemon.client() as client:
        job_id = client.post("/api/ingest", json={"paths": [str(folder)]}).json()["job_id"]
    before = 0
    for share in (0.0, 0.3, 0.6):
        with daemon.client() as client:

            def far_enough(client: httpx2.Client = client, share: float = share) -> bool:
                job = client.get(f"/api/jobs/{job_id}").json()
                return bool(job["status"] != "queued" and job["progress"]["done"] >= share * DOCUMENTS)

            wait_for(far_enough, f"{share:.0%} of the documents", 60)
        kill(daemon)
        ready = examine(daemon.data_dir, models_dir, tmp_path / "copy")
        assert ready >= before, "what was served before the kill is served after it"
        daemon = start(**settings)
        with daemon.client() as client:
            served = ready_documents(client)
            assert len(served) >= ready
            notes = [document for document in served if document["source"].endswith(".md")]
            assert all(document["chunk_count"] == SECTIONS for document in notes)
            for document in notes[:1] + notes[-1:]:
                assert client.get(f"/api/documents/{document['id']}/chunks").json()["total"] == SECTIONS
            before = ready
    with daemon.client() as client:
        job = ended(client, job_id)
        assert (job["status"], job["result"]["failed"]) == ("completed", [])
        assert len(ready_documents(client)) == DOCUMENTS
        last = {"query": f"item{NOTES - 1}x{SECTIONS - 1}", "strategy": "sparse_only"}
        hit = client.post("/api/query", json=last).json()["results"][0]
        assert (hit["source"], hit["section_path"][-1]) == (f"{NOTES - 1:04}.md", f"Part {SECTIONS - 1}")
    assert daemon.stop() == 0
    assert examine(daemon.data_dir, models_dir, tmp_path / "copy") == DOCUMENTS
    pictures = [path for path in (daemon.data_dir / "assets").glob("*/*") if path.suffix != ".thumb"]
    assert len(pictures) >= OF_EACH_KIND
