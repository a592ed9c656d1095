"""A page that is not for everybody: nothing of it passes any route without a token that may read it, not even its title."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.app.container import Application
from ragd.ingest.discovery.files import Found
from ragd.ingest.discovery.items import RemoteItem

from .asked_cloud import HEADER, MARKERS, OTHER, READER, SECRET_TITLE, Cloud, cloud_in, opened

pytestmark = pytest.mark.slow

WRONG = (None, OTHER, "a-token-that-is-none")
SEARCHED = "budget signing schedule offer figures canteen"


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Application]]:
    changes = {"observability.detail_level": "verbose", "live.budget_ms": 5000}
    with opened(tmp_path_factory.mktemp("permissions"), **changes) as made:
        yield made


@pytest.fixture
def cloud(rest: tuple[TestClient, Application]) -> Iterator[Cloud]:
    with cloud_in(*rest) as made:
        yield made


def shown(text: str) -> list[str]:
    """What a text tells of the restricted page. JSON may write Japanese as escapes, so it is looked for in both ways."""
    return [word for word in MARKERS if word in text or word.encode("unicode_escape").decode() in text]


def secret_ids(cloud: Cloud) -> dict[str, str]:
    """Everything by which the restricted page can be asked for, as one who may read it sees it."""
    doc_id = cloud.documents()[cloud.secret_page]
    headers = cloud.headers(READER)
    chunks = cloud.client.get(f"/api/documents/{doc_id}/chunks", headers=headers).json()["items"]
    pictures = [asset_id for chunk in chunks for asset_id in chunk["image_refs"]]
    assert pictures
    return {"doc": doc_id, "file": cloud.documents()[cloud.secret_file], "chunk": chunks[0]["chunk_id"], "picture": pictures[0]}


Call = Callable[[TestClient, dict[str, str], dict[str, str], str], Any]


def replayed(trace_type: str) -> Call:
    """Replays what somebody who may read the page has asked, or what was read when it came."""

    def call(client: TestClient, ids: dict[str, str], headers: dict[str, str], source: str) -> Any:
        right = {HEADER: f"{source}={READER}"}
        if trace_type == "query":
            trace_id = client.post("/api/query", json={"query": SEARCHED, "top_k": 20}, headers=right).json()["trace_id"]
        else:
            rows = client.get("/api/traces", params={"type": "ingestion", "page_size": 100}).json()["items"]
            traces = (client.get(f"/api/traces/{row['trace_id']}").json() for row in rows)
            of_page = (trace for trace in traces if trace["events"][0]["payload"].get("doc_id") == ids["doc"])
            trace_id = next(of_page)["trace_id"]
        return client.post(f"/api/traces/{trace_id}/replay", json={}, headers=headers)

    return call


# Every route that can show a document, and what it is asked. `{}` are ids, headers and the id of the source.
ROUTES: dict[str, Call] = {
    "query": lambda client, _ids, headers, _source: client.post(
        "/api/query", json={"query": SEARCHED, "explain": True, "top_k": 20}, headers=headers
    ),
    "query for the document": lambda client, ids, headers, _source: client.post(
        "/api/query", json={"query": SEARCHED, "filters": {"doc_id": ids["doc"]}}, headers=headers
    ),
    "query for the path": lambda client, _ids, headers, _source: client.post(
        "/api/query", json={"query": SEARCHED, "filters": {"path_prefix": "DEV/"}}, headers=headers
    ),
    "chat": lambda client, _ids, headers, _source: client.post(
        "/api/chat", json={"query": SEARCHED, "extractive": True, "explain": True}, headers=headers
    ),
    "prompt": lambda client, _ids, headers, _source: client.post(
        "/api/prompt", json={"query": SEARCHED, "explain": True, "top_k": 20}, headers=headers
    ),
    "documents": lambda client, _ids, headers, _source: client.get("/api/documents", params={"page_size": 100}, headers=headers),
    "document": lambda client, ids, headers, _source: client.get(f"/api/documents/{ids['doc']}", headers=headers),
    "file": lambda client, ids, headers, _source: client.get(f"/api/documents/{ids['file']}", headers=headers),
    "content": lambda client, ids, headers, _source: client.get(f"/api/documents/{ids['doc']}/content", headers=headers),
    "sections": lambda client, ids, headers, _source: client.get(f"/api/documents/{ids['doc']}/sections", headers=headers),
    "chunks": lambda client, ids, headers, _source: client.get(f"/api/documents/{ids['doc']}/chunks", headers=headers),
    "verify": lambda client, ids, headers, _source: client.post(
        "/api/answers/verify",
        json={"answer": "It is forty [1].", "citations": [{"id": 1, "chunk_ids": [ids["chunk"]]}]},
        headers=headers,
    ),
    "replay of a query": replayed("query"),
    "replay of an ingestion": replayed("ingestion"),
    "ledger items": lambda client, _ids, headers, source: client.get(
        f"/api/sources/{source}/ledger/items", params={"state": "indexed"}, headers=headers
    ),
}

# Routes that tell of the page to nobody, token or not: others read them, too, or they say nothing of documents.
SILENT: dict[str, Call] = {
    "jobs": lambda client, _ids, headers, _source: client.get("/api/jobs", headers=headers),
    "source": lambda client, _ids, headers, source: client.get(f"/api/sources/{source}", headers=headers),
    "sources": lambda client, _ids, headers, _source: client.get("/api/sources", headers=headers),
    "ledger": lambda client, _ids, headers, source: client.get(f"/api/sources/{source}/ledger", headers=headers),
    "status": lambda client, _ids, headers, _source: client.get("/api/status", headers=headers),
    "checks": lambda client, _ids, headers, _source: client.get("/api/checks", headers=headers),
    "collections": lambda client, _ids, headers, _source: client.get("/api/collections", headers=headers),
    "evaluations": lambda client, _ids, headers, _source: client.get("/api/evaluations", headers=headers),
    "feedback": lambda client, _ids, headers, _source: client.get("/api/feedback", headers=headers),
    "verify documents": lambda client, _ids, headers, _source: client.post("/api/documents/verify", headers=headers),
}


def test_every_route_shows_the_page_to_whoever_may_read_it_and_to_nobody_else(cloud: Cloud) -> None:
    ids = secret_ids(cloud)
    for name, call in ROUTES.items():
        right = call(cloud.client, ids, cloud.headers(READER), cloud.source_id)
        assert right.status_code == 200, (name, right.text)
        assert shown(right.text), f"{name} shows nothing to the right token"
        for wrong in WRONG:
            answer = call(cloud.client, ids, cloud.headers(wrong), cloud.source_id)
            assert shown(answer.text) == [], (name, wrong)


def test_routes_that_others_read_tell_nobody(cloud: Cloud) -> None:
    ids = secret_ids(cloud)
    cloud.ask(SEARCHED, READER)
    for name, call in SILENT.items():
        for token in (READER, *WRONG):
            assert shown(call(cloud.client, ids, cloud.headers(token), cloud.source_id).text) == [], (name, token)


def test_what_may_not_be_seen_is_not_there(cloud: Cloud) -> None:
    ids = secret_ids(cloud)
    unknown = cloud.client.get(f"/api/documents/{'0' * 32}").json()["error"]
    paths = (
        "",
        "/guide",
        "/content",
        "/sections",
        "/chunks",
        "/outline",
        "/pages",
        "/pages/1",
        "/pages/1/text",
        "/rows?start=0&end=9",
        "/merged-cells?start=0&end=9",
        "/slides",
    )
    calls = [("GET", path) for path in paths] + [("POST", "/reindex"), ("DELETE", "")]
    for token, doc_id, (method, path) in itertools.product(WRONG, (ids["doc"], ids["file"]), calls):
        answer = cloud.client.request(method, f"/api/documents/{doc_id}{path}", headers=cloud.headers(token))
        assert answer.status_code == 404, (method, path)
        told = answer.json()["error"]
        assert (told["code"], told["message"]) == (unknown["code"], unknown["message"].replace("0" * 32, doc_id))
    assert cloud.client.get(f"/api/documents/{ids['doc']}", headers=cloud.headers(READER)).status_code == 200


def test_a_picture_needs_a_token_that_may_read_a_page_which_shows_it(cloud: Cloud) -> None:
    path = f"/api/assets/{secret_ids(cloud)['picture']}"
    for variant in ("raw", "thumb"):
        right = cloud.client.get(path, params={"variant": variant}, headers=cloud.headers(READER))
        assert (right.status_code, right.headers["Cache-Control"]) == (200, "no-store")
    for token, variant in itertools.product(WRONG, ("raw", "thumb")):
        answer = cloud.client.get(path, params={"variant": variant}, headers=cloud.headers(token))
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "ASSET_NOT_FOUND")


def test_documents_are_listed_without_what_they_are_called_and_not_in_the_order_of_it(cloud: Cloud) -> None:
    rows = cloud.client.get("/api/documents").json()["items"]
    assert len(rows) == 3
    assert all(row["restricted"] for row in rows)
    assert {row[name] for row in rows for name in ("source", "source_uri", "title", "summary")} == {""}
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
    seen = cloud.client.get("/api/documents", headers=cloud.headers(OTHER)).json()["items"]
    assert [row["title"] for row in seen if not row.get("restricted")] == ["Canteen 食堂"]
    # One question to the remote side for the whole page of rows.
    assert [len(ids) for method, token, ids in cloud.site.asked if (method, token) == ("current", OTHER)] == [2]


def test_traces_hold_no_text_of_private_passages_and_no_token(cloud: Cloud) -> None:
    for path in ("/api/query", "/api/chat", "/api/prompt"):
        body = {"query": "budget signing schedule"} | ({"extractive": True} if path.endswith("chat") else {})
        assert cloud.client.post(path, json=body, headers=cloud.headers(READER)).status_code == 200
    traces = cloud.client.get("/api/traces", params={"type": "query", "page_size": 3}).json()["items"]
    for row in traces:
        text = cloud.client.get(f"/api/traces/{row['trace_id']}").text
        assert shown(text) == []
        assert '"passages":[' not in text.replace(" ", "")
        assert READER not in text
    for row in cloud.client.get("/api/traces", params={"type": "ingestion", "page_size": 100}).json()["items"]:
        assert shown(cloud.client.get(f"/api/traces/{row['trace_id']}").text) == []
    cloud.app.tracer.flush()
    kept = (cloud.app.directories.logs / "traces.jsonl").read_text("utf-8")
    assert shown(kept) == []
    assert READER not in kept


def test_feedback_keeps_no_place_in_a_private_page(cloud: Cloud) -> None:
    chunk_id = secret_ids(cloud)["chunk"]
    body = {"question": "What is the budget?", "verdict": "up", "chunk_ids": [chunk_id]}
    refused = cloud.client.post("/api/feedback", json=body)
    assert refused.status_code == 400
    assert shown(refused.text) == []
    kept = cloud.client.post("/api/feedback", json=body, headers=cloud.headers(READER))
    assert (kept.status_code, kept.json()["relevant"]) == (201, [])
    assert shown(cloud.client.get("/api/feedback").text) == []


def test_a_dataset_keeps_no_place_in_a_private_page(cloud: Cloud) -> None:
    base = cloud.client.post("/api/datasets", json={"name": "mine"}).json()["digest"]
    put = {"id": "one", "query": "What is the budget?", "relevant": [{"chunk_id": secret_ids(cloud)["chunk"]}]}
    for token in (READER, *WRONG):
        refused = cloud.client.patch("/api/datasets/mine", json={"base": base, "put": put}, headers=cloud.headers(token))
        assert (refused.status_code, shown(refused.text)) == (400, [])
    assert cloud.client.delete("/api/datasets/mine").status_code == 204


def test_an_evaluation_has_no_rights_of_whoever_runs_it(cloud: Cloud) -> None:
    answer = cloud.ask("budget signing schedule", READER, evaluation="a" * 32)
    assert answer["results"] == []
    assert cloud.live(answer) == {"no_token": cloud.live(answer)["no_token"]}
    assert cloud.site.asked == []


def test_a_file_that_can_not_be_read_is_told_by_its_id(cloud: Cloud, caplog: pytest.LogCaptureFixture) -> None:
    name = "Falkenstein offer.pdf"
    item = RemoteItem(f"DEV/{name}", "https://wiki.example.com/attachment/9", name, "attachment/9", lambda _limit: b"%PDF-1.4 no")
    kb_id = cloud.app.collections.get("default").kb_id
    result = cloud.app.ingestion().run(
        kb_id, Found(items=[item]), force=False, report=lambda *_told: None, links={}, source_id=cloud.source_id
    )
    (failure,) = result.failed
    assert (failure.source, shown(failure.message), shown(caplog.text)) == ("attachment/9", [], [])
    assert "attachment/9" in failure.message


def test_a_document_whose_item_is_not_in_the_ledger_yet_is_nobody_s(cloud: Cloud) -> None:
    doc_id = cloud.documents()[cloud.open_page]
    cloud.app.sources.ledger.drop(cloud.source_id, [cloud.open_page])
    assert cloud.client.get(f"/api/documents/{doc_id}", headers=cloud.headers(READER)).status_code == 404
    answer = cloud.ask("canteen noon", READER, filters={"doc_id": doc_id})
    assert answer["results"] == []
    assert cloud.live(answer).keys() == {"unverified"}


def test_a_deleted_page_does_not_tell_what_it_was_called(cloud: Cloud) -> None:
    doc_id = cloud.documents()[cloud.secret_page]
    cloud.site.remove(cloud.secret_page)
    cloud.sync()
    for token in (None, OTHER):
        answer = cloud.client.get(f"/api/documents/{doc_id}", headers=cloud.headers(token))
        assert answer.status_code == 404
        assert SECRET_TITLE not in answer.text
    rows = cloud.client.get("/api/documents", params={"status": "deleted"}).text
    assert shown(rows) == []


def test_documents_do_not_stay_without_the_source_that_says_who_may_read_them(cloud: Cloud) -> None:
    path = f"/api/sources/{cloud.source_id}"
    answer = cloud.client.delete(path, params={"documents": "keep"})
    assert (answer.status_code, answer.json()["error"]["details"][0]["code"]) == (400, "restricted")
    assert cloud.client.get(path).status_code == 200


FILTERS = ({"path_prefix": "DEV/Merger"}, {"source": f"DEV/{SECRET_TITLE}"}, {"section_prefix": SECRET_TITLE})
NOWHERE = ({"path_prefix": "DEV/Mergex"}, {"source": "DEV/Nothing"}, {"section_prefix": "Nothing"})


def told_of(cloud: Cloud, query: str, filters: dict[str, Any] | None, token: str | None) -> str:
    """An answer with its trace, without ids, times and what was asked."""
    answer = cloud.ask(query, token, explain=True, **({"filters": filters} if filters else {}))
    trace = cloud.client.get(f"/api/traces/{answer.pop('trace_id')}").json()
    for name in ("timings_ms", "latency_ms", "plan", "query"):
        answer.pop(name)
    counters = trace["aggregates"]["counters"]
    events = [(event["kind"], event["payload"]) for event in trace["events"] if event["kind"] != "query.normalized"]
    # Both sides are asked at once, and either may come first.
    return str((answer, sorted(counters.items()), sorted(events, key=str)))


@pytest.mark.parametrize("token", [None, OTHER])
def test_a_filter_by_name_does_not_tell_whether_there_is_such_a_page(cloud: Cloud, token: str | None) -> None:
    assert cloud.ask("budget", READER, filters=FILTERS[0])["results"]
    for there, nowhere in zip(FILTERS, NOWHERE, strict=True):
        assert told_of(cloud, "budget", there, token) == told_of(cloud, "budget", nowhere, token)


def test_a_wrong_header_is_told_without_what_it_holds(cloud: Cloud) -> None:
    answer = cloud.client.get("/api/documents", headers={HEADER: "very-secret-token"})
    assert answer.status_code == 400
    assert "very-secret-token" not in answer.text
