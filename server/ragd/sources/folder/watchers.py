"""The watchers of the sources that are followed, and what becomes of the changes that they see."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Collection
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from ragd.core.errors import RagError, SourceNotFound
from ragd.ingest.discovery.files import Part
from ragd.sources.folder.config import FolderConfig, relevant, stored_config
from ragd.sources.folder.watcher import FolderWatcher
from ragd.sources.handler import Pace, SourceDocuments
from ragd.sources.queue import Changes, SyncQueue
from ragd.store.sources import Source, Sources

log = logging.getLogger(__name__)


class FolderWatchers:
    """One watcher for each source that is followed. Safe to use from several threads."""

    def __init__(
        self, sources: Sources, documents: SourceDocuments, queue: SyncQueue, pace: Pace, avoid: Collection[Path]
    ) -> None:
        self._sources = sources
        self._documents = documents
        self._queue = queue
        self._pace = pace
        self._avoid = avoid
        self._lock = threading.Lock()
        self._is_on = False
        self._watchers: dict[str, FolderWatcher] = {}

    def start(self) -> None:
        """From now on, `follow` follows."""
        with self._lock:
            self._is_on = True

    def stop(self) -> None:
        """Stop all watchers at once."""
        with self._lock:
            self._is_on = False
            watchers = list(self._watchers.values())
            self._watchers.clear()
        for watcher in watchers:
            watcher.ask_to_stop()
        for watcher in watchers:
            watcher.stop()

    def watcher(self, source_id: str) -> FolderWatcher | None:
        with self._lock:
            return self._watchers.get(source_id)

    def follow(self, source: Source) -> FolderWatcher | None:
        """Follow a source that is to be watched; the first that its watcher asks for is a look at everything."""
        config = stored_config(source.config)
        with self._lock:
            if not (self._is_on and source.enabled and config.watch):
                return None
            if source.source_id not in self._watchers:
                watcher = FolderWatcher(source.source_id, config.folder, self._changed, self._pace, poll=config.poll)
                self._watchers[source.source_id] = watcher
                watcher.start()
            return self._watchers[source.source_id]

    def unfollow(self, source_id: str) -> None:
        with self._lock:
            watcher = self._watchers.pop(source_id, None)
        if watcher:
            watcher.stop()

    def _changed(self, source_id: str, paths: Changes) -> bool:
        """What a watcher saw. Returns whether it is taken care of."""
        try:
            source = self._sources.get(source_id)
            config = stored_config(source.config)
            names = None if paths is None else relevant(config, paths, self._avoid)
            if names is not None and not self._matter(source, config, names):
                return True
            if source.enabled and source.collection_status == "enabled":
                self._queue.add(source, names)
            else:
                # Nothing is read into a disabled collection, until it is enabled again and something changes.
                self._queue.miss(source_id, names)
        except SourceNotFound:
            return True
        except (RagError, OSError, DBAPIError) as error:
            log.warning("a change can't be queued; trying again", extra={"source_id": source_id, "reason": str(error)})
            return False
        return True

    def _matter(self, source: Source, config: FolderConfig, names: Collection[str]) -> bool:
        """Whether something is there by these names, or was."""
        if any(os.path.lexists(config.folder / name) for name in names):
            return True
        part = Part(names)
        return bool(names) and any(part.holds(document.source) for document in self._documents.of_source(source.source_id))
