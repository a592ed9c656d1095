"""Which jobs of a collection may run side by side, where several processes run jobs.

What works on uploaded files has lanes of its own beside everything that goes through folders and sources: these documents are
never the same ones. So an upload waits for no bulk ingestion, and several uploads of a collection are read by several workers.
What may concern the same document keeps its order.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ragd.core.jobs import BESIDE

UPLOAD: Final = "upload"
CLEANUP: Final = "cleanup"
BULK: Final = "bulk"
"""A kind of job, and the queue of its own: of whoever has asked for it, and no worker's."""
# What goes through folders and sources of a collection, or removes documents of these.
_MAIN: Final = frozenset({"ingest", "sync", CLEANUP, BULK})
_UPLOADS_LANES: Final = 8
# Of jobs that work on documents of several collections.
_EVERYTHING: Final = "*"
# Of those that only ask, and are in nobody's way.
_BESIDE: Final = "beside"


@dataclass(frozen=True, slots=True)
class Work:
    """What tells whether two jobs of a collection can be in each other's way."""

    kind: str
    kb_id: str
    payload: Mapping[str, Any]

    @property
    def is_on_uploads(self) -> bool:
        """Whether it works on uploaded files alone."""
        if self.kind == CLEANUP:
            uris = self.payload.get("uris") or ()
            return bool(uris) and all(f"/uploads/{self.kb_id}/" in uri for uri in uris)
        return self.kind == UPLOAD

    @property
    def names(self) -> frozenset[str]:
        """Of the files of an upload."""
        return frozenset(item["source"] for item in self.payload["files"]) if self.kind == UPLOAD else frozenset()

    @property
    def lane(self) -> str:
        """Jobs of one lane come to workers one after the other, in their order."""
        if self.kind in BESIDE:
            return _BESIDE
        if not self.kb_id:
            return _EVERYTHING
        if self.kind == BULK:  # one that waits for whoever runs it holds up nobody
            return f"{BULK} {self.kb_id}"
        if self.kind == UPLOAD:
            # By what does not differ between processes. Two of one name are in one lane.
            number = zlib.crc32("\n".join(sorted(self.names)).encode()) % _UPLOADS_LANES
            return f"{UPLOAD} {number} {self.kb_id}"
        return f"{UPLOAD} {self.kb_id}" if self.is_on_uploads else self.kb_id


def in_the_way(one: Work, running: Work) -> bool:
    """Whether a job can't begin beside one that runs."""
    if not (one.kb_id and running.kb_id):
        return True
    if one.kb_id != running.kb_id:
        return False
    if one.is_on_uploads and running.is_on_uploads:
        return _may_be_of_one_document(one, running)
    if one.is_on_uploads or running.is_on_uploads:
        other = running if one.is_on_uploads else one
        return other.kind not in _MAIN
    return True


def goes_first(older: Work, one: Work) -> bool:
    """Whether an older job that waits must run before a newer one: both are on uploads, and may be of one document."""
    return one.kb_id == older.kb_id and one.is_on_uploads and older.is_on_uploads and _may_be_of_one_document(one, older)


def _may_be_of_one_document(one: Work, other: Work) -> bool:
    return one.kind != UPLOAD or other.kind != UPLOAD or not one.names.isdisjoint(other.names)
