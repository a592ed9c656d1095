"""Which of the passages that were found answer a question.

A ranking of passages becomes one of units, which the metrics count: documents, or places in them. The first passage of a unit
stands for it, so that no unit counts twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragd.core.results import Passage
from ragd.evaluation.datasets import Question, Relevant
from ragd.formats.excel.areas import area_of


def wrong_place(place: Mapping[str, Any]) -> str | None:
    """What is wrong with a place of a question, or None."""
    keys = set(place)
    if keys in ({"page"}, {"slide"}):
        (value,) = place.values()
        return None if _is_count(value) else f"'{keys.pop()}' must be a number from 1."
    if keys == {"sheet", "cells"}:
        right = isinstance(place["sheet"], str) and isinstance(place["cells"], str) and area_of(place["cells"])
        return None if right else "'sheet' must be a name and 'cells' a range such as A2:F40."
    if keys == {"section"}:
        return None if isinstance(place["section"], str) else "'section' must be a heading."
    if keys == {"lines"}:
        lines = place["lines"]
        right = isinstance(lines, list) and len(lines) == 2 and all(map(_is_count, lines)) and lines[0] <= lines[1]
        return None if right else "'lines' must be the first and the last line, from 1."
    return None if not keys else "a place is one of: page; slide; sheet and cells; section; lines; or {} for the whole document."


def is_at(result: Mapping[str, Any], wanted: Relevant) -> bool:
    """Whether a result of `POST /api/query` is at a place of its document that answers."""
    place = wanted.place
    if result["source"] != wanted.source:
        return False
    if "page" in place:
        return bool(result.get("page") == place["page"])
    if "slide" in place:
        return bool(result.get("slide") == place["slide"])
    if "sheet" in place:
        return result.get("sheet") == place["sheet"] and _overlap(result.get("cell_range"), place["cells"])
    if "section" in place:
        return place["section"] in result["section_path"]
    if "lines" in place:
        first, last = result.get("line_range") or (0, -1)
        return bool(first <= place["lines"][1] and last >= place["lines"][0])
    return True


def relevant_to(passage: Passage) -> dict[str, Any]:
    """Where a passage stands, as a question of a dataset names it: `{source, place}`, with the most exact place that it has."""
    place = passage.place
    named: dict[str, Any] = {}
    if place.page is not None:
        named = {"page": place.page}
    elif place.slide is not None:
        named = {"slide": place.slide}
    elif place.sheet is not None and place.cell_range is not None:
        named = {"sheet": place.sheet, "cells": place.cell_range}
    elif place.line_range is not None:
        named = {"lines": list(place.line_range)}
    elif passage.section_path:
        named = {"section": passage.section_path[-1]}
    return {"source": passage.source, "place": named}


def unit_of(index: int) -> str:
    """The name of the unit that is the question's relevant document or place of this index."""
    return f"relevant {index}"


def units(question: Question, results: Sequence[Mapping[str, Any]], *, by_document: bool) -> list[str]:
    """The units of a ranking, best first, each once.

    A passage at two relevant places stands for both; at none, for its document when relevance is `by_document`, else for itself.
    """
    ranking: dict[str, None] = {}
    for result in results:
        at = [unit_of(index) for index, wanted in enumerate(question.relevant) if is_at(result, wanted)]
        for unit in at or [f"document {result['source']}" if by_document else f"chunk {result['chunk_id']}"]:
            ranking.setdefault(unit)
    return list(ranking)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _overlap(one: str | None, other: str) -> bool:
    first, second = area_of(one or ""), area_of(other)
    if first is None or second is None:
        return False
    rows = first.top <= second.bottom and second.top <= first.bottom
    return rows and first.left <= second.right and second.left <= first.right
