"""What is checked of every description, whoever made it: it is bounded, its numbers stand in the picture, its drawing parses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ragd.core.documents import OcrLine
from ragd.diagrams.mermaid import check_mermaid
from ragd.vision.description import Description

_MOST_ITEMS: Final = 64
_MOST_POINTS: Final = 12
_MOST_ROWS: Final = 200
_MOST_COLUMNS: Final = 40
_LONGEST: Final = 500
_LONGEST_SUMMARY: Final = 2000
_LONGEST_MERMAID: Final = 20_000
_SHORTEST_SUMMARY: Final = 8
_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*")
_NOT_DRAWN: Final = "A drawing was given, but its Mermaid can't be used, and it was left out."
_NOT_SEEN: Final = "{name}: {value}{unit} was said, but that number was not read in the picture"


def checked(description: Description, words: Sequence[OcrLine]) -> Description:
    """The description within its bounds; numbers that were not read in the picture stand among its uncertainties.

    Mermaid that does not parse is left out, and said to be: what is kept gets into pages that draw it.
    """
    seen = {plain for line in words for plain in _numbers_in(line.text)}
    numbers = [number for number in description.numbers[:_MOST_ITEMS] if all(one in seen for one in _numbers_in(number.value))]
    unseen = [number for number in description.numbers[:_MOST_ITEMS] if number not in numbers]
    doubts = [
        _NOT_SEEN.format(name=number.name or "?", value=number.value, unit=f" {number.unit}" if number.unit else "")
        for number in unseen
    ]
    drawable = len(description.mermaid) <= _LONGEST_MERMAID and check_mermaid(description.mermaid)
    if description.mermaid and not drawable:
        doubts.insert(0, _NOT_DRAWN)
    summary = _cut(description.summary, _LONGEST_SUMMARY)
    return replace(
        description,
        title=_cut(description.title, _LONGEST),
        summary=summary,
        key_points=_texts(description.key_points, _MOST_POINTS),
        entities=_texts(description.entities, _MOST_ITEMS),
        numbers=tuple(numbers),
        uncertainties=_texts((*doubts, *description.uncertainties), _MOST_ITEMS),
        table=tuple(tuple(_cut(cell, _LONGEST) for cell in row[:_MOST_COLUMNS]) for row in description.table[:_MOST_ROWS]),
        mermaid=description.mermaid if drawable else "",
        low_quality=description.low_quality or len(summary) < _SHORTEST_SUMMARY,
        unseen_numbers=len(unseen),
    )


def _numbers_in(text: str) -> list[str]:
    """The numbers of a text without the signs that part thousands."""
    plain = unicodedata.normalize("NFKC", text)
    return [re.sub(r"[,.](?=\d{3}(?!\d))", "", found) for found in _DIGITS.findall(plain)]


def _texts(texts: Sequence[str], most: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_cut(text, _LONGEST) for text in texts if text.strip()))[:most]


def _cut(text: str, longest: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
