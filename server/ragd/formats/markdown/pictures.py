"""Pictures of a Markdown text: `![alt](link)`, `![alt][label]` and `<img src=…>`, but not what stands in code or comments.

Embedded pictures (data URIs) are the one thing of the source that the content does not repeat: a megabyte of base64 would become
hundreds of passages. In its place stands the picture's asset link, on the same line, so that lines are counted as before.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from ragd.core.documents import Place
from ragd.formats.common.pictures import PictureShelf, embedded, is_data_uri, picture

_IMAGE: Final = re.compile(
    r"(?<!\\)!\[(?P<alt>(?:[^\[\]\\\n]++|\\.|\n(?!\s*\n)|\[[^\[\]]{0,999}\])*+)\]"
    r"(?:\(\s*(?:<(?P<angled>[^<>\n]*)>|(?P<link>(?:[^\s()<>\\]++|\\.|\([^\s()]*\))++))|\[(?P<label>[^\[\]\n]{0,999})\])?"
)
_TAG: Final = re.compile(r"<img\b(?P<attributes>(?:[^<>\"']++|\"[^\"<>]*\"|'[^'<>]*')*+)>", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(
    r"""(?<![\w-])(?P<name>src|alt)\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'>]+))""", re.IGNORECASE
)
_EMBEDDED_DEFINITION: Final = re.compile(r"^ {0,3}\[(?P<label>[^\[\]\n]{1,999})\]:[ \t]*<?(?P<link>data:[^\s>]+)", re.M | re.I)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TICKS: Final = re.compile(r"(?<!\\)`+")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_NO_PICTURE: Final = "asset://none"
"""Stands for an embedded picture that can't be read."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a text from character `starts[0]` on: markdown-it's tokens, the characters where their lines begin, and the
    links that the text defines by label (`labels` are normalised)."""

    tokens: Sequence[Token]
    starts: Sequence[int]
    definitions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Reference:
    """A reference at character `at`. `[start, end)` is its link, `shown_as` what stands there: a link or a label."""

    at: int
    start: int
    end: int
    link: str
    alt: str
    shown_as: str


def take_pictures(text: str, blocks: Blocks, shelf: PictureShelf) -> str:
    """Put the text's pictures on the shelf; returns the text with asset links in place of embedded pictures."""
    newlines = text.count("\n", 0, blocks.starts[0])
    instead: list[tuple[int, int, str]] = []
    for reference in _references(text, blocks):
        line = bisect_right(blocks.starts, reference.at) + newlines
        inside = is_data_uri(reference.shown_as)
        shown_as = "" if inside else reference.shown_as
        found = shelf.take([reference.link], reference.alt, Place(line_range=(line, line)), shown_as=shown_as)
        if inside:
            instead.append((reference.start, reference.end, found.link if found else _NO_PICTURE))
    for match in _EMBEDDED_DEFINITION.finditer(text, blocks.starts[0]):
        if normalizeReference(match["label"]) in blocks.definitions:
            instead.append((*match.span("link"), _asset_link(match["link"])))
    parts: list[str] = []
    done = 0
    for start, end, link in sorted(instead):
        parts += (text[done:start], link)
        done = end
    return "".join((*parts, text[done:]))


def _asset_link(data_uri: str) -> str:
    data = embedded(data_uri)
    return _NO_PICTURE if data is None else picture(data).link


def _references(text: str, blocks: Blocks) -> Iterator[_Reference]:
    """In the order of the text."""
    done = 0
    for token in blocks.tokens:
        if token.type not in ("inline", "html_block") or token.map is None:
            continue
        begin, end = max(done, blocks.starts[token.map[0]]), min(blocks.starts[token.map[1]], len(text))
        done = max(done, end)
        stretch = text[begin:end]
        found = [*_tags(stretch, begin)]
        if token.type == "inline":
            found = sorted((*found, *_images(stretch, begin, blocks.definitions)), key=lambda reference: reference.at)
        if not found:
            continue
        comments = ((begin + match.start(), begin + match.end()) for match in _COMMENT.finditer(stretch))
        yield from _visible(found, sorted((*_code_spans(stretch, begin), *comments)))


def _visible(found: Sequence[_Reference], hidden: Sequence[tuple[int, int]]) -> Iterator[_Reference]:
    index = covered = 0
    for reference in found:
        while index < len(hidden) and hidden[index][0] <= reference.at:
            covered = max(covered, hidden[index][1])
            index += 1
        if reference.at >= covered:
            yield reference


def _images(stretch: str, begin: int, definitions: Mapping[str, str]) -> Iterator[_Reference]:
    for match in _IMAGE.finditer(stretch):
        at = begin + match.start()
        alt = _ESCAPED.sub(r"\1", match["alt"])
        group = "angled" if match["angled"] is not None else "link"
        if written := match[group]:
            low, high = match.span(group)
            yield _Reference(at, begin + low, begin + high, _ESCAPED.sub(r"\1", written), alt, written)
        elif match[group] is None:
            label = match["label"] or match["alt"]
            if target := definitions.get(normalizeReference(label)):
                yield _Reference(at, at, at, target, alt, label)


def _tags(stretch: str, begin: int) -> Iterator[_Reference]:
    for match in _TAG.finditer(stretch):
        values: dict[str, tuple[int, int]] = {}
        for attribute in _ATTRIBUTE.finditer(stretch, *match.span("attributes")):
            group = next(name for name in ("double", "single", "bare") if attribute[name] is not None)
            values.setdefault(attribute["name"].lower(), attribute.span(group))
        low, high = values.get("src", (0, 0))
        alt = html.unescape(stretch[slice(*values["alt"])]) if "alt" in values else ""
        if written := stretch[low:high]:
            yield _Reference(begin + match.start(), begin + low, begin + high, html.unescape(written.strip()), alt, written)


def _code_spans(stretch: str, begin: int) -> Iterator[tuple[int, int]]:
    """A code span ends at the next run of as many backticks. Each run is looked at twice, however they lie."""
    runs = [match.span() for match in _TICKS.finditer(stretch)]
    closing: dict[int, int] = {}
    closed_by = [0] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        closed_by[index] = closing.get(length, 0)
        closing[length] = index
    index = 0
    while index < len(runs):
        last = closed_by[index]
        if last:
            yield begin + runs[index][0], begin + runs[last][1]
        index = max(last, index) + 1
