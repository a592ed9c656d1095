"""Server mode: every route × every role × one's own collection and somebody else's, from the app's own list of routes."""

from __future__ import annotations

import base64
import io
import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from starlette.responses import Response
from starlette.testclient import TestClient

from ragd.api.application import create_api, routes
from ragd.api.lifecycle import Lifecycle
from ragd.api.middleware.security import AGENTS_PATH
from ragd.api.permissions import RULES
from ragd.app.container import Application

from .conftest import TOKEN, URL, Opened
from .test_security import call

pytestmark = pytest.mark.slow

ROLES = ("reader", "writer", "admin")


@dataclass(frozen=True)
class Thing:
    """A collection and what it holds."""

    kb_id: str
    name: str
    doc_id: str
    chunk_id: str
    picture: str
    job_id: str
    source_id: str
    task_id: str
    marker: str


@dataclass
class Service:
    app: Application
    api: Any
    own: Thing
    other: Thing
    local: TestClient
    keys: dict[str, str] = field(default_factory=dict)

    def client(self, who: str | None) -> TestClient:
        """A client, with a key or without, on the loop that runs: one that is not entered starts a loop for each request."""
        headers = {"Authorization": f"Bearer {self.keys[who]}"} if who else {}
        client = TestClient(self.api, base_url=URL, headers=headers)
        client.portal = self.local.portal
        return client


def picture_of(marker: str) -> bytes:
    shade = sum(marker.encode()) % 200
    image = Image.new("RGB", (400, 300), (shade, 90, 200))
    for x in range(0, 400, 7):
        image.putpixel((x, (x * 3) % 300), (255, shade, 0))
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def filled(app: Application, client: TestClient, finish: Callable[..., Any], folder: Path, name: str, marker: str) -> Thing:
    """A collection with a document that shows a picture, a source and a job."""
    kb_id = client.post("/knowledge_bases", json={"name": name}).json()["id"]
    embedded = base64.b64encode(picture_of(marker)).decode()
    text = (
        f"# {marker} guide\n\nThe {marker} is set up by its {marker} switch.\n\n![{marker}](data:image/png;base64,{embedded})\n"
    )
    form = {"files": (f"{marker}.md", text.encode()), "collection": (None, name)}
    job_id = client.post("/api/ingest", files=form).json()["job_id"]
    assert finish(app, client, job_id)["result"]["failed"] == []
    (doc,) = client.get("/api/documents", params={"collection": name}).json()["items"]
    chunks = client.get(f"/api/documents/{doc['id']}/chunks").json()["items"]
    (picture,) = {asset for chunk in chunks for asset in chunk["image_refs"]}
    (folder / name).mkdir()
    config = {"type": "folder", "name": name, "collection": name, "config": {"path": str(folder / name)}}
    source_id = client.post("/api/sources", json=config).json()["id"]
    return Thing(kb_id, name, doc["id"], chunks[0]["chunk_id"], picture, job_id, source_id, "", marker)


def _postgres_url(request: pytest.FixtureRequest) -> str:
    server = request.getfixturevalue("postgres_server")
    return str(server.url(server.create(request.getfixturevalue("migrated_postgres"))))


_STORES: Mapping[str, Callable[[pytest.FixtureRequest], str]] = {"sqlite": lambda _request: "", "postgres": _postgres_url}


@pytest.fixture(scope="module", params=_STORES)
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, opened: Opened, finish_in: Callable[..., Any]
) -> Iterator[Service]:
    """Two collections, and for each role a key of the first one and a key that counts everywhere; on each store."""
    folder = tmp_path_factory.mktemp("roles")
    changes = {
        "security.mode": "server",
        "security.allowed_roots": [str(folder)],
        "store.url": _STORES[request.param](request),
    }
    with opened(folder, changes) as app:
        lifecycle = Lifecycle(is_daemon=False)
        lifecycle.ready.set()
        api = create_api(app, token=TOKEN, lifecycle=lifecycle)
        app.runner.start()
        with TestClient(api, base_url=URL, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
            own = filled(app, client, finish_in, folder, "own", "walrus")
            other = filled(app, client, finish_in, folder, "other", "ostrich")
            service = Service(app, api, with_task(app, own), with_task(app, other), client)
            for role in ROLES:
                everywhere = client.post("/api/keys", json={"name": f"{role} everywhere", "role": role}).json()
                limited = client.post("/api/keys", json={"name": role, "role": role, "collections": ["own"]}).json()
                app.keys.stored.grant(limited["id"], app.jobs.get(service.own.task_id).kb_id)
                service.keys |= {role: limited["key"], f"{role} everywhere": everywhere["key"]}
            service.keys["stranger"] = client.post(
                "/api/keys", json={"name": "stranger", "role": "admin", "collections": []}
            ).json()["key"]
            yield service


def with_task(app: Application, thing: Thing) -> Thing:
    gone = app.collections.create(f"gone {thing.name}")
    task = app.documents.delete_collection_by_id(gone.kb_id)
    return Thing(**{**thing.__dict__, "task_id": task.job_id})


Ask = Callable[[Service, TestClient, Thing], Response]


def at(method: str, path: str, **sent: Any) -> Ask:
    """A request, with the things' ids in its address and its body."""

    def filled_in(value: Any, thing: Thing) -> Any:
        if isinstance(value, str):
            return value.format(**thing.__dict__)
        if isinstance(value, dict):
            return {key: filled_in(one, thing) for key, one in value.items()}
        return [filled_in(one, thing) for one in value] if isinstance(value, list) else value

    def ask(_service: Service, client: TestClient, thing: Thing) -> Any:
        return client.request(
            method, path.format(**thing.__dict__), **{name: filled_in(one, thing) for name, one in sent.items()}
        )

    return ask


def form(path: str, name: str) -> Ask:
    """An upload, whose collection is named in the address or after the file."""

    def ask(_service: Service, client: TestClient, thing: Thing) -> Any:
        fields = {} if "{" in path else {"collection": (None, thing.name)}
        return client.post(path.format(**thing.__dict__), files={name: ("new.md", b"# New\n\nWords.\n"), **fields})

    return ask


def deleting_a_document(path: str) -> Ask:
    def ask(service: Service, client: TestClient, thing: Thing) -> Any:
        gone = {"file": ("gone.md", b"# Gone\n\nWords.\n")}
        new = service.local.post(f"/knowledge_bases/{thing.kb_id}/documents", files=gone)
        return client.delete(path.format(doc_id=new.json()["document_id"]))

    return ask


def taking_back_a_label(service: Service, client: TestClient, thing: Thing) -> Any:
    """A mark of whoever asks; of somebody else where they may not mark."""
    body = {"question": "how", "collection": thing.name, "chunk_id": thing.chunk_id, "grade": 1}
    made = client.post("/api/labels", json=body)
    if made.status_code != 201:
        made = service.local.post("/api/labels", json=body)
    return client.delete(f"/api/labels/{made.json()['label_id']}")


def changing_a_new_collection(method: str, path: str) -> Ask:
    """A new collection, of all keys that have the thing's."""

    def ask(service: Service, client: TestClient, thing: Thing) -> Any:
        new = service.app.collections.create(f"new {uuid.uuid4().hex}")
        for key in service.app.keys.stored.page(1, 100)[0]:
            if key.collections is not None and thing.kb_id in key.collections:
                service.app.keys.stored.grant(key.key_id, new.kb_id)
        body = {"json": {"description": "changed"}} if method == "PATCH" else {}
        return client.request(method, path.format(name=new.name, kb_id=new.kb_id), **body)

    return ask


def event_stream(_service: Service, client: TestClient, _thing: Thing) -> Any:
    """A stream without an end, whose client goes once it has begun."""
    headers = [(b"host", b"127.0.0.1:8765"), (b"authorization", client.headers.get("Authorization", "").encode())]
    status, _headers, body = call(client.app, "/api/events", headers=headers)
    return type("Answer", (), {"status_code": status, "content": body, "json": lambda _self: json.loads(body)})()


QUESTION = {"query": "how is it set up", "collection": "{name}"}
QUOTED = {"answer": "It is set up [1].", "citations": [{"id": 1, "chunk_ids": ["{chunk_id}"]}]}
OPINION = {"question": "how", "verdict": "good", "collection": "{name}"}
MARKED = {"question": "how", "collection": "{name}", "chunk_id": "{chunk_id}", "grade": 2}
NEVER = "0" * 32
# Pages for people.
UNDESCRIBED = ("/docs", "/openapi.json", "/open", "/dashboard")

# Who may ask a route, and a request of it. `all`: whoever is known. A role: in the collection. With `+`: in the whole service.
EXPECTED: Mapping[tuple[str, str], tuple[str, Ask]] = {
    ("GET", "/health"): ("open", at("GET", "/health")),
    ("GET", "/ready"): ("open", at("GET", "/ready")),
    ("GET", "/api/health"): ("all", at("GET", "/api/health")),
    ("GET", "/docs"): ("all", at("GET", "/docs")),
    ("GET", "/openapi.json"): ("all", at("GET", "/openapi.json")),
    ("GET", "/open"): ("link", at("GET", "/open?code=x")),
    ("POST", "/api/browser-link"): ("all", at("POST", "/api/browser-link")),
    ("GET", "/dashboard"): ("all", at("GET", "/dashboard")),
    ("GET", "/dashboard/open"): ("link", at("GET", "/dashboard/open?code=x")),
    ("GET", "/dashboard/{name}"): ("all", at("GET", "/dashboard/main.js")),
    ("POST", "/api/dashboard-link"): ("all", at("POST", "/api/dashboard-link")),
    ("GET", "/metrics"): ("reader+", at("GET", "/metrics")),
    ("GET", "/api/status"): ("reader+", at("GET", "/api/status")),
    ("GET", "/api/events"): ("reader+", event_stream),
    ("GET", "/api/checks"): ("admin+", at("GET", "/api/checks?search=false")),
    ("GET", "/api/overview"): ("admin+", at("GET", "/api/overview")),
    ("POST", "/api/stop"): ("admin+", at("POST", "/api/stop")),
    ("GET", "/api/backup"): ("admin+", at("GET", "/api/backup")),
    ("GET", "/api/keys"): ("admin+", at("GET", "/api/keys")),
    ("POST", "/api/keys"): ("admin+", at("POST", "/api/keys", json={"name": "", "role": "reader"})),
    ("POST", "/api/keys/{key_id}/rotate"): ("admin+", at("POST", f"/api/keys/{NEVER}/rotate")),
    ("DELETE", "/api/keys/{key_id}"): ("admin+", at("DELETE", f"/api/keys/{NEVER}")),
    ("POST", "/api/query"): ("reader", at("POST", "/api/query", json=QUESTION)),
    ("POST", "/api/chat"): ("reader", at("POST", "/api/chat", json=QUESTION | {"extractive": True})),
    ("POST", "/api/prompt"): ("reader", at("POST", "/api/prompt", json=QUESTION)),
    ("POST", "/search"): ("reader", at("POST", "/search", json={"query": "how", "knowledge_base_id": "{kb_id}"})),
    ("GET", "/api/suggest"): ("reader", at("GET", "/api/suggest?q=gui&collection={name}")),
    ("POST", "/api/answers/verify"): ("left out", at("POST", "/api/answers/verify", json=QUOTED)),
    ("GET", "/v1/models"): ("listed", at("GET", "/v1/models")),
    ("GET", "/v1/models/{model}"): ("left out", at("GET", "/v1/models/{name}")),
    ("POST", "/v1/chat/completions"): (
        "reader",
        at("POST", "/v1/chat/completions", json={"model": "{name}", "messages": [{"role": "user", "content": "how"}]}),
    ),
    ("POST", "/v1/embeddings"): ("all", at("POST", "/v1/embeddings", json={"model": "none", "input": "x"})),
    ("POST", "/v1/rerank"): ("all", at("POST", "/v1/rerank", json={"model": "none", "query": "x", "documents": ["x"]})),
    ("GET", "/api/collections"): ("listed", at("GET", "/api/collections")),
    ("POST", "/api/collections"): ("maker", at("POST", "/api/collections", json={"name": "/"})),
    ("GET", "/api/collections/{name}/guide"): ("reader", at("GET", "/api/collections/{name}/guide")),
    ("PATCH", "/api/collections/{name}"): ("admin", changing_a_new_collection("PATCH", "/api/collections/{name}")),
    ("DELETE", "/api/collections/{name}"): ("admin", changing_a_new_collection("DELETE", "/api/collections/{name}")),
    ("GET", "/knowledge_bases"): ("listed", at("GET", "/knowledge_bases?page_size=100")),
    ("POST", "/knowledge_bases"): ("maker", at("POST", "/knowledge_bases", json={"name": "/"})),
    ("GET", "/knowledge_bases/{kb_id}"): ("reader", at("GET", "/knowledge_bases/{kb_id}")),
    ("PATCH", "/knowledge_bases/{kb_id}"): ("admin", changing_a_new_collection("PATCH", "/knowledge_bases/{kb_id}")),
    ("DELETE", "/knowledge_bases/{kb_id}"): ("admin", changing_a_new_collection("DELETE", "/knowledge_bases/{kb_id}")),
    ("GET", "/cleanup_tasks/{task_id}"): ("reader", at("GET", "/cleanup_tasks/{task_id}")),
    ("POST", "/cleanup_tasks/{task_id}/retry"): ("admin", at("POST", "/cleanup_tasks/{task_id}/retry")),
    ("GET", "/knowledge_bases/{kb_id}/documents"): ("reader", at("GET", "/knowledge_bases/{kb_id}/documents")),
    ("POST", "/knowledge_bases/{kb_id}/documents"): ("writer", form("/knowledge_bases/{kb_id}/documents", "file")),
    ("GET", "/documents/{doc_id}"): ("reader", at("GET", "/documents/{doc_id}")),
    ("DELETE", "/documents/{doc_id}"): ("writer", deleting_a_document("/documents/{doc_id}")),
    ("GET", "/api/documents"): ("reader", at("GET", "/api/documents?collection={name}")),
    ("GET", "/api/documents/folders"): ("reader", at("GET", "/api/documents/folders?collection={name}")),
    ("POST", "/api/documents/verify"): ("admin", at("POST", "/api/documents/verify", json={"collection": "{name}"})),
    ("GET", "/api/documents/{doc_id}"): ("reader", at("GET", "/api/documents/{doc_id}")),
    ("DELETE", "/api/documents/{doc_id}"): ("writer", deleting_a_document("/api/documents/{doc_id}")),
    ("GET", "/api/documents/{doc_id}/guide"): ("reader", at("GET", "/api/documents/{doc_id}/guide")),
    ("GET", "/api/documents/{doc_id}/content"): ("reader", at("GET", "/api/documents/{doc_id}/content")),
    ("GET", "/api/documents/{doc_id}/sections"): ("reader", at("GET", "/api/documents/{doc_id}/sections")),
    ("GET", "/api/documents/{doc_id}/chunks"): ("reader", at("GET", "/api/documents/{doc_id}/chunks")),
    ("GET", "/api/documents/{doc_id}/outline"): ("reader", at("GET", "/api/documents/{doc_id}/outline")),
    ("GET", "/api/documents/{doc_id}/rows"): ("reader", at("GET", "/api/documents/{doc_id}/rows?start=0&end=9")),
    ("GET", "/api/documents/{doc_id}/merged-cells"): ("reader", at("GET", "/api/documents/{doc_id}/merged-cells?start=0&end=9")),
    ("GET", "/api/documents/{doc_id}/slides"): ("reader", at("GET", "/api/documents/{doc_id}/slides")),
    ("GET", "/api/documents/{doc_id}/pages"): ("reader", at("GET", "/api/documents/{doc_id}/pages")),
    ("GET", "/api/documents/{doc_id}/pages/{page}"): ("reader", at("GET", "/api/documents/{doc_id}/pages/1")),
    ("GET", "/api/documents/{doc_id}/pages/{page}/text"): ("reader", at("GET", "/api/documents/{doc_id}/pages/1/text")),
    ("POST", "/api/documents/{doc_id}/reindex"): ("writer", at("POST", "/api/documents/{doc_id}/reindex")),
    ("GET", "/api/assets"): ("admin+", at("GET", "/api/assets")),
    ("POST", "/api/assets/caption"): ("admin+", at("POST", "/api/assets/caption", json={"x": 1})),
    ("GET", "/api/assets/{asset_id}"): ("left out", at("GET", "/api/assets/{picture}")),
    ("GET", "/api/assets/{asset_id}/details"): ("left out", at("GET", "/api/assets/{picture}/details")),
    ("GET", "/api/assets/{asset_id}/table"): ("left out", at("GET", "/api/assets/{picture}/table")),
    ("POST", "/api/captions/requests"): ("admin+", at("POST", "/api/captions/requests", json={"x": 1})),
    ("PATCH", "/api/captions/requests/{lease_id}"): ("admin+", at("PATCH", "/api/captions/requests/x")),
    ("POST", "/api/captions/requests/{lease_id}/answer"): ("admin+", at("POST", "/api/captions/requests/x/answer", json={})),
    ("POST", "/api/captions/requests/{lease_id}/failure"): ("admin+", at("POST", "/api/captions/requests/x/failure", json={})),
    ("DELETE", "/api/captions/lenders/{lender}"): ("admin+", at("DELETE", "/api/captions/lenders/x")),
    ("POST", "/api/ingest"): ("writer", form("/api/ingest", "files")),
    ("POST", "/api/reindex"): ("admin", at("POST", "/api/reindex", json={"collection": "{name}"})),
    ("GET", "/api/sources"): ("listed to admins", at("GET", "/api/sources")),
    ("POST", "/api/sources"): ("admin+", at("POST", "/api/sources", json={"type": "folder", "collection": "{name}", "x": 1})),
    ("GET", "/api/sources/{source_id}"): ("admin", at("GET", "/api/sources/{source_id}")),
    ("PATCH", "/api/sources/{source_id}"): ("admin+", at("PATCH", "/api/sources/{source_id}", json={"x": 1})),
    ("DELETE", "/api/sources/{source_id}"): ("admin+", at("DELETE", "/api/sources/{source_id}?documents=x")),
    ("POST", "/api/sources/{source_id}/sync"): ("admin", at("POST", "/api/sources/{source_id}/sync")),
    ("POST", "/api/sources/{source_id}/retry"): ("admin", at("POST", "/api/sources/{source_id}/retry")),
    ("GET", "/api/sources/{source_id}/ledger"): ("admin", at("GET", "/api/sources/{source_id}/ledger")),
    ("GET", "/api/sources/{source_id}/ledger/items"): ("admin", at("GET", "/api/sources/{source_id}/ledger/items")),
    ("GET", "/api/jobs"): ("listed", at("GET", "/api/jobs?page_size=100")),
    ("GET", "/api/jobs/{job_id}"): ("reader", at("GET", "/api/jobs/{job_id}")),
    ("DELETE", "/api/jobs/{job_id}"): ("writer", at("DELETE", "/api/jobs/{job_id}")),
    ("GET", "/api/jobs/{job_id}/events"): ("reader", at("GET", "/api/jobs/{job_id}/events")),
    ("GET", "/api/traces"): ("admin+", at("GET", "/api/traces")),
    ("GET", "/api/traces/{trace_id}"): ("admin+", at("GET", f"/api/traces/{NEVER}")),
    ("GET", "/api/traces/{trace_id}/flow"): ("admin+", at("GET", f"/api/traces/{NEVER}/flow")),
    ("GET", "/api/traces/{trace_id}/passages"): ("admin+", at("GET", f"/api/traces/{NEVER}/passages")),
    ("GET", "/api/traces/{trace_id}/whereabouts"): ("admin+", at("GET", f"/api/traces/{NEVER}/whereabouts?document=x")),
    ("GET", "/api/settings"): ("admin+", at("GET", "/api/settings")),
    ("POST", "/api/traces/{trace_id}/replay"): ("admin+", at("POST", f"/api/traces/{NEVER}/replay", json={})),
    ("GET", "/api/evaluations"): ("admin+", at("GET", "/api/evaluations")),
    ("POST", "/api/evaluations"): ("admin+", at("POST", "/api/evaluations", json={})),
    ("GET", "/api/evaluations/{run_id}"): ("admin+", at("GET", f"/api/evaluations/{NEVER}")),
    ("POST", "/api/evaluations/answer"): (
        "admin+",
        at("POST", "/api/evaluations/answer", json={"query": "restore", "passages": [{"text": "Run restore."}]}),
    ),
    ("GET", "/api/evaluations/{run_id}/figures"): ("admin+", at("GET", f"/api/evaluations/{NEVER}/figures")),
    ("GET", "/api/evaluations/{run_id}/questions"): ("admin+", at("GET", f"/api/evaluations/{NEVER}/questions")),
    ("GET", "/api/evaluations/{run_id}/comparison"): (
        "admin+",
        at("GET", f"/api/evaluations/{NEVER}/comparison?against={NEVER}"),
    ),
    ("POST", "/api/evaluations/query"): ("admin+", at("POST", "/api/evaluations/query", json={"query": "restore"})),
    ("GET", "/api/evaluations/choices"): ("admin+", at("GET", "/api/evaluations/choices")),
    ("POST", "/api/evaluations/cost"): ("admin+", at("POST", "/api/evaluations/cost", json={})),
    ("GET", "/api/evaluations/jobs"): ("admin+", at("GET", "/api/evaluations/jobs")),
    ("POST", "/api/evaluations/jobs"): ("admin+", at("POST", "/api/evaluations/jobs", json={})),
    ("GET", "/api/evaluations/jobs/{job_id}"): ("admin+", at("GET", f"/api/evaluations/jobs/{NEVER}")),
    ("POST", "/api/evaluations/jobs/{job_id}/strategy"): (
        "admin+",
        at("POST", f"/api/evaluations/jobs/{NEVER}/strategy", json={"name": "x"}),
    ),
    ("POST", "/api/evaluations/tuning"): ("admin+", at("POST", "/api/evaluations/tuning", json={})),
    ("GET", "/api/datasets"): ("admin+", at("GET", "/api/datasets")),
    ("POST", "/api/datasets"): ("admin+", at("POST", "/api/datasets", json={})),
    ("POST", "/api/datasets/sample"): ("admin+", at("POST", "/api/datasets/sample", json={})),
    ("GET", "/api/datasets/{name}"): ("admin+", at("GET", "/api/datasets/nothing")),
    ("GET", "/api/datasets/{name}/text"): ("admin+", at("GET", "/api/datasets/nothing/text")),
    ("PATCH", "/api/datasets/{name}"): ("admin+", at("PATCH", "/api/datasets/nothing", json={})),
    ("DELETE", "/api/datasets/{name}"): ("admin+", at("DELETE", "/api/datasets/nothing")),
    ("GET", "/api/feedback"): ("admin+", at("GET", "/api/feedback")),
    ("POST", "/api/feedback"): ("reader", at("POST", "/api/feedback", json=OPINION)),
    ("DELETE", "/api/feedback/{feedback_id}"): ("admin+", at("DELETE", f"/api/feedback/{NEVER}")),
    ("GET", "/api/labels"): ("writer", at("GET", "/api/labels?collection={name}")),
    ("POST", "/api/labels"): ("writer", at("POST", "/api/labels", json=MARKED)),
    ("GET", "/api/labels/questions"): ("writer", at("GET", "/api/labels/questions?collection={name}")),
    ("GET", "/api/labels/agreement"): ("writer", at("GET", "/api/labels/agreement?collection={name}")),
    ("DELETE", "/api/labels/{label_id}"): ("writer", taking_back_a_label),
}


def served_routes() -> set[tuple[str, str]]:
    """Method and path of every route of the app."""
    found: set[tuple[str, str]] = set()
    for route in routes().routes:
        for one in getattr(getattr(route, "original_router", None), "routes", [route]):
            found |= {(method, one.path_format) for method in one.methods - {"HEAD"}}
    return found


def test_every_route_says_who_may_ask_it() -> None:
    assert set(RULES) - {("*", AGENTS_PATH)} == served_routes()
    assert set(EXPECTED) == served_routes()
    # FastAPI's own description finds routes otherwise than we do: none may be in it alone.
    paths = routes().openapi()["paths"]
    described = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert described <= set(EXPECTED)
    assert [path for _, path in set(EXPECTED) - described if not path.startswith(UNDESCRIBED)] == []


def may(needed: str, who: str, thing: str) -> bool:
    """Whether a key may: `who` is a role, in `own` alone or everywhere."""
    role, _, everywhere = who.partition(" ")
    if needed in ("open", "all", "listed", "left out", "listed to admins"):
        return True
    if needed == "maker":
        return role == "admin"
    enough = ROLES.index(role) >= ROLES.index(needed.rstrip("+"))
    return enough and (bool(everywhere) or (thing == "own" and not needed.endswith("+")))


def is_refused(answer: Any) -> bool:
    if answer.status_code != 403:
        return False
    assert answer.json()["error"]["code"].upper() == "FORBIDDEN", answer.content
    return True


@pytest.mark.parametrize("route", EXPECTED, ids=" ".join)
def test_a_route_is_answered_to_whom_it_is_meant_for_alone(service: Service, route: tuple[str, str]) -> None:
    needed, ask = EXPECTED[route]
    things = {"own": service.own, "other": service.other}
    if needed == "link":
        # It is asked without a key, and says itself what is wrong with the link.
        assert ask(service, service.client(None), service.own).status_code == 401
        return
    nobody = service.client(None)
    assert (ask(service, nobody, service.own).status_code == 401) == (needed != "open")
    for role in ROLES:
        for who in (role, f"{role} everywhere"):
            client = service.client(who)
            for name, thing in things.items():
                answer = ask(service, client, thing)
                assert answer.status_code not in (401, 429), (who, name, answer.content)
                assert answer.status_code < 500 or route == ("POST", "/api/stop"), (who, name, answer.content)
                assert is_refused(answer) != may(needed, who, name), (who, name, answer.status_code, answer.content[:300])
                if needed == "left out" and not who.endswith("everywhere"):
                    assert (answer.status_code in (400, 404)) == (name == "other"), (who, name, answer.content)
                if "listed" in needed and name == "other":
                    shows = answer.text.count(service.other.name)
                    assert bool(shows) == (who.endswith("everywhere") and (needed == "listed" or role == "admin")), (
                        who,
                        answer.text,
                    )


def test_labels_name_their_author_and_only_they_or_an_administrator_take_them_back(service: Service) -> None:
    body = {"question": "whose?", "collection": "own", "chunk_id": service.own.chunk_id, "grade": 2}
    with service.client("writer") as writer, service.client("writer everywhere") as other, service.client("admin") as admin:
        first, second = (writer.post("/api/labels", json=body | {"grade": grade}).json() for grade in (1, 2))
        assert (first["author"], second["author"]) == ("writer", "writer")
        assert writer.post("/api/labels", json=body | {"author": "somebody"}).status_code == 400
        assert is_refused(other.delete(f"/api/labels/{first['label_id']}"))
        assert writer.delete(f"/api/labels/{second['label_id']}").status_code == 204
        assert admin.delete(f"/api/labels/{first['label_id']}").status_code == 204
    # Whoever names no collection sees the labels of those they may write to, and no other's.
    with service.client("writer everywhere") as other:
        other.post("/api/labels", json=body | {"collection": "other", "chunk_id": service.other.chunk_id})
        assert {one["collection"] for one in other.get("/api/labels").json()["items"]} >= {"other"}
    for who in ("reader", "writer", "admin"):
        with service.client(who) as client:
            for path in ("/api/labels", "/api/labels/questions"):
                assert "other" not in {one["collection"] for one in client.get(path).json()["items"]}, who
    with service.client("reader") as reader:
        assert reader.get("/api/labels").json()["total"] == 0


def test_a_question_with_signs_that_a_store_can_not_keep_is_labelled_all_the_same(service: Service) -> None:
    body = {"question": "why\0?\n\u202e", "collection": "own", "chunk_id": service.own.chunk_id, "grade": 1}
    local = service.local
    kept = local.post("/api/labels", json=body | {"author": "a\0da"})
    assert kept.status_code == 201, kept.text
    for wanted in ({"question": body["question"]}, {"author": "a\0da"}, {"question_id": "\0"}):
        assert local.get("/api/labels", params=wanted).status_code == 200, wanted
    assert local.get("/api/labels", params={"question": "why?"}).json()["total"] == 1
    assert local.delete("/api/labels/%00").status_code == 404


@pytest.mark.parametrize("content_type", ["application/JSON", "Application/Json ; charset=utf-8", "application/vnd.ours+JSON"])
def test_how_a_content_type_is_spelt_opens_nothing(service: Service, content_type: str) -> None:
    bodies: dict[str, Any] = {
        "/api/ingest": {"paths": [str(service.app.settings.security.allowed_roots[0])], "collection": "own"},
        "/api/query": {"query": "ostrich", "collection": "other"},
        "/search": {"query": "ostrich", "knowledge_base_id": service.other.kb_id},
        "/api/feedback": {"question": "ostrich?", "verdict": "good", "collection": "other"},
        "/v1/chat/completions": {"model": "other", "messages": [{"role": "user", "content": "ostrich?"}]},
    }
    with service.client("reader") as client:
        for path, body in bodies.items():
            answer = client.post(path, content=json.dumps(body), headers={"Content-Type": content_type})
            # What is no JSON for the route either is refused for that.
            assert answer.status_code in ({403, 415} if path == "/api/ingest" else {403}), (path, answer.text)
