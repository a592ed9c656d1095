"""The inline content of an HTML element as Markdown, by markdownify."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from bs4.element import PageElement, Tag
from markdownify import ATX, MarkdownConverter

from ragd.formats.common.text import fence_for

_FOLLOWABLE: Final = re.compile(r"^(?:https?:|mailto:|[^:]*$|[/#.])", re.IGNORECASE)


class InlineConverter(MarkdownConverter):
    """Markdown that reads as the page does: nothing escaped, and no links that would run something.

    `picture` writes an image, `resolved` gives a link as seen from the page. Tables are met only inside the cell of another.
    """

    def __init__(self, picture: Callable[[Tag], str], resolved: Callable[[str], str]) -> None:
        super().__init__(heading_style=ATX, bullets="-", escape_asterisks=False, escape_underscores=False)
        self._picture = picture
        self._resolved = resolved

    def text(self, nodes: Iterable[PageElement]) -> str:
        """Neighbouring nodes of one paragraph."""
        return "".join(str(self._element(node, set())) for node in nodes).strip()

    def line(self, tag: Tag) -> str:
        """What a tag holds on one line, as a table's cell needs it."""
        return " ".join("".join(str(self._element(child, {"_inline", "td"})) for child in tag.children).split())

    def _element(self, node: PageElement, parents: set[str]) -> Any:
        return self.process_element(node, parent_tags=parents)  # type: ignore[attr-defined]  # missing in its stub

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return self._picture(el)

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        target = self._resolved(str(el.get("href") or "").strip())
        if not target or target.startswith("#") or not _FOLLOWABLE.match(target):
            return text
        el["href"] = target
        return str(super().convert_a(el, text, parent_tags))  # type: ignore[misc]  # missing in its stub

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "_inline" not in parent_tags:
            return str(super().convert_pre(el, text, parent_tags))  # type: ignore[misc]  # missing in its stub
        code = " ".join(text.split())
        fence = fence_for(code, 1)
        return f" {fence}{code}{fence} " if code else ""

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return f" {text.strip()},"

    convert_th = convert_td

    def convert_tr(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return f"{text.strip().rstrip(',')}; "

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return f" {text.strip().rstrip(';')} "
