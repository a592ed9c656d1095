"""Rectangles of cells as spreadsheets write them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

MAX_ROW: Final = 1_048_576
MAX_COLUMN: Final = 16_384

_REFERENCE: Final = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})(?::\$?([A-Za-z]{1,3})\$?([0-9]{1,7}))?$")


class Area(NamedTuple):
    """A rectangle of cells; rows and columns count from 1, ends are inclusive."""

    top: int
    left: int
    bottom: int
    right: int

    def __str__(self) -> str:
        first, last = f"{letters(self.left)}{self.top}", f"{letters(self.right)}{self.bottom}"
        return first if first == last else f"{first}:{last}"


def area_of(reference: str) -> Area | None:
    """`A1:F40` or `A1`; None when it is neither."""
    found = _REFERENCE.match(reference.strip())
    if not found:
        return None
    left, top = column_number(found[1]), int(found[2])
    right, bottom = (column_number(found[3]), int(found[4])) if found[3] else (left, top)
    return Area(min(top, bottom), min(left, right), min(max(top, bottom), MAX_ROW), min(max(left, right), MAX_COLUMN))


@lru_cache(maxsize=MAX_COLUMN)
def column_number(name: str) -> int:
    """1 for `A`, 27 for `AA`."""
    number = 0
    for letter in name.upper():
        number = number * 26 + ord(letter) - 64
    return number


def letters(column: int) -> str:
    """`A` for 1, `AA` for 27."""
    name = ""
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name
