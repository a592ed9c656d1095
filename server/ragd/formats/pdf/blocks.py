"""What a page of a PDF is made of once it is in order: blocks, with headings and pictures among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ragd.core.documents import Picture
from ragd.formats.common.naming import MAX_TITLE_CHARS
from ragd.formats.pdf.layout.joins import join_lines
from ragd.formats.pdf.page.page import Box, union
from ragd.formats.pdf.page.text import HYPHEN

TEXT: Final = ("text", "item")


@dataclass(slots=True)
class Block:
    """A block of the content. Each piece is a line's text (with what joins it to the next) and its place in reading space.

    `tight`: only a line break, no blank line, stands before it. `level` is a heading's, or that of text tagged as one.
    """

    kind: Literal["text", "item", "table", "code", "picture", "heading", "aside"]
    pieces: list[tuple[str, Box]]
    size: float = 0.0
    bold: bool = False
    tight: bool = False
    level: int = 0
    title: str = ""
    picture: Picture | None = None

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)

    @property
    def box(self) -> Box:
        return union([box for _, box in self.pieces])


def heading_block(pieces: Sequence[tuple[str, Box]], level: int, title: str = "") -> Block:
    """A heading of these lines, of which there is at least one; without a `title`, they are it."""
    text = join_lines(text.strip() for text, _ in pieces)
    size = max(box[3] - box[1] for _, box in pieces)
    joined = [(text, union([box for _, box in pieces]))]
    return Block("heading", joined, size=size, level=level, title=(title or text).replace(HYPHEN, "")[:MAX_TITLE_CHARS])


def with_pictures(blocks: Sequence[Block], pictures: Iterable[tuple[Picture, Box]]) -> list[Block]:
    """The blocks with each picture after the last one that ends above its middle, of those it stands below or beside."""
    found = list(blocks)
    for picture, box in pictures:
        middle = (box[1] + box[3]) / 2
        beside = [index for index, block in enumerate(found) if block.box[0] < box[2] and block.box[2] > box[0]]
        above = [index for index in beside if found[index].box[3] <= middle]
        at = above[-1] + 1 if above else beside[0] if beside else len(found)
        if at < len(found):
            found[at].tight = False
        found.insert(at, Block("picture", [("", box)], picture=picture))
    return found
