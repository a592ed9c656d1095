"""Content controls of Word documents: whether anybody has put something into them."""

from __future__ import annotations

import re
from typing import Final

from ragd.formats.common.opc import Element
from ragd.formats.word.package import W

# What Word shows by default in an empty control; what an author asks for in other words is text like any other.
_PROMPT: Final = re.compile(
    r"(?:click|tap|choose|enter|select|type)\b.{0,80}$|(?:クリック|ここを|ここに|アイテムを選択|日付を).{0,40}$|(?:单击|点击|选择).{0,40}$",
    re.IGNORECASE,
)


def is_prompt(properties: Element | None, content: Element) -> bool:
    """Whether a content control shows only that something may be put in."""
    if properties is None or properties.find(W + "showingPlcHdr") is None:
        return False
    return bool(_PROMPT.match(texts_of(content).strip()))


def texts_of(element: Element | None) -> str:
    """All text in an element."""
    return "" if element is None else "".join(text.text or "" for text in element.iter(W + "t"))
