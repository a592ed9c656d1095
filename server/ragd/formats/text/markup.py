"""Headings of reStructuredText, AsciiDoc, Org and TeX, by the lines that they are written in.

The content is the file itself, so that lines count; no library turns these formats into anything else. What stands in a block of
code, a comment or a literal is no heading.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ragd.core.documents import Heading
from ragd.formats.common.naming import MAX_TITLE_CHARS, extension
from ragd.formats.common.text import line_starts

_ADORNMENT: Final = re.compile(r"([!-/:-@\[-`{-~])\1*$")
_MIN_ADORNMENT: Final = 4
_RST_ROLE: Final = re.compile(
    r"(?<![\w:+.-]):[\w:+.-]{2,}+(?<=:)`([^`<>]*+)(?:<[^`<>]*+>)?`|``([^`]*)``|`([^`<>]*+)(?:<[^`<>]*+>)?`_{0,2}"
)

_ADOC_HEADING: Final = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$")
_ADOC_FENCE: Final = re.compile(r"(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|`{3,}\w*|--|[|,:!]={3,})$")
_ADOC_VERBATIM: Final = "-.+/`"
_ADOC_UNDERLINES: Final = "=-~^+"

_ORG_HEADING: Final = re.compile(r"(\*+)[ \t]++(?:(?:TODO|DONE)[ \t]++)?(?:\[#\w\][ \t]++)?(.*)$")
_ORG_TAGS: Final = re.compile(r"(?<=[ \t]):[\w@#%:]++(?<=:)$")
_ORG_BLOCK: Final = re.compile(r"[ \t]*#\+(begin|end)_(\w+)", re.IGNORECASE)
_ORG_LINK: Final = re.compile(r"\[\[([^\[\]]*)\](?:\[([^\[\]]*)\])?\]")
_ORG_TITLE: Final = re.compile(r"^#\+title:[ \t]*(.+)$", re.IGNORECASE | re.MULTILINE)

_TEX_LEVELS: Final = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_TEX: Final = re.compile(
    r"(?<!\\)%[^\n]*"
    r"|\\begin\{(?P<env>verbatim\*?|Verbatim|lstlisting|minted|comment|alltt)\}.*?(?:\\end\{(?P=env)\}|\Z)"
    rf"|\\(?P<command>{'|'.join(_TEX_LEVELS)}|title)\*?[ \t]*(?:\[[^\[\]]{{0,500}}\])?[ \t]*\{{",
    re.DOTALL,
)
_TEX_COMMAND: Final = re.compile(r"\\(?:[a-zA-Z]+\*?|.)[ \t]*|[{}~]")
_TEX_BRACE: Final = re.compile(r"\\.|[{}]")
# No title is longer; a line of a megabyte is none.
_MAX_TITLE_LINE: Final = 1000


@dataclass(frozen=True, slots=True)
class _Markup:
    """The headings of a text, the title that it states for itself, and the pictures that it shows, as it names them."""

    headings: tuple[Heading, ...]
    title: str | None = None
    pictures: Sequence[str] = ()


def read_markup(text: str, name: str) -> _Markup | None:
    """None when a file called `name` is in none of these formats."""
    reader = _READERS.get(extension(name))
    if reader is None:
        return None
    pictures = [match[match.lastgroup] for match in _PICTURES.finditer(text) if match.lastgroup]
    return replace(reader(text), pictures=pictures)


class _Lines:
    """Lines of a text, and headings made of them."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self._starts = line_starts(self.lines)
        self._length = len(text)
        self.headings: list[Heading] = []

    def add(self, first: int, last: int, level: int, title: str) -> None:
        """A heading of the rows `first` to `last`."""
        plain = " ".join(title.split())[:MAX_TITLE_CHARS]
        if plain:
            self.headings.append(Heading(self._starts[first], min(self._starts[last + 1], self._length), level, plain))

    def blank(self, row: int) -> bool:
        return not 0 <= row < len(self.lines) or not self.lines[row].strip()


def _width(text: str) -> int:
    """Columns that a text takes: two for the wide characters of Chinese and Japanese."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _restructured_text(text: str) -> _Markup:
    """Titles are underlined, or underlined and overlined; a style's level is the order in which it is met first."""
    found = _Lines(text)
    styles: dict[tuple[str, bool], int] = {}
    row = 1
    after = 0  # the first row that is no part of a heading already
    while row < len(found.lines):
        line = found.lines[row].rstrip()
        title = found.lines[row - 1].rstrip()
        underlined = row > after and title.strip() and _ADORNMENT.match(line) and not _ADORNMENT.match(title)
        if underlined and (len(line) >= _MIN_ADORNMENT or len(line) >= _width(title)):
            over = row - 2 >= after and found.lines[row - 2].rstrip() == line
            if over or (not title[0].isspace() and (row - 2 < after or found.blank(row - 2))):
                level = styles.setdefault((line[0], over), len(styles) + 1)
                found.add(
                    row - 1 - over,
                    row,
                    level,
                    _RST_ROLE.sub(lambda match: (match[1] or match[2] or match[3] or "").rstrip(), title[:_MAX_TITLE_LINE]),
                )
                after = row + 1
        row += 1
    return _Markup(tuple(found.headings), found.headings[0].title if found.headings else None)


def _asciidoc(text: str) -> _Markup:
    """Titles begin with `=`; of old files they are underlined with the characters of their level."""
    found = _Lines(text)
    fences: list[str] = []
    for row, whole in enumerate(found.lines):
        line = whole.rstrip()
        if fences and line == fences[-1]:
            fences.pop()
        elif fences and fences[-1][0] in _ADOC_VERBATIM and fences[-1] != "--":
            continue
        elif not fences and _underlines(found, row, line):
            found.add(row - 1, row, _ADOC_UNDERLINES.index(line[0]) + 1, found.lines[row - 1])
        elif _ADOC_FENCE.match(line):
            fences.append(line if line[0] != "`" else "`" * (len(line) - len(line.lstrip("`"))))
        elif not fences and (heading := _ADOC_HEADING.match(line)):
            found.add(row, row, len(heading[1]), heading[2].removesuffix(heading[1]))
    title = next((heading.title for heading in found.headings if heading.level == 1), None)
    return _Markup(tuple(found.headings), title)


def _underlines(found: _Lines, row: int, line: str) -> bool:
    title = found.lines[row - 1].rstrip() if row else ""
    if len(line) < 3 or line[0] not in _ADOC_UNDERLINES or line.strip(line[0]) or not title or title[0] in " \t.[/|*-=":
        return False
    return found.blank(row - 2) and min(abs(_width(title) - len(line)), abs(len(title) - len(line))) <= 2


def _org(text: str) -> _Markup:
    found = _Lines(text)
    block = ""
    for row, line in enumerate(found.lines):
        if edge := _ORG_BLOCK.match(line):
            kind = edge[2].lower()
            if edge[1].lower() == "begin":
                block = block or kind
            elif kind == block:
                block = ""
        elif not block and line.startswith("*") and (heading := _ORG_HEADING.match(line[:_MAX_TITLE_LINE])):
            title = _ORG_TAGS.sub("", heading[2].rstrip()).rstrip()
            found.add(row, row, len(heading[1]), _ORG_LINK.sub(lambda match: match[2] or match[1], title))
    stated = _ORG_TITLE.search(text)
    return _Markup(tuple(found.headings), stated[1].strip() if stated else None)


def _tex(text: str) -> _Markup:
    headings: list[Heading] = []
    stated = None
    for match in _TEX.finditer(text):
        if not (command := match["command"]) or (end := _closing_brace(text, match.end())) is None:
            continue
        title = " ".join(_TEX_COMMAND.sub(" ", text[match.end() : end]).split())[:MAX_TITLE_CHARS]
        if command == "title":
            stated = stated or title or None
        elif title and (not headings or match.start() >= headings[-1].end):
            line_end = text.find("\n", end)
            rest = text[end + 1 : line_end] if line_end >= 0 else text[end + 1 :]
            after = end + 1 if rest.strip() else min(len(text), end + 2 + len(rest))
            headings.append(Heading(match.start(), after, _TEX_LEVELS.index(command) + 1, title))
    return _Markup(tuple(headings), stated)


def _closing_brace(text: str, begin: int) -> int | None:
    depth = 1
    for match in _TEX_BRACE.finditer(text, begin, begin + _MAX_TITLE_LINE):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return match.start()
    return None


_READERS: Final[dict[str, Callable[[str], _Markup]]] = {
    ".rst": _restructured_text,
    ".rest": _restructured_text,
    ".adoc": _asciidoc,
    ".asciidoc": _asciidoc,
    ".asc": _asciidoc,
    ".org": _org,
    ".tex": _tex,
    ".ltx": _tex,
}

_PICTURES: Final = re.compile(
    r"^[ \t]*\.\. (?:\|[^|\n]+\| )?(?:image|figure)::[ \t]*(?P<rst>\S+)|image::?(?P<adoc>[^\s\[\]:][^\s\[\]]{0,300})\["
    r"|\[\[(?:file:)?(?P<org>[^\[\]\n]+\.(?:png|jpe?g|gif|svg|webp))\]\]|\\includegraphics(?:\[[^\[\]\n]*\])?\{(?P<tex>[^{}\n]+)\}",
    re.MULTILINE | re.IGNORECASE,
)
