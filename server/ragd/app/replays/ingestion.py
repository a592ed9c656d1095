"""The file of an ingestion's trace read once more, and whether the same comes of it. Nothing of it is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from ragd.access.context import LiveAccess
from ragd.app.replays import comparison
from ragd.app.replays.query import ReplayRequest
from ragd.core.documents import Place
from ragd.core.errors import RagError, ValidationFailed
from ragd.core.ids import hash32
from ragd.core.storage import Version
from ragd.ingest.discovery.items import Item
from ragd.ingest.discovery.originals import Originals
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import failure_of
from ragd.store.collections import Collections
from ragd.store.document_reader import DocumentReader, no_document

_READING: Final = ("ingest.dedup_decision", "ingest.parse_summary", "ingest.assets_manifest")
_CUTTING: Final = ("ingest.section_stats", "ingest.chunk_stats")
_READERS: Final = {"stage.dedup", "stage.loader", "stage.asset_normalize"}
_FROM_CONTENT: Final = "facts"
"""The loader that traces name where a version was made of what had been read before."""


@dataclass(frozen=True, slots=True)
class IngestionReplay:
    """Reads a document again as an ingestion would, up to its chunks: nothing is embedded."""

    ingestion: Callable[[], IngestPipeline]
    originals: Originals
    documents: DocumentReader
    collections: Collections
    access: LiveAccess

    def run(self, before: comparison.Envelope, asked: ReplayRequest) -> dict[str, Any]:
        """What differs, in the shape of `api.schemas.replays.Replay`.

        Raises `ValidationFailed` for a trace of no single file, `DocumentNotFound`, `DocumentDeleted`, and what `Originals.find`
        raises where there is no stored content, either.
        """
        if asked.changes or asked.strategy or asked.text is not None:
            raise ValidationFailed("An ingestion is repeated with the settings as they are; it takes no other, and no question.")
        decision = comparison.payload(before, "ingest.dedup_decision")
        if "doc_id" not in decision:
            raise ValidationFailed(
                f"This trace is of files that were not read ({decision.get('decision', 'failed')}: "
                f"{decision.get('documents', 0)}). There is nothing to repeat."
            )
        document = self.documents.get(decision["doc_id"])
        if not self.access.context(asked.source_tokens, asked.readable).readable([document["id"]]):
            raise no_document(document["id"])
        notes: list[str] = []
        item = self._item(document, notes)
        kb_id = self.collections.get(document["collection"]).kb_id
        failed = {"before": before["aggregates"]["errors"] or None, "after": None}
        try:
            version, after = self.ingestion().preview(kb_id, document["id"], item)
        except (RagError, OSError) as error:
            failure = failure_of(error, document["source"])
            failed["after"] = {"code": failure.code, "message": failure.message}
            return self._answer(before, document, notes) | {"same": False, "failed": failed}
        whole = item is not None and _loader_of(before) != _FROM_CONTENT
        values = _values(before, after, (*_READING, *_CUTTING) if whole else _CUTTING)
        providers = [row for row in comparison.changed_providers(before, after) if whole or row["name"] not in _READERS]
        if any(row["name"] == "dedup_decision.file_sha256" for row in values):
            notes.append("The file is not the one that was read: its content has changed since.")
        if before["strategy_config_id"] != after["strategy_config_id"]:
            notes.append("Settings that shape answers or indexes have changed since; what they changed here is listed.")
        return self._answer(before, document, notes) | {
            "same": not (values or providers or failed["before"]),
            "failed": failed,
            "providers": providers,
            "values": values,
            "chunks": self._chunks(before, document, version),
            "times": comparison.times(before, after),
        }

    def _item(self, document: Mapping[str, Any], notes: list[str]) -> Item | None:
        """The document's file; None with a note where its stored content has to do. Raises where there is neither."""
        try:
            return self.originals.find(document)
        except RagError as error:
            if document["version_id"] is None:
                raise
            notes.append(f"{error.message} What was read of it is cut again instead: the reading itself is not compared.")
            return None

    @staticmethod
    def _answer(before: comparison.Envelope, document: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
        names = ("collection", "source", "title", "doc_type", "status")
        return {
            "trace_id": before["trace_id"],
            "trace_type": "ingestion",
            "recorded_at": before["started_at"],
            "notes": notes,
            "document": {"doc_id": document["id"], **{name: document[name] for name in names}},
        }

    def _chunks(self, before: comparison.Envelope, document: Mapping[str, Any], version: Version) -> dict[str, Any]:
        """How many chunks there were and would be; and which differ, where the stored ones are still those of the trace."""
        recorded = comparison.payload(before, "ingest.chunk_stats")
        counts = {"before": recorded.get("chunks"), "after": len(version.chunks)}
        stored: list[dict[str, Any]] = []
        if document["version_id"] is not None:
            stored = self.documents.chunks(document["id"], page_size=max(1, document["chunk_count"]))[0]
        if hash32(*(chunk["chunk_id"] for chunk in stored)) != recorded.get("chunk_hash"):
            return {**counts, "named": False}
        different = comparison.difference([chunk["chunk_id"] for chunk in stored], [chunk.chunk_id for chunk in version.chunks])
        shown = ("chunk_id", "section_path", *(part.name for part in fields(Place)))
        then = {chunk["chunk_id"]: {name: chunk[name] for name in shown if name in chunk} for chunk in stored}
        now = {
            chunk.chunk_id: {"chunk_id": chunk.chunk_id, "section_path": list(chunk.section_path), **chunk.place.as_dict()}
            for chunk in version.chunks
        }
        places = {"gone": then, "new": now}
        return {**counts, "named": True, "kept": len(then.keys() & now.keys())} | {
            name: [places[name][key] for key in keys] for name, keys in different.items()
        }


def _loader_of(envelope: comparison.Envelope) -> str | None:
    return next((span["provider"]["id"] for span in envelope["spans"] if span["name"] == "stage.loader"), None)


def _values(before: comparison.Envelope, after: comparison.Envelope, kinds: tuple[str, ...]) -> list[dict[str, Any]]:
    """What the events of these kinds say otherwise, as `parse_summary.headings`; not of those that the first trace lacks."""
    rows = []
    for kind in kinds:
        old, new = comparison.payload(before, kind), comparison.payload(after, kind)
        if old:
            changed = comparison.changed_values(old, new)
            rows += [row | {"name": f"{kind.partition('.')[2]}.{row['name']}"} for row in changed if row["name"] != "decision"]
    return rows
