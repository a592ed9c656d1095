"""Kestrel's Python client, reduced to what a producer and a worker need.

The wire format is length-prefixed JSON frames over TLS. One client owns one connection and is safe to share between threads.
"""

from __future__ import annotations

import json
import random
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

DEFAULT_PORT = 7420
MAX_FRAME_BYTES = 6 * 1024 * 1024
CONNECT_TIMEOUT_S = 4.0
RETRYABLE = frozenset({"KST-5003", "KST-5031", "KST-4290"})


class KestrelError(Exception):
    """An answer of the server that is not a success. `code` is one of the KST codes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class PermanentFailure(Exception):
    """Raise it in a handler when another attempt can't help; the job goes to the dead-letter queue."""


@dataclass(frozen=True)
class Job:
    id: str
    queue: str
    payload: Any
    attempt: int
    lease_token: str


def backoff(attempt: int, *, base: float = 0.2, cap: float = 30.0) -> float:
    """Seconds to wait before the next connection attempt: decorrelated jitter, so that clients don't return in step."""
    return min(cap, random.uniform(base, base * 3**attempt))


class Client:
    """A connection to one node; it follows redirects to the leader of a shard."""

    def __init__(self, host: str, port: int = DEFAULT_PORT, *, token: str, max_redirects: int = 3) -> None:
        self._address = (host, port)
        self._token = token
        self._max_redirects = max_redirects
        self._lock = threading.Lock()
        self._socket: ssl.SSLSocket | None = None

    def enqueue(self, queue: str, payload: Any, *, priority: int = 4, idempotency_key: str | None = None) -> str:
        """Put a job on a queue and return its id. Raises `KestrelError`."""
        body = {"op": "enqueue", "queue": queue, "payload": payload, "priority": priority, "key": idempotency_key}
        return str(self._call(body)["id"])

    def lease(self, queue: str, *, wait: int = 20) -> Job | None:
        """Take the next job, waiting up to `wait` seconds for one."""
        answer = self._call({"op": "lease", "queue": queue, "wait": wait})
        return Job(**answer["job"]) if answer.get("job") else None

    def _call(self, body: dict[str, Any]) -> dict[str, Any]:
        for attempt in range(1, 6):
            try:
                with self._lock:
                    return self._exchange(body)
            except KestrelError as error:
                if error.code not in RETRYABLE:
                    raise
            except OSError:
                self._socket = None
            time.sleep(backoff(attempt))
        raise KestrelError("KST-5990", "the server did not answer after five attempts")

    def _exchange(self, body: dict[str, Any]) -> dict[str, Any]:
        connection = self._socket or self._connect()
        data = json.dumps(body, ensure_ascii=False).encode()
        if len(data) > MAX_FRAME_BYTES:
            raise ValueError(f"a frame of {len(data)} bytes is larger than the protocol allows ({MAX_FRAME_BYTES})")
        connection.sendall(struct.pack(">I", len(data)) + data)
        size = struct.unpack(">I", self._read(connection, 4))[0]
        answer: dict[str, Any] = json.loads(self._read(connection, size))
        if "code" in answer:
            raise KestrelError(answer["code"], answer["message"])
        return answer

    def _connect(self) -> ssl.SSLSocket:
        raw = socket.create_connection(self._address, timeout=CONNECT_TIMEOUT_S)
        self._socket = ssl.create_default_context().wrap_socket(raw, server_hostname=self._address[0])
        self._exchange({"op": "hello", "token": self._token, "protocol": 11})
        return self._socket

    @staticmethod
    def _read(connection: ssl.SSLSocket, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            piece = connection.recv(min(65536, size - len(data)))
            if not piece:
                raise ConnectionResetError("the server closed the connection in the middle of a frame")
            data += piece
        return bytes(data)


@contextmanager
def keep_lease(client: Client, job: Job, lease_seconds: float) -> Iterator[threading.Event]:
    """Renew a lease from a thread while the body runs. The event is set when the lease is lost."""
    lost, done = threading.Event(), threading.Event()

    def renew() -> None:
        while not done.wait(lease_seconds / 3):
            try:
                client._call({"op": "renew", "job": job.id, "lease": job.lease_token})
            except KestrelError:
                lost.set()
                return

    thread = threading.Thread(target=renew, name=f"renew-{job.id}", daemon=True)
    thread.start()
    try:
        yield lost
    finally:
        done.set()
        thread.join()


def run_worker(client: Client, queue: str, handler: Callable[[Job], None], *, stop: threading.Event) -> None:
    """Lease and handle jobs until `stop` is set. A handler's exception is reported to the server, which decides on retries."""
    while not stop.is_set():
        job = client.lease(queue)
        if job is None:
            continue
        with keep_lease(client, job, lease_seconds=90) as lost:
            try:
                handler(job)
                outcome: dict[str, Any] = {"op": "ack"}
            except PermanentFailure as error:
                outcome = {"op": "bury", "error": repr(error)}
            except Exception as error:  # noqa: BLE001 - a handler may raise anything
                outcome = {"op": "fail", "error": repr(error)}
        if not lost.is_set():
            client._call({**outcome, "job": job.id, "lease": job.lease_token})
