"""A Qdrant server (1.19 or newer) by its own client, over HTTP: with this program's trust, and to no address but the set one.

Of the client's own accord nothing is asked: its comparison of versions is switched off. It sends no telemetry.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

from ragd.config.indexing import IndexServerSettings
from ragd.config.secrets import resolve
from ragd.core.errors import RemoteRefused, ServiceUnavailable, SettingsError
from ragd.core.http import checked_url, is_loopback, trusted_context
from ragd.providers.qdrant.points import DENSE, ENTRY, GRAPH, KB, PAGE, SPARSE, TERMS, Point, Points, Question, point_id

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")

_OLDEST = (1, 19)
_SETTING = "index_server"
_EXAMPLE = "https://qdrant.example.com:6333"


class ServerPoints(Points):
    """The collection `{prefix}_{name}`, which the first change makes."""

    def __init__(self, server: IndexServerSettings, name: str) -> None:
        try:
            from qdrant_client import models
        except ImportError as error:
            raise SettingsError(
                "The back end qdrant needs packages that are not installed. Run: rag extras add qdrant"
            ) from error
        self.library = models
        self._collection = f"{server.prefix}_{name}"
        self._client = _connected(server)
        self._place = server.url
        self._is_there = False
        self._lock = threading.Lock()

    def find(self, questions: Sequence[Question]) -> list[list[Any]]:
        requests = [
            self.library.QueryRequest(
                query=self._vector(question.vector),
                using=_name(question.vector),
                filter=question.filter,
                params=self.library.SearchParams(**question.params),
                limit=question.limit,
                with_payload=list(question.payload),
                with_vector=question.with_vector,
            )
            for question in questions
        ]
        found: list[Any] = self._read(partial(self._client.query_batch_points, self._collection, requests), [])
        return [answer.points for answer in found] or [[] for _ in questions]

    def fetch(self, kb_id: str, entry_ids: Sequence[str]) -> Iterable[Any]:
        wanted = [point_id(kb_id, entry_id) for entry_id in entry_ids]
        found: Iterable[Any] = self._read(
            partial(self._client.retrieve, self._collection, wanted, with_payload=[ENTRY], with_vectors=True), []
        )
        return found

    def entry_ids(self, kb_id: str) -> set[str]:
        found: set[str] = set()
        page = partial(self._client.scroll, self._collection, self.within(kb_id), PAGE, with_payload=[ENTRY], with_vectors=False)
        offset: Any = None
        while True:
            nothing: tuple[list[Any], Any] = ([], None)
            records, offset = self._read(partial(page, offset=offset), nothing)
            found.update(record.payload[ENTRY] for record in records)
            if offset is None:
                return found

    def count(self, selected: Any) -> int:
        answer = self._read(partial(self._client.count, self._collection, selected, exact=True), None)
        return 0 if answer is None else int(answer.count)

    def idf_within(self, corpus: Any) -> Any:
        return self.library.IdfCorpusParams(corpus=corpus)

    def with_terms(self) -> Any:
        return self.library.HasVectorCondition(has_vector=SPARSE)

    def drop(self, kb_id: str) -> None:
        self._delete(self.library.FilterSelector(filter=self.within(kb_id)))

    def close(self) -> None:
        self._client.close()

    def _put(self, rows: Sequence[tuple[str, Point, dict[str, str]]]) -> None:
        _, first, _ = rows[0]
        with self._lock:
            if not self._is_there:
                self._asked(partial(self._create, 0 if isinstance(first.vector, dict) else len(first.vector)))
                self._is_there = True
        points = [
            self.library.PointStruct(
                id=point, vector={_name(row.vector): self._vector(row.vector)} if row.vector else {}, payload=payload
            )
            for point, row, payload in rows
        ]
        try:
            self._asked(partial(self._client.upsert, self._collection, points, wait=True))
        except ServiceUnavailable:
            self._is_there = False  # someone may have dropped it
            raise

    def _remove(self, point_ids: list[str]) -> None:
        self._delete(self.library.PointIdsList(points=point_ids))

    def _delete(self, selected: Any) -> None:
        self._read(partial(self._client.delete, self._collection, selected, wait=True), None)

    def _named(self, point_ids: set[str]) -> Any:
        return self.library.HasIdCondition(has_id=list(point_ids))

    def _vector(self, vector: Any) -> Any:
        if not isinstance(vector, dict):
            return vector
        return self.library.SparseVector(indices=list(vector), values=list(vector.values()))

    def _create(self, dimension: int) -> None:
        models, client = self.library, self._client
        if not client.collection_exists(self._collection):
            version = str(getattr(client.info(), "version", ""))
            if version[:1].isdigit() and tuple(map(int, version.split(".")[:2])) < _OLDEST:
                raise SettingsError(f"Qdrant {version} at {self._place} is too old: 1.19 or newer is needed. Update the server.")
            dense = {DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)} if dimension else {}
            sparse = None if dimension else {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)}
            client.create_collection(
                self._collection, dense, sparse_vectors_config=sparse, hnsw_config=models.HnswConfigDiff(**GRAPH)
            )
        index = partial(client.create_payload_index, self._collection, wait=True)
        index(KB, models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True))
        if not dimension:
            words = models.TokenizerType.WHITESPACE
            text = models.TextIndexType.TEXT
            index(TERMS, models.TextIndexParams(type=text, tokenizer=words, lowercase=False, phrase_matching=True))

    def _read(self, ask: Callable[[], Answer], nothing: Answer) -> Answer:
        """What is answered; `nothing` where there is no collection yet."""
        return self._asked(ask, nothing)

    def _asked(self, ask: Callable[[], Answer], *nothing: Answer) -> Answer:
        """Errors of the client in our tree, with what to do; `nothing`, where given, for a collection that is not there."""
        from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        where = f"Qdrant at {self._place} (setting {_SETTING}.url)"
        try:
            return ask()
        except UnexpectedResponse as error:
            if nothing and error.status_code == 404:
                return nothing[0]
            if error.status_code in {401, 403}:
                raise RemoteRefused(f"{where} refused the key: correct what {_SETTING}.api_key refers to.") from error
            text = error.content[:300].decode("utf-8", errors="replace")
            raise ServiceUnavailable(f"{where} answered {error.status_code}: {text}") from error
        except ResourceExhaustedResponse as error:
            raise ServiceUnavailable(
                f"{where} asks to wait {error.retry_after_s} s: too much was asked of it. Try again then."
            ) from error
        except ResponseHandlingException as error:
            raise ServiceUnavailable(
                f"{where} can't be reached: {type(error.source).__name__} {error.source}. Start it, or correct the address."
            ) from error


def _connected(server: IndexServerSettings) -> Any:
    from qdrant_client import QdrantClient

    url = checked_url(server.url, _SETTING, _EXAMPLE)
    key = resolve(server.api_key, f"{_SETTING}.api_key")
    is_local = is_loopback(url.host)
    if key and url.scheme == "http" and not is_local:
        log.warning("the key goes over the network unencrypted; use https", extra={"setting": f"{_SETTING}.url"})
    return QdrantClient(
        url=server.url,
        headers={"api-key": key} if key else None,
        timeout=math.ceil(server.timeout_s),
        check_compatibility=False,
        verify=trusted_context(),
        trust_env=not is_local,
    )


def _name(vector: Any) -> str:
    return SPARSE if isinstance(vector, dict) else DENSE
