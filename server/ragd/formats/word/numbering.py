"""The numbers of a Word document's lists, counted as Word does: it stores formats and starts, and never the numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ragd.formats.common.numerals import numeral
from ragd.formats.common.opc import Element
from ragd.formats.word.package import W, child_value, toggled, whole
from ragd.formats.word.styles import Look, left_indent

_LEVELS: Final = 9
_MAX_START: Final = 1_000_000_000
_BOXES: Final = {"☐": False, "☑": True, "☒": True}
_PLACEHOLDER: Final = re.compile("%([1-9])")
_MARKDOWN_NUMBER: Final = re.compile(r"\d{1,9}[.)]")


@dataclass(frozen=True, slots=True)
class Item:
    """A paragraph of a list. `label` is what stands before it, None for a bullet; `checked` is the state of a bullet that is
    a box. `list_id` says which lists are one."""

    list_id: str
    level: int
    indent: int
    label: str | None
    checked: bool | None = None

    @property
    def marker(self) -> str:
        """Markdown has bullets and arabic numbers; any other label stands after a bullet."""
        if self.label is None:
            return "- " if self.checked is None else "- [x] " if self.checked else "- [ ] "
        return f"{self.label} " if _MARKDOWN_NUMBER.fullmatch(self.label) else f"- {self.label} "

    @property
    def marker_width(self) -> int:
        """How much of its marker is Markdown's own: what is inside of the item is indented by that."""
        number = self.label is not None and _MARKDOWN_NUMBER.fullmatch(self.label)
        return len(self.label or "") + 1 if number else len("- ")


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    form: str = "decimal"
    custom: str = ""
    text: str = ""
    restart: int | None = None
    arabic: bool = False
    indent: int | None = None
    style: str | None = None


@dataclass(slots=True)
class _Count:
    """Where a list stands: the last number of each level, and which lists have begun with a start of their own."""

    numbers: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)
    started: set[tuple[str, int]] = field(default_factory=set)


class Numbering:
    """The numbering part, and how far its lists have been counted."""

    def __init__(self, root: Element | None) -> None:
        self._abstract: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, tuple[str, dict[int, _Level], dict[int, int]]] = {}
        self._counts: dict[str, _Count] = {}
        if root is None:
            return
        links: dict[str, str] = {}
        by_style: dict[str, str] = {}
        for element in root.iterchildren(W + "abstractNum"):
            abstract_id = element.get(W + "abstractNumId") or ""
            self._abstract[abstract_id] = dict(_levels(element))
            if style := child_value(element, "styleLink"):
                by_style[style] = abstract_id
            if style := child_value(element, "numStyleLink"):
                links[abstract_id] = style
        for element in root.iterchildren(W + "num"):
            abstract_id = child_value(element, "abstractNumId") or ""
            abstract_id = by_style.get(links.get(abstract_id, ""), abstract_id)
            if abstract_id in self._abstract:
                self._lists[element.get(W + "numId") or ""] = (abstract_id, *_overrides(element))

    def item(self, properties: Element | None, look: Look) -> Item | None:
        """Count a paragraph with these properties, if it is one of a list that has a number or a bullet at its level."""
        found = self._place(properties, look)
        if found is None:
            return None
        num_id, index = found
        abstract_id, own_levels, _ = self._lists[num_id]
        level = own_levels.get(index) or self._abstract[abstract_id].get(index)
        if level is None:
            return None
        numbers = self._count(num_id, index, level)
        indent = left_indent(properties)
        if indent is None:
            indent = level.indent if level.indent is not None else 360 * (index + 1)
        if level.form == "bullet":
            return Item(abstract_id, index, indent, None, _BOXES.get(level.text))
        label = self._label(num_id, level, numbers)
        return Item(abstract_id, index, indent, label) if label else None

    def _place(self, properties: Element | None, look: Look) -> tuple[str, int] | None:
        """The list and the level of a paragraph: its own, or those of its style."""
        own = None if properties is None else properties.find(W + "numPr")
        level = whole(child_value(own, "ilvl"))
        num_id = child_value(own, "numId")
        if num_id is None:
            num_id = look.num_id
            if level is None and num_id in self._lists:
                level = self._level_of_style(num_id, look)
        return (num_id, min(max(level or 0, 0), _LEVELS - 1)) if num_id in self._lists else None

    def _level_of_style(self, num_id: str, look: Look) -> int | None:
        abstract_id, own_levels, _ = self._lists[num_id]
        levels = {**self._abstract[abstract_id], **own_levels}
        return next((index for index, level in levels.items() if level.style == look.num_style), look.num_level)

    def _count(self, num_id: str, index: int, level: _Level) -> list[int]:
        """Count one more at a level; the numbers of all levels down to it."""
        abstract_id, _, starts = self._lists[num_id]
        count = self._counts.setdefault(abstract_id, _Count())
        last = count.numbers[index]
        if index in starts and (num_id, index) not in count.started:
            count.started.add((num_id, index))
            last = None
        start = starts.get(index, level.start)
        count.numbers[index] = start if last is None else last + 1
        levels = self._abstract[abstract_id]
        for deeper in range(index + 1, _LEVELS):
            # By default a level begins anew after any higher one; it may say after which, or (0) never.
            restart = levels[deeper].restart if deeper in levels else None
            if restart is None or index < restart:
                count.numbers[deeper] = None
        return [
            number if (number := count.numbers[upper]) is not None else starts.get(upper, levels.get(upper, _Level()).start)
            for upper in range(index + 1)
        ]

    def _label(self, num_id: str, level: _Level, numbers: list[int]) -> str:
        abstract_id, own_levels, _ = self._lists[num_id]

        def shown(match: re.Match[str]) -> str:
            upper = int(match[1]) - 1
            if upper >= len(numbers):
                return ""
            of = own_levels.get(upper) or self._abstract[abstract_id].get(upper) or _Level()
            form = "decimal" if level.arabic and of.form != "none" else of.form
            return numeral(numbers[upper], form, of.custom)

        return " ".join(_PLACEHOLDER.sub(shown, level.text).split())


def _levels(parent: Element) -> Iterator[tuple[int, _Level]]:
    for element in parent.iterchildren(W + "lvl"):
        index = whole(element.get(W + "ilvl"))
        if index is None or not 0 <= index < _LEVELS:
            continue
        form = element.find(f".//{W}numFmt")  # newer formats stand in mc:AlternateContent
        yield (
            index,
            _Level(
                start=_start(child_value(element, "start"), 1),
                form="decimal" if form is None else form.get(W + "val") or "decimal",
                custom="" if form is None else form.get(W + "format") or "",
                text=child_value(element, "lvlText") or "",
                restart=whole(child_value(element, "lvlRestart")),
                arabic=bool(toggled(element, "isLgl")),
                indent=left_indent(element.find(W + "pPr")),
                style=child_value(element, "pStyle"),
            ),
        )


def _overrides(element: Element) -> tuple[dict[int, _Level], dict[int, int]]:
    """What a list changes of its abstract definition: whole levels, and the numbers that levels start with."""
    levels: dict[int, _Level] = {}
    starts: dict[int, int] = {}
    for override in element.iterchildren(W + "lvlOverride"):
        index = whole(override.get(W + "ilvl"))
        if index is None or not 0 <= index < _LEVELS:
            continue
        levels.update(_levels(override))
        if (start := child_value(override, "startOverride")) is not None:
            starts[index] = _start(start, 1)
    return levels, starts


def _start(value: str | None, default: int) -> int:
    number = whole(value)
    return default if number is None else min(max(number, 0), _MAX_START)


class Nesting:
    """Where list items stand: each under the last one that it belongs to, as Markdown nests lists."""

    def __init__(self) -> None:
        self._open: list[tuple[Item, int]] = []

    def place(self, item: Item) -> tuple[int, bool]:
        """The column at which an item begins, and whether it goes on with the list before it."""
        continued = bool(self._open)
        last = self._open[0][0] if self._open else item
        while self._open and not _is_inside(item, self._open[-1][0]):
            self._open.pop()
        offset = self._open[-1][1] if self._open else 0
        # Another list of the outermost level is a list of its own.
        continued = continued and (offset > 0 or last.list_id == item.list_id)
        self._open.append((item, offset + item.marker_width))
        return offset, continued

    def end(self) -> None:
        self._open.clear()


def _is_inside(item: Item, outer: Item) -> bool:
    return item.level > outer.level if item.list_id == outer.list_id else item.indent > outer.indent
