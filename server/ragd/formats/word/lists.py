"""List items of a Word document as Markdown's: their markers, and how they nest."""

from __future__ import annotations

import re
from typing import Final

from ragd.formats.word.numbering import Item

_MARKDOWN_NUMBER: Final = re.compile(r"\d{1,9}[.)]")


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
        self._open.append((item, offset + marker_width(item)))
        return offset, continued

    def end(self) -> None:
        self._open.clear()


def _is_inside(item: Item, outer: Item) -> bool:
    return item.level > outer.level if item.list_id == outer.list_id else item.indent > outer.indent


def marker_width(item: Item) -> int:
    """How much of its marker is Markdown's own: what is inside of the item is indented by that."""
    number = item.label is not None and _MARKDOWN_NUMBER.fullmatch(item.label)
    return len(item.label or "") + 1 if number else len("- ")


def marker(item: Item) -> str:
    """Markdown has bullets and arabic numbers; any other label stands after a bullet."""
    if item.label is None:
        return "- " if item.checked is None else "- [x] " if item.checked else "- [ ] "
    return f"{item.label} " if _MARKDOWN_NUMBER.fullmatch(item.label) else f"- {item.label} "
