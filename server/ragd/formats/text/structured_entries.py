"""Entries of structured text (keys of JSON and YAML, tables of TOML, elements of XML) as headings of no characters.

An entry of several lines heads a section, and is divided again when it is longer than a passage; entries of one line stay
together. What is data rather than structure, such as a dictionary of thousands of small entries, is not divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ragd.core.documents import Heading
from ragd.formats.common.naming import MAX_TITLE_CHARS

MAX_DEPTH: Final = 4
LONG: Final = 1500
"""Characters from which an entry is divided."""
_MANY: Final = 200
"""Entries from which they are taken for data unless they are long, `_MIN_AVERAGE` characters in the mean."""
_MIN_AVERAGE: Final = 300
MAX_ENTRIES: Final = 5000
"""Entries of one parent beyond which it is not divided."""

_MAX_JOINED_TITLE: Final = 80


@dataclass(slots=True)
class Entry:
    """An entry at characters `[start, end)` of the text, with the entries in it."""

    start: int
    end: int
    title: str
    entries: list[Entry] = field(default_factory=list)


def entry_headings(text: str, entries: Sequence[Entry]) -> tuple[Heading, ...]:
    """Headings for the entries of a whole text, in its order."""
    found: list[Heading] = []
    _add(text, entries, 1, found)
    return tuple(found)


def _add(text: str, entries: Sequence[Entry], level: int, found: list[Heading]) -> None:
    if level > MAX_DEPTH or _is_data(entries):
        return
    joined: list[str] = []
    joined_start = 0
    is_first = True

    def close() -> None:
        if joined and not is_first:  # what stands first belongs to what holds them all
            title = ", ".join(joined)
            shown = (
                title if len(title) <= _MAX_JOINED_TITLE else f"{title[:_MAX_JOINED_TITLE].rpartition(', ')[0] or joined[0]}, …"
            )
            found.append(Heading(joined_start, joined_start, level, shown[:MAX_TITLE_CHARS]))
        joined.clear()

    for entry in entries:
        if "\n" not in text[entry.start : entry.end].strip() and entry.end - entry.start <= LONG:
            joined_start = joined_start if joined else entry.start
            joined.append(entry.title)
            continue
        close()
        is_first = False
        found.append(Heading(entry.start, entry.start, level, entry.title[:MAX_TITLE_CHARS]))
        if entry.end - entry.start > LONG:
            _add(text, entry.entries, level + 1, found)
    close()


def _is_data(entries: Sequence[Entry]) -> bool:
    length = sum(entry.end - entry.start for entry in entries)
    return len(entries) > _MANY and length < _MIN_AVERAGE * len(entries)
