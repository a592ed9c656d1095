"""How the structure of documents changed when they were rebuilt under another profile: sections, chunks and their lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median
from typing import Any, Final

MOST_CHANGED: Final = 20
"""Documents that a report names at most."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The structure of one version. `section_hash` is of its sections' paths and texts; `chunk_tokens` are in chunk order."""

    doc_id: str
    section_hash: str
    section_count: int
    chunk_ids: Sequence[str]
    chunk_tokens: Sequence[int]


def drift(before: Sequence[Shape], after: Sequence[Shape]) -> dict[str, Any]:
    """What differs between two shapes of the same documents. Documents that are in one list only are left out of everything.

    - `documents.compared`: documents in both lists; `sections_changed`: those whose sections are others (paths or texts);
      `chunks_changed`: those that lost or gained any chunk.
    - `sections` and `chunks`: their numbers `before` and `after`. `chunks.kept`: ids that are in both, the chunks whose text,
      section path and place among equals stayed; `kept_share`: of those before, 1.0 when there were none. What was not kept
      was embedded again, unless its view's vector was known.
    - `tokens`: `mean`, `median` and `p95` (nearest rank) of the chunks' lengths before and after; None when there are no chunks.
    - `changed_most`: at most 20 documents that changed, the smallest share of kept chunks first, then the most chunks touched.
    """
    old = {shape.doc_id: shape for shape in before}
    pairs = [(old[shape.doc_id], shape) for shape in after if shape.doc_id in old]
    rows = [_row(earlier, later) for earlier, later in pairs]
    changed = [row for row in rows if row["sections_changed"] or row["touched"]]
    changed.sort(key=lambda row: (row["kept_share"], -row["touched"], row["doc_id"]))
    kept, chunks_before = sum(row["kept"] for row in rows), sum(row["chunks_before"] for row in rows)
    return {
        "documents": {
            "compared": len(rows),
            "sections_changed": sum(row["sections_changed"] for row in rows),
            "chunks_changed": sum(row["touched"] > 0 for row in rows),
        },
        "sections": {
            "before": sum(earlier.section_count for earlier, _ in pairs),
            "after": sum(later.section_count for _, later in pairs),
        },
        "chunks": {
            "before": chunks_before,
            "after": sum(row["chunks_after"] for row in rows),
            "kept": kept,
            "kept_share": _share(kept, chunks_before),
        },
        "tokens": {
            "before": _lengths([count for earlier, _ in pairs for count in earlier.chunk_tokens]),
            "after": _lengths([count for _, later in pairs for count in later.chunk_tokens]),
        },
        "changed_most": [{key: value for key, value in row.items() if key != "touched"} for row in changed[:MOST_CHANGED]],
    }


def _row(earlier: Shape, later: Shape) -> dict[str, Any]:
    ids_before, ids_after = set(earlier.chunk_ids), set(later.chunk_ids)
    kept = len(ids_before & ids_after)
    return {
        "doc_id": later.doc_id,
        "sections_before": earlier.section_count,
        "sections_after": later.section_count,
        "sections_changed": earlier.section_hash != later.section_hash,
        "chunks_before": len(ids_before),
        "chunks_after": len(ids_after),
        "kept": kept,
        "kept_share": _share(kept, len(ids_before)),
        "touched": len(ids_before ^ ids_after),
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0


def _lengths(tokens: list[int]) -> dict[str, float | None]:
    if not tokens:
        return {"mean": None, "median": None, "p95": None}
    p95 = sorted(tokens)[ceil(0.95 * len(tokens)) - 1]
    return {"mean": round(sum(tokens) / len(tokens), 1), "median": median(tokens), "p95": p95}
