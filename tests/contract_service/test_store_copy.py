"""A store that was copied into the other kind of database gives the same passages."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from ragd.store.database.copying import copy_store

from .conftest import Service

_SUBJECTS = ("payment", "delivery", "warranty", "penalty", "insurance", "支払", "納期", "保証", "违约", "保险")


# Of files, which both kinds of database can have: two engines may round equal scores otherwise, and passages change places.
_INDEXES = {"dense.backend": "exact", "sparse.backend": "fts5"}


def _documents() -> dict[str, str]:
    return {
        f"tender-{number}.md": f"# Tender {number}\n\n"
        + "\n\n".join(f"## {subject}\n\nThe {subject} of tender {number} is rule {number * 7 % 11}." for subject in _SUBJECTS)
        for number in range(12)
    }


_QUESTIONS = [f"{subject} of tender {number}" for number in range(10) for subject in _SUBJECTS]


def _answers(service: Service, kb_id: str, questions: list[str]) -> list[list[tuple[Any, ...]]]:
    """What questions find, whole."""
    return [[tuple(passage.values()) for passage in service.search(kb_id, question)] for question in questions]


@pytest.fixture
def other_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of the kind that the service does not have."""
    if "postgres" in request.node.callspec.id:
        return f"sqlite:///{tmp_path / 'other.db'}"
    server = request.getfixturevalue("postgres_server")
    return str(server.url(request.getfixturevalue("postgres_database")))


def test_100_questions_find_the_same_before_and_after(opened: Any, tmp_path: Path, other_url: str) -> None:
    with opened(_INDEXES) as service:
        kb_id = service.create("Tenders")
        doc_ids = [service.upload(kb_id, name, text) for name, text in _documents().items()]
        assert {service.read(doc_id)["status"] for doc_id in doc_ids} == {"completed"}
        before, url = _answers(service, kb_id, _QUESTIONS), service.store.url or f"sqlite:///{tmp_path / 'data' / 'rag.db'}"
    rows = copy_store(url, other_url, tmp_path / "data", "", lambda _table, _done, _whole: None)
    assert rows["documents"] == len(doc_ids)
    assert rows["vectors"] > 0
    with opened({"store.url": other_url, **_INDEXES}) as service:
        assert _answers(service, kb_id, _QUESTIONS) == before
    shutil.rmtree(tmp_path / "data" / "index")
    with opened({"store.url": other_url, **_INDEXES}) as service:
        service.until("/api/jobs", lambda page: all(job["finished_at"] for job in page["items"]))
        # Of each subject one: what is made anew from the copied rows is the same for all.
        assert _answers(service, kb_id, _QUESTIONS[::9]) == before[::9]
    assert all(before)
