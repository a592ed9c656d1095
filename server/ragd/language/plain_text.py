"""A passage of Markdown or plain text without its marks: paragraphs, list items and heads of tables, each on one line.

Headings, code and rules are left out. Lines that a file was broken into are joined again; list items, `key: value` lines and
heads of tables stand for themselves.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from ragd.language.scripts import HIRAGANA, IDEOGRAPHS, KANA_BLOCKS

MAX_SCANNED: Final = 20_000
"""Characters of a passage that are looked at."""
MAX_LINE: Final = 2_000

_MARKER: Final = re.compile(
    r"(?:[-*+•–]|\d{1,3}(?:\.\d{1,3})*[.)．）]|[(（]\d{1,3}[)）])\s+(?:\[[ xX]\]\s+)?|[・●○■◆▪※★☆→①-⑳]\s*|(?:>\s?)+"
)
_KEY: Final = re.compile(r"[^\s:：。．.]{1,24}(?:\s[^\s:：。．.]{1,24}){0,2}\s?(?::\s|：)")
_HEADING: Final = re.compile(r"#{1,6}(?:\s|$)")
_RULE: Final = re.compile(r"[\s=_*~─━—+|:-]{3,}")
_UNDERLINE: Final = re.compile(r"=+|-+")
_PICTURE: Final = re.compile(r"!\[[^\]\n]{0,300}\]\([^)\n]{0,2000}\)")
_LINK: Final = re.compile(r"\[([^\[\]\n]{1,300})\](?:\([^()\n]{0,2000}\)|\[[^\[\]\n]{0,100}\])")
_MARKUP: Final = re.compile(
    r"(?<!`)(?P<ticks>`++)(?P<code>[^`\n]{1,500}+)(?P=ticks)(?!`)|\*\*(?P<strong>[^*\n]{1,500})\*\*|~~(?P<struck>[^~\n]{1,500})~~"
    r"|(?<![\w*])\*(?P<emphasis>[^\s*][^*\n]{0,500})(?<=\S)\*(?![\w*])"
    r"|(?<!\w)(?P<bars>_{1,2})(?P<underlined>[^\W_][^\n]{0,500}?)(?<=[^\s_])(?P=bars)(?!\w)"
    r"|\[\^[^\]\s]{1,30}\]|</?[A-Za-z][^<>\n]{0,300}>|<!--.{0,1000}?-->"
)
_ESCAPE: Final = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>-])")
_MARKED: Final = re.compile(r"[`*_~\[\]<\\]")
_HIRAGANA: Final = re.compile(f"[{HIRAGANA}]")
_UNSPACED: Final = re.compile(f"[{KANA_BLOCKS}{IDEOGRAPHS}]")
LOGGED: Final = re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|(?:FATAL|ERROR|WARN|WARNING|INFO|DEBUG|TRACE)\b")
_WRAPPED_FROM: Final = 40
"""Columns (a wide character is two) from which on a line may go on in the next."""


class Unit(NamedTuple):
    """A paragraph, a list item, or the head of a table with its cells joined by commas; plain text on one line."""

    kind: Literal["text", "item", "table"]
    text: str


def units(passage: str) -> Iterator[Unit]:
    """The units of a passage of Markdown or plain text, in order."""
    block: list[str] = []
    block_kind: Literal["text", "item"] = "text"
    before = ""
    for kind, text in _lines(passage[:MAX_SCANNED]):
        if kind == "text" and block and goes_on(block[-1], text):
            block.append(text)
            continue
        if block and not (kind == "underline" and len(block) == 1):
            yield Unit(block_kind, plain(joined(block)))
        block = []
        if kind in ("text", "item"):
            block, block_kind = [text], "item" if kind == "item" else "text"
        elif kind == "row" and before != "row":
            yield Unit("table", ", ".join(filter(None, (plain(cell.strip()) for cell in text.strip("|").split("|")))))
        before = kind
    if block:
        yield Unit(block_kind, plain(joined(block)))


def plain(text: str) -> str:
    """A line without Markdown's and HTML's marks: of a link its words, of a picture nothing."""
    if _MARKED.search(text):
        text = _MARKUP.sub(_inner, _LINK.sub(r"\1", _PICTURE.sub("", text)))
        text = _ESCAPE.sub(r"\1", text)
    return " ".join(text.split())


def _inner(match: re.Match[str]) -> str:
    return match["code"] or match["strong"] or match["struck"] or match["emphasis"] or match["underlined"] or ""


def shortened(text: str, limit: int) -> str:
    """At most so many characters, cut at a blank if there is one near the end, with an ellipsis where it was cut."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    blank = head.rfind(" ", limit * 2 // 3)
    return (head[:blank] if blank > 0 else head).rstrip(" ,;:、，") + "…"


def _lines(passage: str) -> Iterator[tuple[str, str]]:
    """Each line with what it is: text, item, row, underline or break. Lines of code are none."""
    fence = ""
    for whole in passage.split("\n"):
        line = whole.strip()[:MAX_LINE]
        if line.startswith(("```", "~~~")):
            if not fence:
                fence = line[:3]
                yield "break", ""
            elif line.startswith(fence):
                fence = ""
        elif not fence:
            yield _line(line)


def _line(line: str) -> tuple[str, str]:
    if not line or _HEADING.match(line):
        return "break", ""
    if line.startswith("|"):
        return "row", line
    if _RULE.fullmatch(line):
        return ("underline" if _UNDERLINE.fullmatch(line) else "break"), ""
    if marker := _MARKER.match(line):
        rest = line[marker.end() :]
        return ("item" if rest else "break"), rest
    return "text", line


def goes_on(line: str, following: str) -> bool:
    """Whether two lines are parts of one paragraph. A Japanese line that ends in a particle or a comma is not at its end."""
    if _KEY.match(following) or LOGGED.match(following) or LOGGED.match(line):
        return False
    if following[0].islower() or _HIRAGANA.match(line[-1]) or line[-1] in "、，":
        return True
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line) >= _WRAPPED_FROM


def joined(lines: list[str]) -> str:
    """Lines as one; between characters of scripts without blanks, none is put."""
    text = lines[0]
    for line in lines[1:]:
        apart = not (_UNSPACED.match(line) and unicodedata.east_asian_width(text[-1]) in "WF")
        text += " " + line if apart else line
    return text
