"""What tokens were seen to be allowed to read, in memory alone and for a short while. Tokens are known by their hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

Value = TypeVar("Value")

# Of one process: what is seen of its memory tells nothing about a token that is tried elsewhere.
_PROCESS_KEY: Final = secrets.token_bytes(32)

MOST_PROOFS: Final = 50_000
MOST_CONTENT: Final = 32 * 1024 * 1024
_ENTRY: Final = 512
_MOST_FORGOTTEN: Final = 10_000


@dataclass(frozen=True, slots=True)
class Key:
    """One item of a source, as one token sees it. In place of the token stands its SHA-256 under a key of this process."""

    token_hash: str
    source_id: str
    item_id: str

    @classmethod
    def of(cls, token: str, source_id: str, item_id: str = "") -> Key:
        return cls(hmac.new(_PROCESS_KEY, token.encode(), hashlib.sha256).hexdigest(), source_id, item_id)


class Recent(Generic[Value]):
    """Values by key, each for `ttl` seconds; the least recently used go first when all are larger than `limit`.

    Safe to use from several threads.
    """

    def __init__(self, ttl: float, limit: int) -> None:
        self.ttl = ttl
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, tuple[float, int, Value]] = OrderedDict()
        self._forgotten: OrderedDict[Key, float] = OrderedDict()
        self._size = 0

    def put(self, key: Key, value: Value, size: int = 1, seen_at: float | None = None) -> None:
        """Keep a value that holds since `seen_at` (monotonic seconds), now by default; `size` counts towards the limit.

        What was seen before the key was last forgotten is not kept: a late answer takes no denial back.
        """
        seen_at = time.monotonic() if seen_at is None else seen_at
        with self._lock:
            all_of_token = replace(key, item_id="")
            if any(seen_at <= self._forgotten.get(one, float("-inf")) for one in (key, all_of_token)):
                return
            self._forget(key)
            if size > self._limit:
                return
            self._kept[key] = (seen_at, size, value)
            self._size += size
            while self._size > self._limit:
                self._forget(next(iter(self._kept)))

    def get(self, key: Key, within: float | None = None) -> Value | None:
        """The value, unless it is older than `within` seconds, or `ttl`."""
        with self._lock:
            entry = self._kept.get(key)
            if entry is None:
                return None
            seen_at, _size, value = entry
            age = time.monotonic() - seen_at
            if age >= self.ttl:
                self._forget(key)
                return None
            if within is not None and age >= within:
                return None
            self._kept.move_to_end(key)
            return value

    def forget(self, keys: Iterable[Key]) -> None:
        """Forget what was seen, and what is on its way from before."""
        with self._lock:
            for key in keys:
                self._forget(key)
                self._note_forgotten(key)

    def forget_token(self, token: str, source_id: str) -> None:
        """Forget all that one token was seen to read of a source."""
        all_of_token = Key.of(token, source_id)
        with self._lock:
            for key in [key for key in self._kept if (key.token_hash, key.source_id) == (all_of_token.token_hash, source_id)]:
                self._forget(key)
            self._note_forgotten(all_of_token)

    def __len__(self) -> int:
        return len(self._kept)

    def _note_forgotten(self, key: Key) -> None:
        self._forgotten.pop(key, None)
        self._forgotten[key] = time.monotonic()
        while len(self._forgotten) > _MOST_FORGOTTEN:
            self._forgotten.popitem(last=False)

    def _forget(self, key: Key) -> None:
        if (entry := self._kept.pop(key, None)) is not None:
            self._size -= entry[1]


def content_size(*texts: str) -> int:
    """What an entry with these texts counts towards `MOST_CONTENT`, in bytes."""
    return _ENTRY + sum(4 * len(text) for text in texts)
