"""Cloud sources by REST, over a fake site: connections that are tested, tokens in the header, ledger, retry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.sources.base import Skip

from ...sources.fake_cloud import FakeSite, filled, install

pytestmark = pytest.mark.slow

Finish = Callable[[str], dict[str, Any]]
HEADER = "X-RAG-Source-Token"
BODY = {
    "type": "fake",
    "name": "wiki",
    "config": {"base_url": "https://wiki.example.com", "auth": {"token": "env:RAG_SECRET_FAKE"}},
}
ASKED = BODY | {"config": {"base_url": "https://wiki.example.com", "auth": {"token": "request"}}}


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"live.budget_ms": 60_000, "live.cache_ttl": 0}


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> FakeSite:
    return install(monkeypatch, filled())


def add(client: TestClient, finish: Finish, body: dict[str, Any] = BODY, **headers: str) -> dict[str, Any]:
    answer = client.post("/api/sources", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    finish(answer.json()["job_id"])
    return dict(client.get(f"/api/sources/{answer.json()['id']}").json())


def problem(answer: Any, status: int = 400) -> dict[str, str]:
    assert answer.status_code == status, answer.text
    return {detail["field"]: detail["code"] for detail in answer.json()["error"]["details"]}


def test_a_dry_run_tests_the_connection_and_stores_nothing(client: TestClient, site: FakeSite) -> None:
    answer = client.post("/api/sources", json=ASKED, params={"dry_run": True}, headers={HEADER: "new=indexer-secret"})
    assert answer.json() == {
        "account": "Index Account",
        "deployment": "data_center",
        "containers": [
            {"key": "DEV", "name": "Development", "items": 3},
            {"key": "HR", "name": "人事", "items": 1},
        ],
        "names": ["Install", "notes.txt", "Restore", "休暇規程"],
        "warnings": [],
    }
    assert client.get("/api/sources").json()["total"] == 0


def test_a_dry_run_by_a_reference_names_no_items(client: TestClient, site: FakeSite) -> None:
    answer = client.post("/api/sources", json=BODY, params={"dry_run": True})
    assert answer.json()["containers"]
    assert answer.json()["names"] == []


def test_tokens_that_a_client_joined_in_one_header_are_told_apart(client: TestClient, site: FakeSite) -> None:
    joined = client.post("/api/sources", json=ASKED, params={"dry_run": True}, headers={HEADER: "other=x, new=indexer-secret"})
    assert joined.json()["account"] == "Index Account"
    for wrong in ("new=indexer-secret,", "indexer-secret", "=indexer-secret"):
        answer = client.post("/api/sources", json=ASKED, params={"dry_run": True}, headers={HEADER: wrong})
        assert problem(answer) == {HEADER: "invalid"}
        assert "indexer-secret" not in answer.text


def test_a_source_that_waits_for_its_token_is_due_again_after_each_reading(
    client: TestClient, finish: Finish, site: FakeSite
) -> None:
    added = add(client, finish, ASKED | {"schedule": "every 1h"}, **{HEADER: "new=indexer-secret"})
    assert added["waits_for_token"]
    assert added["due_at"] > added["created_at"]


def test_each_wrong_field_of_a_connection_is_named_and_no_token_is_repeated(client: TestClient, site: FakeSite) -> None:
    for field, values in site.wrong.items():
        wrong = client.post("/api/sources", json=BODY | {"config": values}, params={"dry_run": True})
        assert problem(wrong) == {field: "invalid"}
    nobody = client.post("/api/sources", json=ASKED, params={"dry_run": True}, headers={HEADER: "new=nobody-secret"})
    assert problem(nobody) == {"config.auth.token": "refused"}
    assert "nobody-secret" not in nobody.text
    assert problem(client.post("/api/sources", json=ASKED, params={"dry_run": True})) == {"config.auth.token": "missing"}
    assert problem(client.get("/api/documents", headers={HEADER: "no-pair-secret"})) == {HEADER: "invalid"}
    assert problem(client.post("/api/sources", json=BODY | {"live": "off"})) == {"live": "invalid"}
    assert problem(client.post("/api/sources", json=BODY | {"schedule": "now"})) == {"schedule": "invalid"}


def test_a_source_is_read_and_its_items_are_accounted_for(client: TestClient, finish: Finish, site: FakeSite) -> None:
    broken = site.add("Plan", "text", broken=Skip("failed", "Status 500."))
    source = add(client, finish, BODY | {"schedule": "every 2h", "live": "cached"})
    assert (source["live"], source["public"], source["schedule"], source["waits_for_token"]) == (
        "cached",
        False,
        "every 2h",
        False,
    )
    last = source["last_result"]
    assert (last["remote"], last["indexed"], last["skipped"], last["held"], last["complete"]) == (5, 4, 1, 0, True)
    address = f"/api/sources/{source['id']}"
    ledger = client.get(f"{address}/ledger").json()
    assert ledger["counts"] == {"indexed": 4, "skipped": 1}
    [cycle] = ledger["cycles"]
    assert cycle["skipped"] == [{"id": broken, "title": None, "reason": "failed", "message": "Status 500."}]
    mine = {HEADER: f"{source['id']}={site.reader}"}
    assert client.get(f"{address}/ledger", headers=mine).json()["cycles"][0]["skipped"][0]["title"] == "Plan"
    items = client.get(f"{address}/ledger/items", params={"state": "indexed", "page_size": 2}).json()
    assert (items["total"], len(items["items"]), items["items"][0]["title"]) == (4, 2, None)
    site.mend(broken)
    assert finish(client.post(f"{address}/retry", json={"items": [broken]}).json()["job_id"])["result"]["added"] == 1
    assert client.post(f"{address}/retry").status_code == 400
    for path in ("", "/ledger", "/ledger/items"):
        assert client.get(f"/api/sources/none{path}").status_code == 404


def test_a_token_that_comes_with_the_request_reads_and_is_not_told_anywhere(
    client: TestClient, finish: Finish, site: FakeSite, caplog: pytest.LogCaptureFixture
) -> None:
    source = add(client, finish, ASKED, **{HEADER: f"new={site.token}"})
    assert (source["document_count"], source["waits_for_token"]) == (4, True)
    address = f"/api/sources/{source['id']}/sync"
    without = finish(client.post(address).json()["job_id"])
    assert without["status"] == "failed"
    assert "none came" in without["error"]["message"]
    site.add("New", "new words")
    with_token = finish(client.post(address, headers={HEADER: f"other=x, {source['id']}={site.token}"}).json()["job_id"])
    assert with_token["result"]["added"] == 1
    traces = [client.get(f"/api/traces/{one['trace_id']}").text for one in client.get("/api/traces").json()["items"]]
    for text in (*traces, client.get("/api/jobs").text, client.get(f"/api/sources/{source['id']}").text, caplog.text):
        assert site.token not in text


def test_what_somebody_else_may_not_read_is_not_gone(client: TestClient, finish: Finish, site: FakeSite) -> None:
    source = add(client, finish)
    for item_id in site.items:
        site.forbid(item_id, site.reader)
    headers = {HEADER: f"{source['id']}={site.reader}"}
    job = client.post(f"/api/sources/{source['id']}/sync", json={"full": True, "allow_empty": True}, headers=headers).json()
    assert finish(job["job_id"])["result"]["deleted"] == 0
    assert {token for method, token, _ in site.asked if method != "current"} == {site.token}


def test_a_narrower_configuration_is_taken_as_meant(client: TestClient, finish: Finish, site: FakeSite) -> None:
    for number in range(30):
        site.add(f"Page {number}", "text", space="OPS")
    site.spaces["OPS"] = "Operations"
    source = add(client, finish)
    changed = client.patch(f"/api/sources/{source['id']}", json={"config": {"spaces": ["DEV"]}}).json()
    assert finish(changed["job_id"])["result"]["deleted"] == 31
    assert client.get(f"/api/sources/{source['id']}").json()["last_result"]["complete"] is True
