"""Cloud sources opened to ask on behalf of people: with short time-outs and no token of their own, open between questions."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from typing import Final

from ragd.core.errors import SourceUnavailable
from ragd.core.ids import hash32
from ragd.sources.base import CloudSource, HttpOptions, Usage
from ragd.sources.sync.runner import CloudReading
from ragd.store.origins import Remote

_ATTEMPTS: Final = 2
# An answer that comes after the budget still helps the next question, but holds a thread until then.
_TIMEOUT_BUDGETS: Final = 3.0
_LEAST_TIMEOUT_S: Final = 1.0


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
