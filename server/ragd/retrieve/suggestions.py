"""Completions of what somebody types: names that begin so, then those with a word that begins so, then, in Chinese and Japanese,
which write no blanks, those that hold it anywhere.

The names of a collection are one string, best first, with a line break before each: `str.find` goes through a hundred thousand of
them in a few milliseconds, and what it finds first is best.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import accumulate, islice
from typing import Final, Literal

from ragd.language.identifiers import WORD_BOUNDARIES
from ragd.language.scripts import ALL_HAN, HANGUL, KANA, SOUTH_EAST_ASIAN

NameKind = Literal["title", "heading", "identifier"]

_KINDS: Final[dict[NameKind, int]] = {"title": 0, "heading": 1, "identifier": 2}
_WORD: Final = re.compile(r"[^\W_]+")
_WITHOUT_BLANKS: Final = re.compile(f"[{ALL_HAN}{KANA}{HANGUL}{SOUTH_EAST_ASIAN}]")
_LONGEST: Final = 200
_MOST_CARRIERS: Final = 4
# Of one collection, names that are looked at for each way of matching.
_MOST_FOUND: Final = 50


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it is written. `carriers` are versions that hold it, a few of them."""

    text: str
    kind: NameKind
    carriers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """One version's use of a name."""

    kind: NameKind
    text: str
    key: str
    version_id: str


def named(kind: NameKind, text: str, version_id: str) -> Named | None:
    """None for what is no name: too long, or without a letter or figure."""
    shown = " ".join(text.split())
    key = folded(shown)
    if not key or len(shown) > _LONGEST:
        return None
    if kind == "identifier":
        inner = folded(WORD_BOUNDARIES.sub(" ", shown))
        key = key if inner == key else f"{key} {inner}"
    return Named(kind, shown, key, version_id)


def folded(text: str) -> str:
    """Words without regard to case, width and the signs between them, with one blank between them."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


class SuggestionIndex:
    """The names of one collection; a value that never changes."""

    def __init__(self, uses: Iterable[Named]) -> None:
        found: dict[tuple[NameKind, str], tuple[str, list[str]]] = {}
        for use in uses:
            found.setdefault((use.kind, use.key), (use.text, []))[1].append(use.version_id)
        # Titles first; a name that many versions hold before one that few do, a short one before a long one.
        order = sorted(found.items(), key=lambda item: (_KINDS[item[0][0]], -len(item[1][1]), len(item[0][1]), item[0][1]))
        self._names = [Name(text, kind, tuple(carriers[:_MOST_CARRIERS])) for (kind, _), (text, carriers) in order]
        self._text = "".join(f"\n{key}" for (_, key), _ in order)
        self._starts = array("L", accumulate((len(key) + 1 for (_, key), _ in order), initial=0))

    def find(self, typed: str) -> Iterator[tuple[tuple[int, int, int], Name]]:
        """`(rank, name)` of what completes `typed`, best first. Ranks of different collections can be compared."""
        seen: set[int] = set()
        for way, sought in enumerate(_ways(typed)):
            for place in islice(self._found(sought), _MOST_FOUND):
                if place not in seen:
                    seen.add(place)
                    name = self._names[place]
                    yield (way, _KINDS[name.kind], place), name

    def _found(self, sought: str) -> Iterator[int]:
        at = self._text.find(sought)
        while at >= 0:
            place = bisect_right(self._starts, at) - 1
            yield place
            at = self._text.find(sought, self._starts[place + 1])


def _ways(typed: str) -> list[str]:
    key = folded(typed)
    if not key:
        return []
    # What ends in a blank is a whole word.
    key += " " if typed[-1].isspace() and not _WITHOUT_BLANKS.match(key[-1]) else ""
    return [f"\n{key}", f" {key}", *([key] if _WITHOUT_BLANKS.match(key) else [])]


def completions(indexes: Sequence[SuggestionIndex], typed: str) -> Iterator[Name]:
    """What completes `typed` in any of the collections, best first; a name of several collections comes with each."""
    return (name for _, name in merge(*(index.find(typed) for index in indexes), key=lambda item: item[0]))
