"""The inline content of an HTML element as Markdown, by markdownify."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from bs4.element import NavigableString, PageElement, Tag
from markdownify import ATX, MarkdownConverter

from ragd.formats.common.text import fence_for

# markdownify's own expressions take the square of a run of blanks.
_LONG_BLANKS: Final = re.compile(r"[ \t\r\n]{64,}+")
_FOLLOWABLE: Final = re.compile(r"^(?:https?:|mailto:|[^:]*$|[/#.])", re.IGNORECASE)


class InlineConverter(MarkdownConverter):
    """Markdown that reads as the page does: nothing escaped, and no links that would run something.

    `picture` writes an image, `resolved` gives a link as seen from the page. Tables are met only inside the cell of another.
    """

    def __init__(self, picture: Callable[[Tag], str], resolved: Callable[[str], str]) -> None:
        super().__init__(heading_style=ATX, bullets="-", escape_asterisks=False, escape_underscores=False, strip_pre=None)
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

    def process_text(self, el: NavigableString, parent_tags: set[str] | None = None) -> str:
        if "pre" not in (parent_tags or ()) and _LONG_BLANKS.search(el):
            shorter = NavigableString(_LONG_BLANKS.sub(lambda run: "\n" if "\n" in run[0] or "\r" in run[0] else " ", el))
            el.replace_with(shorter)
            el = shorter
        return str(super().process_text(el, parent_tags))  # type: ignore[misc]  # missing in its stub

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
            blank = len(text) - len(text.lstrip(" \n"))
            text = text[text.rfind("\n", 0, blank) + 1 :].rstrip(" \n")
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
