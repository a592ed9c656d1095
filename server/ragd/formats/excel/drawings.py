"""What floats above or hangs on the cells of a sheet: pictures, charts, shapes with text, and comments, each with its cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from ragd.core.documents import Picture, Place
from ragd.formats.common.opc import Element, alt_of, local_name
from ragd.formats.common.pictures import picture, reference
from ragd.formats.excel.areas import area_of, letters
from ragd.formats.excel.package import Package, relation_id

T = TypeVar("T")

_TYPE: Final = "XLRICHVALUE"
_IMAGE: Final = "_rvRel:LocalImageIdentifier"
_ALT: Final = "Text"


def cell_pictures(package: Package) -> Mapping[str, Picture]:
    """The pictures by the number that cells have for them, without their places."""
    metadata, values, structures = map(package.related_tree, ("sheetMetadata", "rdRichValue", "rdRichValueStructure"))
    listed = next(package.related(package.workbook_part, "richValueRel"), None)
    if listed is None or metadata is None or values is None or structures is None:
        return {}
    relations = package.relations(listed)
    targets = [relations.get(relation_id(element)) for element in package.tree(listed)]
    shapes = [[key.get("n", "") for key in structure] for structure in structures]
    rich = [dict(zip(_at(shapes, value.get("s")) or [], (item.text or "" for item in value), strict=False)) for value in values]
    found: dict[str, Picture] = {}
    for number, index in _rich_indexes(metadata).items():
        fields = _at(rich, index) or {}
        target = _at(targets, fields.get(_IMAGE))
        if target and target.part and (data := package.read(target.part)):
            found[number] = picture(data, fields.get(_ALT, ""))
    return found


def _rich_indexes(metadata: Element) -> dict[str, str]:
    """From the numbers in cells, which count from 1, to those of rich values."""
    types = [kind.get("name") for kind in metadata.iterfind("{*}metadataTypes/{*}metadataType")]
    wanted = str(types.index(_TYPE) + 1) if _TYPE in types else ""
    blocks = next((block for block in metadata.iterfind("{*}futureMetadata") if block.get("name") == _TYPE), ())
    references = [next((item.get("i", "") for item in block.iter("{*}rvb")), "") for block in blocks]
    found = {}
    for number, block in enumerate(metadata.iterfind("{*}valueMetadata/{*}bk"), 1):
        record = next((item for item in block if item.get("t") == wanted), None)
        if record is not None and (index := _at(references, record.get("v"))):
            found[str(number)] = index
    return found


def _at(items: Sequence[T], index: str | None) -> T | None:
    return items[int(index)] if index and index.isdecimal() and len(index) < 8 and int(index) < len(items) else None


_SHAPES: Final = ("pic", "sp", "cxnSp", "graphicFrame")
# What Excel writes into the comment of a thread, for versions that know no threads.
_THREAD_NOTICE: Final = re.compile(r"^\[[^\]\n]{1,80}\][\s\S]{0,600}?(?:Comment:|コメント:|批注:)\s*")


class Attached(NamedTuple):
    """Something that stands at a cell: the Markdown for it, and the picture when it is one. Row 0: it stands at no cell."""

    row: int
    column: int
    text: str
    picture: Picture | None = None

    def place(self, sheet: str) -> Place:
        return place_of(sheet, self.row, self.column)


class Drawings:
    """Reads the drawings of a workbook's sheets; `warnings` says what was left out, counted for the whole workbook."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._missed: dict[str, int] = {}

    @property
    def warnings(self) -> list[str]:
        return [f"{what}: {count}" for what, count in self._missed.items()]

    def drawn(self, part: str, sheet: str) -> Iterator[Attached]:
        """What a drawing part holds, in its order, anchor by anchor."""
        for anchor in self._package.tree(part):
            origin = anchor.find("{*}from")
            row, column = (0, 0) if origin is None else (1 + _whole(origin, name) for name in ("row", "col"))
            for shape in anchor.iter(*(f"{{*}}{name}" for name in _SHAPES)):
                kind = local_name(shape)
                if kind == "pic":
                    found = self._picture(shape, part, place_of(sheet, row, column))
                    if found:
                        yield Attached(row, column, reference(found), found)
                elif text := self._graphic(shape, part) if kind == "graphicFrame" else _paragraphs(shape):
                    yield Attached(row, column, text)

    def comments(self, part: str) -> list[Attached]:
        """The comments of a sheet as list items, a thread as one; by their cells."""
        threads = self._threads(part)
        found: dict[tuple[int, int], str] = {}
        for comments in self._package.related(part, "comments"):
            root = self._package.tree(comments)
            authors = [(author.text or "").strip() for author in root.iterfind("{*}authors/{*}author")]
            for comment in root.iterfind("{*}commentList/{*}comment"):
                area, text = area_of(comment.get("ref", "")), comment.find("{*}text")
                if area and text is not None:
                    index = comment.get("authorId", "")
                    author = authors[int(index)] if index.isdecimal() and int(index) < len(authors) else ""
                    found[area.top, area.left] = _comment(_text_of(text), "" if author.startswith("tc=") else author)
        found |= threads
        return [
            Attached(row, column, f"- {letters(column)}{row}: {text}") for (row, column), text in sorted(found.items()) if text
        ]

    def _threads(self, part: str) -> dict[tuple[int, int], str]:
        people = {
            person.get("id", ""): person.get("displayName", "")
            for listed in self._package.related(self._package.workbook_part, "person")
            for person in self._package.tree(listed).iterfind("{*}person")
        }
        threads: dict[tuple[int, int], str] = {}
        for listed in self._package.related(part, "threadedComment"):
            for comment in self._package.tree(listed).iterfind("{*}threadedComment"):
                if area := area_of(comment.get("ref", "")):
                    text = _comment(comment.findtext("{*}text") or "", people.get(comment.get("personId", ""), ""))
                    before = threads.get((area.top, area.left))
                    threads[area.top, area.left] = f"{before} / {text}" if before else text
        return threads

    def _picture(self, shape: Element, drawing: str, place: Place) -> Picture | None:
        blip = next(shape.iter("{*}blip"), None)
        part = None if blip is None else self._package.target(drawing, relation_id(blip, "embed"))
        if part is None:
            self._miss("pictures left out, since they are links or missing from the file")
            return None
        data = self._package.read(part)
        return picture(data, alt_of(next(shape.iter("{*}cNvPr"), None)), place) if data else None

    def _graphic(self, frame: Element, drawing: str) -> str:
        for element in frame.iter("{*}chart", "{*}relIds"):
            is_diagram = local_name(element) == "relIds"
            if part := self._package.target(drawing, relation_id(element, "dm" if is_diagram else "id")):
                root = self._package.tree(part)
                return _paragraphs(root) if is_diagram else _chart(root)
        self._miss("graphics left out, since their kind isn't read")
        return ""

    def _miss(self, what: str) -> None:
        self._missed[what] = self._missed.get(what, 0) + 1


def place_of(sheet: str, row: int, column: int) -> Place:
    """The place of a cell; of the sheet alone when `row` is 0."""
    return Place(sheet=sheet, cell_range=f"{letters(column)}{row}" if row else None)


def _whole(origin: Element, name: str) -> int:
    text = (origin.findtext(f"{{*}}{name}") or "").strip()
    return int(text) if text.isdecimal() and len(text) < 8 else 0


def _paragraphs(element: Element) -> str:
    """The text of a shape, a diagram or a title, a line for each paragraph."""
    lines = ("".join(run.text or "" for run in paragraph.iter("{*}t")).strip() for paragraph in element.iter("{*}p"))
    return "\n".join(line for line in lines if line)


def _chart(root: Element) -> str:
    """A chart's titles and the names of its series, in words. Its figures are in the cells."""
    title, *axes = [text for element in root.iter("{*}title") if (text := _chart_text(element))] or [""]
    if root.find("{*}chart/{*}title") is None and title:
        title, axes = "", [title, *axes]
    series = [text for element in root.iter("{*}ser", "{*}series") if (text := _chart_text(element.find("{*}tx")))]
    about = [f"{name}: {', '.join(values)}" for name, values in (("axes", axes), ("series", series)) if values]
    named = f"Chart: {title}" if title else "Chart"
    return f"{named} ({'; '.join(about)})" if about else named


def _chart_text(element: Element | None) -> str:
    if element is None:
        return ""
    values = [value.text or "" for value in element.iter("{*}v")]
    return " ".join((_paragraphs(element) or " ".join(values)).split())


def _text_of(element: Element) -> str:
    """The text of a string item (`si`, `is`, `text`): its runs, without phonetic hints."""
    parts = []
    for child in element:
        if local_name(child) == "t":
            parts.append(child.text or "")
        elif local_name(child) == "r":
            parts.extend(text.text or "" for text in child.iterfind("{*}t"))
    return "".join(parts)


def _comment(text: str, author: str) -> str:
    """A comment in one line, with who wrote it. Excel begins a note with its author's name, which isn't said twice."""
    text = _THREAD_NOTICE.sub("", text.strip())
    if author and text.startswith((f"{author}:", f"{author}：")):
        text = text[len(author) + 1 :]
    text = " ".join(text.split())
    return f"{text} ({author})" if text and author else text
