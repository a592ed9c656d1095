"""Markdown: the facts are the file itself; markdown-it-py (CommonMark) tells headings from what only looks like one.

Headings inside block quotes and lists are content, not structure. Front matter gives title, tags and language; it is in the
facts, since lines count, but in no section.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag_assistant.errors import DocumentEmpty
from rag_assistant.ingest.loaders.decoding import decode, is_blank
from rag_assistant.ingest.loaders.language import detect_language, language_of_tag
from rag_assistant.ingest.loaders.naming import MAX_TITLE_CHARS, choose_title
from rag_assistant.ingest.sections import BODY_START
from rag_assistant.types import Document, Heading

_FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\n(.*?)(?<=\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MAX_FRONT_MATTER: Final = 65_536
# The parser skips to the end of the document once a list nests deeper; its own limit of 20 is met in real outlines.
_MAX_NESTING: Final = 100
_NOT_NEEDED: Final = ("inline", "text_join")


class MarkdownLoader:
    """CommonMark, with YAML front matter."""

    name = "markdown"
    version = "1"

    def load(self, data: bytes, name: str) -> Document:
        decoded = decode(data, name)
        text, warnings = decoded.text, list(decoded.warnings)
        front, body_start, problem = _front_matter(text)
        if problem:
            warnings.append(problem)
        if body_start and is_blank(text[body_start:]):
            raise DocumentEmpty(f"'{name}' holds front matter and no text.")
        headings = markdown_headings(text, body_start)
        first_h1 = next((heading.title for heading in headings if heading.level == 1), None)
        stated = front.get("title")
        title, metadata = choose_title(name, front_matter=stated if isinstance(stated, str) else None, heading=first_h1)
        metadata |= {"encoding": decoded.encoding, BODY_START: body_start}
        if tags := _tags(front):
            metadata["tags"] = tags
        tag = front.get("lang") or front.get("language")
        return Document(
            doc_type="markdown",
            title=title,
            markdown=text,
            loader=self.name,
            loader_version=self.version,
            verbatim=True,
            headings=headings,
            language=(language_of_tag(tag) if isinstance(tag, str) else None) or detect_language(text[body_start:]),
            metadata=metadata,
            warnings=tuple(warnings),
        )


def markdown_headings(text: str, body_start: int = 0) -> tuple[Heading, ...]:
    """ATX and setext headings of the top level, with their characters in `text`; empty ones are left out."""
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING})
    inline = MarkdownIt("commonmark")
    parser.disable(_NOT_NEEDED)
    body = text[body_start:]
    starts = [0]
    for line in body.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    tokens = parser.parse(body)
    headings = []
    for opening, content in pairwise(tokens):
        if opening.type != "heading_open" or opening.level or opening.map is None:
            continue
        title = _plain(inline.parseInline(content.content))
        if title:
            first, after = opening.map
            end = min(starts[after], len(body))
            headings.append(Heading(body_start + starts[first], body_start + end, int(opening.tag[1]), title[:MAX_TITLE_CHARS]))
    return tuple(headings)


def _plain(tokens: list[Token]) -> str:
    """The text of inline Markdown without its marks: of a link its words, of an image its description."""
    parts: list[str] = []
    for token in tokens:
        if token.children:
            parts.append(_plain(token.children))
        elif token.type in ("text", "code_inline"):
            parts.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return " ".join("".join(parts).split())


def _front_matter(text: str) -> tuple[dict[str, Any], int, str | None]:
    """The front matter's values, where the body begins, and what is wrong with it. It is front matter only if it is a mapping."""
    found = _FRONT_MATTER.match(text[:_MAX_FRONT_MATTER])
    if not found:
        return {}, 0, None
    try:
        # BaseLoader makes texts, lists and mappings only: `title: No` stays a text, and nothing is constructed.
        values = yaml.load(found[1], Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split()[:12])
        return {}, 0, f"the front matter isn't valid YAML and is read as text: {reason}"
    return (values, found.end(), None) if isinstance(values, dict) else ({}, 0, None)


def _tags(front: dict[str, Any]) -> list[str]:
    stated = front.get("tags") or front.get("keywords") or []
    values = stated.split(",") if isinstance(stated, str) else stated if isinstance(stated, list) else []
    return [value.strip() for value in values if isinstance(value, str) and value.strip()]
