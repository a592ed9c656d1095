"""Entries of structured text (keys of JSON and YAML, tables of TOML, elements of XML) as headings of no characters.

An entry of several lines heads a section, and is divided again when it is longer than a passage; entries of one line stay
together. What is data rather than structure, such as a dictionary of thousands of small entries, is not divided.

YAML, TOML and INI are read by the beginnings of lines, JSON and XML in one pass over their tokens, which finds depth and names
and checks nothing else: nothing is built from the text, so nothing in it can blow up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise, takewhile
from typing import Final

from ragd.core.documents import Heading
from ragd.formats.code.symbols import MAX_CHARACTERS
from ragd.formats.common.naming import MAX_TITLE_CHARS
from ragd.formats.common.text import line_starts

_MAX_DEPTH: Final = 4
_LONG: Final = 1500
"""Characters from which an entry is divided."""
_MANY: Final = 200
"""Entries from which they are taken for data unless they are long, `_MIN_AVERAGE` characters in the mean."""
_MIN_AVERAGE: Final = 300
_MAX_ENTRIES: Final = 5000
"""Entries of one parent beyond which it is not divided."""

_MAX_JOINED_TITLE: Final = 80
_KEY: Final = re.compile(
    r"(?P<key>\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+'|[^\s#\"'\[\]{},&*!|>%@-][^\n:]*+(?::(?=\S)[^\n:]*+)*+)\s*:(?:\s(?P<value>.*)|$)"
)
_NO_VALUE: Final = re.compile(r"\s*(?:[&!]\S*\s*)*(?:#.*)?$")
_ITEM: Final = re.compile(r"-(?:\s+(?:(?:name|id|title|key|alert|job_name|task)\s*:\s*)?(?P<title>[^\n]{0,80})|$)")
_DOCUMENT: Final = re.compile(r"---(?:\s|$)")
_KIND: Final = re.compile(r"kind:\s*[\"']?([\w.-]+)")
_METADATA: Final = re.compile(r"metadata:\s*(?:#.*)?$")
_NAME: Final = re.compile(r"\s+name:\s*[\"']?([\w.-]+)")
_TOML_TABLE: Final = re.compile(r"\[{1,2}+\s*+(?P<title>(?:[^\[\]\s]|[^\S\n]++(?=[^\[\]\s]))++)\s*+\]{1,2}+\s*+(?:#.*)?$")
_TOML_STRING: Final = re.compile(r"\"\"\"(?s:.*?)(?:\"\"\"|\Z)|'''(?s:.*?)(?:'''|\Z)")
_INI_SECTION: Final = re.compile(r"\[(?P<title>[^\[\]\n]+)\]\s*(?:[;#].*)?$")
_MAX_LINE: Final = 1000
_JSON: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],]|//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)', re.DOTALL)
_COLON: Final = re.compile(r"\s*:\s*(\"(?:[^\"\\\n]|\\.){0,200}\")?")
_NAMES: Final = frozenset(("name", "id", "title", "key", "operationId", "label"))
_XML: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"
    r"|<(?P<end>/?)(?P<tag>[\w:.-]++)(?P<attributes>(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>",
    re.DOTALL,
)
_NAMING: Final = re.compile(r"""(?<![\w:-])(?:\w+:)?(?:name|id|key|ref|type)\s*=\s*["']([^"']{1,100})["']""", re.IGNORECASE)


@dataclass(slots=True)
class _Entry:
    """An entry at characters `[start, end)` of the text, with the entries in it."""

    start: int
    end: int
    title: str
    entries: list[_Entry] = field(default_factory=list)


def _add(text: str, entries: Sequence[_Entry], level: int, found: list[Heading]) -> None:
    if level > _MAX_DEPTH or _is_data(entries):
        return
    joined: list[str] = []
    joined_start = 0
    is_first = True

    def close() -> None:
        if joined and not is_first:  # what stands first belongs to what holds them all
            title = ", ".join(joined)
            shown = (
                title if len(title) <= _MAX_JOINED_TITLE else f"{title[:_MAX_JOINED_TITLE].rpartition(', ')[0] or joined[0]}, …"
            )
            found.append(Heading(joined_start, joined_start, level, shown[:MAX_TITLE_CHARS]))
        joined.clear()

    for entry in entries:
        if "\n" not in text[entry.start : entry.end].strip() and entry.end - entry.start <= _LONG:
            joined_start = joined_start if joined else entry.start
            joined.append(entry.title)
            continue
        close()
        is_first = False
        found.append(Heading(entry.start, entry.start, level, entry.title[:MAX_TITLE_CHARS]))
        if entry.end - entry.start > _LONG:
            _add(text, entry.entries, level + 1, found)
    close()


def _is_data(entries: Sequence[_Entry]) -> bool:
    length = sum(entry.end - entry.start for entry in entries)
    return len(entries) > _MANY and length < _MIN_AVERAGE * len(entries)


class _Rows:
    """Lines of a text, and the characters where they begin."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.starts = line_starts(self.lines)
        self.starts[-1] -= 1

    def entries(self, found: Sequence[tuple[int, str]], floor: int, end: int, comment: str = "#") -> list[_Entry]:
        """Entries that begin in these rows, comments just above included, and reach each to the next; the last to row `end`."""
        firsts = []
        for row, _ in found:
            first = row
            while first > floor and self.lines[first - 1].lstrip().startswith(tuple(comment)):
                first -= 1
            firsts.append(first)
            floor = row + 1
        ends = [*firsts[1:], end]
        return [
            _Entry(self.starts[first], self.starts[last], title)
            for first, last, (_, title) in zip(firsts, ends, found, strict=True)
        ]


def _yaml_entries(text: str) -> list[_Entry]:
    """The keys of the outermost mapping, of each document if there are several, and the keys and named items in them."""
    rows = _Rows(text)
    marks = [row for row, line in enumerate(rows.lines) if _DOCUMENT.match(line)]
    edges = sorted({0, *marks, len(rows.lines)})
    documents = [(first, end) for first, end in pairwise(edges) if any(map(_holds_code, rows.lines[first:end]))]
    if len(documents) < 2:
        return _yaml_level(rows, 0, len(rows.lines), 1)
    found = [(first, _document_title(rows.lines[first:end], number)) for number, (first, end) in enumerate(documents, 1)]
    entries = rows.entries(found, 0, len(rows.lines))
    for entry, (first, end) in zip(entries, documents, strict=True):
        entry.entries = _yaml_level(rows, first, end, 2)
    return entries


def _holds_code(line: str) -> bool:
    code = line.strip()
    return bool(code) and not code.startswith(("#", "---", "%"))


def _document_title(lines: Sequence[str], number: int) -> str:
    """Kind and name, as Kubernetes has them."""
    kind = next((found[1] for line in lines if (found := _KIND.match(line))), "")
    name = ""
    metadata = next((row for row, line in enumerate(lines) if _METADATA.match(line)), len(lines))
    children = [line for line in islice(lines, metadata + 1, None) if _holds_code(line)]
    for line in takewhile(_indent, children):
        if _indent(line) == _indent(children[0]) and (found := _NAME.match(line)):
            name = found[1]
            break
    return f"{kind} {name}".strip() or f"document {number}"


def _yaml_level(rows: _Rows, first: int, end: int, depth: int) -> list[_Entry]:
    """Entries whose lines are indented like the first of these rows that is code. Each level reads its rows once."""
    code = next((row for row in range(first, end) if _holds_code(rows.lines[row])), None)
    if code is None:
        return []
    indent = _indent(rows.lines[code])
    found: list[tuple[int, str]] = []
    open_values: list[bool] = []
    for row in range(code, end):
        line = rows.lines[row]
        text = line[indent : indent + _MAX_LINE]
        if _indent(line) != indent or not text:
            continue
        if key := _KEY.match(text):
            found.append((row, key["key"].strip("\"'")))
            open_values.append(_NO_VALUE.match(key["value"] or "") is not None)
        elif (item := _ITEM.match(text)) and (not found or rows.lines[found[-1][0]][indent : indent + 1] == "-"):
            found.append((row, (item["title"] or "").strip(" \"':") or f"item {len(found) + 1}"))
            open_values.append(False)
    if not found or len(found) > _MAX_ENTRIES:
        return []
    entries = rows.entries(found, first, end)
    if depth < _MAX_DEPTH:
        nexts = [*(row for row, _ in found[1:]), end]
        for entry, (row, _), last, is_open in zip(entries, found, nexts, open_values, strict=True):
            if is_open:
                entry.entries = _yaml_level(rows, row + 1, last, depth + 1)
    return entries


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _toml_entries(text: str) -> list[_Entry]:
    """Tables and arrays of tables, by their dotted name."""
    masked = _TOML_STRING.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return _headed(text, masked.split("\n"), _TOML_TABLE)


def _ini_entries(text: str) -> list[_Entry]:
    """Sections."""
    return _headed(text, text.split("\n"), _INI_SECTION)


def _headed(text: str, lines: Sequence[str], header: re.Pattern[str]) -> list[_Entry]:
    rows = _Rows(text)
    found = [(row, title[1]) for row, line in enumerate(lines) if line[:1] == "[" and (title := header.match(line[:_MAX_LINE]))]
    return rows.entries(found, 0, len(rows.lines), comment="#;") if 0 < len(found) <= _MAX_ENTRIES else []


class _Stack:
    """The open entries of one text. `entries` of depth 1 are those of the whole."""

    def __init__(self, text: str) -> None:
        self.root = _Entry(0, len(text), "")
        self.open: list[_Entry] = [self.root]
        self._text = text
        self._full: set[int] = set()

    def begin(self, start: int, title: str) -> None:
        entry = _Entry(_line_start(self._text, start), start, title)
        parent = self.open[-1]
        if len(parent.entries) == _MAX_ENTRIES:
            parent.entries.clear()
            self._full.add(id(parent))
        if id(parent) not in self._full:
            parent.entries.append(entry)
        self.open.append(entry)

    def end(self, at: int) -> None:
        self.open.pop().end = at


def _line_start(text: str, at: int) -> int:
    """Where the line begins, if only blanks stand before `at` in it; else `at` itself."""
    begin = at
    while begin > 0 and text[begin - 1] in " \t":
        begin -= 1
    return begin if begin == 0 or text[begin - 1] == "\n" else at


def _json_entries(text: str) -> list[_Entry]:
    """The keys of objects, and objects in lists by their name, down to `_MAX_DEPTH`. Comments are allowed."""
    stack = _Stack(text)
    # Of each open bracket, whether it is an object's; an entry is open for each key, and for each object of a list.
    brackets: list[bool] = []
    keyed: list[bool] = []
    numbers: list[int] = []
    last_end = 0
    for match in _JSON.finditer(text):
        token = match[0]
        first = token[0]
        depth = len(brackets)
        if first == '"':
            if depth and depth <= _MAX_DEPTH and brackets[-1] and not keyed[-1] and (colon := _COLON.match(text, match.end())):
                key = token.strip('"')
                if key in _NAMES and colon[1] and stack.open[-1].title.startswith("item "):
                    stack.open[-1].title = colon[1].strip('"')
                stack.begin(match.start(), key)
                keyed[-1] = True
        elif first in "{[":
            if depth and depth <= _MAX_DEPTH and not brackets[-1] and first == "{":
                numbers[-1] += 1
                stack.begin(match.start(), f"item {numbers[-1]}")
                keyed[-1] = True
            brackets.append(first == "{")
            keyed.append(False)
            numbers.append(0)
        elif first in "}],":
            if depth and keyed[-1]:
                stack.end(match.start() if first == "," else last_end)
                keyed[-1] = False
            if first != "," and depth:
                brackets.pop()
                keyed.pop()
                numbers.pop()
        else:
            continue
        last_end = match.end()
    for entry in stack.open:
        entry.end = len(text)
    return stack.root.entries


def _xml_entries(text: str) -> list[_Entry]:
    """The elements below the outermost one, by their tag and what names them, down to `_MAX_DEPTH`."""
    stack = _Stack(text)
    depth = 0
    for match in _XML.finditer(text):
        tag = match["tag"]
        if tag is None:
            continue
        if match["end"]:
            depth = max(0, depth - 1)
            if 1 <= depth == len(stack.open) - 1:
                stack.end(match.end())
            continue
        attributes = match["attributes"] or ""
        if 1 <= depth <= _MAX_DEPTH and depth == len(stack.open):
            named = _NAMING.search(attributes[:500])
            stack.begin(match.start(), f"{tag} {named[1]}" if named else tag)
            if attributes.endswith("/"):
                stack.end(match.end())
        if not attributes.endswith("/"):
            depth += 1
    for entry in stack.open:
        entry.end = len(text)
    return stack.root.entries


_ENTRIES: Final[dict[str, Callable[[str], Sequence[_Entry]]]] = {
    "json": _json_entries,
    "yaml": _yaml_entries,
    "toml": _toml_entries,
    "ini": _ini_entries,
    "xml": _xml_entries,
}


def structured_headings(text: str, language: str | None) -> tuple[tuple[Heading, ...], str | None] | None:
    """Headings for the entries of a whole text, in its order, and why some may be missing; None for text of another language."""
    entries_of = _ENTRIES.get(language or "")
    if entries_of is None:
        return None
    if len(text) > MAX_CHARACTERS:
        return (), f"keys were not looked for: more than {MAX_CHARACTERS:,} characters"
    found: list[Heading] = []
    _add(text, entries_of(text), 1, found)
    return tuple(found), None
