"""Lists of documents as text, and documents in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragd.mcp.results.document_results import DocumentGroup, DocumentName, GroupBy
from ragd.mcp.results.markdown import one_line

_TAGS: Final = 8
_MAX_REASON: Final = 300
_NAME_SIZE: Final = 40
"""Characters that a document's name takes beside its id, source and title."""

Row = Mapping[str, Any]


def selected(rows: Sequence[Row], tag: str | None, path_prefix: str | None) -> list[Row]:
    """Documents with the tag, whose source begins with the prefix. What may not be named has neither."""
    kept = [row for row in rows if tag is None or tag in row["tags"]]
    return [row for row in kept if path_prefix is None or (row["source"] and row["source"].startswith(path_prefix))]


def groups(rows: Sequence[Row], by: GroupBy, room: int) -> tuple[list[DocumentGroup], int]:
    """Groups, the largest first and the one without a key last, that take about `room` characters; and how many there are.

    The room is shared among the groups: each names its first documents, and counts all.
    """
    held: dict[str, list[Row]] = {}
    for row in rows:
        for key in (row["tags"] or [""]) if by == "tag" else [row[by]]:
            held.setdefault(key, []).append(row)
    ordered = sorted(held.items(), key=lambda item: (item[0] == "", -len(item[1]), item[0]))
    found: list[DocumentGroup] = []
    for left, (key, members) in zip(range(len(ordered), 0, -1), ordered, strict=True):
        room -= len(key) + _NAME_SIZE
        if room < 0 and found:
            break
        share = max(room // left, 0)
        names = _fitting(members, share)
        room -= sum(map(_size, names))
        found.append(DocumentGroup(key=key, count=len(members), documents=names))
    return found, len(ordered)


def _fitting(rows: Sequence[Row], room: int) -> list[DocumentName]:
    names = []
    for row in rows:
        name = DocumentName(id=row["id"], source=row["source"], title=row["title"])
        room -= _size(name)
        if room < 0:
            break
        names.append(name)
    return names


def _size(name: DocumentName) -> int:
    return len(name.id) + len(name.source) + len(name.title) + _NAME_SIZE


def group_lines(found: Sequence[DocumentGroup], by: GroupBy) -> list[str]:
    """Each group with its first documents."""
    lines: list[str] = []
    for group in found:
        lines += [
            "",
            f"{by} {one_line(group.key)}: {group.count}" if group.key else f"without a {by} that may be told: {group.count}",
        ]
        lines += [f"- {_name(name.title, name.source)} · doc_id {name.id}" for name in group.documents]
        more = group.count - len(group.documents)
        if more and group.documents:
            lines.append(f"- … and {more} more")
    if by != "doc_type" and any(len(group.documents) < group.count for group in found):
        lines += ["", f"For all documents of a group: list_documents with its {by}."]
    return lines


def document_lines(rows: Sequence[Row], room: int) -> list[str]:
    """A line for each document. What does not fit into `room` is counted in the last one."""
    lines: list[str] = []
    for row in rows:
        line = _document_line(row)
        room -= len(line) + 1
        if room < 0 and lines:
            return [*lines, f"… and {len(rows) - len(lines)} more of this page, which did not fit: ask for a smaller page_size."]
        lines.append(line)
    return lines


def _document_line(row: Row) -> str:
    parts = [f"- {_name(row['title'], row['source'])}", one_line(row["collection"]), row["doc_type"]]
    if tags := row["tags"]:
        more = f", {len(tags) - _TAGS} more" if len(tags) > _TAGS else ""
        parts.append(f"tags {', '.join(map(one_line, tags[:_TAGS]))}{more}")
    if row["status"] != "ready":
        parts.append(row["status"])
    if error := row.get("error"):
        parts.append(one_line(f"{error['code']} {error['message']}")[:_MAX_REASON])
    return " · ".join([*parts, f"doc_id {row['id']}"])


def _name(title: str, source: str) -> str:
    if not source:
        return "(named only to a token that may read it)"
    return one_line(title) if title == source else f"{one_line(title)} ({one_line(source)})"
