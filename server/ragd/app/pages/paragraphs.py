"""A page's content as paragraphs: without the signs of Markdown, with the joints between lines that were found when it was read.

The loader has put a blank, or nothing, between the lines of a paragraph, and has decided about the hyphens at their ends. So a
line of the content is a paragraph, an item, a row, or a line of program text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, Literal, NamedTuple

_PICTURE: Final = re.compile(r"!\[[^\[\]]*\]\(asset:[^()\s]*\)")
_LINK: Final = re.compile(r"\[([^\[\]]*)\]\((?:https?://|mailto:)[^()\s]*\)")
_CELLS: Final = re.compile(r"(?<!\\)\|")
_BREAK: Final = re.compile("<br ?/?>")
_FENCE: Final = "```"

Kind = Literal["text", "heading", "table", "code"]


class Paragraph(NamedTuple):
    """Items of a list and labels that follow each other are lines of one text; rows of a table are lines, with tabs within."""

    kind: Kind
    text: str


def paragraphs_of(content: str, headings: Collection[int]) -> list[Paragraph]:
    """The paragraphs of a stretch of content that begins with a block; `headings` begin at these of its characters."""
    found: list[Paragraph] = []
    apart = True
    for kind, text in _lines(content.split("\n"), headings):
        if not text:
            apart = True
        elif kind == "heading" and found and found[-1] == ("text", text):
            # The running head: a bookmark leads to it, and its title was put where the text begins.
            found[-1] = Paragraph(kind, text)
        elif kind in ("heading", "code") or apart or found[-1].kind != kind:
            found.append(Paragraph(kind, text))
            apart = False
        else:
            found[-1] = Paragraph(kind, f"{found[-1].text}\n{text}")
    return found


def without_markup(line: str) -> str:
    """A line without references to pictures and the addresses of links."""
    return _LINK.sub(r"\1", _PICTURE.sub("", line)).rstrip()


def cells_of(line: str) -> list[str] | None:
    """The cells of a table's row; none of the rule below a header; None for a line that is no row."""
    text = line.strip()
    if not (text.startswith("|") and text.endswith("|") and len(text) > 1):
        return None
    cells = [cell.strip() for cell in _CELLS.split(text)[1:-1]]
    if all(set(cell) <= set(":-") for cell in cells) and any(cells):
        return []
    return [_BREAK.sub(" ", cell.replace("\\|", "|")) for cell in cells]


def _lines(lines: Sequence[str], headings: Collection[int]) -> Iterator[tuple[Kind, str]]:
    """Each line with what it is, program text as one; nothing where there is a gap."""
    at = offset = 0
    while at < len(lines):
        line = lines[at]
        end = _end_of_code(lines, at)
        if end is not None:
            yield "code", "\n".join(lines[at + 1 : end])
            offset += sum(len(one) + 1 for one in lines[at:end])
            at = end
        elif offset in headings:
            yield "heading", without_markup(line.lstrip("#")).strip()
        elif (cells := cells_of(line)) is None:
            yield "text", without_markup(line)
        elif cells:
            yield "table", "\t".join(cells)
        offset += len(lines[at]) + 1
        at += 1


def _end_of_code(lines: Sequence[str], at: int) -> int | None:
    """The line that closes the fence in this one; None where there is none, or it is not closed: then it was printed."""
    if lines[at] != _FENCE:
        return None
    return next((end for end in range(at + 1, len(lines)) if lines[end] == _FENCE), None)
