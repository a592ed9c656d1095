"""Citation marks in an answer as it streams: those that were given stay, as `[1][2]`; others are taken out and counted.

`[1]`, `[1][2]`, `[1, 2]`, `[1-3]`, and the same in full-width brackets, are marks. In code they are code. What may become a mark
is held back until it is decided, so that nothing that was shown has to be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_BETWEEN: Final = r"\s*[,，、;–~-]\s*"
_MARK: Final = re.compile(rf"[\[【［]\s*(\d{{1,3}}(?:{_BETWEEN}\d{{1,3}})*)\s*[\]】］]")
_UNFINISHED: Final = re.compile(r"[\[【［][\s\d,，、;–~-]{0,60}")
_RANGE: Final = re.compile(r"(\d+)(?:\s*[–~-]\s*(\d+))?")
_BLANKS: Final = re.compile(r"[ \t]+")
_TICKS: Final = re.compile(r"`+|~{3,}")


class CitationFilter:
    """Feed it pieces; it gives back what may be shown. `cited` are the given numbers that were met; `removed` counts others."""

    def __init__(self, given: Collection[int]) -> None:
        self.cited: list[int] = []
        self.removed = 0
        self._given = frozenset(given)
        self._pending = ""
        self._code = ""
        self._line = ""

    def feed(self, piece: str) -> str:
        """What is decided by now, of all that came."""
        return self._take(piece, final=False)

    def finish(self) -> str:
        """The rest, when nothing more comes."""
        return self._take("", final=True)

    def _take(self, piece: str, *, final: bool) -> str:
        text, self._pending = self._pending + piece, ""
        shown: list[str] = []
        position = 0
        while position < len(text):
            token, length = self._next(text, position, final=final)
            if length == 0:
                self._pending = text[position:]
                break
            position += length
            shown.append(token)
            self._line = token.rpartition("\n")[2] if "\n" in token else self._line + token
        return "".join(shown)

    def _next(self, text: str, start: int, *, final: bool) -> tuple[str, int]:
        """What to show of the text from `start` on, and the characters that it stands for; 0 when that can't be said yet."""
        if ticks := _TICKS.match(text, start):
            if ticks.end() == len(text) and not final:
                return "", 0
            self._meet_ticks(ticks.group())
            return ticks.group(), len(ticks.group())
        if text[start] == "\n" and len(self._code) in (1, 2) and not self._line.strip():
            # Code between single ticks ends with its paragraph at the latest.
            self._code = ""
        if self._code:
            return text[start], 1
        blanks = _BLANKS.match(text, start)
        opening = blanks.end() if blanks else start
        if opening == len(text):
            return (text[start:], opening - start) if final else ("", 0)
        if mark := _MARK.match(text, opening):
            kept = self._sort_out(mark[1])
            return (text[start:opening] + kept if kept else ""), mark.end() - start
        if not final and _UNFINISHED.fullmatch(text, opening):
            return "", 0
        return text[start : opening + (not blanks)], opening - start + (not blanks)

    def _meet_ticks(self, run: str) -> None:
        if not self._code:
            if run[0] == "`" or not self._line.strip(" \t>*-"):
                self._code = run
        elif run[0] == self._code[0] and (len(run) == len(self._code) or len(run) > len(self._code) >= 3):
            self._code = ""

    def _sort_out(self, numbers: str) -> str:
        kept: list[int] = []
        for first, last in _RANGE.findall(numbers):
            for number in range(int(first), max(int(first), int(last or first)) + 1):
                if number in self._given:
                    kept.append(number)
                else:
                    self.removed += 1
        self.cited += [number for number in dict.fromkeys(kept) if number not in self.cited]
        return "".join(f"[{number}]" for number in dict.fromkeys(kept))
