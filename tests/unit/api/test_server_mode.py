"""Server mode in front of every route: keys, rates, quotas, hosts, the audit log, what is left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from ragd.access.rate import RateLimits
from ragd.api.application import create_api
from ragd.api.middleware.server_mode import client_address, connections_within
from ragd.app.container import Application
from ragd.config.service import ServerSettings
from ragd.core.tracing import utc_now
from ragd.store.api_keys import ApiKeys
from ragd.store.database.schema import api_keys

from .conftest import TOKEN, URL

pytestmark = pytest.mark.slow

Made = dict[str, Any]


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"security.mode": "server", "server.names": ["rag.example.com"]}


@pytest.fixture
def api(app: Application) -> Any:
    return create_api(app, token=TOKEN)


@pytest.fixture
def admin(api: Any) -> Iterator[TestClient]:
    with TestClient(api, base_url=URL, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        yield client


def made(admin: TestClient, name: str = "portal", role: str = "reader", **more: Any) -> Made:
    answer = admin.post("/api/keys", json={"name": name, "role": role, **more})
    assert answer.status_code == 201, answer.content
    return dict(answer.json())


def asking(admin: TestClient, key: str, path: str = "/api/collections", **sent: Any) -> Any:
    return admin.get(path, headers={"Authorization": f"Bearer {key}"}, **sent)


def code(answer: Any) -> str:
    return str(answer.json()["error"]["code"])


def test_a_key_is_good_until_it_is_revoked_and_only_its_hash_is_kept(app: Application, admin: TestClient) -> None:
    key = made(admin)
    assert asking(admin, key["key"]).status_code == 200
    listed = admin.get("/api/keys").json()["items"]
    assert key["key"] not in json.dumps(listed)
    database = b"".join(path.read_bytes() for path in app.directories.data.glob("rag.db*"))
    assert key["key"].encode() not in database
    assert key["key"][17:81].encode() not in database
    # Another process writes it: nothing of this one's knows.
    ApiKeys(app.keys.stored._engine).revoke(key["id"])
    refused = asking(admin, key["key"])
    assert (refused.status_code, "revoked" in refused.text) == (401, True)
    assert refused.headers["WWW-Authenticate"] == "Bearer"


def test_a_name_is_free_again_once_its_key_is_revoked(admin: TestClient) -> None:
    first = made(admin)
    again = admin.post("/api/keys", json={"name": "portal", "role": "reader"})
    assert (again.status_code, code(again)) == (409, "KEY_NAME_CONFLICT")
    assert admin.delete(f"/api/keys/{first['id']}").json()["revoked_at"]
    made(admin)


@pytest.mark.parametrize("wrong", ["secret", "checksum", "other id", "longer"])
def test_a_key_with_another_sign_is_not_known(admin: TestClient, wrong: str) -> None:
    text = made(admin)["key"]
    other = made(admin, "other")["key"]
    changed = {
        "secret": text[:-9] + ("0" if text[-9] != "0" else "1") + text[-8:],
        "checksum": text[:-1] + ("0" if text[-1] != "0" else "1"),
        "other id": other[:17] + text[17:],
        "longer": text + "0",
    }[wrong]
    assert asking(admin, changed).status_code == 401


def test_a_key_expires(app: Application, admin: TestClient) -> None:
    key = made(admin, expires_s=3600)
    assert asking(admin, key["key"]).status_code == 200
    with app.keys.stored._engine.begin() as connection:
        connection.execute(update(api_keys).values(expires_at=utc_now(-1)))
    refused = asking(admin, key["key"])
    assert (refused.status_code, "expired" in refused.text) == (401, True)
    # A new secret would be as old.
    assert admin.post(f"/api/keys/{key['id']}/rotate").status_code == 404
    assert not app.keys.stored.any_good()


def test_the_earlier_secret_of_a_rotated_key_lives_for_its_grace_alone(app: Application, admin: TestClient) -> None:
    key = made(admin)
    second = admin.post(f"/api/keys/{key['id']}/rotate", json={"grace_s": 3600}).json()
    assert [asking(admin, text).status_code for text in (key["key"], second["key"])] == [200, 200]
    with app.keys.stored._engine.begin() as connection:
        connection.execute(update(api_keys).values(previous_until=utc_now(-1)))
    assert [asking(admin, text).status_code for text in (key["key"], second["key"])] == [401, 200]
    third = admin.post(f"/api/keys/{key['id']}/rotate").json()
    assert [asking(admin, text).status_code for text in (second["key"], third["key"])] == [401, 200]
    admin.delete(f"/api/keys/{key['id']}")
    assert admin.post(f"/api/keys/{key['id']}/rotate").status_code == 404


def test_the_last_use_is_written_once_a_minute_at_most(app: Application, admin: TestClient) -> None:
    key, stored = made(admin), app.keys.stored
    assert stored.is_use_due(stored.get(key["id"]))
    stored.used(key["id"])
    assert not stored.is_use_due(stored.get(key["id"]))
    with stored._engine.begin() as connection:
        connection.execute(update(api_keys).values(last_used_at=utc_now(-61)))
    assert stored.is_use_due(stored.get(key["id"]))


def test_what_a_key_makes_is_its_own_and_nobody_elses(admin: TestClient) -> None:
    first, second = (made(admin, name, "admin", collections=[])["key"] for name in ("first", "second"))
    headers = {"Authorization": f"Bearer {first}"}
    kb_id = admin.post("/knowledge_bases", json={"name": "Customer 17"}, headers=headers).json()["id"]
    assert asking(admin, first, f"/knowledge_bases/{kb_id}").status_code == 200
    assert [row["name"] for row in asking(admin, first, "/knowledge_bases").json()["items"]] == ["Customer 17"]
    refused = asking(admin, second, f"/knowledge_bases/{kb_id}")
    assert (refused.status_code, code(refused)) == (403, "FORBIDDEN")
    assert asking(admin, second, "/knowledge_bases").json()["total"] == 0
    everywhere = admin.post("/knowledge_bases", json={"name": "x"}, headers={"Authorization": f"Bearer {made(admin)['key']}"})
    assert code(everywhere) == "FORBIDDEN"


def test_what_is_missing_comes_before_who_may_and_that_before_what_is_valid(app: Application, admin: TestClient) -> None:
    kb_id = app.collections.create("private").kb_id
    key = made(admin, collections=["default"])["key"]
    headers = {"Authorization": f"Bearer {key}"}

    def asked(kb: str, top_k: object = 3) -> tuple[int, str]:
        answer = admin.post("/search", json={"query": "x", "knowledge_base_id": kb, "top_k": top_k}, headers=headers)
        return answer.status_code, code(answer)

    assert asked("0" * 32, "wrong") == (404, "KNOWLEDGE_BASE_NOT_FOUND")
    assert asked(kb_id, "wrong") == (403, "FORBIDDEN")
    app.collections.change("private", status="disabled")
    assert asked(kb_id) == (403, "KNOWLEDGE_BASE_UNAVAILABLE")
    assert asked(app.collections.get("default").kb_id, "wrong") == (400, "VALIDATION_ERROR")


def test_a_rate_is_kept_and_said(admin: TestClient) -> None:
    key = made(admin, rate_per_minute=2)["key"]
    answers = [asking(admin, key) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[0].headers["RateLimit"].startswith('"minute";r=1;t=')
    assert answers[0].headers["RateLimit-Policy"] == '"minute";q=2;w=60'
    assert code(answers[2]) == "RATE_LIMITED"
    assert 1 <= int(answers[2].headers["Retry-After"]) <= 30
    assert admin.get("/api/collections").status_code == 200


def test_a_bucket_fills_again_evenly_and_each_caller_has_its_own() -> None:
    now = 1000.0
    limits = RateLimits(lambda: now)
    assert [limits.take("a", 3).remaining for _ in range(3)] == [2, 1, 0]
    refused = limits.take("a", 3)
    assert refused.wait_s == pytest.approx(20)
    assert limits.take("b", 3).wait_s == 0
    now += 19
    assert limits.take("a", 3).wait_s == pytest.approx(1)
    now += 1.01
    assert limits.take("a", 3).wait_s == 0
    now += 600
    assert [limits.take("a", 3).remaining for _ in range(3)] == [2, 1, 0]


def test_an_upload_beyond_a_quota_is_refused_and_leaves_nothing(app: Application, admin: TestClient) -> None:
    kb_id = app.collections.get("default").kb_id
    by_count = made(admin, "count", "writer", collections=["default"], quota_documents=1)["key"]
    by_size = made(admin, "size", "writer", collections=["default"], quota_bytes=100)["key"]

    def uploaded(key: str, data: bytes, path: str, field: str) -> Any:
        return admin.post(path, files={field: ("a.md", data)}, headers={"Authorization": f"Bearer {key}"})

    contract, ours = (f"/knowledge_bases/{kb_id}/documents", "file"), ("/api/ingest", "files")
    for path, field in (contract, ours):
        refused = uploaded(by_size, b"x" * 101, path, field)
        assert (refused.status_code, code(refused)) == (403, "QUOTA_EXCEEDED")
    assert not list((app.directories.data / "uploads").rglob("tmp*"))
    assert uploaded(by_size, b"x" * 60, *contract).status_code == 202
    # It waits to be read, and counts already.
    assert code(uploaded(by_size, b"y" * 60, *ours)) == "QUOTA_EXCEEDED"
    assert code(uploaded(by_count, b"y", *contract)) == "QUOTA_EXCEEDED"


def test_paths_of_the_server_need_the_list_of_roots_and_a_role_everywhere(admin: TestClient, tmp_path: Any) -> None:
    body = {"paths": [str(tmp_path)]}
    assert code(admin.post("/api/ingest", json=body)) == "FORBIDDEN_PATH"
    limited = {"Authorization": f"Bearer {made(admin, role='writer', collections=['default'])['key']}"}
    assert code(admin.post("/api/ingest", json=body, headers=limited)) == "FORBIDDEN"
    source = {"type": "folder", "config": {"path": str(tmp_path)}}
    assert code(admin.post("/api/sources", json=source)) == "FORBIDDEN_PATH"


def test_a_question_of_no_collection_is_asked_of_ones_own(app: Application, admin: TestClient) -> None:
    app.collections.create("mine")
    key = made(admin, collections=["mine"])["key"]
    headers = {"Authorization": f"Bearer {key}"}
    assert admin.post("/api/query", json={"query": "x"}, headers=headers).json()["results"] == []
    named = admin.post("/api/query", json={"query": "x", "collection": ["mine", "default"]}, headers=headers)
    assert code(named) == "FORBIDDEN"


@pytest.mark.parametrize(
    ("host", "path", "status"),
    [
        ("rag.example.com", "/api/collections", 200),
        ("RAG.example.com:8443", "/api/collections", 200),
        ("127.0.0.1", "/api/collections", 200),
        ("rag.example.com.evil.com", "/api/collections", 403),
        ("rag-example.com", "/api/collections", 403),
        ("10.0.0.7:8765", "/api/collections", 403),
        ("10.0.0.7:8765", "/health", 200),
        ("10.0.0.7:8765", "/ready", 200),
    ],
)
def test_a_service_is_called_by_its_names(admin: TestClient, app: Application, host: str, path: str, status: int) -> None:
    app.maintenance.warm()
    assert admin.get(path, headers={"Host": host}).status_code == status


def test_pages_of_the_services_own_names_may_call_it(admin: TestClient) -> None:
    for origin, status in (
        ("https://rag.example.com", 200),
        ("https://rag.example.com.evil.com", 403),
        ("https://evil.com", 403),
    ):
        assert admin.get("/api/collections", headers={"Origin": origin}).status_code == status


def audited(app: Application) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (app.directories.logs / "audit.jsonl").read_text().splitlines()]


def test_the_audit_log_says_who_did_what_to_what_and_no_secret(app: Application, admin: TestClient) -> None:
    key = made(admin)
    headers = {"Authorization": f"Bearer {key['key']}"}
    admin.post("/api/query", json={"query": "a private question", "collection": "default"}, headers=headers)
    admin.delete("/api/collections/default", headers=headers)
    admin.get("/api/collections", headers={"Authorization": "Bearer rag_nonsense"})
    admin.get("/health")
    lines = audited(app)
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("POST", "/api/keys", 201),
        ("POST", "/api/query", 200),
        ("DELETE", "/api/collections/{name}", 403),
        ("GET", "/api/collections", 401),
    ]
    assert lines[0]["caller"]["kind"] == "local"
    assert lines[1]["caller"] == {"kind": "key", "id": key["id"], "name": "portal"}
    assert lines[1]["collection"] == "default"
    assert lines[2]["target"] == {"name": "default"}
    assert lines[3]["caller"] is None
    assert len({line["request_id"] for line in lines}) == 4
    text = json.dumps(lines)
    assert not [secret for secret in (key["key"], TOKEN, "private question", "nonsense") if secret in text]


def test_nobody_can_forge_a_line_of_the_audit_log_or_fill_it_with_one_request(app: Application, admin: TestClient) -> None:
    key = made(admin)
    headers = {"Authorization": f"Bearer {key['key']}"}
    long, breaking = "x" * 2000, '\u2028{"caller": null}\x85\x9b'
    admin.post("/api/query", json={"query": "x", "collection": [long, breaking] * 100}, headers=headers)
    admin.post("/search", json={"query": "x", "knowledge_base_id": long}, headers=headers)
    admin.get(f"/api/collections/{breaking}", headers=headers)
    lines = audited(app)[1:]
    assert lines[0]["collection"] == [long[:500], breaking] * 10
    assert lines[1]["knowledge_base_id"] == long[:500]
    assert lines[2]["target"] == {"name": breaking}


@pytest.mark.parametrize("changes", [{"security.mode": "server", "security.audit_questions": True}])
def test_the_audit_log_has_questions_where_the_settings_say_so(app: Application, admin: TestClient) -> None:
    admin.post("/api/query", json={"query": "a private question"})
    assert audited(app)[0]["query"] == "a private question"


@pytest.mark.parametrize("changes", [{}])
def test_keys_count_in_server_mode_alone_and_nothing_is_audited_without_it(app: Application, admin: TestClient) -> None:
    key = made(admin)["key"]
    assert asking(admin, key).status_code == 401
    assert not (app.directories.logs / "audit.jsonl").exists()


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.1.0.9", "203.0.113.5", "203.0.113.5"),
        ("10.1.0.9", "198.51.100.1, 203.0.113.5", "203.0.113.5"),
        ("10.1.0.9", "203.0.113.5, 10.1.0.8", "203.0.113.5"),
        ("10.1.0.9", "203.0.113.5, nonsense", "10.1.0.9"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("10.1.0.9", None, "10.1.0.9"),
    ],
)
def test_only_a_trusted_proxy_says_for_whom_it_asks(peer: str, forwarded: str | None, client: str) -> None:
    proxies = ServerSettings(trusted_proxies=("10.1.0.0/16",)).trusted_proxies  # type: ignore[arg-type]
    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    assert client_address({"client": (peer, 1), "headers": headers}, proxies) == client


def test_an_address_has_so_many_connections_unless_it_is_a_proxy_or_this_machine() -> None:
    may = connections_within(2, ServerSettings(trusted_proxies=("10.1.0.0/16",)).trusted_proxies)  # type: ignore[arg-type]
    assert [may("203.0.113.9", count) for count in (2, 3)] == [True, False]
    assert may("10.1.2.3", 99)
    assert may("127.0.0.1", 99)
