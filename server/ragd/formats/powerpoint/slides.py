"""The content of a presentation, put together slide by slide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ragd.core.documents import Heading, Mark, MergedCell, Place, PlacedBlock, SlideLayout
from ragd.diagrams.structure.drawingml import read_shapes
from ragd.formats.common.builder import ContentBuilder
from ragd.formats.common.naming import MAX_LINE_AS_TITLE, MAX_TITLE_CHARS
from ragd.formats.common.opc import A, R, alt_of
from ragd.formats.common.text import followable, numbered
from ragd.formats.powerpoint.comments import Comments
from ragd.formats.powerpoint.graphics import graphic, is_readable
from ragd.formats.powerpoint.layout import BOILERPLATE, TITLES, Inheritance, P, kind_of, slide_box
from ragd.formats.powerpoint.order import Box, reading_order
from ragd.formats.powerpoint.parts import (
    MAX_TEXT_CHARS,
    Missed,
    PartReader,
    TooMuchText,
    related_parts,
    root_of,
)
from ragd.formats.powerpoint.text import Paragraph, branches, one_line, paragraphs, to_markdown

_FRAME: Final = f"{P}graphicFrame"
_READABLE: Final = frozenset(f"{P}{name}" for name in ("sp", "pic", "grpSp", "cxnSp"))
_DEEPEST_GROUP: Final = 32
_P14: Final = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"
_DEFAULT_SECTION: Final = re.compile(
    r"^(?:(?:default|untitled) section|既定のセクション|タイトルなしのセクション|默认节|无标题节)$", re.IGNORECASE
)
_NO_TITLE: Final = ("|", "![", "```", "<")
_BULLET: Final = re.compile(r"(?:-|(?<!\d)\d++\.) ")


@dataclass(frozen=True, slots=True)
class _Block:
    """What one shape or group says. `title` is set in the slide's title: it is without the links that `text` has. `merged` are
    cells of tables in it, by where they stand in the text."""

    text: str
    title: str = ""
    box: Box | None = None
    placeholder: bool = False
    merged: Sequence[MergedCell] = ()


class _ShapeReader:
    """Reads the shapes of a part; pictures and what is left out go to the part's reader. `whole` is the slide itself."""

    def __init__(self, reader: PartReader, inheritance: Inheritance, whole: Box | None = None) -> None:
        self._whole = whole
        self._reader = reader
        self._inheritance = inheritance
        self._length = 0

    def read(self) -> tuple[_Block | None, list[_Block]]:
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
            ordered.append(_Block(background, box=self._whole))
        return title, ordered

    def _blocks(self, tree: Any, depth: int) -> list[_Block]:
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

    def _block(self, shape: Any, depth: int) -> _Block | None:
        kind = kind_of(shape)
        if kind in BOILERPLATE:
            return None
        if _is_hidden(shape):
            self._reader.miss("hidden shapes were left out")
            return None
        box = self._inheritance.box(shape)
        merged: list[MergedCell] = []
        if shape.tag == f"{P}sp":
            return self._shape(shape, kind, box)
        if shape.tag == f"{P}grpSp":
            inner = _in_order(self._blocks(shape, depth + 1))
            merged = _merged_in(inner)
            text = _joined(*(block.text for block in inner), self._fill(shape, "grpSpPr"))
        elif shape.tag == f"{P}pic":
            text = self._picture(shape)
        elif shape.tag == _FRAME:
            text, merged = graphic(shape, self._reader)
        else:
            if shape.tag == f"{P}contentPart":
                self._reader.miss("a drawing in ink was left out")
            return None
        return _Block(text, box=box, placeholder=kind is not None, merged=merged) if text else None

    def _shape(self, shape: Any, kind: str | None, box: Box | None) -> _Block | None:
        body = shape.find(f"{P}txBody")
        found = [] if body is None else paragraphs(body, self._reader.link, self._inheritance.bullet)
        if kind in TITLES and found:
            text, title = one_line(found)
            return _Block(text, title=title, box=box)
        text = _joined(self._with_link(shape, to_markdown(found), found), self._fill(shape, "spPr"))
        return _Block(text, box=box, placeholder=kind is not None) if text else None

    def _picture(self, shape: Any) -> str:
        properties = shape.find(f"{P}nvPicPr/{P}nvPr")
        for medium, what in (("videoFile", "a video"), ("audioFile", "a sound")):
            if properties is not None and properties.find(f"{A}{medium}") is not None:
                self._reader.miss(f"{what} was left out, but for its picture")
        picture = self._reader.picture(shape.iter(f"{A}blip"), alt_of(_properties(shape)))
        return self._with_link(shape, picture, []).replace("\n\n", " ")

    def _fill(self, shape: Any, properties: str) -> str:
        return self._reader.picture(shape.iterfind(f"{P}{properties}/{A}blipFill/{A}blip"), alt_of(_properties(shape)))

    def _with_link(self, shape: Any, text: str, found: list[Paragraph]) -> str:
        """The text with the link of the shape as a whole: on it, when it is one line."""
        click = shape.find(f"./*/{P}cNvPr/{A}hlinkClick")
        url = None if click is None else followable(self._reader.link(click.get(f"{R}id") or ""))
        if url is None or url in text:
            return text
        if len(found) == 1 and found[0].plain == text and "\n" not in text:
            return f"[{text}]({url})"
        return _joined(text, f"<{url}>")


def _properties(shape: Any) -> Any:
    return shape.find(f"./*/{P}cNvPr")


def _is_hidden(shape: Any) -> bool:
    properties = _properties(shape)
    return properties is not None and properties.get("hidden") in ("1", "true")


def _is_readable(shape: Any) -> bool:
    return shape.tag in _READABLE or (shape.tag == _FRAME and is_readable(shape))


def _in_order(blocks: list[_Block]) -> list[_Block]:
    """As they are read. Placeholders come first where places are equal; what has no place stands where it was drawn, in front."""
    drawn = sorted(blocks, key=lambda block: not block.placeholder)
    placed = [(block, block.box) for block in drawn if block.box is not None]
    order = reading_order([box for _, box in placed])
    return [block for block in drawn if block.box is None] + [placed[index][0] for index in order]


def _shares(box: Box, width: float, height: float) -> tuple[float, float, float, float]:
    """A box by fractions of the slide."""
    return round(box.left / width, 4), round(box.top / height, 4), round(box.right / width, 4), round(box.bottom / height, 4)


def _merged_in(blocks: Sequence[_Block]) -> list[MergedCell]:
    """The merged cells of blocks that are joined, by where they stand in the joined text."""
    found: list[MergedCell] = []
    start = 0
    for block in blocks:
        found += [replace(cell, start=cell.start + start) for cell in block.merged]
        start += len(block.text) + 2
    return found


def _joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)


class Deck(ContentBuilder):
    """The content of the slides that were added, with marks, headings and pictures.

    A slide is a heading of level 2 with its texts; the deck's own sections are headings of level 1.
    """

    def __init__(self, main: Any) -> None:
        super().__init__()
        self._whole = slide_box(root_of(main))
        self.first_title: str | None = None
        self.has_content = False
        self._missed = Missed()
        self._blank: list[int] = []
        self._comments = Comments(main)
        self._sections = _sections(main)
        self._section = ""

    def missed(self) -> list[str]:
        """What was found and left out."""
        return self._missed.messages()

    def warnings(self) -> list[str]:
        blank = [f"neither text nor pictures: {numbered('slide', self._blank)}"] if self._blank else []
        return [*self.missed(), *blank]

    def add(self, part: Any, number: int) -> None:
        """Add the slide of this part. Raises `TooMuchText` when the content grows beyond all reason."""
        reader = PartReader(part, number, self._missed, self.pictures)
        title, blocks = _ShapeReader(reader, Inheritance(part), self._whole).read()
        if title is None and (opening := next(filter(None, (_opening(block.text) for block in blocks)), "")):
            rest = blocks[0].text.removeprefix(opening).lstrip("\n")
            title = _Block(opening, title=opening, box=None if rest else blocks[0].box)
            blocks[0] = _shortened(blocks[0], rest)
        blocks += [_Block(text) for text in (_notes(part, reader), *self._comments.of(part, number, self._missed))]
        blocks = [block for block in blocks if block.text]
        body = _joined(*(block.text for block in blocks))
        if title is None and not body:
            self._blank.append(number)
            return
        self.has_content = True
        self.first_title = self.first_title or (title.title if title else None)
        self.marks.append(Mark(self._separate(), Place(slide=number)))
        if (section := self._sections.get(number, self._section)) != self._section:
            self._section = section
            self._heading(1, section, section, within=False)
            self._separate()
        fallback = f"Slide {number}"
        # A title alone is the slide's text, too: a heading without characters leaves it to the section.
        heading = self._length
        self._heading(2, title.text if title else fallback, title.title if title else fallback, within=not body)
        placed = [(heading, self._length, title.box)] if title else []
        if body:
            start = self._separate()
            self._put(body)
            self._merge(start, _merged_in(blocks))
            for block in blocks:
                placed.append((start, start + len(block.text), block.box))
                start += len(block.text) + 2
        self._place(number, placed)
        # Boxes with connectors glued to them are a diagram; its labels are the slide's texts.
        if diagram := read_shapes(part._element, title.title if title else ""):
            self.diagrams.append((self.marks[-1].offset, self._length, diagram))

    def _place(self, slide: int, placed: Iterable[tuple[int, int, Box | None]]) -> None:
        """Keep where the blocks of a slide stand on it; those of which the file says nothing are left to the flow of the text."""
        if self._whole is None:
            return
        _, _, width, height = self._whole
        blocks = tuple(PlacedBlock(start, end, _shares(box, width, height)) for start, end, box in placed if box is not None)
        self.slides.append(SlideLayout(slide, round(width / height, 4), blocks))

    def _heading(self, level: int, line: str, title: str, *, within: bool) -> None:
        start = self._put(f"{'#' * level} {line}")
        self.headings.append(Heading(start, start if within else self._length, level, title[:MAX_TITLE_CHARS]))

    def _put(self, text: str) -> int:
        if self._length + len(text) > MAX_TEXT_CHARS:
            raise TooMuchText
        return super()._put(text)


def _shortened(block: _Block, rest: str) -> _Block:
    """The block with the end of its text alone."""
    gone = len(block.text) - len(rest)
    merged = [replace(cell, start=cell.start - gone) for cell in block.merged if cell.start >= gone]
    return replace(block, text=rest, merged=merged)


def _opening(text: str) -> str:
    """The first line of a text without its bullet or number, when it can serve as a title."""
    line = _BULLET.sub("", text.partition("\n")[0], count=1).strip()
    fits = len(line) <= MAX_LINE_AS_TITLE and any(map(str.isalpha, line)) and not line.startswith(_NO_TITLE)
    return line if fits and line != "Chart" and "](" not in line else ""


def _notes(part: Any, reader: PartReader) -> str:
    """What the speaker's notes say, the pictures on the notes page included."""
    texts: list[str] = []
    for page in related_parts(part, "/notesSlide"):
        title, blocks = _ShapeReader(reader.of(page), Inheritance(page)).read()
        texts += [block.text for block in ([title] if title else []) + blocks]
    text = "\n\n".join(texts)
    separator = "\n\n" if _BULLET.match(text) or text.startswith(_NO_TITLE) else " "
    return f"Notes:{separator}{text}" if text else ""


def _sections(main: Any) -> dict[int, str]:
    """The name of the section that each slide is in, by the slide's number, where somebody has named it."""
    root = root_of(main)
    numbers = {entry.get("id"): number for number, entry in enumerate(root.iterfind(f"{P}sldIdLst/{P}sldId"), 1)}
    names: dict[int, str] = {}
    for section in root.iter(f"{_P14}section"):
        name = " ".join((section.get("name") or "").split())
        for entry in section.iter(f"{_P14}sldId"):
            if name and not _DEFAULT_SECTION.match(name) and entry.get("id") in numbers:
                names[numbers[entry.get("id")]] = name
    return names
