"""The section tree of a document: one section for each heading, holding the text under it without its subsections.

A section's path is the titles from the outermost heading down to its own. A heading closes every open one of its own level or
deeper. What stands before the first heading is the root section, with an empty path.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from ragd.core.documents import Document, Section
from ragd.core.ids import canonical, hash32

BODY_START: Final = "body_start"
"""Metadata key: the character from which on the content is text; front matter stands before it."""

ANCESTORS: Final = "ancestors"
"""Metadata key: titles that stand above the whole document where it comes from, such as the pages above it in a wiki."""

_SEPARATOR: Final = "\x1f"


def split_sections(document: Document, doc_id: str) -> list[Section]:
    """The sections in order. `[start, end)` is a section's own text, its heading line excluded; it may be blank.

    Every path begins with the document's ancestors. The root section is left out when it is blank and there are headings.
    """
    content = document.markdown
    above = tuple(document.metadata.get(ANCESTORS, ()))
    equal_paths: Counter[tuple[str, ...]] = Counter()
    sections: list[Section] = []

    def add(path: tuple[str, ...], start: int, end: int) -> None:
        section_id = hash32(doc_id, _SEPARATOR.join(path), str(equal_paths[path]))
        equal_paths[path] += 1
        sections.append(Section(section_id, path, start, end, hash32(canonical(content[start:end]))))

    begin = int(document.metadata.get(BODY_START, 0))
    ends = [heading.start for heading in document.headings[1:]] + [len(content)]
    first = document.headings[0].start if document.headings else len(content)
    if not document.headings or canonical(content[begin:first]):
        add(above, begin, first)
    open_headings: list[tuple[int, str]] = []
    for heading, end in zip(document.headings, ends, strict=False):
        while open_headings and open_headings[-1][0] >= heading.level:
            open_headings.pop()
        open_headings.append((heading.level, heading.title))
        add((*above, *(title for _, title in open_headings)), heading.end, end)
    return sections
