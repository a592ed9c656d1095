"""Documents in the Atlassian Document Format, in which Jira Cloud keeps rich text, as Markdown.

What Markdown can't say (colours, underlines, columns) is left out; what can't be read (extensions, unknown nodes) leaves a note,
and its text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ragd.formats.common.text import fence_for
from ragd.formats.jira.adf_inline import INLINE, InlineWriter, Node, attributes, flat_text
from ragd.formats.jira.content import MAX_COLUMNS, MAX_ROWS, Cell, IssueContent

MAX_DEPTH: Final = 40
"""Nesting of blocks up to which their form is kept; what is deeper is kept as text alone."""

_TRANSPARENT: Final = frozenset((
    "doc", "layoutSection", "layoutColumn", "mediaSingle", "mediaGroup", "extensionFrame", "listItem", "tableCell", "tableHeader",
))  # fmt: skip
_TEXT: Final = frozenset(("paragraph", "caption", "taskItem", "blockTaskItem", "decisionItem"))
_CELLS: Final = frozenset(("tableCell", "tableHeader"))
_PANELS: Final = {"info": "Info", "note": "Note", "warning": "Warning", "error": "Error", "success": "Success", "tip": "Tip"}


def write_adf(out: IssueContent, document: Mapping[str, Any], below: int, users: Mapping[str, str]) -> None:
    """Append a document; its headings stand below the level `below`. `users` are display names by account id."""
    _Writer(out, below, users).blocks(document.get("content"), 0)


class _Writer:
    """`flat`: inside of a table cell, which has one line only."""

    def __init__(self, out: IssueContent, below: int, users: Mapping[str, str], *, flat: bool = False) -> None:
        self._out = out
        self._below = below
        self._users = users
        self._inline = InlineWriter(users)
        self._flat = flat
        self._writers: dict[str, Callable[[Node, int], None]] = {
            "heading": self._heading,
            "bulletList": self._list,
            "orderedList": self._list,
            "taskList": self._tasks,
            "decisionList": self._decisions,
            "codeBlock": self._code,
            "blockquote": self._quote,
            "panel": self._panel,
            "table": self._table,
            "rule": self._rule,
            "expand": self._expand,
            "nestedExpand": self._expand,
            "media": lambda node, _depth: self._shown("mediaInline", node),
            "blockCard": lambda node, _depth: self._shown("inlineCard", node),
            "embedCard": lambda node, _depth: self._shown("inlineCard", node),
            "extension": self._extension,
            "bodiedExtension": self._extension,
            "multiBodiedExtension": self._extension,
        }

    def blocks(self, nodes: Any, depth: int) -> None:
        """Blocks, and between them runs of inline nodes as paragraphs."""
        run: list[Node] = []
        for node in nodes if isinstance(nodes, list) else ():
            if not isinstance(node, Mapping):
                continue
            if node.get("type") in INLINE:
                run.append(node)
                continue
            self._out.paragraph(self._inline.text(run))
            run = []
            self._block(node, depth)
        self._out.paragraph(self._inline.text(run))

    def _block(self, node: Node, depth: int) -> None:
        kind = str(node.get("type"))
        if depth >= MAX_DEPTH:
            self._out.paragraph(flat_text(node))
        elif kind in INLINE:
            self._out.paragraph(self._inline.text([node]))
        elif kind in _TRANSPARENT or kind in _TEXT:
            self.blocks(node.get("content"), depth + 1)
        elif write := self._writers.get(kind):
            write(node, depth)
        else:
            self._out.paragraph(f"[content of an unknown kind: {kind[:100]}]")
            own = str(node.get("text") or attributes(node).get("text") or "")
            self._out.paragraph(own)
            self.blocks(node.get("content"), depth + 1)

    def _shown(self, inline: str, node: Node) -> None:
        """A block that says what its like within a line says."""
        self._out.paragraph(self._inline.shown(inline, attributes(node)))

    def _heading(self, node: Node, depth: int) -> None:  # noqa: ARG002
        level = attributes(node).get("level")
        children = _children(node)
        proper = all(child.get("type") in INLINE for child in children)
        title = self._inline.line(children) if proper else flat_text(node)
        if self._flat:
            self._out.paragraph(title)
        else:
            self._out.heading(self._below + (level if isinstance(level, int) and 1 <= level <= 6 else 1), title)

    def _list(self, node: Node, depth: int) -> None:
        order = attributes(node).get("order")
        number = order if isinstance(order, int) and 0 <= order < 10**8 else 1
        for index, item in enumerate(_children(node)):
            marker = f"{number + index}. " if node.get("type") == "orderedList" else "- "
            with self._out.inside(marker, once=True, tight=index > 0 or depth > 0):
                self._item(item, depth + 1)

    def _item(self, item: Node, depth: int) -> None:
        """An item's blocks; a list stands right below its first paragraph."""
        if item.get("type") == "listItem":
            self.blocks(item.get("content"), depth)
        else:
            self._block(item, depth)

    def _tasks(self, node: Node, depth: int) -> None:
        for index, item in enumerate(_children(node)):
            if item.get("type") == "taskList":
                with self._out.inside("  "):
                    self._block(item, depth + 1)
                continue
            done = attributes(item).get("state") == "DONE"
            with self._out.inside(f"- [{'x' if done else ' '}] ", once=True, tight=index > 0 or depth > 0):
                self._block(item, depth + 1)

    def _decisions(self, node: Node, depth: int) -> None:
        for index, item in enumerate(_children(node)):
            with self._out.inside("- Decision: ", once=True, tight=index > 0 or depth > 0):
                self._block(item, depth + 1)

    def _code(self, node: Node, depth: int) -> None:  # noqa: ARG002
        text = "".join(str(child.get("text") or flat_text(child) or "\n") for child in _children(node))
        if self._flat:
            line = " ".join(text.split())
            fence = fence_for(line, 1)
            self._out.paragraph(f"{fence}{line}{fence}" if line else "")
        else:
            self._out.code(text, str(attributes(node).get("language") or ""))

    def _quote(self, node: Node, depth: int) -> None:
        with self._out.inside("" if self._flat else "> "):
            self.blocks(node.get("content"), depth + 1)

    def _panel(self, node: Node, depth: int) -> None:
        name = _PANELS.get(str(attributes(node).get("panelType")), "")
        with self._out.inside("" if self._flat else "> "):
            self._out.paragraph(f"**{name}**" if name else "")
            self.blocks(node.get("content"), depth + 1)

    def _rule(self, node: Node, depth: int) -> None:  # noqa: ARG002
        if not self._flat:
            self._out.paragraph("---")

    def _expand(self, node: Node, depth: int) -> None:
        title = " ".join(str(attributes(node).get("title") or "").split())
        self._out.paragraph(f"**{title}**" if title else "")
        self.blocks(node.get("content"), depth + 1)

    def _extension(self, node: Node, depth: int) -> None:
        self._shown("inlineExtension", node)
        self.blocks(node.get("content"), depth + 1)

    def _table(self, node: Node, depth: int) -> None:
        rows = [
            [self._cell(cell, depth + 1) for cell in (_children(row) if row.get("type") == "tableRow" else [row])]
            for row in _children(node)
        ]
        if self._flat:
            self._out.paragraph("; ".join(", ".join(cell.text for cell in row) for row in rows))
        else:
            self._out.table(rows)

    def _cell(self, cell: Node, depth: int) -> Cell:
        content = IssueContent()
        held = cell.get("content") if cell.get("type") in _CELLS else [cell]
        _Writer(content, self._below, self._users, flat=True).blocks(held, depth)
        attrs = attributes(cell)
        return Cell(
            " ".join(content.markdown.split()),
            header=cell.get("type") == "tableHeader",
            rows=_span(attrs.get("rowspan"), MAX_ROWS),
            columns=_span(attrs.get("colspan"), MAX_COLUMNS),
        )


def _children(node: Node) -> list[Node]:
    content = node.get("content")
    return [child for child in content if isinstance(child, Mapping)] if isinstance(content, list) else []


def _span(value: Any, most: int) -> int:
    return max(1, min(value, most)) if isinstance(value, int) else 1
