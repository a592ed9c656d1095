"""Lists of 100,000 documents and 10,000 traces: every page has its part of them."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.app.container import Application

from ..conftest import Opened

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).resolve().parents[4] / "scripts" / "bench" / "dashboard" / "rows.py"
DOCUMENTS, TRACES = 100_000, 10_000


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory, opened: Opened) -> Iterator[Application]:
    with opened(tmp_path_factory.mktemp("many"), {"observability.keep_traces": TRACES}) as app:
        runpy.run_path(str(SCRIPT))["fill"](app.maintenance.database, DOCUMENTS, TRACES)
        yield app


@pytest.fixture(scope="module")
def pages(many: Application, served: Callable[[Application], TestClient]) -> Iterator[TestClient]:
    with served(many) as client:
        yield client


@pytest.mark.parametrize(
    ("address", "total"),
    [
        ("/api/documents?", DOCUMENTS),
        ("/api/documents?status=failed&", DOCUMENTS // 10),
        ("/api/documents?text=backup-0000&", 15),
        ("/api/traces?type=query&", TRACES),
        ("/api/traces?type=query&only=nothing_found&", TRACES // 100),
        ("/api/traces?type=query&text=number%20777&", 11),
    ],
)
def test_each_page_has_its_part_and_the_whole_count(pages: TestClient, address: str, total: int) -> None:
    size = 20
    last = -(-total // size)
    seen: list[dict[str, Any]] = []
    for page in dict.fromkeys((1, last, last + 1)):
        answer = pages.get(f"{address}page={page}&page_size={size}").json()
        assert answer["total"] == total
        assert len(answer["items"]) == max(0, min(size, total - (page - 1) * size))
        seen += answer["items"]
    ids = [item.get("id") or item["trace_id"] for item in seen]
    assert len(set(ids)) == (total if last == 1 else size + (total % size or size))


def test_no_page_is_larger_than_a_hundred(pages: TestClient) -> None:
    for address in ("/api/documents", "/api/traces"):
        assert pages.get(f"{address}?page_size=101").status_code == 400
        assert len(pages.get(f"{address}?page=37&page_size=100").json()["items"]) == 100


def test_the_overview_counts_them_all(pages: TestClient) -> None:
    overview = pages.get("/api/overview").json()
    assert overview["documents"]["total"] == DOCUMENTS * 9 // 10
    assert overview["chunks"]["total"] == 5 * overview["documents"]["total"]
    assert overview["queries"]["month"]["count"] >= TRACES - 1
    assert overview["queries"]["month"]["nothing_found"] == TRACES // 100
    assert 0 < overview["documents"]["day"] < overview["documents"]["month"] < overview["documents"]["total"]
