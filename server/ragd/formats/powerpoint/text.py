"""The paragraphs of a shape (DrawingML text, ECMA-376 part 1, 21.1.2) as Markdown: lists with their levels, links, code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ragd.formats.common.opc import MC, A, R
from ragd.formats.common.text import fenced, followable
from ragd.formats.word.signs import equation, symbol

_A14: Final = "{http://schemas.microsoft.com/office/drawing/2010/main}"

BULLETS: Final = (f"{A}buNone", f"{A}buAutoNum", f"{A}buChar", f"{A}buBlip")
_MATH: Final = f"{_A14}m"
_MONOSPACE: Final = frozenset((
    "andale mono", "cascadia code", "cascadia mono", "consolas", "courier", "courier new", "dejavu sans mono", "fira code",
    "ibm plex mono", "jetbrains mono", "liberation mono", "lucida console", "menlo", "monaco", "roboto mono", "sf mono",
    "source code pro", "ubuntu mono",
))  # fmt: skip
_SYMBOL_FONTS: Final = frozenset(("symbol", "wingdings", "wingdings 2"))
_NUMBER: Final = re.compile(r"[-+\u2212]?\d+")
_DEEPEST: Final = 8

LinkOf = Callable[[str], str | None]
"""Target of a relationship by its id; None when there is none."""
_BulletOf = Callable[[Any, int], Any]
"""The bullet element that a paragraph inherits, by the text body and the paragraph's level."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`text` is Markdown, `plain` is it without links. `number` is set in numbered lists; `bullet` in both kinds of lists."""

    text: str
    plain: str
    level: int = 0
    bullet: bool = False
    number: int | None = None
    code: bool = False


def paragraphs(body: Any, link_of: LinkOf, bullet_of: _BulletOf | None = None) -> list[Paragraph]:
    """The paragraphs of a text body (an lxml element) that aren't blank, with the numbers that the slide shows."""
    found: list[Paragraph] = []
    numbering = _Numbering()
    inherited: dict[int, Any] = {}
    for element in body.iterchildren(f"{A}p"):
        pieces, code = _pieces(element, link_of)
        plain = "".join(text for text, _ in pieces)
        if not plain.strip() or _is_slide_number(element):
            continue
        properties = element.find(f"{A}pPr")
        level = min(_DEEPEST, _integer(properties, "lvl", 0))
        bullet = _own_bullet(properties)
        if bullet is None and bullet_of is not None:
            if level not in inherited:
                inherited[level] = bullet_of(body, level)
            bullet = inherited[level]
        number = numbering.next(level, bullet)
        listed = bullet is not None and bullet.tag != BULLETS[0]
        text = "".join(_linked(text, url) for text, url in pieces)
        if not code or listed:
            text, plain = _tidy(text), _tidy(plain)
        found.append(Paragraph(text, plain, level, listed, number, code and not listed))
    return found


def to_markdown(found: Sequence[Paragraph]) -> str:
    """Markdown of paragraphs: neighbouring list items on lines of their own, two or more lines of code fenced."""
    parts: list[str] = []
    indents: list[tuple[int, int]] = []
    code: list[str] = []

    def close_code() -> None:
        if code:
            text = fenced("\n".join(line.rstrip() for line in code)) if len(code) > 1 else code[0].strip()
            parts.append(("\n\n" if parts else "") + text)
            code.clear()

    for paragraph in found:
        if paragraph.code:
            indents.clear()
            code.append(paragraph.text)
            continue
        close_code()
        if not paragraph.bullet:
            indents.clear()
            parts.append(("\n\n" if parts else "") + paragraph.text)
            continue
        joint = "\n" if indents else "\n\n"
        while indents and indents[-1][0] >= paragraph.level:
            indents.pop()
        indent = indents[-1][1] if indents else 0
        marker = "- " if paragraph.number is None else f"{paragraph.number}. "
        inner = indent + len(marker)
        indents.append((paragraph.level, inner))
        parts.append((joint if parts else "") + " " * indent + marker + paragraph.text.replace("\n", "\n" + " " * inner))
    close_code()
    return "".join(parts)


def one_line(found: Sequence[Paragraph]) -> tuple[str, str]:
    """The paragraphs on one line, as Markdown and without links."""
    text, plain = (paragraph.text for paragraph in found), (paragraph.plain for paragraph in found)
    return " ".join(" ".join(text).split()), " ".join(" ".join(plain).split())


def branches(element: Any, readable: Callable[[Any], bool] = lambda _: True) -> Iterator[Any]:
    """The children of an element; of alternate content the first choice that holds something readable, else the fall-back."""
    for child in element.iterchildren(tag="{*}*"):
        if child.tag != f"{MC}AlternateContent":
            yield child
            continue
        choices = [list(branch.iterchildren(tag="{*}*")) for branch in child.iterchildren(f"{MC}Choice", f"{MC}Fallback")]
        yield from next((nodes for nodes in choices if any(map(readable, nodes))), choices[0] if choices else ())


def _pieces(paragraph: Any, link_of: LinkOf) -> tuple[list[tuple[str, str | None]], bool]:
    """Stretches of a paragraph with the URL that each links to, and whether all of it is in a typewriter's letters."""
    pieces: list[tuple[str, str | None]] = []
    fonts: list[bool] = []
    for node in branches(paragraph):
        text, url = "", None
        if node.tag == f"{A}br":
            text = "\n"
        elif node.tag == _MATH:
            text = _equation(node)
        elif node.tag in (f"{A}r", f"{A}fld"):
            text = (node.findtext(f"{A}t") or "").replace("\v", "\n")
            properties = node.find(f"{A}rPr")
            if properties is not None:
                text = _raised(_in_letters(text, properties), properties, pieces)
                url = _url(properties, link_of)
            if text.strip():
                fonts.append(_is_monospace(properties))
        if pieces and text and pieces[-1][1] == url:
            pieces[-1] = (pieces[-1][0] + text, url)
        elif text:
            pieces.append((text, url))
    return pieces, bool(fonts) and all(fonts)


def _equation(node: Any) -> str:
    for odd in [child for child in node.iter() if callable(child.tag)]:  # comments and processing instructions
        odd.getparent().remove(odd)
    return equation(node)


def _in_letters(text: str, properties: Any) -> str:
    """Signs of a symbol font, such as the arrow that PowerPoint makes of `->`, as the characters that they show.

    Beside a Latin font, a symbol font is for signs alone: those of the upper half of its table.
    """
    for font in properties.iterchildren(f"{A}sym", f"{A}latin"):
        face = (font.get("typeface") or "").lower()
        if face in _SYMBOL_FONTS:
            whole = font.tag == f"{A}latin"
            return "".join((symbol(face, ord(char)) if whole or _is_sign(char) else "") or char for char in text)
    return text


def _is_sign(char: str) -> bool:
    return "\x80" <= char <= "\xff" or "\uf000" <= char <= "\uf0ff"


def _raised(text: str, properties: Any, before: list[tuple[str, str | None]]) -> str:
    """A raised number keeps a sign of it, since 10^3 isn't 103."""
    stands_on = before[-1][0][-1:] if before else ""
    if _integer(properties, "baseline", 0) > 0 and _NUMBER.fullmatch(text) and (stands_on.isalnum() or stands_on in ")]"):
        return f"^{text}" if stands_on else text
    return text


def _url(properties: Any, link_of: LinkOf) -> str | None:
    click = properties.find(f"{A}hlinkClick")
    return None if click is None else followable(link_of(click.get(f"{R}id") or ""))


def _linked(text: str, url: str | None) -> str:
    inner = text.strip()
    if url is None or not inner or url in (inner, f"mailto:{inner}"):
        return text
    lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead}[{' '.join(inner.split())}]({url}){trail}"


def _tidy(text: str) -> str:
    return "\n".join(stripped for line in text.split("\n") if (stripped := line.strip()))


def _is_monospace(properties: Any) -> bool:
    latin = None if properties is None else properties.find(f"{A}latin")
    return latin is not None and (latin.get("typeface") or "").lower() in _MONOSPACE


def _is_slide_number(paragraph: Any) -> bool:
    """Whether a paragraph says nothing but the number of its slide."""
    fields = [field for field in paragraph.iterchildren(f"{A}fld") if (field.get("type") or "") == "slidenum"]
    return bool(fields) and not any((run.findtext(f"{A}t") or "").strip(" -/\t") for run in paragraph.iterchildren(f"{A}r"))


def _own_bullet(properties: Any) -> Any:
    return None if properties is None else next(properties.iterchildren(*BULLETS), None)


def _integer(element: Any, name: str, default: int) -> int:
    value = "" if element is None else element.get(name) or ""
    return int(value) if len(value) < 10 and value.removeprefix("-").isdecimal() else default


class _Numbering:
    """The number of each paragraph of a numbered list, counted for each level apart, as PowerPoint does."""

    def __init__(self) -> None:
        self._counts: dict[int, tuple[tuple[str, int], int]] = {}

    def next(self, level: int, bullet: Any) -> int | None:
        for deeper in [other for other in self._counts if other > level]:
            del self._counts[deeper]
        if bullet is None or bullet.tag != BULLETS[1]:
            self._counts.pop(level, None)
            return None
        first = max(0, _integer(bullet, "startAt", 1))
        kind = (bullet.get("type") or "", first)
        known, count = self._counts.get(level, (kind, first - 1))
        count = count + 1 if known == kind else first
        self._counts[level] = (kind, count)
        return count
