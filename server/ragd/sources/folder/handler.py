"""The folder as a type of source: its configuration, how it is followed and read."""

# Not every type needs every argument of the interface.
# ruff: noqa: ARG002

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from ragd.ingest.discovery.file_rules import Selection
from ragd.ingest.reading import Report
from ragd.sources.folder.config import FolderConfig, parse_config, stored_config
from ragd.sources.folder.preview import Preview, preview
from ragd.sources.folder.reading import FolderReading
from ragd.sources.folder.watchers import FolderWatchers
from ragd.sources.handler import AccessOptions, HandlerContext, Reading, SourceHandler, Watching, field_problem
from ragd.sources.queue import Changes
from ragd.store.jobs import Job
from ragd.store.sources import Source

# How long adding a source waits for its watcher, so that no change falls between the first look and the watching, in seconds.
_SETTLE_S: Final = 3.0


class FolderHandler(SourceHandler):
    """Folders are watched, and whoever may ask this daemon may read them."""

    is_remote = False

    def __init__(self, context: HandlerContext) -> None:
        self._sources = context.sources
        self._queue = context.queue
        self._allowed_roots = context.allowed_roots
        self._avoid = context.avoid
        self._reading = FolderReading(context.documents, context.run, context.allowed_roots, context.avoid)
        self._watchers = FolderWatchers(context.sources, context.documents, context.queue, context.pace, context.avoid)

    def start(self) -> None:
        self._watchers.start()

    def stop(self) -> None:
        self._watchers.stop()

    def preview(self, type_: str, values: Mapping[str, Any], token: str | None) -> Preview:
        return preview(parse_config(values, self._allowed_roots), self._allowed_roots, self._avoid)

    def parse_config(self, type_: str, values: Mapping[str, Any], kb_id: str, source_id: str | None = None) -> dict[str, Any]:
        config = parse_config(values, self._allowed_roots)
        self._check_overlap(type_, config, kb_id, source_id)
        return config.as_dict()

    def access(self, options: AccessOptions, before: Source | None = None) -> dict[str, Any]:
        for name, value in asdict(options).items():
            if value is not None:
                message = f"A folder has no '{name}': it is followed, and whoever may ask this daemon may read it."
                raise field_problem(name, message, "unknown")
        return {}

    def default_name(self, type_: str, config: Mapping[str, Any]) -> str:
        return Path(config["path"]).name

    def follow(self, source: Source) -> None:
        self._watchers.follow(source)

    def watching(self, source_id: str) -> Watching | None:
        return self._watchers.watcher(source_id)

    def added(self, source: Source, token: str | None, request_id: str | None) -> None:
        """The watcher asks for a look at everything when it has begun to watch; without a watcher one is queued here."""
        self._queue.forget_last_job(source.source_id)
        self._settle(source)
        if self._queue.last_job(source.source_id) is None:
            self._queue.add(source, None, request_id)

    def changed(self, before: Source, after: Source, token: str | None, request_id: str | None) -> None:
        if not after.enabled:
            self._watchers.unfollow(after.source_id)
        elif (after.config, after.enabled) != (before.config, before.enabled):
            self._watchers.unfollow(after.source_id)
            self.added(after, token, request_id)
        else:
            self._settle(after)

    def removed(self, source_id: str) -> None:
        self._watchers.unfollow(source_id)

    def read(self, source: Source, job: Job, names: Changes, report: Report) -> Reading:
        return self._reading.read(source, job, names, report)

    def _settle(self, source: Source) -> None:
        if watcher := self._watchers.follow(source):
            watcher.wait_until_settled(_SETTLE_S)

    def _check_overlap(self, type_: str, config: FolderConfig, kb_id: str, source_id: str | None) -> None:
        """Raises `ValidationFailed` when another source of the collection reads the same files."""
        for other in self._sources.all(kb_id):
            if other.type != type_ or other.source_id == source_id:
                continue
            theirs = stored_config(other.config)
            if _reads(theirs, config.folder) or _reads(config, theirs.folder):
                raise field_problem(
                    "config.path",
                    f"The source '{other.name}' reads '{theirs.path}' into the same collection, and '{config.path}' is part of "
                    "it or holds it. Exclude one from the other, or choose another collection.",
                    "overlaps",
                )


def _reads(config: FolderConfig, folder: Path) -> bool:
    """Whether a source of this configuration reads what is in a folder."""
    above, below = config.folder.resolve(), folder.resolve()
    if not below.is_relative_to(above):
        return False
    return above == below or Selection(config.folder, config.rules).enters(below.relative_to(above).as_posix())
