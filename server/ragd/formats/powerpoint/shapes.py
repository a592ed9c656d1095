"""The shapes of one slide or notes page: what each says in Markdown, and the order in which they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ragd.formats.powerpoint.graphics import graphic, is_readable
from ragd.formats.powerpoint.layout import BOILERPLATE, TITLES, Inheritance, P, kind_of
from ragd.formats.powerpoint.order import Box, reading_order
from ragd.formats.powerpoint.parts import MAX_TEXT_CHARS, PartReader, TooMuchText, alt_of
from ragd.formats.powerpoint.text import A, Paragraph, R, branches, followable, one_line, paragraphs, to_markdown

_FRAME: Final = f"{P}graphicFrame"
_READABLE: Final = frozenset(f"{P}{name}" for name in ("sp", "pic", "grpSp", "cxnSp"))
_DEEPEST_GROUP: Final = 32


@dataclass(frozen=True, slots=True)
class Block:
    """What one shape or group says. `title` is set in the slide's title: it is without the links that `text` has."""

    text: str
    title: str = ""
    box: Box | None = None
    placeholder: bool = False


class ShapeReader:
    """Reads the shapes of a part; pictures and what is left out go to the part's reader."""

    def __init__(self, reader: PartReader, inheritance: Inheritance) -> None:
        self._reader = reader
        self._inheritance = inheritance
        self._length = 0

    def read(self) -> tuple[Block | None, list[Block]]:
        """The title, if there is one, and the other blocks in reading order."""
        content = self._reader.part._element.find(f"{P}cSld")
        tree = None if content is None else content.find(f"{P}spTree")
        if tree is None:
            return None, []
        blocks = self._blocks(tree, 0)
        title = next((block for block in blocks if block.title), None)
        ordered = _in_order([block for block in blocks if block is not title])
        # Programs that turn pages into slides put the picture of the page there.
        if background := self._reader.picture(content.iterfind(f"{P}bg//{A}blip"), ""):
            ordered.append(Block(background))
        return title, ordered

    def _blocks(self, tree: Any, depth: int) -> list[Block]:
        if depth > _DEEPEST_GROUP:
            self._reader.miss(f"shapes inside more than {_DEEPEST_GROUP} groups were left out")
            return []
        blocks = []
        for shape in branches(tree, _is_readable):
            if (block := self._block(shape, depth)) is not None:
                blocks.append(block)
                self._length += len(block.text)
                if self._length > MAX_TEXT_CHARS:
                    raise TooMuchText
        return blocks

    def _block(self, shape: Any, depth: int) -> Block | None:
        kind = kind_of(shape)
        if kind in BOILERPLATE:
            return None
        if _is_hidden(shape):
            self._reader.miss("hidden shapes were left out")
            return None
        box = self._inheritance.box(shape)
        if shape.tag == f"{P}sp":
            return self._shape(shape, kind, box)
        if shape.tag == f"{P}grpSp":
            inner = _in_order(self._blocks(shape, depth + 1))
            text = _joined(*(block.text for block in inner), self._fill(shape, "grpSpPr"))
        elif shape.tag == f"{P}pic":
            text = self._picture(shape)
        elif shape.tag == _FRAME:
            text = graphic(shape, self._reader)
        else:
            if shape.tag == f"{P}contentPart":
                self._reader.miss("a drawing in ink was left out")
            return None
        return Block(text, box=box, placeholder=kind is not None) if text else None

    def _shape(self, shape: Any, kind: str | None, box: Box | None) -> Block | None:
        body = shape.find(f"{P}txBody")
        found = [] if body is None else paragraphs(body, self._reader.link, self._inheritance.bullet)
        if kind in TITLES and found:
            text, title = one_line(found)
            return Block(text, title=title, box=box)
        text = _joined(self._with_link(shape, to_markdown(found), found), self._fill(shape, "spPr"))
        return Block(text, box=box, placeholder=kind is not None) if text else None

    def _picture(self, shape: Any) -> str:
        properties = shape.find(f"{P}nvPicPr/{P}nvPr")
        for medium, what in (("videoFile", "a video"), ("audioFile", "a sound")):
            if properties is not None and properties.find(f"{A}{medium}") is not None:
                self._reader.miss(f"{what} was left out, but for its picture")
        return self._with_link(shape, self._reader.picture(shape.iter(f"{A}blip"), alt_of(shape)), []).replace("\n\n", " ")

    def _fill(self, shape: Any, properties: str) -> str:
        return self._reader.picture(shape.iterfind(f"{P}{properties}/{A}blipFill/{A}blip"), alt_of(shape))

    def _with_link(self, shape: Any, text: str, found: list[Paragraph]) -> str:
        """The text with the link of the shape as a whole: on it, when it is one line."""
        click = shape.find(f"./*/{P}cNvPr/{A}hlinkClick")
        url = None if click is None else followable(self._reader.link(click.get(f"{R}id") or ""))
        if url is None or url in text:
            return text
        if len(found) == 1 and found[0].plain == text and "\n" not in text:
            return f"[{text}]({url})"
        return _joined(text, f"<{url}>")


def _is_hidden(shape: Any) -> bool:
    properties = shape.find(f"./*/{P}cNvPr")
    return properties is not None and properties.get("hidden") in ("1", "true")


def _is_readable(shape: Any) -> bool:
    return shape.tag in _READABLE or (shape.tag == _FRAME and is_readable(shape))


def _in_order(blocks: list[Block]) -> list[Block]:
    """As they are read. Placeholders come first where places are equal; what has no place stands where it was drawn, in front."""
    drawn = sorted(blocks, key=lambda block: not block.placeholder)
    placed = [(block, block.box) for block in drawn if block.box is not None]
    order = reading_order([box for _, box in placed])
    return [block for block in drawn if block.box is None] + [placed[index][0] for index in order]


def _joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)
