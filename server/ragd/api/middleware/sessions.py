"""Links that were given to browsers, and the sessions that they were exchanged for, by the hashes of their secrets."""

from __future__ import annotations

import hashlib
import secrets
import threading
from dataclasses import dataclass, field
from typing import Final

# The oldest of a kind go first: nobody needs more.
_MOST: Final = 16


@dataclass(frozen=True, slots=True)
class Granted:
    """A link or a session. `authorization` is the header of whoever asked for the link: their rights count at each request."""

    ends: float
    authorization: bytes = field(default=b"", repr=False)
    key: bytes = field(default=b"", repr=False)


class SessionTable:
    """In memory, where no backup finds them; one for all processes of an address. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, dict[bytes, Granted]] = {}

    def put(self, kind: str, secret_hash: bytes, granted: Granted) -> None:
        with self._lock:
            kept = self._kept.setdefault(kind, {})
            while len(kept) >= _MOST:
                del kept[next(iter(kept))]
            kept[secret_hash] = granted

    def find(self, kind: str, secret_hash: bytes) -> Granted | None:
        with self._lock:
            return self._kept.get(kind, {}).get(secret_hash)

    def take(self, kind: str, secret_hash: bytes) -> Granted | None:
        """What is there, and from now on no more: of several who ask at once, one gets it."""
        with self._lock:
            return self._kept.get(kind, {}).pop(secret_hash, None)


def remembered(table: SessionTable, kind: str, granted: Granted) -> str:
    """A new secret that stands for `granted`."""
    secret = secrets.token_urlsafe(32)
    table.put(kind, hashed(secret), granted)
    return secret


def hashed(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
