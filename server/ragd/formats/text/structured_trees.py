"""Entries of JSON and XML: one pass over the tokens, which tells depth and names and checks nothing else."""

from __future__ import annotations

import re
from typing import Final

from ragd.formats.text.structured_entries import MAX_DEPTH, MAX_ENTRIES, Entry

_JSON: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],]|//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)', re.DOTALL)
_COLON: Final = re.compile(r"\s*:\s*(\"(?:[^\"\\\n]|\\.){0,200}\")?")
_NAMES: Final = frozenset(("name", "id", "title", "key", "operationId", "label"))
_XML: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"
    r"|<(?P<end>/?)(?P<tag>[\w:.-]+)(?P<attributes>(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>",
    re.DOTALL,
)
_NAMING: Final = re.compile(r"""(?<![\w:-])(?:\w+:)?(?:name|id|key|ref|type)\s*=\s*["']([^"']{1,100})["']""", re.IGNORECASE)


class _Stack:
    """The open entries of one text. `entries` of depth 1 are those of the whole."""

    def __init__(self, text: str) -> None:
        self.root = Entry(0, len(text), "")
        self.open: list[Entry] = [self.root]
        self._text = text
        self._full: set[int] = set()

    def begin(self, start: int, title: str) -> None:
        entry = Entry(_line_start(self._text, start), start, title)
        parent = self.open[-1]
        if len(parent.entries) == MAX_ENTRIES:
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


def json_entries(text: str) -> list[Entry]:
    """The keys of objects, and objects in lists by their name, down to `MAX_DEPTH`. Comments are allowed."""
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
            if depth and depth <= MAX_DEPTH and brackets[-1] and not keyed[-1] and (colon := _COLON.match(text, match.end())):
                key = token.strip('"')
                if key in _NAMES and colon[1] and stack.open[-1].title.startswith("item "):
                    stack.open[-1].title = colon[1].strip('"')
                stack.begin(match.start(), key)
                keyed[-1] = True
        elif first in "{[":
            if depth and depth <= MAX_DEPTH and not brackets[-1] and first == "{":
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


def xml_entries(text: str) -> list[Entry]:
    """The elements below the outermost one, by their tag and what names them, down to `MAX_DEPTH`."""
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
        if 1 <= depth <= MAX_DEPTH and depth == len(stack.open):
            named = _NAMING.search(attributes[:500])
            stack.begin(match.start(), f"{tag} {named[1]}" if named else tag)
            if attributes.endswith("/"):
                stack.end(match.end())
        if not attributes.endswith("/"):
            depth += 1
    for entry in stack.open:
        entry.end = len(text)
    return stack.root.entries
