"""Datasets over the API: the text of a file, its questions one by one, and the versions that changes make."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from ragd.core.ids import hash32

TEXT = (
    "- {id: one, query: 'How is it set up?', hard: true, relevant: [{source: install.md, place: {section: Install}}]}\n"
    "- {id: two, query: 経費はいつまで, lang: ja, relevant: [{source: 経費.md, place: {}}]}\n"
)


@pytest.fixture
def changes(tmp_path: Path) -> dict[str, Any]:
    return {"security.allowed_roots": [str(tmp_path)]}


@pytest.fixture
def kept(client: TestClient) -> dict[str, Any]:
    answer = client.post("/api/datasets", json={"name": "mine", "text": TEXT})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def change(client: TestClient, base: str, **wanted: Any) -> Any:
    return client.patch("/api/datasets/mine", json={"base": base, **wanted})


def test_a_file_is_kept_as_it_is_under_the_digest_that_a_run_names(client: TestClient, kept: dict[str, Any]) -> None:
    assert kept["digest"] == hash32(hashlib.sha256(TEXT.encode()).hexdigest())
    assert (kept["questions"], kept["position"]) == (2, 1)
    assert client.get("/api/datasets/mine/text").json() == {"name": "mine", "digest": kept["digest"], "text": TEXT}
    assert [row["name"] for row in client.get("/api/datasets").json()["items"]] == ["mine"]
    found = client.get("/api/datasets/mine", params={"text": "経費"}).json()["questions"]
    assert [(row["number"], row["question"]["id"]) for row in found["items"]] == [(2, "two")]


def test_questions_are_added_changed_and_removed_and_every_version_stays(client: TestClient, kept: dict[str, Any]) -> None:
    wanted = {"id": "three", "query": "Who?", "answerable": False}
    added = change(client, kept["digest"], put=wanted).json()
    changed = change(client, added["digest"], put={**wanted, "query": "Who pays?"}, replaces="three").json()
    removed = change(client, changed["digest"], remove="one").json()
    assert [row["questions"] for row in (added, changed, removed)] == [3, 3, 2]
    text = client.get("/api/datasets/mine/text").json()["text"]
    assert [item["query"] for item in yaml.safe_load(text)] == ["経費はいつまで", "Who pays?"]
    assert "経費はいつまで" in text
    whole = client.get("/api/datasets/mine", params={"digest": kept["digest"]}).json()
    assert [row["position"] for row in whole["versions"]] == [4, 3, 2, 1]
    assert [row["question"]["id"] for row in whole["questions"]["items"]] == ["one", "two"]
    again = change(client, removed["digest"], restore=kept["digest"]).json()
    assert (again["position"], again["digest"]) == (5, kept["digest"])


def test_a_passage_that_was_found_becomes_its_place(client: TestClient, kept: dict[str, Any], ingested: Any) -> None:
    hits = client.post("/api/query", json={"query": "kestrel setup"}).json()["results"]
    hit = next(one for one in hits if one["source"] == "install.md" and one["section_path"][-1] == "Install")
    put = {"id": "new", "query": "?", "relevant": [{"chunk_id": hit["chunk_id"], "grade": 2}]}
    assert change(client, kept["digest"], put=put).status_code == 200
    item = yaml.safe_load(client.get("/api/datasets/mine/text").json()["text"])[-1]
    assert item["relevant"] == [{"source": "install.md", "place": {"lines": hit["line_range"]}, "grade": 2}]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"put": {"id": "one", "query": "again", "answerable": False}}, "'one' stands twice"),
        ({"put": {"id": "x", "query": "?", "relevant": [{"source": "a.md", "place": {"page": 0}}]}}, "'page' must be a number"),
        ({"put": {"id": "x", "query": "?", "unheard": 1, "answerable": False}}, "'unheard' is not known here"),
        ({"put": {"id": "x", "query": "?", "relevant": [{"chunk_id": "0" * 32}]}}, "can't be found"),
        ({"remove": "nobody"}, "no question 'nobody'"),
        ({}, "exactly one"),
        ({"remove": "one", "restore": "0" * 32}, "exactly one"),
    ],
)
def test_what_no_file_could_hold_is_refused(
    client: TestClient, kept: dict[str, Any], wanted: dict[str, Any], message: str
) -> None:
    answer = change(client, kept["digest"], **wanted)
    assert answer.status_code in (400, 404)
    assert message in answer.text
    assert client.get("/api/datasets/mine").json()["version"]["digest"] == kept["digest"]


def test_two_who_change_the_same_version_do_not_overwrite_each_other(client: TestClient, kept: dict[str, Any]) -> None:
    assert change(client, kept["digest"], remove="one").status_code == 200
    second = change(client, kept["digest"], remove="two")
    assert second.status_code == 400
    assert second.json()["error"]["details"][0]["code"] == "outdated"


@pytest.mark.parametrize("body", [{"name": "golden"}, {"name": "feedback"}, {"name": "a/b"}, {"name": "x", "text": "[1"}])
def test_a_name_or_a_text_that_can_not_be_kept_is_refused(client: TestClient, body: dict[str, str]) -> None:
    assert client.post("/api/datasets", json=body).status_code == 400
    assert client.get("/api/datasets").json()["total"] == 0


def test_a_dataset_begins_empty_and_goes_with_all_its_versions(client: TestClient) -> None:
    made = client.post("/api/datasets", json={"name": "empty"}).json()
    assert made["questions"] == 0
    assert client.delete("/api/datasets/empty").status_code == 204
    for path in ("/api/datasets/empty", "/api/datasets/empty/text"):
        assert client.get(path).status_code == 404
