"""Where the sources of a notebook's cells stand in its file, by one pass over the tokens of its JSON text."""

from __future__ import annotations

import re
from typing import Final

Lines = tuple[int, int]
"""First and last line in the file, counted from 1."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],]', re.DOTALL)
_LONGEST_KEY: Final = 16
_SOURCES: Final = ("source", "input")
# Format 4 has its cells at the top, format 3 in worksheets.
_CELLS: Final = (("cells",), ("worksheets", "cells"))


class _Frame:
    """An object or array that is open: the key whose value is being read, None where a key is to come; arrays have none."""

    __slots__ = ("is_array", "key")

    def __init__(self, is_array: bool) -> None:
        self.is_array = is_array
        self.key: str | None = None


def source_lines(text: str) -> list[list[Lines]]:
    """For each cell, in order, the lines of the strings that its source is made of: one, or one for each line of the cell.

    `text` must be valid JSON. Work is linear in it.
    """
    cells: list[list[Lines]] = []
    open_frames: list[_Frame] = []
    line, counted = 1, 0
    for token in _TOKEN.finditer(text):
        start = token.start()
        sign = text[start]
        top = open_frames[-1] if open_frames else None
        if sign in "{[":
            if sign == "{" and _keys(open_frames) in _CELLS and top is not None and top.is_array:
                cells.append([])
            open_frames.append(_Frame(sign == "["))
        elif sign in "}]":
            open_frames.pop()
        elif sign == ",":
            if top is not None and not top.is_array:
                top.key = None
        elif top is not None and not top.is_array and top.key is None:
            key = text[start + 1 : token.end() - 1] if token.end() - start <= _LONGEST_KEY else ""
            top.key = key
            if cells and key in _SOURCES and _keys(open_frames[:-1]) in _CELLS:
                cells[-1].clear()
        elif cells and len(open_frames) <= 6 and _is_source(open_frames):
            line += text.count("\n", counted, start)
            counted = start
            cells[-1].append((line, line))
    return cells


def _keys(frames: list[_Frame]) -> tuple[str | None, ...] | None:
    """The keys of a path, or None when it is too long to be that of the cells."""
    return tuple(frame.key for frame in frames if not frame.is_array) if len(frames) <= 5 else None


def _is_source(frames: list[_Frame]) -> bool:
    holder = frames[:-1] if frames[-1].is_array else frames
    return bool(holder) and holder[-1].key in _SOURCES and _keys(holder[:-1]) in _CELLS
