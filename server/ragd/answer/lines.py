"""What the lines of a passage are: fences, headings, items, terms, wraps of the line before. Each pattern is linear."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ragd.language.plain_text import goes_on

_LONGEST_TERM: Final = 60
_MOST_TERM_WORDS: Final = 8
_LABEL_COLUMNS: Final = 40
_LEAST_WIDTH: Final = 30
"""Columns (a wide character is two) of a paragraph that was broken into lines."""

FENCE: Final = re.compile(r"`{3,}|~{3,}")
HEADING: Final = re.compile(r"#{1,6}(?:\s|$)")
RULE: Final = re.compile(r"[-=_*~+─━—|:\s]{3,}")
SETEXT: Final = re.compile(r"=+|-+|~{3,}|\^{3,}")
_HEAD_RULE: Final = frozenset("|:- ")
MARKER: Final = re.compile(r"(?:[-*+•–・●○■◆]|\d{1,3}[.)．）]|[(（]\d{1,3}[)）]|[①-⑳])(?:\s+|(?<=[・●○■◆①-⑳]))(?=\S)")
KEY: Final = re.compile(r"[^\s:：。．.|]{1,24}(?:[ ][^\s:：。．.|]{1,24}){0,2} ?(?:: |：)(?=\S)")
PROMPT: Final = re.compile(r"[$%#>] \S")
END: Final = re.compile(r"[.!?。！？．｡…][」』）)\]\"'”’*_`]{0,4}$")
ANNOUNCES: Final = re.compile(r"[:：][*_]{0,2}$")
FOLLOWS: Final = re.compile(r"次の|以下の|下記|\bfollowing\b|\bas follows\b|\bthese\b")
_CELL: Final = re.compile(r"(?<!\\)\|")
BOLD_LINE: Final = re.compile(r"(\*\*|__)[^*_]+\1:?")
MANUAL_SECTIONS: Final = frozenset(
    (
        "NAME|SYNOPSIS|CONFIGURATION|DESCRIPTION|OPTIONS|COMMANDS|EXIT STATUS|RETURN VALUE|ERRORS|ENVIRONMENT|FILES|SIGNALS|"
        "VERSIONS|HISTORY|NOTES|CAVEATS|BUGS|SECURITY|EXAMPLE|EXAMPLES|DIAGNOSTICS|STANDARDS|AUTHOR|AUTHORS|COPYRIGHT|SEE ALSO"
    ).split("|")
)
"""Headings of manual pages, man-pages(7): what stands below is no definition of theirs."""


def is_term(text: str) -> bool:
    return len(text) <= _LONGEST_TERM and "  " not in text and text.count(" ") < _MOST_TERM_WORDS and not END.search(text)


def is_label(text: str) -> bool:
    """A short line that no mark ends: the name of what follows."""
    return columns(text) < _LABEL_COLUMNS or BOLD_LINE.fullmatch(text) is not None


def columns(text: str) -> int:
    return 2 * len(text) - len(text.encode("ascii", "ignore"))


def continues(line: str, following: str, width: int = 0) -> bool:
    """Whether a line is a wrap of the one before: it begins small inside of a sentence, or its first word had no room there."""
    if END.search(line) or KEY.match(following):
        return goes_on(line, following)
    first = following[:1] if columns(following[:1]) == 2 else following.split(" ", 1)[0]
    no_room = width >= _LEAST_WIDTH and columns(line) + 1 + columns(first) > width
    return no_room or (following[0].islower() and not KEY.match(line)) or goes_on(line, following)


def term_and_text(line: str) -> tuple[str, str] | None:
    term, gap, text = line.partition("  ")
    # The running head of a manual page has its name at both ends.
    return (term, text.strip()) if gap and text.strip() and is_term(term) and not text.endswith(term) else None


def is_plain(text: str) -> bool:
    """Whether a line is neither empty nor the beginning of something but a paragraph."""
    begins = text[:1] == "|" or FENCE.match(text) or HEADING.match(text) or RULE.fullmatch(text) or MARKER.match(text)
    return bool(text) and not begins


def rows_with_heads(rows: list[str]) -> Iterator[str]:
    """The rows of a Markdown table, each cell behind its head, where there are heads."""
    heads: list[str] = []
    if len(rows) > 1 and "-" in rows[1] and _HEAD_RULE.issuperset(rows[1]):
        heads, rows = _cells(rows[0]), rows[2:]
    for row in rows:
        cells = _cells(row)
        names = heads if len(heads) == len(cells) else [""] * len(cells)
        if any(cells) and not RULE.fullmatch(row):
            yield "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=True) if cell)


def _cells(row: str) -> list[str]:
    return [" ".join(cell.replace("\\|", "|").split()) for cell in _CELL.split(row.strip().removeprefix("|").removesuffix("|"))]


def dedented(lines: Sequence[str]) -> str:
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:].rstrip() for line in lines).strip("\n")


def fenced(body: str, info: str = "") -> str:
    fence = "````" if "```" in body else "```"
    return f"{fence}{info}\n{body}\n{fence}"


def source_blocks(lines: Sequence[str]) -> Iterator[str]:
    """Source code in blocks that blank lines divide; a block goes on while its lines are indented."""
    block: list[str] = []
    for line in lines:
        if block and not block[-1].strip() and line.strip() and not line[0].isspace():
            yield "\n".join(block).strip("\n")
            block = []
        if block or line.strip():
            block.append(line.rstrip())
    if block:
        yield "\n".join(block).strip("\n")
