"""What people have written about slides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ragd.formats.common.opc import A
from ragd.formats.powerpoint.layout import P
from ragd.formats.powerpoint.parts import Missed, related_parts, root_of

_P188: Final = "{http://schemas.microsoft.com/office/powerpoint/2018/8/main}"


class Comments:
    """The comments of a presentation, by slide."""

    def __init__(self, presentation_part: Any) -> None:
        self._authors: dict[str | None, str] = {}
        for part in (*related_parts(presentation_part, "/commentAuthors"), *related_parts(presentation_part, "/authors")):
            if (root := root_of(part)) is not None:
                for author in root.iterchildren(f"{P}cmAuthor", f"{_P188}author"):
                    self._authors[author.get("id")] = " ".join((author.get("name") or "").split())

    def of(self, slide_part: Any, number: int, missed: Missed) -> list[str]:
        """The comments on a slide, each as a paragraph, answers after what they answer."""
        found: list[str] = []
        for part in related_parts(slide_part, "/comments"):
            root = root_of(part)
            if root is None:
                missed.add("comments that are damaged were left out", number)
                continue
            for comment in root.iterchildren(f"{P}cm"):
                found.append(self._line("Comment", comment, (comment.findtext(f"{P}text") or "").split("\n")))
            for thread in root.iterchildren(f"{_P188}cm"):
                found.append(self._line("Comment", thread, _lines(thread)))
                for answer in thread.iterfind(f"{_P188}replyLst/{_P188}reply"):
                    found.append(self._line("Answer", answer, _lines(answer)))
        return [line for line in found if line]

    def _line(self, kind: str, comment: Any, lines: Iterator[str] | list[str]) -> str:
        text = "\n".join(line.strip() for line in lines if line.strip())
        author = self._authors.get(comment.get("authorId"))
        return (f"{kind} ({author}): {text}" if author else f"{kind}: {text}") if text else ""


def _lines(comment: Any) -> Iterator[str]:
    body = comment.find(f"{_P188}txBody")
    for paragraph in () if body is None else body.iterchildren(f"{A}p"):
        yield "".join(text.text or "" for text in paragraph.iter(f"{A}t"))
