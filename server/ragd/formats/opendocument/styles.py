"""What the styles of an OpenDocument text say that matters: titles, quotations, code, hidden text, and how lists are numbered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ragd.formats.common.numerals import numeral
from ragd.formats.common.opc import Element
from ragd.formats.opendocument.package import FO, STYLE, TEXT

_MAX_CHAIN: Final = 20
_LEVELS: Final = 10
_FORMS: Final = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
"""What Word calls the forms of numbers; all others are decimal here."""


class Styles:
    """The styles of a document, from the root elements of `content.xml` and `styles.xml`."""

    def __init__(self, roots: Iterable[Element]) -> None:
        self._parents: dict[str, str] = {}
        self._marks: dict[str, set[str]] = {}
        self._numbered: dict[str, set[str]] = {}
        self._outline: dict[int, Element] = {}
        self._counts: dict[int, int] = {}
        for root in roots:
            for style in root.iter(f"{STYLE}style"):
                name = style.get(f"{STYLE}name", "")
                self._parents[name] = style.get(f"{STYLE}parent-style-name", "")
                properties = style.find(f"{STYLE}text-properties")
                if properties is not None:
                    self._marks[name] = _marks(properties)
            for style in root.iter(f"{TEXT}list-style"):
                levels = style.iterfind(f"{TEXT}list-level-style-number")
                self._numbered[style.get(f"{STYLE}name", "")] = {
                    level.get(f"{TEXT}level", "") for level in levels if level.get(f"{STYLE}num-format")
                }
            for level in root.iterfind(f".//{TEXT}outline-level-style"):
                self._outline[whole(level, f"{TEXT}level", _LEVELS)] = level

    def is_a(self, name: str | None, *wanted: str) -> bool:
        """Whether a style is one of these, or made from one."""
        for _ in range(_MAX_CHAIN):
            if not name:
                return False
            if name in wanted:
                return True
            name = self._parents.get(name)
        return False

    def marks(self, name: str | None) -> set[str]:
        """`b`, `i` and `hidden`, as far as a style of text states them itself."""
        return self._marks.get(name or "", set())

    def is_numbered(self, name: str, level: int) -> bool:
        """Whether the items of a list in this style have numbers at this level, which counts from 1."""
        return str(level) in self._numbered.get(name, ())

    def heading_number(self, level: int) -> str:
        """The number of the next heading of this level, `2.1 ` for instance; empty where headings have none."""
        self._counts = {other: count for other, count in self._counts.items() if other <= level}
        style = self._outline.get(level)
        if style is None or not style.get(f"{STYLE}num-format"):
            return ""
        self._counts[level] = self._counts.get(level, 0) + 1
        shown = range(max(1, level - whole(style, f"{TEXT}display-levels", _LEVELS) + 1), level + 1)
        forms = [self._outline[other].get(f"{STYLE}num-format", "") if other in self._outline else "" for other in shown]
        numbers = [numeral(self._counts.get(other, 1), _FORMS.get(form, "")) for other, form in zip(shown, forms, strict=True)]
        number = ".".join(numbers)
        return f"{style.get(f'{STYLE}num-prefix', '')}{number}{style.get(f'{STYLE}num-suffix', '')} "


def whole(element: Element, attribute: str, most: int) -> int:
    """The positive number that an attribute states, up to `most`; 1 where it states none."""
    stated = element.get(attribute, "")
    return max(1, min(int(stated), most)) if stated.isdecimal() and len(stated) < 9 else 1


def _marks(properties: Element) -> set[str]:
    found = set()
    if properties.get(f"{FO}font-weight") == "bold":
        found.add("b")
    if properties.get(f"{FO}font-style") == "italic":
        found.add("i")
    if properties.get(f"{TEXT}display") == "none":
        found.add("hidden")
    return found
