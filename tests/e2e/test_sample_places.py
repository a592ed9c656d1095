"""The sample documents through the real loaders: every passage says exactly where it stands in its file."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.cell_range import CellRange

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.core.query import QueryRequest

# The first test reads all samples, or waits until another worker has.
pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.timeout(2400)]

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "data" / "samples"
PLACE_FIELDS = ("page", "slide", "sheet", "cell_range", "line_range")


@pytest.fixture(scope="module")
def app(samples_data: Path, models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    data = shutil.copytree(samples_data, tmp_path_factory.mktemp("places") / "data")
    opened = Application(load_settings(ROOT / "config", environment={}), Directories(data, models_dir, ROOT / "config"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def chunks(app: Application) -> dict[str, list[dict[str, Any]]]:
    """The passages of every sample in order, by the file's path."""
    documents = app.document_reader.page(page_size=100)[0]
    return {item["source"]: app.document_reader.chunks(item["id"], page_size=100)[0] for item in documents}


def holding(chunks: list[dict[str, Any]], words: str) -> list[dict[str, Any]]:
    found = [chunk for chunk in chunks if words in chunk["content"]]
    assert found, f"no passage holds {words!r}"
    return found


def place(chunk: dict[str, Any]) -> dict[str, Any]:
    """Where a passage stands, without its rectangle."""
    return {field: chunk[field] for field in PLACE_FIELDS if chunk.get(field) is not None}


def test_every_format_has_a_sample_in_both_languages(chunks: dict[str, list[dict[str, Any]]]) -> None:
    japanese = {Path(name).suffix for name in chunks if Path(name).stem.endswith(("-ja", "_定例会議"))}
    english = {Path(name).suffix for name in chunks if not Path(name).stem.endswith(("-ja", "_定例会議"))}
    prose = {".md", ".txt", ".html", ".pdf", ".docx", ".xlsx", ".csv", ".pptx", ".png", ".svg", ".ipynb", ".eml"}
    assert prose <= japanese
    assert prose <= english


@pytest.mark.parametrize(
    ("source", "words", "section"),
    [
        ("reports/incident-2026-014.docx", "firmware update of a rack switch", "Summary"),
        ("reports/incident-2026-014.docx", "A ping with 8,972 bytes fails", "Timeline"),
        ("reports/osaka-rollout-plan-ja.docx", "尼崎倉庫", "対象の拠点と日程"),
        ("reports/osaka-rollout-plan-ja.docx", "1,332,000円", "費用"),
        ("mail/drive-recall.eml", "case ND-58213", "Recall of NX-760 drives: please update the firmware"),
        ("mail/staging-maintenance-ja.eml", "予備日の4月18日", "【お知らせ】検証環境の保守作業(4月11日)"),
        ("reference/admin-api.html", "KST-4225", "Errors"),
        ("reference/faq-ja.html", "月額4万8千円", "課金の単位を教えてください"),
    ],
)
def test_a_passage_without_pages_or_lines_stands_in_its_section(
    chunks: dict[str, list[dict[str, Any]]], source: str, words: str, section: str
) -> None:
    assert section in {chunk["section_path"][-1] for chunk in holding(chunks[source], words)}


@pytest.mark.parametrize(
    ("source", "words", "slide"),
    [
        ("presentations/quarterly-review-2026q1.pptx", "closed on 3 April", 1),
        ("presentations/quarterly-review-2026q1.pptx", "Availability of sagami", 3),
        ("presentations/quarterly-review-2026q1.pptx", "2025 Q3", 4),
        ("presentations/quarterly-review-2026q1.pptx", "fire inspection", 5),
        ("presentations/new-colleagues-course-ja.pptx", "わざと失敗させて記録を読む", 3),
        ("presentations/new-colleagues-course-ja.pptx", "名札印刷の自動化", 6),
    ],
)
def test_text_tables_charts_and_notes_stand_on_their_slide(
    chunks: dict[str, list[dict[str, Any]]], source: str, words: str, slide: int
) -> None:
    assert [place(chunk) for chunk in holding(chunks[source], words)] == [{"slide": slide}]


@pytest.mark.parametrize("source", ["planning/node-inventory.xlsx", "planning/edge-box-ledger-ja.xlsx"])
def test_the_range_of_a_sheets_passage_begins_and_ends_with_its_rows(
    chunks: dict[str, list[dict[str, Any]]], source: str
) -> None:
    book = load_workbook(SAMPLES / source, data_only=True)
    covered: dict[str, set[int]] = {}
    for chunk in chunks[source]:
        assert set(place(chunk)) == {"sheet", "cell_range"}
        sheet = book[chunk["sheet"]]
        cells = CellRange(chunk["cell_range"])
        assert (cells.min_col, cells.max_col) == (1, sheet.max_column)
        lines = chunk["content"].strip().splitlines()
        # Every part of a long table begins with its head, which is not among its cells.
        rows = [line for line in lines if line.startswith("|")]
        first = next(row for row in rows if str(sheet.cell(cells.min_row, 1).value) in row)
        assert rows.index(first) in (0, 2)
        assert str(sheet.cell(cells.max_row, 1).value) in lines[-1]
        covered.setdefault(chunk["sheet"], set()).update(range(cells.min_row, cells.max_row + 1))
    assert covered == {sheet.title: set(range(1, sheet.max_row + 1)) for sheet in book}


@pytest.mark.parametrize(
    ("source", "words", "head"),
    [
        ("planning/node-inventory.xlsx", "kes-sg-66", "| Node / Name | Node / Cluster | Location / Site | Location / Rack |"),
        ("planning/node-inventory.xlsx", "€ 332,532", "| Node / Name |"),
        (
            "planning/edge-box-ledger-ja.xlsx",
            "| EB-146 | 長野倉庫 | T240715 | 2025年5月18日 | ¥6,200 | 53.0% |",
            "| 機器 / 管理番号 |",
        ),
        ("planning/release-test-runs.csv", "T-0312", "| run | started |"),
        ("planning/inquiries-2026-02-ja.csv", "Q-2612", "| 受付番号 | 受付日 |"),
    ],
)
def test_each_part_of_a_long_table_has_its_header(
    chunks: dict[str, list[dict[str, Any]]], source: str, words: str, head: str
) -> None:
    assert any(head in chunk["content"] for chunk in holding(chunks[source], words))


@pytest.mark.parametrize(
    ("source", "encoding"), [("planning/release-test-runs.csv", "utf-8"), ("planning/inquiries-2026-02-ja.csv", "cp932")]
)
def test_the_lines_of_a_csv_passage_are_the_files(chunks: dict[str, list[dict[str, Any]]], source: str, encoding: str) -> None:
    keys = [line.split(",")[0] for line in (SAMPLES / source).read_text(encoding=encoding).splitlines()]
    for chunk in chunks[source]:
        assert set(place(chunk)) == {"line_range"}
        first, last = chunk["line_range"]
        named = [number for number, key in enumerate(keys, 1) if f"{key} |" in chunk["content"]]
        assert [number for number in named if number > 1] == list(range(max(first, 2), last + 1))


@pytest.mark.parametrize(
    "source",
    [
        "guides/developer-guide.md",
        "guides/setup-guide-ja.md",
        "operations/troubleshooting.txt",
        "meetings/2026-01-20_定例会議.txt",
        "code/kestrel_client.py",
        "code/dashboardPoller.ts",
        "code/kestrel.yaml",
        "code/nightly-backup.sh",
    ],
)
def test_the_lines_of_a_text_passage_hold_it_and_no_more(chunks: dict[str, list[dict[str, Any]]], source: str) -> None:
    lines = (SAMPLES / source).read_text(encoding="utf-8").splitlines()
    for chunk in chunks[source]:
        assert set(place(chunk)) == {"line_range"}
        first, last = chunk["line_range"]
        passage = chunk["content"].strip("\n").splitlines()
        assert len(passage) == last - first + 1
        assert passage[0].rstrip() in lines[first - 1]
        assert passage[1:-1] == lines[first : last - 1]
        assert passage[-1].strip() in lines[last - 1]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("notebooks/slow-enqueues.ipynb", "Two thirds of the slow calls"),
        ("notebooks/slow-enqueues.ipynb", "pd.read_parquet"),
        ("notebooks/backlog-analysis-ja.ipynb", "印刷ジョブを日曜日の22時から"),
    ],
)
def test_the_lines_of_a_notebook_passage_are_those_of_the_file(
    chunks: dict[str, list[dict[str, Any]]], source: str, words: str
) -> None:
    (line,) = (number for number, text in enumerate((SAMPLES / source).read_text("utf-8").splitlines(), 1) if words in text)
    for chunk in holding(chunks[source], words):
        assert set(place(chunk)) == {"line_range"}
        first, last = chunk["line_range"]
        assert first <= line <= last


@pytest.mark.parametrize(
    ("source", "words", "page"),
    [
        ("papers/architecture-whitepaper.pdf", "It takes 41 bytes for each live job", 2),
        ("papers/architecture-whitepaper.pdf", "Longest time without a leader", 6),
        ("papers/operations-manual-ja.pdf", "目標復旧時点", 3),
        ("papers/operations-manual-ja.pdf", "担当チームに連絡する", 2),
        ("papers/edge-box-spec-sheet.pdf", "power-loss protection", 1),
    ],
)
def test_a_pdf_passage_stands_on_its_page_inside_its_rectangle(
    chunks: dict[str, list[dict[str, Any]]], source: str, words: str, page: int
) -> None:
    document = pypdfium2.PdfDocument(SAMPLES / source)
    try:
        shown = document[page - 1]
        width, height = shown.get_size()
        for chunk in holding(chunks[source], words):
            assert place(chunk) == {"page": page}
            left, top, right, bottom = chunk["bbox"]
            assert 0 <= left < right <= 1
            assert 0 <= top < bottom <= 1
            rectangle = (left * width, (1 - bottom) * height, right * width, (1 - top) * height)
            text = shown.get_textpage().get_text_bounded(*rectangle)
            assert words.replace(" ", "") in "".join(text.split())
    finally:
        document.close()


@pytest.mark.parametrize(
    ("query", "source", "page"),
    [
        ("argon horn bicycle shed", "archive/visitor-rules-hall-b.pdf", 1),
        ("水濡れの跡 返品", "archive/equipment-receipt-ja.pdf", 1),
        ("緩衝材は返却用に90日間保管", "archive/equipment-receipt-ja.pdf", 2),
        ("newsletter paused t.lindqvist", "screenshots/admin-console-queues.png", None),
        ("電源ユニットの交換 退避", "screenshots/admin-console-nodes-ja.png", None),
    ],
)
def test_what_was_read_in_scans_and_screenshots_is_found_by_its_words(
    app: Application, query: str, source: str, page: int | None
) -> None:
    best = app.search.query(QueryRequest(query, strategy="sparse_only", top_k=1)).hits[0].passage
    assert (best.source, best.place.page) == (source, page)
    left, top, right, bottom = best.place.bbox or (1.0, 1.0, 0.0, 0.0)
    assert 0 <= left < right <= 1
    assert 0 <= top < bottom <= 1


@pytest.mark.parametrize(
    ("source", "words", "folder"),
    [
        ("reports/incident-2026-014.docx", "Figure 1: waiting jobs", "word/media/"),
        ("reports/osaka-rollout-plan-ja.docx", "図1 大阪支社", "word/media/"),
        ("presentations/quarterly-review-2026q1.pptx", "fire inspection", "ppt/media/"),
        ("presentations/new-colleagues-course-ja.pptx", "3分ほどで行列がなくなります", "ppt/media/"),
    ],
)
def test_a_picture_goes_with_the_passage_around_it_and_no_other(
    app: Application, chunks: dict[str, list[dict[str, Any]]], source: str, words: str, folder: str
) -> None:
    with zipfile.ZipFile(SAMPLES / source) as archive:
        (data,) = (archive.read(name) for name in archive.namelist() if name.startswith(folder))
    (asset,) = {reference for chunk in chunks[source] for reference in chunk["image_refs"]}
    assert hashlib.sha256(data).hexdigest().startswith(asset)
    (around,) = (chunk for chunk in chunks[source] if chunk["image_refs"])
    assert words in around["content"]
    assert app.pictures.find(asset, "raw", app.access.context({})).path.read_bytes() == data


@pytest.mark.parametrize("source", ["archive/visitor-rules-hall-b.pdf", "archive/equipment-receipt-ja.pdf"])
def test_a_scanned_page_comes_with_its_picture(chunks: dict[str, list[dict[str, Any]]], source: str) -> None:
    pages: dict[int, set[str]] = {}
    for chunk in chunks[source]:
        pages.setdefault(chunk["page"], set()).update(chunk["image_refs"])
    document = pypdfium2.PdfDocument(SAMPLES / source)
    count = len(document)
    document.close()
    # A passage that goes on over a page has the pictures of both, and the page on which it begins.
    assert set(pages) <= set(range(1, count + 1))
    assert len(set.union(*pages.values())) == count


@pytest.mark.parametrize(
    "source",
    [
        "screenshots/admin-console-queues.png",
        "screenshots/admin-console-nodes-ja.png",
        "diagrams/order-flow.svg",
        "diagrams/contacts-ja.svg",
    ],
)
def test_a_picture_file_is_its_own_picture(chunks: dict[str, list[dict[str, Any]]], source: str) -> None:
    digest = hashlib.sha256((SAMPLES / source).read_bytes()).hexdigest()
    assert [chunk["image_refs"] for chunk in chunks[source]] == [[digest[:32]]]
