"""The folder as a type of source: what it would read, how it is followed, and what becomes of the changes that are seen."""

# Not every type needs every argument of the interface.
# ruff: noqa: ARG002

from __future__ import annotations

import logging
import os
import threading
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy.exc import DBAPIError

from ragd.core.errors import RagError, SourceNotFound, ValidationFailed
from ragd.core.jobs import Failure
from ragd.formats.registry import doc_type_for
from ragd.ingest.discovery.file_rules import Selection
from ragd.ingest.discovery.files import Part
from ragd.ingest.reading import Report
from ragd.sources.folder.config import FolderConfig
from ragd.sources.folder.reading import FolderReading
from ragd.sources.folder.watcher import FolderWatcher
from ragd.sources.handler import AccessOptions, HandlerContext, Reading, SourceHandler, Watching
from ragd.sources.queue import Changes
from ragd.store.jobs import Job
from ragd.store.sources import Source

log = logging.getLogger(__name__)

# How long adding a source waits for its watcher, so that no change falls between the first look and the watching, in seconds.
_SETTLE_S: Final = 3.0
# Names in a preview at most; the counts are of all.
_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class _Preview:
    """Counts of files, by document type too, the first names, and the first of what can't be read and why."""

    files: int
    by_type: dict[str, int]
    names: tuple[str, ...]
    skipped: int
    ignored: int
    failed_count: int
    failed: tuple[Failure, ...]


class FolderHandler(SourceHandler):
    """Folders are watched, each by one watcher, and whoever may ask this daemon may read them."""

    is_remote = False

    def __init__(self, context: HandlerContext) -> None:
        self._sources = context.sources
        self._documents = context.documents
        self._queue = context.queue
        self._security = context.settings.security
        self._allowed_roots = self._security.allowed_roots
        self._avoid = context.avoid
        self._pace = context.settings.watch
        self._reading = FolderReading(context.documents, context.ingestion, self._allowed_roots, context.avoid)
        self._lock = threading.Lock()
        self._follows = False
        self._watchers: dict[str, FolderWatcher] = {}

    def start(self) -> None:
        with self._lock:
            self._follows = True

    def stop(self) -> None:
        with self._lock:
            self._follows = False
            watchers = list(self._watchers.values())
            self._watchers.clear()
        for watcher in watchers:
            watcher.ask_to_stop()
        for watcher in watchers:
            watcher.stop()

    # Configuration

    def preview(self, type_: str, values: Mapping[str, Any], token: str | None) -> _Preview:
        config = FolderConfig.parse(values, self._security.path_roots())
        config.check_root(config.folder.name, self._allowed_roots)
        found = config.scan(self._allowed_roots, self._avoid)
        types = Counter(doc_type_for(item.name) or "text" for item in found.items)
        return _Preview(
            files=len(found.items),
            by_type=dict(sorted(types.items(), key=lambda item: (-item[1], item[0]))),
            names=tuple(item.source for item in found.items[:_SHOWN]),
            skipped=found.skipped,
            ignored=found.ignored,
            failed_count=len(found.failed),
            failed=tuple(found.failed[:_SHOWN]),
        )

    def parse_config(self, type_: str, values: Mapping[str, Any], kb_id: str, source_id: str | None = None) -> dict[str, Any]:
        config = FolderConfig.parse(values, self._security.path_roots())
        self._check_overlap(type_, config, kb_id, source_id)
        return config.as_dict()

    def access(self, options: AccessOptions, before: Source | None = None) -> dict[str, Any]:
        for name, value in asdict(options).items():
            if value is not None:
                message = f"A folder has no '{name}': it is followed, and whoever may ask this daemon may read it."
                raise ValidationFailed.of_field(name, "unknown", message)
        return {}

    def default_name(self, type_: str, config: Mapping[str, Any]) -> str:
        return Path(config["path"]).name

    # Life of a source

    def follow(self, source: Source) -> None:
        self._follow(source)

    def watching(self, source_id: str) -> Watching | None:
        with self._lock:
            return self._watchers.get(source_id)

    def added(self, source: Source, token: str | None, request_id: str | None) -> None:
        """The watcher asks for a look at everything when it has begun to watch; without a watcher one is queued here."""
        self._queue.forget_last_job(source.source_id)
        self._settle(source)
        if self._queue.last_job(source.source_id) is None:
            self._queue.add(source, None, request_id)

    def changed(self, before: Source, after: Source, token: str | None, request_id: str | None) -> None:
        if not after.enabled:
            self.removed(after.source_id)
        elif (after.config, after.enabled) != (before.config, before.enabled):
            self.removed(after.source_id)
            self.added(after, token, request_id)
        else:
            self._settle(after)

    def removed(self, source_id: str) -> None:
        with self._lock:
            watcher = self._watchers.pop(source_id, None)
        if watcher:
            watcher.stop()

    def read(self, source: Source, job: Job, names: Changes, report: Report) -> Reading:
        return self._reading.read(source, job, names, report)

    def _follow(self, source: Source) -> FolderWatcher | None:
        """The watcher of a source that is to be watched; the first that it asks for is a look at everything."""
        config = FolderConfig.stored(source.config)
        with self._lock:
            if not (self._follows and source.enabled and config.watch):
                return None
            if source.source_id not in self._watchers:
                watcher = FolderWatcher(source.source_id, config.folder, self._saw, self._pace, poll=config.poll)
                self._watchers[source.source_id] = watcher
                watcher.start()
            return self._watchers[source.source_id]

    def _settle(self, source: Source) -> None:
        if watcher := self._follow(source):
            watcher.wait_until_settled(_SETTLE_S)

    def _saw(self, source_id: str, paths: Changes) -> bool:
        """What a watcher saw. Returns whether it is taken care of."""
        try:
            source = self._sources.get(source_id)
            config = FolderConfig.stored(source.config)
            names = None if paths is None else config.relevant(paths, self._avoid)
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

    def _check_overlap(self, type_: str, config: FolderConfig, kb_id: str, source_id: str | None) -> None:
        """Raises `ValidationFailed` when another source of the collection reads the same files."""
        for other in self._sources.all(kb_id):
            if other.type != type_ or other.source_id == source_id:
                continue
            theirs = FolderConfig.stored(other.config)
            if _reads(theirs, config.folder) or _reads(config, theirs.folder):
                raise ValidationFailed.of_field(
                    "config.path",
                    "overlaps",
                    f"The source '{other.name}' reads '{theirs.path}' into the same collection, and '{config.path}' is part of "
                    "it or holds it. Exclude one from the other, or choose another collection.",
                )


def _reads(config: FolderConfig, folder: Path) -> bool:
    """Whether a source of this configuration reads what is in a folder."""
    above, below = config.folder.resolve(), folder.resolve()
    if not below.is_relative_to(above):
        return False
    return above == below or Selection(config.folder, config.rules).enters(below.relative_to(above).as_posix())
