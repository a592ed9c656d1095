"""Fields of Word documents: an instruction, and the result that the editor showed when it last computed it.

A field may hold others, and go on over several paragraphs. Its parts are marked by characters between the runs (ECMA-376 part
1, 17.16.18): begin, instruction, separate, result, end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from ragd.formats.common.opc import Element
from ragd.formats.common.text import followable
from ragd.formats.word.package import W, child_value, toggled
from ragd.formats.word.signs import field_formula, symbol

_GENERATED: Final = frozenset(("TOC", "INDEX", "TOA"))
_MAX_INSTRUCTION: Final = 10_000
_MAX_DEPTH: Final = 1_000
_TARGET: Final = re.compile(r'HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]\S*))', re.IGNORECASE)
_SYMBOL: Final = re.compile(r'SYMBOL\s+(0x[0-9a-f]{1,5}|\d{1,6})(?:[^"]*\\f\s*"([^"]*)")?', re.IGNORECASE)


@dataclass(slots=True)
class _Field:
    link: str | None
    instruction: list[str] = field(default_factory=list)
    length: int = 0
    muted: bool = True
    checkbox: str = ""


class Fields:
    """The fields open at a place of the text. `muted` says whether what stands there isn't shown: instructions, and the
    lines of generated tables. `link` is the target of the innermost field that links."""

    @staticmethod
    def are_balanced(container: Element) -> bool:
        """Whether every field that begins in here ends in here. If not, one of them would swallow the rest of the text."""
        kinds = [character.get(W + "fldCharType") for character in container.iter(W + "fldChar")]
        return kinds.count("begin") == kinds.count("end")

    def __init__(self) -> None:
        self._open: list[_Field] = []
        self._muted = 0
        self.in_contents = 0

    @property
    def muted(self) -> bool:
        return self._muted > 0

    @property
    def link(self) -> str | None:
        return self._open[-1].link if self._open else None

    def reset(self) -> None:
        self._open.clear()
        self._muted = self.in_contents = 0

    def begin(self, character: Element | None = None) -> None:
        if len(self._open) < _MAX_DEPTH:
            self._open.append(_Field(self.link, checkbox=_checkbox(character)))
            self._muted += 1

    def instruct(self, text: str) -> None:
        if self._open and self._open[-1].length < _MAX_INSTRUCTION:
            self._open[-1].instruction.append(text)
            self._open[-1].length += len(text)

    def separate(self) -> None:
        """The result begins."""
        if not self._open or not self._open[-1].muted:
            return
        current = self._open[-1]
        instruction = "".join(current.instruction)
        if _kind(instruction) in _GENERATED:
            self.in_contents += 1
            return
        current.muted = False
        self._muted -= 1
        if target := _TARGET.match(instruction.strip()):
            current.link = followable(target[1] or target[2] or "") or current.link

    def end(self) -> str:
        """The field ends; what it shows if it is of a kind that has no result."""
        if not self._open:
            return ""
        current = self._open.pop()
        if not current.muted:
            return ""
        self._muted -= 1
        instruction = "".join(current.instruction).strip()
        kind = _kind(instruction)
        if kind in _GENERATED:
            self.in_contents -= self.in_contents > 0
            return ""
        if kind == "EQ":
            return field_formula(instruction)
        if kind == "SYMBOL" and (found := _SYMBOL.match(instruction)):
            return symbol(found[2] or "", int(found[1], 0))
        return current.checkbox if kind == "FORMCHECKBOX" else ""


def _kind(instruction: str) -> str:
    return instruction.strip().partition(" ")[0].upper()


def _checkbox(character: Element | None) -> str:
    """The state of a form's checkbox, kept with the character that begins its field."""
    box = None if character is None else character.find(f"{W}ffData/{W}checkBox")
    if box is None:
        return ""
    checked = toggled(box, "checked")
    if checked is None:
        checked = child_value(box, "default") in ("1", "true", "on")
    return "☒" if checked else "☐"
