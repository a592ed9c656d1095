"""One Milvus collection, in a server by gRPC or in a folder by Milvus Lite, which keeps to the same interface.

All knowledge bases share it; the field `kb` is its partition key, as Milvus advises for many tenants. Reads are of consistency
"Strong": they see what any process wrote before, as a document that is said to be ready must be found.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import ssl
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ragd.config.indexing import IndexServerSettings
from ragd.config.secrets import resolve
from ragd.core.errors import IndexDamaged, RagError, RemoteRefused, ServiceUnavailable, SettingsError
from ragd.core.http import checked_url, is_loopback

log = logging.getLogger(__name__)

PK, KB = "pk", "kb"
MOST: Final = 16_384
"""Entries that Milvus gives for one question at most."""
_BATCH = 256
_PAGE = 4_096
_SETTING = "index_server"
_LITE = "milvus.lite"
_MISSING = "The back end milvus needs packages that are not installed. Run: rag extras add milvus"
_REFUSED = ("unauthenticated", "auth check failure", "permission deny", "privilege")


class MilvusCollection:
    """Opened with the first use; `schema(pymilvus, client)` gives the fields and indexes with which it is made. Thread-safe.

    Where there is no collection yet, everything is empty; the first `put` makes it.
    """

    def __init__(self, folder: Path, server: IndexServerSettings, add_fields: Callable[[Any, Any, Any, bool], None]) -> None:
        """Raises `SettingsError` when the extra `milvus` is missing or the address is none."""
        # pymilvus reads a file .env above its own folder into the environment, unless this is set.
        os.environ.setdefault("PYTHON_DOTENV_DISABLED", "1")
        try:
            import pymilvus

            if not server.url:
                import milvus_lite  # noqa: F401
        except ImportError as error:
            raise SettingsError(_MISSING) from error
        if not server.url and os.name != "posix":
            raise SettingsError("Milvus inside the daemon needs Linux or macOS. Set index_server.url to that of a server.")
        self.library: Any = pymilvus
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # it logs each error beside raising it
        self._folder = folder
        self._server = server
        self._key = resolve(server.api_key, f"{_SETTING}.api_key")
        if server.url:
            checked_url(server.url, _SETTING, "https://milvus.example.com:19530")
        self._name = f"{server.prefix}_{folder.name}".replace("-", "_")
        self._add_fields = add_fields
        self._lock = threading.RLock()
        self._opened: Any = None
        self._close_lite: Callable[[], None] | None = None
        self._is_there = False
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, kb_id: str, rows: Sequence[dict[str, Any]]) -> None:
        """Add or replace rows, which have their entry's id as `pk`; durable and searchable when it returns."""
        with self._lock, self._translated():
            if rows and not self._exists():
                self._create(rows[0])
        for at in range(0, len(rows), _BATCH):
            batch = [{**row, PK: f"{kb_id}/{row[PK]}", KB: kb_id} for row in rows[at : at + _BATCH]]
            self._ask("upsert", data=batch)

    def remove(self, kb_id: str, entry_ids: Sequence[str]) -> None:
        for at in range(0, len(entry_ids), _PAGE):
            self._ask("delete", filter=within(kb_id, entry_ids[at : at + _PAGE]))

    def drop(self, kb_id: str) -> None:
        self._ask("delete", filter=within(kb_id))

    def nearest(
        self, vector: Any, field: str, limit: int, selected: str, params: Mapping[str, Any], fields: Sequence[str] = ()
    ) -> list[tuple[float, str, dict[str, Any]]]:
        """Score, entry id and fields of the best, best first."""
        search = {"data": [vector], "anns_field": field, "limit": min(limit, MOST), "search_params": dict(params)}
        found = self._ask("search", filter=selected, output_fields=list(fields), **search)
        return [(float(hit["distance"]), _entry(hit[PK]), hit["entity"]) for hit in found[0]] if found else []

    def rows(self, selected: str, fields: Sequence[str]) -> list[dict[str, Any]]:
        return list(self._ask("query", filter=selected, output_fields=list(fields)) or [])

    def count(self, selected: str) -> int:
        found = self.rows(selected, ["count(*)"])
        return int(found[0]["count(*)"]) if found else 0

    def entry_ids(self, kb_id: str) -> set[str]:
        pages = self._ask("query_iterator", filter=within(kb_id), output_fields=[PK], batch_size=_PAGE)
        found: set[str] = set()
        with self._translated():
            while pages is not None and (page := pages.next()):
                found.update(_entry(row[PK]) for row in page)
            if pages is not None:
                pages.close()
        return found

    def close(self) -> None:
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None
            if self._close_lite is not None:
                self._close_lite()
                self._close_lite = None

    def _ask(self, what: str, **asked: Any) -> Any:
        """None where there is no collection."""
        with self._translated():
            if not self._exists():
                return None
            try:
                return getattr(self._client(), what)(self._name, timeout=self._server.timeout_s, **asked)
            except self.library.MilvusException:
                self._is_there = False  # someone may have dropped it
                raise

    def _exists(self) -> bool:
        if not self._is_there:
            with self._lock:
                client, timeout = self._client(), self._server.timeout_s
                if client.has_collection(self._name, timeout=timeout):
                    client.load_collection(self._name, timeout=timeout)
                    self._is_there = True
        return self._is_there

    def _create(self, first: dict[str, Any]) -> None:
        library, client = self.library, self._client()
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field(PK, library.DataType.VARCHAR, is_primary=True, max_length=512)
        schema.add_field(KB, library.DataType.VARCHAR, max_length=64, is_partition_key=True)
        indexes = client.prepare_index_params()
        self._add_fields(schema, indexes, first, bool(self._server.url))
        timeout = self._server.timeout_s
        client.create_collection(self._name, schema=schema, index_params=indexes, consistency_level="Strong", timeout=timeout)
        self._is_there = True

    def _client(self) -> Any:
        if self._opened is None:
            with self._lock:
                if self._opened is None:
                    self._opened = self._connected()
        return self._opened

    def _connected(self) -> Any:
        options: dict[str, Any] = {"timeout": self._server.timeout_s, "dedicated": True}
        if not self._server.url:
            return self.library.MilvusClient(self._start_lite(), grpc_options={"grpc.enable_http_proxy": 0}, **options)
        host = checked_url(self._server.url, _SETTING).host
        if is_loopback(host):
            options["grpc_options"] = {"grpc.enable_http_proxy": 0}
        if self._server.url.startswith("https:"):
            if roots := _trusted_roots(self._folder / "roots.pem"):
                options["server_pem_path"] = str(roots)
        elif self._key and not is_loopback(host):
            log.warning("the key goes over the network unencrypted; use https", extra={"setting": f"{_SETTING}.url"})
        return self.library.MilvusClient(self._server.url, token=self._key, **options)

    def _start_lite(self) -> str:
        """Its address: a socket in a folder that only this user can enter, where it would listen on a port for everybody."""
        from milvus_lite.adapter.grpc.server import start_server_in_thread

        # Logs each call that it does not know, of which its client makes some, as a failure.
        logging.getLogger("grpc._server").setLevel(logging.CRITICAL)
        place = Path(tempfile.mkdtemp(prefix="milvus-"))
        try:
            server, database, _ = start_server_in_thread(str(self._folder / _LITE), f"unix:{place}/socket", 0)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise

        def close() -> None:
            server.stop(grace=2).wait()
            database.close()
            shutil.rmtree(place, ignore_errors=True)

        self._close_lite = close
        return f"unix:{place}/socket:0"

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Errors of the library in our tree, with what to do."""
        try:
            yield
        except RagError:
            raise
        except self.library.MilvusException as error:
            where = f"Milvus at {self._server.url} (setting {_SETTING}.url)"
            if not self._server.url:
                raise IndexDamaged(f"The milvus index {self._folder} can't be used: {error}. Rebuild it: rag reindex.") from error
            if any(sign in str(error).lower() for sign in _REFUSED):
                raise RemoteRefused(f"{where} refused the key: correct what {_SETTING}.api_key refers to.") from error
            raise ServiceUnavailable(f"{where} could not be asked: {error}. Start it, or correct the address.") from error
        except Exception as error:
            if self._server.url or self._opened is not None:
                raise
            # Milvus Lite raises what its parts raise when a file can't be read.
            raise IndexDamaged(f"The milvus index {self._folder} can't be read: {error!r}. Rebuild it: rag reindex.") from error


def within(kb_id: str, entry_ids: Collection[str] | None = None, *more: str) -> str:
    """The filter for a knowledge base, and for these of its entries."""
    conditions = [f"{KB} == {json.dumps(kb_id)}", *more]
    if entry_ids is not None:
        conditions.append(f"{PK} in {json.dumps([f'{kb_id}/{entry_id}' for entry_id in entry_ids])}")
    return " and ".join(conditions)


def _entry(pk: str) -> str:
    return pk.partition("/")[2]


def _trusted_roots(place: Path) -> Path | None:
    """A file, as gRPC wants it, of what the operating system, SSL_CERT_FILE and REQUESTS_CA_BUNDLE trust; None for nothing."""
    context = ssl.create_default_context()
    for variable in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        if bundle := os.environ.get(variable):
            try:
                context.load_verify_locations(cafile=bundle)
            except OSError as error:
                raise SettingsError(f"The certificates that {variable} names can't be read: {bundle} ({error}).") from error
    roots = context.get_ca_certs(binary_form=True)
    if not roots:
        return None
    place.write_text("".join(map(ssl.DER_cert_to_PEM_cert, roots)), encoding="ascii")
    return place
