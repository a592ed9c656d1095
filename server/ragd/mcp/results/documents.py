"""Documents as text: in lists and groups, and parts of one for reading. Positions count code points, as REST's do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragd.core.errors import ValidationFailed
from ragd.core.files import uri_prefix
from ragd.core.ids import hash32
from ragd.mcp.results.markdown import fenced, fitting, one_line, shared
from ragd.mcp.results.types import DocumentGroup, DocumentName, GroupBy
from ragd.retrieve.context import place_of

_MAX_HEADING: Final = 200
_HELD: Final = 3
_MOST_HELD: Final = 20_000_000
"""Characters of a text that is kept at most."""
_NEAR_THE_END: Final = 0.8
_TAGS: Final = 8
_MAX_REASON: Final = 300
_NAME_SIZE: Final = 40
"""Characters that a document's name takes beside its id, source and title."""

_Row = Mapping[str, Any]


def selected(rows: Sequence[_Row], tag: str | None, path_prefix: str | None) -> list[_Row]:
    """Documents with the tag, whose source or absolute path begins with the prefix. What may not be named has neither."""
    kept = [row for row in rows if tag is None or tag in row["tags"]]
    if path_prefix is None:
        return kept
    uri = uri_prefix(path_prefix)
    named = [row for row in kept if row["source"]]
    return [row for row in named if row["source"].startswith(path_prefix) or (uri and row["source_uri"].startswith(uri))]


def groups(rows: Sequence[_Row], by: GroupBy, room: int) -> tuple[list[DocumentGroup], int]:
    """Groups, the largest first and the one without a key last, that take about `room` characters; and how many there are.

    The room is shared among the groups: each names its first documents, and counts all.
    """
    held: dict[str, list[_Row]] = {}
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


def _fitting(rows: Sequence[_Row], room: int) -> list[DocumentName]:
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


def document_lines(rows: Sequence[_Row], room: int) -> list[str]:
    """A line for each document. What does not fit into `room` is counted in the last one."""
    lines = fitting(map(_document_line, rows), room, least=1)
    if more := len(rows) - len(lines):
        lines.append(f"… and {more} more of this page, which did not fit: ask for a smaller page_size.")
    return lines


def _document_line(row: _Row) -> str:
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


class Contents:
    """A few texts that are being read piece by piece, by their hashes: to fetch all of a long one for each piece takes its time.

    A caller has the hash from the API, just now: the API decides who may read the text.
    """

    def __init__(self) -> None:
        self._held: dict[str, str] = {}

    def get(self, md_sha256: str) -> str | None:
        return self._held.get(md_sha256)

    def keep(self, md_sha256: str, markdown: str) -> None:
        """Until others are kept, or it is dropped. What is not the text of this hash is not kept."""
        if len(markdown) <= _MOST_HELD and hash32(markdown) == md_sha256:
            self._held[md_sha256] = markdown
            for oldest in list(self._held)[:-_HELD]:
                self.drop(oldest)

    def drop(self, md_sha256: str) -> None:
        self._held.pop(md_sha256, None)


def piece(markdown: str, offset: int, room: int) -> str:
    """The characters from `offset` on, at most `room`, none left out or changed; they end at a line's end where one is near.

    Raises `ValidationFailed` for an offset behind the end.
    """
    if offset > len(markdown):
        message = f"The offset {offset} is behind the end of the document, which has {len(markdown)} characters."
        raise ValidationFailed.of_field("offset", "behind_the_end", message)
    text = markdown[offset : offset + room]
    if offset + room >= len(markdown):
        return text
    at = text.rfind("\n") + 1 or text.rfind(" ") + 1
    return text[:at] if at > room * _NEAR_THE_END else text


def heading(document: _Row) -> str:
    """What a document is, in one line."""
    about = f"{one_line(document['source'])}, {one_line(document['collection'])}"
    return f"**{one_line(document['title'])}** ({about}) · doc_id {document['id']}"


def outline(sections: Sequence[_Row], room: int) -> tuple[list[str], int]:
    """A line for each section, indented by its depth, with its characters and id; and how many did not fit into `room`."""
    depths = [len(section["section_path"]) for section in sections]
    top = min((depth for depth in depths if depth), default=1)
    lines = []
    for section, depth in zip(sections, depths, strict=True):
        name = one_line(section["section_path"][-1])[:_MAX_HEADING] if depth else "(before the first heading)"
        lines.append(f"{'  ' * max(depth - top, 0)}- {name} · {section['start']}-{section['end']} · {section['section_id']}")
    shown = fitting(lines, room, least=1)
    return shown, len(lines) - len(shown)


def chunk_rows(chunks: Sequence[_Row], room: int) -> list[dict[str, Any]]:
    """Passages with their places, which share the room."""
    texts = shared([chunk["content"] for chunk in chunks], room)
    return [
        {**chunk, "content": text, "truncated": truncated, "place": place_of(chunk)}
        for chunk, (text, truncated) in zip(chunks, texts, strict=True)
    ]


def passages(rows: Sequence[_Row]) -> list[str]:
    """Passages as text: number, place and id, then what it says, fenced. Numbers count from 1 through the document."""
    lines: list[str] = []
    for row in rows:
        where = ", ".join(part for part in (one_line(row["place"])[:_MAX_HEADING], f"chunk_id {row['chunk_id']}") if part)
        lines += ["", f"{row['ordinal'] + 1}. {where}", fenced(row["content"])]
        if row["truncated"]:
            lines.append("(cut; ask for a smaller page_size, or a larger max_chars)")
        if row["image_refs"]:
            lines.append(f"Pictures, for query_assets: {', '.join(row['image_refs'])}")
    return lines
