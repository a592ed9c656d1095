"""Jira's wiki markup, in which Data Center keeps rich text, as Markdown: its blocks. `wiki_inline` does what is within a line.

Two passes, both linear: the first parts the text at macros (`{code}`, `{noformat}`, `{quote}`, `{panel}`), the second reads
lines. A macro that is never closed is text, and so is one in monospaced text (`{{quote}}`). Blocks of three backticks, which many
write though Jira does not know them, are code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final, Literal

from ragd.formats.jira.content import Cell, IssueContent
from ragd.formats.jira.wiki_inline import inline, next_of

_MAX_LIST_DEPTH: Final = 10
_MAX_OPEN: Final = 10
"""Quotations and panels inside of each other."""
_MAX_ROW_LINES: Final = 30

_MACRO: Final = re.compile(
    r"(?<![\\{])\{(code|noformat|quote|panel)(?::([^{}\n]{0,500}))?\}(?!\})"
    r"|^(?P<fence>```)(?P<tag>[A-Za-z][\w+#.-]{0,19})?[ \t]*$",
    re.M,
)
_ENDS: Final = {name: re.compile(rf"(?<!\{{)\{{{name}\}}(?!\}})") for name in ("code", "noformat", "quote", "panel")} | {
    "fence": re.compile(r"\n```(?=[ \t]*$)", re.M)
}
_COLOR: Final = re.compile(r"(?<![\\{])\{color(:[^{}\n]{1,40})?\}(?!\})")
_HEADING: Final = re.compile(r"[ \t]*h([1-6])\.[ \t]+(\S.*)")
_QUOTE: Final = re.compile(r"[ \t]*bq\.[ \t]+(\S.*)")
_ITEM: Final = re.compile(r"[ \t]*([*#]{1,20}|-{1,20})[ \t]+(\S.*)")
_RULE: Final = re.compile(r"[ \t]*-{4,}[ \t]*")
_ROW: Final = re.compile(r"[ \t]*\|")
_CELLS: Final = re.compile(
    r"(?P<bar>\|\|?)|(?P<text>\\.|\[[^\[\]\n]{0,300}\]|\{\{[^\n{}]{1,300}\}\}|![^!|\s][^!|\n]{0,200}\|[^!|\n]{0,100}!|[^|\\\[{!]+|.)",
    re.S,
)


@dataclass(frozen=True, slots=True)
class _Part:
    kind: Literal["text", "code", "open", "close"]
    text: str = ""
    macro: str = ""
    language: str = ""
    title: str = ""


def write_wiki(out: IssueContent, text: str, below: int, users: Mapping[str, str]) -> None:
    """Append a text; its headings stand below the level `below`. `users` are display names by user name."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    writer = _Writer(out, below, users)
    with ExitStack() as outside:
        opened: list[ExitStack] = []
        for part in _parts(text):
            if part.kind == "text":
                writer.write(part.text)
            elif part.kind == "open":
                stack = outside.enter_context(ExitStack())
                opened.append(stack)
                stack.enter_context(out.inside("> "))
            elif part.kind == "close":
                opened.pop().close()
            if part.title:
                out.paragraph(f"**{inline(part.title, users)}**")
            if part.kind == "code":
                out.code(part.text, part.language)
        while opened:
            opened.pop().close()


def _parts(text: str) -> Iterator[_Part]:
    """The text, parted at its macros; what opens is closed by what opened last."""
    position = searched = 0
    opened: list[str] = []
    ends = {name: [found.start() for found in expression.finditer(text)] for name, expression in _ENDS.items()}
    while found := _MACRO.search(text, searched):
        name, start, searched = found[1] or "fence", found.start(), found.end()
        if name in opened:
            if opened[-1] != name or found[2] is not None:
                continue
            opened.pop()
            parts, end = [_Part("close", macro=name)], found.end()
        elif name in ("quote", "panel"):
            if next_of(ends[name], found.end()) is None or len(opened) >= _MAX_OPEN:
                continue
            opened.append(name)
            parts, end = [_Part("open", macro=name, title=_parameters(found[2])[1])], found.end()
        else:
            closing = next_of(ends[name], found.end())
            if closing is None or (name == "fence" and not text[found.end() : closing].strip()):
                continue
            language, title = _parameters(found[2])
            parts = [_Part("code", text[found.end() : closing], language=found["tag"] or language, title=title)]
            end = closing + (4 if name == "fence" else len(name) + 2)
        yield _Part("text", text[position:start])
        yield from parts
        position = searched = end
    yield _Part("text", text[position:])


def _parameters(stated: str | None) -> tuple[str, str]:
    """Language and title of `java|title=Main.java` or `title=a.py|language=python`."""
    language = title = ""
    for index, parameter in enumerate((stated or "").split("|")):
        key, equals, value = parameter.partition("=")
        if not equals and index == 0:
            language = key.strip()
        elif key.strip() == "title":
            title = value.strip()
        elif key.strip() in ("language", "lang"):
            language = value.strip()
    return language, title


class _Writer:
    """Reads the lines of texts between macros."""

    def __init__(self, out: IssueContent, below: int, users: Mapping[str, str]) -> None:
        self._out = out
        self._below = below
        self._users = users
        self._lines: Sequence[str] = ()
        self._at = 0
        self._colors = 0

    def write(self, text: str) -> None:
        self._lines, self._at = _COLOR.sub(self._uncoloured, text).split("\n"), 0
        readers: tuple[Callable[[], bool], ...] = (self._heading, self._quote, self._rule, self._list, self._table)
        waiting: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            before = self._at
            if line.strip() and not self._begins_block(line):
                waiting.append(line.rstrip())
                self._at += 1
                continue
            self._paragraph(waiting)
            waiting = []
            if not line.strip():
                self._at += 1
            elif not any(read() for read in readers):
                waiting.append(self._lines[before].rstrip())
                self._at = before + 1
        self._paragraph(waiting)

    def _uncoloured(self, macro: re.Match[str]) -> str:
        """Nothing for a macro that begins a colour or ends one, wherever the other stands; what ends none is text."""
        if macro[1] is None and not self._colors:
            return macro[0]
        self._colors += 1 if macro[1] else -1
        return ""

    @staticmethod
    def _begins_block(line: str) -> bool:
        return line.lstrip()[:1] in ("h", "b", "*", "#", "-", "|") and bool(
            _HEADING.fullmatch(line)
            or _QUOTE.fullmatch(line)
            or _ITEM.fullmatch(line)
            or _RULE.fullmatch(line)
            or _ROW.match(line)
        )

    def _paragraph(self, lines: Sequence[str]) -> None:
        if lines:
            self._out.paragraph(self._inline("\n".join(lines)))

    def _inline(self, text: str) -> str:
        return inline(text, self._users)

    def _heading(self) -> bool:
        found = _HEADING.fullmatch(self._lines[self._at])
        if found:
            self._out.heading(self._below + int(found[1]), self._inline(found[2]))
            self._at += 1
        return found is not None

    def _quote(self) -> bool:
        found = _QUOTE.fullmatch(self._lines[self._at])
        if found:
            with self._out.inside("> "):
                self._out.paragraph(self._inline(found[1]))
            self._at += 1
        return found is not None

    def _rule(self) -> bool:
        if not _RULE.fullmatch(self._lines[self._at]):
            return False
        self._out.paragraph("---")
        self._at += 1
        return True

    def _list(self) -> bool:
        """Items of a list and of the lists in it. One that begins deeper than the first level is none: `*** ERROR` in a log."""
        numbers: list[int] = []
        kinds = ""
        written = False
        while self._at < len(self._lines):
            found = _ITEM.fullmatch(self._lines[self._at])
            depth = min(len(found[1]), _MAX_LIST_DEPTH) if found else 0
            if not found or depth > len(numbers) + 1:
                break
            numbers = numbers[:depth] if len(numbers) >= depth else [*numbers, 0]
            kinds, before = kinds[: depth - 1] + found[1][-1], kinds[depth - 1 : depth]
            numbers[-1] = numbers[-1] + 1 if before == found[1][-1] else 1
            marker = f"{numbers[-1]}. " if found[1][-1] == "#" else "- "
            text = found[2]
            self._at += 1
            while self._at < len(self._lines) and self._continues(self._lines[self._at]):
                text += "\n" + self._lines[self._at].strip()
                self._at += 1
            with ExitStack() as nested:
                if depth > 1:
                    nested.enter_context(self._out.inside("   " * (depth - 1)))
                nested.enter_context(self._out.inside(marker, once=True, tight=written))
                self._out.paragraph(self._inline(text))
            written = True
        return written

    def _continues(self, line: str) -> bool:
        return bool(line.strip()) and not self._begins_block(line)

    def _table(self) -> bool:
        rows: list[list[Cell]] = []
        while self._at < len(self._lines) and (row := self._row()):
            rows.append(row)
        self._out.table(rows)
        return bool(rows)

    def _row(self) -> list[Cell]:
        """The cells of the row that begins here; a cell may go on over lines. Empty when it is no row after all."""
        line = self._lines[self._at]
        if not _ROW.match(line):
            return []
        taken = 1
        if not line.rstrip().endswith("|"):
            for ahead in range(self._at + 1, min(self._at + _MAX_ROW_LINES, len(self._lines))):
                following = self._lines[ahead]
                if not following.strip() or self._begins_block(following):
                    break
                if following.rstrip().endswith("|"):
                    taken = ahead - self._at + 1
                    break
        text = "\n".join(self._lines[self._at : self._at + taken]).strip()
        if text.count("|") < (4 if text.startswith("||") else 2):
            return []
        self._at += taken
        return [Cell(self._inline(content.strip()).replace("\n", " "), header) for header, content in _cells(text)]


def _cells(row: str) -> Iterator[tuple[bool, str]]:
    """Whether each cell is a header, and its text. A bar inside of a link, a picture or code parts nothing."""
    header = False
    content: list[str] = []
    opened = False
    for found in _CELLS.finditer(row):
        if found["text"]:
            content.append(found["text"])
            continue
        if opened:
            yield header, "".join(content)
        header, content, opened = found["bar"] == "||", [], True
    if opened and "".join(content).strip():
        yield header, "".join(content)
