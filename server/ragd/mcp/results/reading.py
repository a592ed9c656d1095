"""Parts of documents for reading: pieces of the Markdown, the outline, passages. Positions count code points, as REST's do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragd.core.errors import FieldProblem, ValidationFailed
from ragd.core.ids import hash32
from ragd.mcp.results.markdown import cut, fenced, one_line
from ragd.retrieve.context import place_of

_MAX_HEADING: Final = 200
_HELD: Final = 3
_MOST_HELD: Final = 20_000_000
"""Characters of a text that is kept at most."""
_NEAR_THE_END: Final = 0.8
_LEAST: Final = 200
"""Characters that are shown of a passage however little room there is."""


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
        raise ValidationFailed(message, details=[FieldProblem("offset", "behind_the_end", message)])
    text = markdown[offset : offset + room]
    if offset + room >= len(markdown):
        return text
    at = text.rfind("\n") + 1 or text.rfind(" ") + 1
    return text[:at] if at > room * _NEAR_THE_END else text


def heading(document: Mapping[str, Any]) -> str:
    """What a document is, in one line."""
    about = f"{one_line(document['source'])}, {one_line(document['collection'])}"
    return f"**{one_line(document['title'])}** ({about}) · doc_id {document['id']}"


def outline(sections: Sequence[Mapping[str, Any]], room: int) -> tuple[list[str], int]:
    """A line for each section, indented by its depth, with its characters and id; and how many did not fit into `room`."""
    depths = [len(section["section_path"]) for section in sections]
    top = min((depth for depth in depths if depth), default=1)
    lines: list[str] = []
    for section, depth in zip(sections, depths, strict=True):
        name = one_line(section["section_path"][-1])[:_MAX_HEADING] if depth else "(before the first heading)"
        line = f"{'  ' * max(depth - top, 0)}- {name} · {section['start']}-{section['end']} · {section['section_id']}"
        room -= len(line) + 1
        if room < 0 and lines:
            return lines, len(sections) - len(lines)
        lines.append(line)
    return lines, 0


def chunk_rows(chunks: Sequence[Mapping[str, Any]], room: int) -> list[dict[str, Any]]:
    """Passages with their places. The room is shared: what short ones leave, later ones take."""
    rows = []
    for left, chunk in zip(range(len(chunks), 0, -1), chunks, strict=True):
        text, truncated = cut(chunk["content"], max(room // left, _LEAST))
        room = max(room - len(text), 0)
        rows.append({**chunk, "content": text, "truncated": truncated, "place": place_of(chunk)})
    return rows


def passages(rows: Sequence[Mapping[str, Any]]) -> list[str]:
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
