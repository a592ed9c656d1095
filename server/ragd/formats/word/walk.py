"""The blocks of a Word document in reading order, whatever they are wrapped in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ragd.formats.common.opc import Element
from ragd.formats.word.controls import is_prompt
from ragd.formats.word.package import MC, W, child_value, choose
from ragd.formats.word.tables import framed_cells

_BLOCKS: Final = (W + "p", W + "altChunk")
_TRANSPARENT: Final = frozenset(W + tag for tag in ("sdtContent", "customXml", "ins", "moveTo", "smartTag"))
_CONTENTS: Final = "Table of Contents"


def blocks_of(container: Element, leave_contents: Callable[[Element], None]) -> Iterator[Element]:
    """Paragraphs, tables of data and imported documents. What a table only places on the page counts as outside of it.

    Tables of contents that the editor made are left out; `leave_contents` is called with each. Works without recursion.
    """
    stack = list(reversed(container))
    while stack:
        element = stack.pop()
        tag = element.tag
        if tag in _BLOCKS:
            yield element
        elif tag == W + "tbl":
            cells = framed_cells(element)
            if cells is None:
                yield element
            else:
                stack += [block for cell in reversed(cells) for block in reversed(cell)]
        elif tag in _TRANSPARENT:
            stack += reversed(element)
        elif tag == W + "sdt":
            stack += _controlled(element, leave_contents)
        elif tag == MC + "AlternateContent":
            stack += [branch for branch in (choose(element),) if branch is not None]


def _controlled(control: Element, leave_contents: Callable[[Element], None]) -> list[Element]:
    """What a content control holds that is to be read."""
    properties = control.find(W + "sdtPr")
    content = control.find(W + "sdtContent")
    if properties is None or content is None:
        return [] if content is None else [content]
    if child_value(properties.find(W + "docPartObj"), "docPartGallery") == _CONTENTS:
        leave_contents(content)
        return []
    return [] if is_prompt(properties, content) else [content]
