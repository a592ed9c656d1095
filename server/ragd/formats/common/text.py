"""Small pieces of Markdown and of messages that the readers of several formats write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

_BACKTICKS: Final = re.compile("`+")
_FOLLOWABLE: Final = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_MAX_LINK: Final = 2000
_IN_LINKS: Final = str.maketrans(
    {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "|": "%7C", "\n": "", "\r": "", "\t": ""}
)
_MOST_NUMBERS: Final = 20
_MOST_HEADERS: Final = 3
_HEADER_CHARS: Final = 60
_ROMAN: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def roman(number: str) -> int:
    """The value of a Roman number in small letters."""
    values = [_ROMAN[letter] for letter in number]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def line_starts(lines: Iterable[str], start: int = 0) -> list[int]:
    """The characters at which these lines begin, each followed by a line break, and where the text behind the last one begins."""
    return list(accumulate((len(line) + 1 for line in lines), initial=start))


def fence_for(text: str, least: int) -> str:
    """Backticks enough to enclose a text that may hold some itself."""
    return "`" * max([least, *(len(run) + 1 for run in _BACKTICKS.findall(text))])


def fenced(text: str, language: str = "") -> str:
    """A fenced code block that holds the text."""
    fence = fence_for(text, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def code_span(text: str) -> str:
    """Code within a line."""
    fence = fence_for(text, 1)
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{gap}{text}{gap}{fence}"


def followable(target: str | None) -> str | None:
    """The target of a link that a reader may follow, fit for Markdown and its tables; None for any but http, https and mailto."""
    target = (target or "").strip()
    return target.translate(_IN_LINKS) if len(target) <= _MAX_LINK and _FOLLOWABLE.match(target) else None


def comments_title(language: str | None) -> str:
    """The heading of the comments at the end of a document in this language."""
    return {"ja": "コメント", "zh": "批注"}.get(language or "", "Comments")


def listed(names: Sequence[str], most: int) -> str:
    """`a, b, c, …`: the first names, and whether there are more."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def numbered(noun: str, numbers: Sequence[int]) -> str:
    """`slide 3`, or `slides 3, 7, 9`, the first twenty of them."""
    more = f" and {len(numbers) - _MOST_NUMBERS} more" if len(numbers) > _MOST_NUMBERS else ""
    return f"{noun}{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:_MOST_NUMBERS]))}{more}"


def headers_left_out(texts: Iterable[str]) -> list[str]:
    """A warning that page headers and footers were left out, with the beginnings of the first ones; none where there are none."""
    quoted = [f"'{text}'" for text in dict.fromkeys(text[:_HEADER_CHARS] for text in texts)]
    return [f"page headers and footers were left out: {listed(quoted, _MOST_HEADERS)}"] if quoted else []
