"""Which jobs of a collection may run side by side: those that can't be about the same document."""

from __future__ import annotations

from typing import Any

import pytest

from ragd.core.jobs import urgency
from ragd.jobs.lanes import Work, goes_first, in_the_way


def upload(*names: str, kb_id: str = "k") -> Work:
    return Work("upload", kb_id, {"files": [{"staged": "s", "source": name} for name in names]})


def cleanup(*uris: str, kb_id: str = "k") -> Work:
    return Work("cleanup", kb_id, {"doc_ids": ["d"], "uris": list(uris)})


def job(kind: str, kb_id: str = "k", **payload: Any) -> Work:
    return Work(kind, kb_id, payload)


OF_UPLOAD = cleanup("file:///data/uploads/k/0f/a.md")
OF_PATH = cleanup("file:///home/a.md")
MAIN = [job("ingest"), job("sync"), job("bulk"), OF_PATH, cleanup()]


@pytest.mark.parametrize("main", MAIN, ids=lambda work: work.kind)
@pytest.mark.parametrize("quick", [upload("a.md"), OF_UPLOAD], ids=["upload", "its removal"])
def test_uploads_run_beside_folders_and_sources_of_their_collection(main: Work, quick: Work) -> None:
    assert not in_the_way(quick, main)
    assert not in_the_way(main, quick)


@pytest.mark.parametrize("one", MAIN, ids=lambda work: work.kind)
def test_folders_and_sources_of_a_collection_follow_each_other(one: Work) -> None:
    assert in_the_way(one, job("ingest"))
    assert not in_the_way(one, job("ingest", kb_id="other"))


@pytest.mark.parametrize("kind", ["reread", "purge", "a stranger's"])
@pytest.mark.parametrize("other", [*MAIN, upload("a.md"), OF_UPLOAD], ids=lambda work: work.kind)
def test_what_may_be_about_any_document_runs_alone_in_its_collection(kind: str, other: Work) -> None:
    assert in_the_way(job(kind), other)
    assert in_the_way(other, job(kind))


def test_uploads_of_other_names_run_side_by_side_and_of_one_name_in_order() -> None:
    assert not in_the_way(upload("a.md"), upload("b.md"))
    assert in_the_way(upload("a.md", "c.md"), upload("b.md", "c.md"))
    assert goes_first(upload("a.md"), upload("a.md", "b.md"))
    assert not goes_first(upload("a.md"), upload("b.md"))
    # Of what was deleted, the remains go before the file that comes again, whatever it is called.
    assert goes_first(OF_UPLOAD, upload("a.md"))
    assert goes_first(upload("a.md"), OF_UPLOAD)
    assert not goes_first(OF_PATH, upload("a.md"))


def test_what_is_about_all_collections_runs_alone() -> None:
    for other in (*MAIN, upload("a.md"), job("reread"), job("captions", kb_id="")):
        assert in_the_way(job("rebuild", kb_id=""), other)
        assert in_the_way(other, job("rebuild", kb_id=""))


def test_the_lanes_of_jobs() -> None:
    assert [work.lane for work in MAIN] == ["k", "k", "bulk k", "k", "k"]
    assert job("rebuild", kb_id="").lane == "*"
    assert upload("a.md").lane == upload("a.md").lane
    lanes = {upload(f"{number}.md").lane for number in range(200)}
    assert len(lanes) == 8
    assert all(lane.startswith("upload ") and lane.endswith(" k") for lane in lanes)
    assert OF_UPLOAD.lane == "upload k"
    assert cleanup("file:///data/uploads/other/0f/a.md").lane == "k"


def test_what_a_person_waits_for_is_urgent() -> None:
    assert urgency("upload") == urgency("reread") > urgency("ingest") == urgency("sync") > urgency("bulk") == urgency("captions")
