"""The stages of an ingestion one by one, for parts of its files: each may run in a process of its own, on a machine of its own.

What goes from stage to stage is a value. Nothing of a part can be found before its last stage, a transaction; a part that is
lost on the way is read again at the next run, while files that are stored already are known by the hash of their content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ragd.ingest.discovery.items import Item
from ragd.ingest.drafts import Draft
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Files, Tally, counted
from ragd.providers.protocols import Vectors
from ragd.providers.token_protocols import TokenCodes

_MOST_FILES: Final = 32
_MOST_BYTES: Final = 8_000_000


@dataclass(frozen=True, slots=True)
class Part:
    """Files that go through the stages together, and what was made of them so far."""

    files: Files
    links: Mapping[str, str | None]
    drafts: Sequence[Draft] = ()
    vectors: Mapping[str, Vectors] = field(default_factory=dict)
    codes: Mapping[str, TokenCodes] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)


def parts(files: Files, links: Mapping[str, str | None]) -> Iterator[Part]:
    """The files in parts, small enough that a process holds one easily."""
    for items in _groups(files.items):
        ids = {item.uri: files.ids[item.uri] for item in items if item.uri in files.ids}
        yield Part(replace(files, items=items, ids=ids), links)


def _groups(items: Sequence[Item]) -> Iterator[list[Item]]:
    group: list[Item] = []
    size = 0
    for item in items:
        group.append(item)
        size += item.size()
        if len(group) == _MOST_FILES or size >= _MOST_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


class Stages:
    """The very stages of a pipeline. Each takes a part and gives it on; nothing of it stays here."""

    def __init__(self, pipeline: IngestPipeline) -> None:
        self._pipeline = pipeline

    def read(self, part: Part) -> Part:
        """Read, clean and cut the files that are new or changed. One that can't be read fails alone, and is noted so."""
        drafts = self._pipeline.reading.drafts(part.files, part.tally, lambda: self._pipeline.start_trace(part.links), _unheard)
        return replace(part, drafts=list(counted(drafts, part.tally)))

    def embed(self, part: Part) -> Part:
        """Vectors of what was read, from the cache or the model."""
        if not part.drafts:
            return part
        total = part.files.total
        vectors, codes = self._pipeline.embedding.embed(part.drafts, part.tally, report=_unheard, total=total, tokens=False)
        return replace(part, vectors=vectors, codes=codes)

    def store(self, part: Part) -> Tally:
        """Make documents and index entries, all of the part at one moment. Gives what became of its files."""
        if part.drafts:
            traces = {draft.trace.trace_id: draft.trace for draft in part.drafts}
            self._pipeline.upsert(part.drafts, part.vectors, part.codes, part.tally, traces)
        return part.tally


def _unheard(_stage: str, _done: int, _total: int) -> None:
    """Who runs a stage elsewhere is told of its end alone."""
