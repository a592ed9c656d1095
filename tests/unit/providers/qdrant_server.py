"""A Qdrant server for tests: the routes that the product asks, answered by Qdrant's own engine, or by a fault."""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import qdrant_edge as engine


class QdrantServer:
    """Listens on the loopback. `fault` is answered instead, where set: a status, or "silence" until the end."""

    def __init__(self, key: str = "", version: str = "1.20.0") -> None:
        self.key, self.version = key, version
        self.fault: int | str | None = None
        self.requests: list[str] = []
        self.over = threading.Event()
        self._folder = Path(tempfile.mkdtemp(prefix="qdrant-"))
        self._shards: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"qdrant": self}))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self.forget()
        shutil.rmtree(self._folder, ignore_errors=True)

    def forget(self) -> None:
        """Every collection is dropped."""
        with self._lock:
            for name, shard in self._shards.items():
                shard.close()
                shutil.rmtree(self._folder / name)
            self._shards.clear()

    def answer(self, method: str, path: str, body: Any) -> Any:
        """What the route gives; raises `LookupError` for an unknown collection."""
        if path == "/":
            return {"title": "qdrant", "version": self.version}
        _, _, name, *route = path.split("/")
        with self._lock:
            if route == ["exists"]:
                return _result({"exists": name in self._shards})
            if method == "PUT" and not route:
                self._shards[name] = self._created(name, body)
                return _result(True)
        return _result(_ROUTES[method, "/".join(route)](self._shards[name], body))

    def _created(self, name: str, body: Any) -> Any:
        dense = {
            at: engine.EdgeVectorParams(size=row["size"], distance=engine.Distance.Cosine)
            for at, row in (body.get("vectors") or {}).items()
        }
        modifiers = {"idf": engine.Modifier.Idf}
        sparse = {
            at: engine.EdgeSparseVectorParams(modifier=modifiers[row["modifier"]])
            for at, row in (body.get("sparse_vectors") or {}).items()
        }
        folder = self._folder / name
        folder.mkdir()
        return engine.EdgeShard.create(str(folder), engine.EdgeConfig(vectors=dense, sparse_vectors=sparse))


class _Handler(BaseHTTPRequestHandler):
    qdrant: QdrantServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        self.qdrant.requests.append(f"{self.command} {path}")
        fault = self.qdrant.fault
        if fault == "silence":
            self.qdrant.over.wait(60)
            self.close_connection = True
        elif isinstance(fault, int):
            self._send(fault, {"status": {"error": "as the test wants it"}})
        elif self.qdrant.key and self.headers.get("api-key") != self.qdrant.key:
            self._send(401, {"status": {"error": "Must provide an API key"}})
        else:
            try:
                self._send(200, self.qdrant.answer(self.command, path, json.loads(body) if body else None))
            except LookupError as error:
                self._send(404, {"status": {"error": f"Not found: Collection {error} doesn't exist!"}})

    do_PUT = do_POST = do_GET

    def log_message(self, *_: object) -> None: ...

    def _send(self, status: int, answer: Any) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "7")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _result(value: Any) -> dict[str, Any]:
    return {"result": value, "status": "ok", "time": 0.0}


def _changed(shard: Any, change: Any) -> dict[str, Any]:
    shard.update(change)
    return {"operation_id": 0, "status": "completed"}


def _index(shard: Any, body: Any) -> Any:
    schema = body["field_schema"]
    if schema["type"] == "keyword":
        index = engine.KeywordIndexParams(is_tenant=schema["is_tenant"])
    else:
        words = {"whitespace": engine.TokenizerType.Whitespace}[schema["tokenizer"]]
        index = engine.TextIndexParams(tokenizer=words, lowercase=schema["lowercase"], phrase_matching=schema["phrase_matching"])
    return _changed(shard, engine.UpdateOperation.create_field_index(body["field_name"], index))


def _upsert(shard: Any, body: Any) -> Any:
    points = [
        engine.Point(row["id"], {name: _vector(value) for name, value in row["vector"].items()}, row["payload"])
        for row in body["points"]
    ]
    return _changed(shard, engine.UpdateOperation.upsert_points(points))


def _delete(shard: Any, body: Any) -> Any:
    changes = engine.UpdateOperation
    by_ids = "points" in body
    return _changed(
        shard, changes.delete_points(body["points"]) if by_ids else changes.delete_points_by_filter(_filter(body["filter"]))
    )


def _query(shard: Any, body: Any) -> Any:
    requests = [
        engine.QueryRequest(
            limit=row["limit"],
            query=engine.Query.Nearest(_vector(row["query"]["nearest"]), using=row["using"]),
            filter=_filter(row["filter"]),
            with_payload=row["with_payload"],
            with_vector=row["with_vector"],
            params=_params(**row["params"]),
        )
        for row in body["searches"]
    ]
    found = shard.query_batch(engine.QueryBatchRequest(requests))
    return [{"points": [{**_record(point), "version": 0, "score": point.score} for point in points]} for points in found]


def _scroll(shard: Any, body: Any) -> Any:
    request = engine.ScrollRequest(
        offset=body.get("offset"), limit=body["limit"], filter=_filter(body["filter"]), with_payload=body["with_payload"]
    )
    records, offset = shard.scroll(request)
    return {"points": [_record(record) for record in records], "next_page_offset": offset and str(offset)}


def _retrieve(shard: Any, body: Any) -> Any:
    return [_record(row) for row in shard.retrieve(body["ids"], with_payload=body["with_payload"], with_vector=True)]


def _count(shard: Any, body: Any) -> Any:
    return {"count": shard.count(engine.CountRequest(exact=body["exact"], filter=_filter(body["filter"])))}


_ROUTES = {
    ("PUT", "index"): _index,
    ("PUT", "points"): _upsert,
    ("POST", "points/delete"): _delete,
    ("POST", "points/query/batch"): _query,
    ("POST", "points/scroll"): _scroll,
    ("POST", "points"): _retrieve,
    ("POST", "points/count"): _count,
}


def _record(point: Any) -> dict[str, Any]:
    row = {"id": str(point.id), "payload": point.payload}
    if point.vector:
        row["vector"] = {
            name: {"indices": value.indices, "values": value.values} if isinstance(value, engine.SparseVector) else value
            for name, value in point.vector.items()
        }
    return row


def _vector(value: Any) -> Any:
    return engine.SparseVector(**value) if isinstance(value, dict) else value


def _params(idf: Any = None, **params: Any) -> Any:
    return engine.SearchParams(idf=idf and engine.IdfParams(corpus=_filter(idf["corpus"])), **params)


def _filter(value: Any) -> Any:
    return engine.Filter(must=[_condition(**condition) for condition in value["must"]])


def _condition(has_id: Any = None, has_vector: Any = None, key: str = "", match: Any = None) -> Any:
    if has_id is not None:
        return engine.HasIdCondition(set(has_id))
    if has_vector is not None:
        return engine.HasVectorCondition(has_vector)
    kinds = {"value": engine.MatchValue, "phrase": engine.MatchPhrase}
    [(kind, wanted)] = match.items()
    return engine.FieldCondition(key=key, match=kinds[kind](wanted))
