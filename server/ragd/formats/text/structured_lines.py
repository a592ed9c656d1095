"""Entries of YAML, TOML and INI by the beginnings of lines: nothing is built from the text, so nothing in it can blow up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, islice, pairwise, takewhile
from typing import Final

from ragd.formats.text.structured_entries import MAX_DEPTH, MAX_ENTRIES, Entry

_KEY: Final = re.compile(
    r"(?P<key>\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+'|[^\s#\"'\[\]{},&*!|>%@-][^\n:]*+(?::(?=\S)[^\n:]*+)*+)\s*:(?:\s(?P<value>.*)|$)"
)
_NO_VALUE: Final = re.compile(r"\s*(?:[&!]\S*\s*)*(?:#.*)?$")
_ITEM: Final = re.compile(r"-(?:\s+(?:(?:name|id|title|key|alert|job_name|task)\s*:\s*)?(?P<title>[^\n]{0,80})|$)")
_DOCUMENT: Final = re.compile(r"---(?:\s|$)")
_KIND: Final = re.compile(r"kind:\s*[\"']?([\w.-]+)")
_METADATA: Final = re.compile(r"metadata:\s*(?:#.*)?$")
_NAME: Final = re.compile(r"\s+name:\s*[\"']?([\w.-]+)")
_TOML_TABLE: Final = re.compile(r"\[{1,2}\s*(?P<title>[^\[\]\n]+?)\s*\]{1,2}\s*(?:#.*)?$")
_TOML_STRING: Final = re.compile(r"\"\"\"(?s:.*?)(?:\"\"\"|\Z)|'''(?s:.*?)(?:'''|\Z)")
_INI_SECTION: Final = re.compile(r"\[(?P<title>[^\[\]\n]+)\]\s*(?:[;#].*)?$")
_MAX_LINE: Final = 1000


class _Rows:
    """Lines of a text, and the characters where they begin."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
        self.starts[-1] -= 1

    def entries(self, found: Sequence[tuple[int, str]], floor: int, end: int, comment: str = "#") -> list[Entry]:
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
            Entry(self.starts[first], self.starts[last], title)
            for first, last, (_, title) in zip(firsts, ends, found, strict=True)
        ]


def yaml_entries(text: str) -> list[Entry]:
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


def _yaml_level(rows: _Rows, first: int, end: int, depth: int) -> list[Entry]:
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
    if not found or len(found) > MAX_ENTRIES:
        return []
    entries = rows.entries(found, first, end)
    if depth < MAX_DEPTH:
        nexts = [*(row for row, _ in found[1:]), end]
        for entry, (row, _), last, is_open in zip(entries, found, nexts, open_values, strict=True):
            if is_open:
                entry.entries = _yaml_level(rows, row + 1, last, depth + 1)
    return entries


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def toml_entries(text: str) -> list[Entry]:
    """Tables and arrays of tables, by their dotted name."""
    masked = _TOML_STRING.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return _headed(text, masked.split("\n"), _TOML_TABLE)


def ini_entries(text: str) -> list[Entry]:
    """Sections."""
    return _headed(text, text.split("\n"), _INI_SECTION)


def _headed(text: str, lines: Sequence[str], header: re.Pattern[str]) -> list[Entry]:
    rows = _Rows(text)
    found = [(row, title[1]) for row, line in enumerate(lines) if line[:1] == "[" and (title := header.match(line[:_MAX_LINE]))]
    return rows.entries(found, 0, len(rows.lines), comment="#;") if 0 < len(found) <= MAX_ENTRIES else []
