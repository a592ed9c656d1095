"""Pieces of a paragraph to Markdown: links, bold and italic, readings of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from ragd.formats.word.content import PAGE_SIGN_EDGES, without_signs
from ragd.formats.word.signs import with_reading

_RUN: Final = re.compile("[ \t\u00a0]{2,}")
_AROUND_BREAK: Final = re.compile("[ \t\u00a0]?\n[ \t\u00a0]?")
_BLANKS: Final = " \t\n\u00a0\u3000"


@dataclass(slots=True)
class Span:
    """Neighbouring text of one look. `plain` text (pictures, references) takes no emphasis. A `reading` goes with one word."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    link: str | None = None
    reading: str | None = None
    plain: bool = False


def markdown_of(spans: Sequence[Span], *, emphasis: bool) -> str:
    """The paragraph's text. Without `emphasis`, nothing is marked as bold or italic.

    Blanks are single, as editors show them that don't line up by blanks: one tab, or one space, for each run.
    """
    parts: list[str] = []
    for link, linked in groupby(spans, key=lambda span: span.link):
        same = list(linked)
        marked = emphasis and any(span.bold or span.italic or span.code for span in same)
        text = _emphasised(same) if marked else "".join(map(_shown, same))
        parts.append(_linked(text, link) if link else text)
    return _AROUND_BREAK.sub("\n", _RUN.sub(lambda found: "\t" if "\t" in found[0] else " ", "".join(parts)))


def _shown(span: Span) -> str:
    return span.text if span.reading is None else with_reading(span.text, span.reading)


def _linked(text: str, target: str) -> str:
    words = text.strip()
    if not words:
        return text
    bare = without_signs(words)
    if bare == target or target.lower() in (f"mailto:{bare}".lower(), f"{bare}/".lower()):
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}[{words}]({target}){after}"


def _emphasised(spans: Iterable[Span]) -> str:
    looks: list[tuple[str, Span]] = []
    for span in spans:
        look = "" if span.plain else "`" if span.code else "**" * span.bold + "*" * span.italic
        # Blanks look like what stands before them.
        looks.append((looks[-1][0] if looks and not span.plain and not span.text.strip() else look, span))
    runs = [(look, "".join(_shown(span) for _, span in same)) for look, same in groupby(looks, key=itemgetter(0))]
    parts: list[str] = []
    for index, (mark, text) in enumerate(runs):
        before = runs[index - 1][1][-1:] if index else ""
        after = runs[index + 1][1][:1] if index + 1 < len(runs) else ""
        parts.append(_marked(text, mark, before, after) if mark else text)
    return "".join(parts)


def _marked(text: str, mark: str, before: str, after: str) -> str:
    """Emphasis around the words of a run. CommonMark sees no mark between punctuation inside and a letter outside, or next to
    a blank inside: blanks, and then such punctuation as the brackets of 「重要」です, go out of the run."""

    tight = mark != "`" and (before.isalnum() or after.isalnum())

    def outside(char: str) -> bool:
        return char in _BLANKS or (tight and not char.isalnum() and char not in PAGE_SIGN_EDGES)

    start, end = 0, len(text)
    while start < end and outside(text[start]):
        start += 1
    while end > start and outside(text[end - 1]):
        end -= 1
    core = text[start:end]
    says_something = any(char.isalnum() for char in without_signs(core))
    if not core or (mark == "`" and "`" in core) or (mark != "`" and not says_something):
        return text
    return f"{text[:start]}{mark}{core}{mark}{text[end:]}"
