"""Where pictures stand: the passages of live documents that show one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Text, cast, func, select

from ragd.store.database.repository import Repository
from ragd.store.database.schema import chunks, documents, occurrences

_MOST: Final = 50
_SHOWN: Final = 200
"""Characters of a passage."""


class PicturePlaces(Repository):
    """Which passages show a picture."""

    def passages(self, asset_id: str, doc_ids: Collection[str]) -> list[dict[str, Any]]:
        """The first passages of these documents beside which the picture stands, in their order."""
        # A list of ids, as JSON: two databases have no other words for it in common. An id holds no sign of a pattern.
        refs = func.coalesce(cast(occurrences.c.image_refs, Text), "")
        query = (
            select(documents.c.doc_id, occurrences.c.chunk_id, occurrences.c.place, chunks.c.section_path, chunks.c.text)
            .join(occurrences, occurrences.c.version_id == documents.c.version_id)
            .join(chunks, chunks.c.chunk_id == occurrences.c.chunk_id)
            .where(documents.c.doc_id.in_(doc_ids), refs.contains(f'"{asset_id}"'))
            .order_by(documents.c.source, occurrences.c.ordinal)
            .limit(_MOST)
        )
        return [
            {
                "chunk_id": row.chunk_id,
                "doc_id": row.doc_id,
                "section_path": row.section_path,
                "content": row.text[:_SHOWN],
                "page": row.place.get("page"),
                "slide": row.place.get("slide"),
            }
            for row in self._rows(query)
        ]
