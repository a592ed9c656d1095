"""Completions of what somebody types, from names in documents that everybody may see.

Names are gathered in the background, from versions that are new since the last time; what is offered is held against the
database at that moment, so that nothing deleted, closed or restricted since is shown.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from itertools import chain, islice
from typing import Final

from ragd.access.context import LiveAccess
from ragd.retrieve.suggestions import Name, Named, SuggestionIndex, completions, folded, named
from ragd.store.live.names import LiveVersion, Names

log = logging.getLogger(__name__)

# Seconds between two gatherings at least, and how long the first question waits for the first.
_REFRESH_S: Final = 5.0
_FIRST_WAIT_S: Final = 1.0
# Completions that are held against the database together, and such rounds at most.
_PAGE: Final = 16
_PAGES: Final = 4


class Suggestions:
    """Keeps the names of every enabled collection, from the first time that it is asked. Safe to use from several threads."""

    def __init__(
        self,
        names: Names,
        access: LiveAccess,
        revision: Callable[[], int],
        background: Executor,
        *,
        refresh_s: float = _REFRESH_S,
        first_wait_s: float = _FIRST_WAIT_S,
    ) -> None:
        """`revision` is a number that differs whenever documents, collections or sources may have changed."""
        self._names = names
        self._access = access
        self._revision = revision
        self._background = background
        self._refresh_s = refresh_s
        self._first_wait_s = first_wait_s
        self._lock = threading.Lock()
        self._indexes: dict[str, SuggestionIndex] = {}
        self._known: dict[tuple[str, str | None], tuple[Named, ...]] = {}
        self._gathering: Future[None] | None = None
        self._gathered: tuple[int, float] | None = None

    def suggest(self, typed: str, kb_ids: Sequence[str], limit: int) -> tuple[list[Name], bool]:
        """At most `limit` names of these collections that complete what is typed, best first; and whether there are names yet."""
        gathering = self._refresh()
        if self._gathered is None:
            wait([gathering] if gathering else [], self._first_wait_s)
            if gathering is not None and gathering.done():
                gathering.result()
        if self._gathered is None:
            return [], False
        indexes = [index for kb_id in kb_ids if (index := self._indexes.get(kb_id)) is not None]
        return list(islice(self._allowed(completions(indexes, typed)), limit)), True

    def _allowed(self, found: Iterator[Name]) -> Iterator[Name]:
        """Those that a live document holds that everybody may see, each text once."""
        shown: set[str] = set()
        for _ in range(_PAGES):
            page = list(islice(found, _PAGE))
            live = self._names.still_live(chain.from_iterable(name.carriers for name in page))
            everybody = self._access.context({}).open_to_all(live.values())
            for name in page:
                key = folded(name.text)
                if key not in shown and any(live.get(version_id) in everybody for version_id in name.carriers):
                    shown.add(key)
                    yield name
            if len(page) < _PAGE:
                return

    def _refresh(self) -> Future[None] | None:
        """Gather again when something has changed and the last time is long enough ago. What goes on or went on last, if any."""
        revision = self._revision()
        with self._lock:
            if self._gathering is not None and not self._gathering.done():
                return self._gathering
            last = self._gathered
            if last is None or (last[0] != revision and time.monotonic() - last[1] >= self._refresh_s):
                self._gathering = self._background.submit(self._gather, revision)
            return self._gathering

    def _gather(self, revision: int) -> None:
        try:
            self._gather_anew(revision)
        except Exception:
            # What was gathered before stays, and the next request tries again.
            log.exception("names could not be gathered")
            raise

    def _gather_anew(self, revision: int) -> None:
        live = self._names.live()
        everybody = self._access.context({}).open_to_all([version.doc_id for version in live])
        shown = [version for version in live if version.doc_id in everybody]
        new = [version for version in shown if _key(version) not in self._known]
        known = {key: names for version in shown if (names := self._known.get(key := _key(version))) is not None}
        for version, names in zip(new, self._named(new), strict=True):
            known[_key(version)] = names
        by_collection: dict[str, list[Named]] = {}
        for version in shown:
            by_collection.setdefault(version.kb_id, []).extend(known[_key(version)])
        self._known = known
        self._indexes = {kb_id: SuggestionIndex(names) for kb_id, names in by_collection.items()}
        self._gathered = revision, time.monotonic()

    def _named(self, versions: Sequence[LiveVersion]) -> Iterator[tuple[Named, ...]]:
        held = self._names.of([version.version_id for version in versions])
        for version in versions:
            names = held[version.version_id]
            uses = [
                named("title", version.title, version.version_id),
                *(named("heading", text, version.version_id) for text in names.headings),
                *(named("identifier", text, version.version_id) for text in names.identifiers),
            ]
            yield tuple(use for use in uses if use is not None)


def _key(version: LiveVersion) -> tuple[str, str | None]:
    return version.version_id, version.ready_at
