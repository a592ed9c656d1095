"""What a document's styles say that shapes its Markdown: headings, lists, code, quotations, tables of contents, hidden text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from ragd.formats.common.opc import Element
from ragd.formats.word.package import W, child_value, toggled, whole

_BODY_TEXT: Final = 9
"""The outline level that says: no heading. 0 to 8 are headings of the levels 1 to 9."""
_MAX_CHAIN: Final = 32
# Word stores its built-in styles' names in English whatever language it is used in; other producers store what they show.
_HEADING_NAME: Final = re.compile(r"(?:heading|見出し|标题|標題) ?([1-9])")
_TITLE_NAME: Final = re.compile(r"title|表題")
_CONTENTS_NAME: Final = re.compile(r"(?:toc|目次|目录) ?[1-9]|table of figures|table of authorities|index [1-9]")
_CODE_NAME: Final = re.compile(r"source ?code|code(?: ?block)?|html preformatted|preformatted text|macro(?: text)?|html 書式付き")
_QUOTE_NAME: Final = re.compile(r"(?:intense |block )?(?:quote|quotations?)|引用文(?: ?2)?")

_MONOSPACED: Final = re.compile(
    r"consolas|courier.*|lucida (?:console|sans typewriter)|menlo|monaco|(?:cascadia|source|fira) (?:code|mono)(?: pro)?.*|"
    r"source code pro|source han code jp|(?:dejavu sans|liberation|noto sans|ubuntu|roboto|jetbrains|ibm plex|sf|andale) ?mono"
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Look:
    """What the style of a paragraph makes of it. `level` counts from 1 for headings; `indent` is in twentieths of a point.

    `num_id` names the list that the style `num_style` numbers its paragraphs in, at `num_level` where that is stated.
    """

    level: int | None = None
    title: bool = False
    contents: bool = False
    code: bool = False
    quote: bool = False
    new_page: bool = False
    hidden: bool = False
    monospaced: bool = False
    indent: int | None = None
    num_id: str | None = None
    num_level: int | None = None
    num_style: str | None = None


@dataclass(frozen=True, slots=True)
class _Style:
    style_id: str
    name: str
    based_on: str | None
    paragraph: Element | None
    run: Element | None


class Styles:
    """The styles part; without one, only what stands at the paragraph or run itself counts."""

    def __init__(self, root: Element | None) -> None:
        self._styles: dict[str, _Style] = {}
        self._default: str | None = None
        self._looks: dict[str | None, Look] = {}
        self._toggles: dict[tuple[str, str], bool | None] = {}
        for element in () if root is None else root.iterchildren(W + "style"):
            style_id = element.get(W + "styleId")
            if style_id is None:
                continue
            name = " ".join(unicodedata.normalize("NFKC", child_value(element, "name") or "").lower().split())
            based_on = child_value(element, "basedOn")
            self._styles[style_id] = _Style(style_id, name, based_on, element.find(W + "pPr"), element.find(W + "rPr"))
            if element.get(W + "type") == "paragraph" and element.get(W + "default") in ("1", "true", "on"):
                self._default = style_id

    def look(self, properties: Element | None) -> Look:
        """What the style named in a paragraph's properties (`w:pPr`) says, itself or through those that it is based on."""
        style_id = child_value(properties, "pStyle") or self._default
        if style_id not in self._styles:
            return Look()
        if style_id not in self._looks:
            self._looks[style_id] = self._resolve(list(self._chain(style_id)))
        return self._looks[style_id]

    def heading_level(self, properties: Element | None, look: Look) -> int | None:
        """Level from 1 if a paragraph is a heading: by its own outline level, else by its style."""
        stated = whole(child_value(properties, "outlineLvl"))
        return look.level if stated is None else _level(stated)

    def stated(self, run_properties: Element, tag: str) -> bool | None:
        """Whether `b`, `i` or `vanish` is on for a run, or (`rFonts`) its font monospaced, by itself or by its character style;
        None when neither says so."""
        stated = _stated(run_properties, tag)
        if stated is not None:
            return stated
        style_id = child_value(run_properties, "rStyle")
        if style_id not in self._styles:
            return None
        key = (style_id, tag)
        if key not in self._toggles:
            self._toggles[key] = _first(_stated(style.run, tag) for style in self._chain(style_id))
        return self._toggles[key]

    def _chain(self, style_id: str | None) -> Iterator[_Style]:
        """A style and those it is based on, nearest first; a circle is left after some rounds."""
        for _ in range(_MAX_CHAIN):
            style = self._styles.get(style_id or "")
            if style is None:
                return
            yield style
            style_id = style.based_on

    def _resolve(self, chain: list[_Style]) -> Look:
        numbered = next((style for style in chain if _list_of(style) is not None), None)
        return Look(
            level=next((level or None for style in chain if (level := _stated_level(style)) is not None), None),
            title=any(_TITLE_NAME.fullmatch(style.name) for style in chain),
            contents=any(_CONTENTS_NAME.fullmatch(style.name) for style in chain),
            code=any(_CODE_NAME.fullmatch(style.name) for style in chain),
            quote=any(_QUOTE_NAME.fullmatch(style.name) for style in chain),
            new_page=bool(_first(toggled(style.paragraph, "pageBreakBefore") for style in chain)),
            hidden=bool(_first(toggled(style.run, "vanish") for style in chain)),
            monospaced=bool(_first(monospaced(style.run) for style in chain)),
            indent=_first(left_indent(style.paragraph) for style in chain),
            num_id=_list_of(numbered),
            num_level=None if numbered is None else whole(child_value(_num_pr(numbered.paragraph), "ilvl")),
            num_style=None if numbered is None else numbered.style_id,
        )


def left_indent(properties: Element | None) -> int | None:
    """The left indent that stands in these paragraph properties, in twentieths of a point."""
    indent = None if properties is None else properties.find(W + "ind")
    return None if indent is None else whole(indent.get(W + "left") or indent.get(W + "start"))


def monospaced(properties: Element | None) -> bool | None:
    """Whether the font stated in these run properties is one that programs are set in; None when none is stated."""
    fonts = None if properties is None else properties.find(W + "rFonts")
    font = None if fonts is None else fonts.get(W + "ascii") or fonts.get(W + "hAnsi")
    return None if font is None else _MONOSPACED.fullmatch(font.lower()) is not None


def _stated(properties: Element | None, tag: str) -> bool | None:
    return monospaced(properties) if tag == "rFonts" else toggled(properties, tag)


def _level(outline: int) -> int | None:
    return outline + 1 if 0 <= outline < _BODY_TEXT else None


def _stated_level(style: _Style) -> int | None:
    """Level from 1 of a heading's style, 0 for a style that says it is none, None for one that doesn't say."""
    if _TITLE_NAME.fullmatch(style.name):
        return 1
    outline = whole(child_value(style.paragraph, "outlineLvl"))
    if outline is not None:
        return _level(outline) or 0
    found = _HEADING_NAME.fullmatch(style.name)
    return int(found[1]) if found else None


def _num_pr(properties: Element | None) -> Element | None:
    return None if properties is None else properties.find(W + "numPr")


def _list_of(style: _Style | None) -> str | None:
    return None if style is None else child_value(_num_pr(style.paragraph), "numId")


def _first(values: Iterator[T | None]) -> T | None:
    return next((value for value in values if value is not None), None)
