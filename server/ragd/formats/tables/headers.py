"""Whether the first rows of a table are its header, by the kinds of its cells, their looks and their words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

NONE: Final = 0
_WEAK: Final = 1
"""A different word in each column, and nothing that sets the rows below apart from them."""
STRONG: Final = 2

_YEAR: Final = re.compile(r"(?:19|20)\d\d$")
_MAX_NAME_CHARS: Final = 200
_MOST: Final = 0.8
_JOIN: Final = " / "


def header_strength(head: Sequence[str], names: Sequence[str], body: Sequence[str]) -> int:
    """`NONE`, `_WEAK` or `STRONG` for the rows in `head`, the last of which has the texts `names`; `body` are rows below.

    A row is a letter for the kind of each cell: `t` for text, others for what isn't, a blank where there is nothing, and a
    capital where the cell stands out.
    """
    filled = [kind for row in head for kind in row if kind != " "]
    if len(filled) < 2 or not body or any(len(name) > _MAX_NAME_CHARS for name in names):
        return NONE
    if all(kind.isupper() for kind in filled) and not body[0].replace(" ", "").isupper():
        return STRONG
    last = head[-1]
    if not all(kind in "tT " or _YEAR.match(name) for kind, name in zip(last, names, strict=True)) or last.strip()[0] not in "tT":
        return NONE
    if any(kind in "tT" and _is_of_figures(body, index) for index, kind in enumerate(last)):
        return STRONG
    complete = all(kind != " " or all(row[index] == " " for row in body) for index, kind in enumerate(last))
    different = len({name for name in names if name}) == len([name for name in names if name])
    return _WEAK if complete and different and len(body) > 1 else NONE


def joined_header(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The header of `width` columns from the texts of its rows: `Group / Column`, each name once."""
    filled = [_filled_groups(row, below) for row, below in pairwise(rows)] + list(rows[-1:])
    header = []
    for column in range(width):
        names: list[str] = []
        for row in filled:
            name = " ".join(row[column].split())
            if name and names[-1:] != [name]:
                names.append(name)
        header.append(_JOIN.join(names))
    return header


def repeats_in_groups(groups: Sequence[str], names: Sequence[str]) -> bool:
    """Whether `groups` stands above `names` as `2025, , 2026, ` does above `Q1, Q2, Q1, Q2`: the same names under each."""
    starts = [index for index, group in enumerate(groups) if group and names[index]]
    repeated = {name for name, count in Counter(names).items() if name and count > 1}
    return (
        len(starts) > 1
        and len({groups[index] for index in starts}) == len(starts)
        and all(names[index] in repeated for index in starts)
        and all(group or name for group, name in zip(groups, names, strict=True))
    )


def _is_of_figures(body: Sequence[str], column: int) -> bool:
    """Whether nearly all that stands in a column is of one kind, and that kind isn't text."""
    counts = Counter(row[column].lower() for row in body if row[column] not in " eE")
    if not counts:
        return False
    kind, count = counts.most_common(1)[0]
    return kind != "t" and count >= _MOST * counts.total()


def _filled_groups(groups: Sequence[str], names: Sequence[str]) -> list[str]:
    """A group's name in each column that it holds for, where it stands in the first of them only."""
    if not repeats_in_groups(groups, names):
        return list(groups)
    counts = Counter(names)
    filled, current = [], ""
    for group, name in zip(groups, names, strict=True):
        current = group or (current if counts[name] > 1 else "")
        filled.append(current)
    return filled


def names_columns(kinds: str, names: Sequence[str]) -> bool:
    """Whether the first row of a file that nearly always has a header is one: words, all different; the first may be blank."""
    if any(len(name) > _MAX_NAME_CHARS for name in names):
        return False
    words = all(kind in "t " or _YEAR.match(name) for kind, name in zip(kinds, names, strict=True))
    return words and " " not in kinds[1:] and kinds[:1] in ("t", " ") and len(set(names)) == len(names)
