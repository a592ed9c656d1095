"""The part of a passage that a terminal shows: the lines around its match, with the matched words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ragd.cli.common.output import clean, console
from ragd.language.scripts import FULL_WIDTH, HAN_BLOCKS, SIGNS_AND_KANA

if TYPE_CHECKING:
    from rich.text import Text

# Scripts that are written without blanks: no blank stands for a line's end between two of their characters.
_WIDE = f"[{SIGNS_AND_KANA}{HAN_BLOCKS}{FULL_WIDTH}]"
# An ending that other forms of a word have not, at most, and the letters of a word that has one.
_ENDING, _WORD = 2, 6
_FEWEST_COLUMNS = 20


def matcher(terms: Iterable[str]) -> re.Pattern[str] | None:
    """Finds the words of a question in a text, other endings too; None without words."""
    words = sorted({term for term in terms if term.strip()}, key=len, reverse=True)
    patterns = [rf"\b{re.escape(_stem(word))}\w*" if word.isascii() and word.isalpha() else re.escape(word) for word in words]
    return re.compile("|".join(patterns), re.IGNORECASE) if patterns else None


def reflowed(content: str) -> str:
    """Paragraphs in one line each: the line ends in a PDF's text are those of its page."""
    joined = re.sub(rf"(?<={_WIDE})\n(?={_WIDE})", "", content)
    return re.sub(r"(?<!\n)\n(?!\n)", " ", joined)


def excerpt(content: str, columns: int, lines: int | None, match: re.Pattern[str] | None = None) -> list[Text]:
    """The `lines` lines of a text, folded to a width, in which most different words match; all of them without `lines`.

    Matched words are bold; an ellipsis says that there is more before or behind. Blank lines are left out.
    """
    from rich.text import Text

    screen = console()
    folded: list[Text] = []
    for line in clean(content).expandtabs(4).split("\n"):
        if line.strip():
            whole = Text(line)
            if match:
                whole.highlight_regex(match, "bold")
            # Room for the two ellipses.
            folded += whole.wrap(screen, max(columns, _FEWEST_COLUMNS) - 4)
    for line_of_text in folded:
        line_of_text.rstrip()
    if lines is None or len(folded) <= lines:
        return folded
    start = _best_start([_found(line.plain, match) for line in folded], lines)
    shown = folded[start : start + lines]
    if start:
        shown[0] = Text.assemble("… ", shown[0])
    if start + lines < len(folded):
        shown[-1] = Text.assemble(shown[-1], " …")
    return shown


def _found(line: str, match: re.Pattern[str] | None) -> set[str]:
    return {word[: len(word) - _ENDING].casefold() for word in match.findall(line)} if match else set()


def _best_start(found: list[set[str]], lines: int) -> int:
    """The first line of the window with most different matches; one line before its first match, where there is room."""
    starts = range(len(found) - lines + 1)
    best = max(starts, key=lambda start: (len(set().union(*found[start : start + lines])), -start))
    first = next((at for at in range(best, best + lines) if found[at]), 0)
    last = max((at for at in range(best, best + lines) if found[at]), default=0)
    return max(0, min(first - 1 if last - first < lines - 1 else first, starts[-1]))


def _stem(word: str) -> str:
    return word[:-_ENDING] if len(word) >= _WORD else word
