"""Asking remote sides what a token may read, in threads, and remembering the answers: also those that come too late."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final, Literal

from sqlalchemy.exc import DBAPIError

from ragd.access.passages import Body
from ragd.access.proofs import MOST_CONTENT, MOST_PROOFS, Key, Recent, content_size
from ragd.config.sources import LiveSettings
from ragd.core.errors import DocumentVanished, ItemForbidden, RagError, SourceRefused, SourceUnavailable
from ragd.core.ids import hash32
from ragd.sources.base import CloudSource, Current, Fetched, HttpOptions, Usage
from ragd.sources.sync.changes import listed_as
from ragd.sources.sync.runner import CloudReading
from ragd.store.ledger import LedgerItem
from ragd.store.origins import Remote

log = logging.getLogger(__name__)

_ATTEMPTS: Final = 2
# An answer that comes after the budget still helps the next question, but holds a thread until then.
_TIMEOUT_BUDGETS: Final = 3.0
_LEAST_TIMEOUT_S: Final = 1.0
_ASKING: Final = 16
_READING: Final = 4
_QUEUED_AGAIN_S: Final = 60.0

_Parse = Callable[[Fetched, str, bytes], Body]
"""Makes a body of an item, its version and its bytes, in a process of its own. Raises `RagError`."""

Queue = Callable[[str, Sequence[str]], object]
"""Has items of a source fetched into the index. Raises `RagError`."""


class OpenSources:
    """One open source for each configuration in use. Safe to use from several threads."""

    def __init__(self, opening: CloudReading, budget_s: float) -> None:
        self._opening = opening
        self._budget_s = budget_s
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._open: dict[str, tuple[str, CloudSource]] = {}

    def get(self, remote: Remote) -> CloudSource:
        """The source over its remote side. Raises `SourceUnavailable` after `close`, and what opening raises."""
        configuration = hash32(remote.type, json.dumps(remote.config, sort_keys=True))
        with self._lock:
            if self._closed.is_set():
                raise SourceUnavailable("The daemon is stopping.")
            known = self._open.get(remote.source_id)
            if known is not None and known[0] == configuration:
                return known[1]
            opened = self._opening.open(remote.type, remote.config, "", self._http())
            self._open[remote.source_id] = configuration, opened
        if known is not None:
            known[1].close()
        return opened

    def close(self) -> None:
        """Close every source; what still waits for one ends."""
        with self._lock:
            self._closed.set()
            opened, self._open = list(self._open.values()), {}
        for _, source in opened:
            source.close()

    def _http(self) -> HttpOptions:
        return replace(
            self._opening.http_options(),
            pause=self._pause,
            timeout_s=max(_LEAST_TIMEOUT_S, self._budget_s * _TIMEOUT_BUDGETS),
            longest_wait_s=self._budget_s,
            attempts=_ATTEMPTS,
            usage=Usage(),
        )

    def _pause(self, seconds: float) -> None:
        if self._closed.wait(min(seconds, self._budget_s)):
            raise SourceUnavailable("The daemon is stopping.")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a token may read of an item now. `reading` gives its body where that is newer than the index and was asked for."""

    version: str
    reading: Future[Body | None] | None = None


Outcome = Mapping[str, Seen] | Literal["refused", "unanswered"]
"""By item id what may be read, what is absent may not; or the token is none, or there was no answer."""


class AccessChecks:
    """Asks, and keeps proofs and contents. Safe to use from several threads."""

    def __init__(self, opening: CloudReading, parse: _Parse, options: LiveSettings, max_size: int) -> None:
        """`max_size` is of one item, in bytes."""
        self._parse = parse
        self._max_size = max_size
        self._sources = OpenSources(opening, options.budget_ms / 1000)
        self._check_threads = ThreadPoolExecutor(_ASKING, "rag-live")
        self._read_threads = ThreadPoolExecutor(_READING, "rag-live-read")
        self._proofs: Recent[str] = Recent(options.proof_ttl, MOST_PROOFS)
        self._contents: Recent[Seen] = Recent(options.cache_ttl, MOST_CONTENT)
        self._queued: Recent[bool] = Recent(_QUEUED_AGAIN_S, MOST_PROOFS)
        self._lock = threading.RLock()
        self._being_read: dict[tuple[Key, str], Future[Body | None]] = {}

    def close(self) -> None:
        self._sources.close()
        for threads in (self._check_threads, self._read_threads):
            # What still runs ends by its time-outs, and finds nobody who waits for it.
            threads.shutdown(wait=False, cancel_futures=True)

    # What is known

    def proved(self, remote: Remote, item_id: str, token: str, within: float | None = None) -> bool:
        """Whether this token was seen to read the item, within so many seconds or `live.proof_ttl`."""
        return self._proofs.get(Key.of(token, remote.source_id, item_id), within) is not None

    def content(self, remote: Remote, item_id: str, token: str) -> Seen | None:
        """What this token was seen to read of the item within `live.cache_ttl`."""
        return self._contents.get(Key.of(token, remote.source_id, item_id))

    # Asking

    def ask(self, remote: Remote, items: Collection[LedgerItem], token: str, *, content: bool) -> Future[Outcome]:
        """Ask for all of these in one call. What comes is remembered, whoever waits for it. Never raises."""
        return self._check_threads.submit(self._answer, remote, list(items), token, content)

    def _answer(self, remote: Remote, items: Sequence[LedgerItem], token: str, content: bool) -> Outcome:
        began = time.monotonic()
        try:
            found = self._sources.get(remote).current([listed_as(item) for item in items], token, content=content)
        except SourceRefused:
            for kept in (self._proofs, self._contents):
                kept.forget_token(token, remote.source_id)
            return "refused"
        # Whatever a source does not say, nothing is shown for it. Only the kind is logged: a message may quote a header.
        except Exception as error:  # noqa: BLE001
            log.warning("a source gave no answer for a question", extra=_log_fields(remote, error))
            return "unanswered"
        seen: dict[str, Seen] = {}
        for item in items:
            key = Key.of(token, remote.source_id, item.item_id)
            current = found.get(item.item_id)
            if current is None:
                self._deny(key)
                continue
            self._proofs.put(key, current.version, seen_at=began)
            reading = None
            if content and current.version != item.version and current.fetched is not None:
                reading = self._reading_of(remote, key, current, current.fetched, began)
            seen[item.item_id] = Seen(current.version, reading)
            if content and reading is None:
                self._contents.put(key, seen[item.item_id], content_size(), seen_at=began)
        return seen

    def _reading_of(self, remote: Remote, key: Key, current: Current, fetched: Fetched, began: float) -> Future[Body | None]:
        with self._lock:
            wanted = key, current.version
            reading = self._being_read.get(wanted)
            if reading is None:
                reading = self._being_read[wanted] = self._read_threads.submit(self._read, remote, key, current, fetched, began)
                # At once, in this thread, when it has been read already.
                reading.add_done_callback(lambda _done: self._was_read(wanted))
            return reading

    def _was_read(self, wanted: tuple[Key, str]) -> None:
        with self._lock:
            self._being_read.pop(wanted, None)

    def _read(self, remote: Remote, key: Key, current: Current, fetched: Fetched, began: float) -> Body | None:
        """The body of an item; None when it can't be read now. Raises `ItemForbidden` when the token may not."""
        try:
            body = self._parse(fetched, current.version, fetched.load(self._max_size))
        except (ItemForbidden, DocumentVanished) as error:
            self._deny(key)
            raise ItemForbidden("The token may not read its content.") from error
        except Exception as error:  # noqa: BLE001 - as above
            log.warning("the current content of an item could not be read", extra=_log_fields(remote, error))
            return None
        done: Future[Body | None] = Future()
        done.set_result(body)
        size = content_size(body.document.markdown, body.title, body.source)
        self._contents.put(key, Seen(current.version, done), size, seen_at=began)
        return body

    def _deny(self, key: Key) -> None:
        self._proofs.forget([key])
        self._contents.forget([key])

    # Re-indexing

    def reindex_soon(self, remote: Remote, item_id: str, version: str, queue: Queue) -> None:
        """Have an item fetched into the index; once in a while for each version, whoever meets it. Never raises."""
        key = Key(version, remote.source_id, item_id)
        if self._queued.get(key) is None:
            self._queued.put(key, True)
            self._read_threads.submit(_queue, remote, item_id, queue)


def _queue(remote: Remote, item_id: str, queue: Queue) -> None:
    try:
        queue(remote.source_id, [item_id])
    except (RagError, DBAPIError) as error:  # a full queue, or a source that is switched off: the next cycle brings it
        log.info("a newer version was not queued", extra=_log_fields(remote, error))


def _log_fields(remote: Remote, error: BaseException) -> dict[str, str]:
    code = error.code if isinstance(error, RagError) else type(error).__name__
    return {"source_id": remote.source_id, "reason": code}
