"""Markdown: the content is the file itself; markdown-it-py (CommonMark) knows headings from what only looks like one.

Headings inside block quotes and lists are content, not structure; `<h1>` of a block of HTML is one. Front matter gives title,
tags and language; it is in the content, since lines count, but in no section.
"""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import markdown_it
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ragd.core.documents import Document, Heading
from ragd.core.errors import DocumentEmpty
from ragd.core.sections import BODY_START
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.decoding import decode, is_blank
from ragd.formats.common.naming import MAX_TITLE_CHARS, choose_title
from ragd.formats.common.pictures import PictureShelf
from ragd.formats.common.text import line_starts
from ragd.formats.markdown.pictures import Blocks, take_pictures
from ragd.language.detection import language_of_tag
from ragd.providers.protocols import ALONE, LoadContext

_FRONT_MATTER: Final = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)(?<=\n)(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MAX_FRONT_MATTER: Final = 65_536
# The parser skips to the end of the document once a list nests deeper; its own limit of 20 is met in real outlines.
_MAX_NESTING: Final = 100
_NOT_NEEDED: Final = ("inline", "text_join")
# READMEs centre their title so.
_HTML_HEADING: Final = re.compile(r"<h([1-6])\b[^<>]*+>((?:[^<]++|<(?!/?h[1-6]))*+)</h\1\s*+>", re.IGNORECASE)
_HTML_TAG: Final = re.compile(r"<[^<>]*>")


class MarkdownLoader(FormatLoader):
    """CommonMark, with YAML or TOML front matter."""

    name = "markdown"
    version = "4"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:
        decoded = decode(data, name)
        text, warnings = decoded.text, list(decoded.warnings)
        front, body_start, problem = _front_matter(text)
        if problem:
            warnings.append(problem)
        if body_start and is_blank(text[body_start:]):
            raise DocumentEmpty(f"'{name}' holds front matter and no text.")
        blocks = _blocks(text, body_start)
        shelf = PictureShelf(context)
        markdown = take_pictures(text, blocks, shelf)
        headings = _headings(markdown, blocks, _starts(markdown, body_start))
        first_h1 = next((heading.title for heading in headings if heading.level == 1), None)
        stated = front.get("title")
        title, metadata = choose_title(name, front_matter=stated if isinstance(stated, str) else None, heading=first_h1)
        metadata |= {"encoding": decoded.encoding, BODY_START: body_start, **shelf.metadata()}
        if tags := _tags(front):
            metadata["tags"] = tags
        tag = front.get("lang") or front.get("language")
        return self._document(
            title,
            markdown,
            metadata,
            parser=f"markdown-it-py {markdown_it.__version__}",
            verbatim=True,
            headings=headings,
            pictures=shelf.pictures,
            language=language_of_tag(tag) if isinstance(tag, str) else None,
            prose=markdown[body_start:],
            warnings=(*warnings, *shelf.warnings()),
        )


class _BlockParser(MarkdownIt):
    """Leaves links as they are written. None of them is followed by what is parsed here."""

    def normalizeLink(self, url: str) -> str:
        return url

    def validateLink(self, url: str) -> bool:  # noqa: ARG002
        return True


# Made once: that takes as long as reading a short file. What is parsed leaves nothing in them.
_BLOCKS: Final = _BlockParser("commonmark", {"maxNesting": _MAX_NESTING}).disable(_NOT_NEEDED)
_INLINE: Final = MarkdownIt("commonmark")


def _blocks(text: str, body_start: int) -> Blocks:
    found: dict[str, Any] = {}
    tokens = _BLOCKS.parse(text[body_start:], found)
    definitions = {label: str(target["href"]) for label, target in found.get("references", {}).items()}
    return Blocks(tokens, _starts(text, body_start), definitions)


def _starts(text: str, body_start: int) -> list[int]:
    return line_starts(text[body_start:].split("\n"), body_start)


def _headings(markdown: str, blocks: Blocks, starts: Sequence[int]) -> tuple[Heading, ...]:
    """ATX and setext headings of the top level and those in HTML; empty ones are left out. `starts` are of its lines."""
    headings: list[Heading] = []

    def add(level: int, title: str, start: int, end: int) -> None:
        if title and (not headings or start >= headings[-1].end):
            headings.append(Heading(start, min(end, len(markdown)), level, title[:MAX_TITLE_CHARS]))

    for opening, content in pairwise((*blocks.tokens, Token("end", "", 0))):
        if opening.level or opening.map is None:
            continue
        first, after = opening.map
        if opening.type == "heading_open":
            add(int(opening.tag[1]), _plain(_INLINE.parseInline(content.content)), starts[first], starts[after])
        elif opening.type == "html_block":
            for match in _HTML_HEADING.finditer(markdown, starts[first], min(starts[after], len(markdown))):
                title = " ".join(html.unescape(_HTML_TAG.sub(" ", match[2])).split())
                add(int(match[1]), title, *match.span())
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
        values = yaml.load(found[2], Loader=yaml.BaseLoader) if found[1] == "---" else tomllib.loads(found[2])
    except (yaml.YAMLError, tomllib.TOMLDecodeError, RecursionError) as error:
        kind = "YAML" if found[1] == "---" else "TOML"
        return {}, 0, f"the front matter isn't valid {kind} and is read as text: {' '.join(str(error).split()[:12])}"
    return (values, found.end(), None) if isinstance(values, dict) else ({}, 0, None)


def _tags(front: dict[str, Any]) -> list[str]:
    stated = front.get("tags") or front.get("keywords") or []
    values = stated.split(",") if isinstance(stated, str) else stated if isinstance(stated, list) else []
    return [value.strip() for value in values if isinstance(value, str) and value.strip()]
