"""Functions, classes and the like of source code.

Python is parsed by its own parser. Other languages are read line by line: what a declaration looks like is in `patterns`,
comments and strings are blanked first, and indentation says how far it reaches, as every formatter writes it. Code that is
indented otherwise gets other sections, and loses nothing. The work is linear in the source.

Declarations become headings of no characters, so that nothing is taken out of the text. A class that fits one passage is left
whole. What stands between declarations gets a section of its own, or it would be taken for a part of the one before; what stands
before the first belongs to what holds them all. Comments above a declaration are its.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from ragd.core.documents import Heading
from ragd.formats.code.lexing import Lexed, lex
from ragd.formats.code.patterns import CONTROL_WORDS, PATTERNS, Patterns
from ragd.formats.common.naming import MAX_TITLE_CHARS
from ragd.formats.common.text import line_starts

_MODULE_LEVEL: Final = "module level"
"""Title of a stretch of statements that follows a function or class and belongs to none."""
_CLASS_LEVEL: Final = "class level"
"""The same within a class."""
_LONG: Final = 1500
"""Characters from which a class is divided into its members."""
MAX_CHARACTERS: Final = 5_000_000
_MAX_SYMBOLS: Final = 10_000
_MAX_DEPTH: Final = 4
_MAX_LINE: Final = 400
_MAX_SIGNATURE_ROWS: Final = 40
_MAX_SIGNATURE: Final = 2000
# A line that is indented like the declaration and belongs to it still; and one that ends it.
_CONTINUES: Final = re.compile(
    r"[)}\]{>,.:=&|?]|-|(?:end|where|else|elsif|elif|rescue|ensure|catch|finally|then)\b|end\w+\s*\(|</"
)
_ENDS: Final = re.compile(r"[}\]](?!\s*(?:else|catch|finally|while)\b)|end\b|end\w+\s*\(|</")
_ANNOTATION: Final = re.compile(r"(?:@\w[\w.]*(?:\([^\n]*\))?|#!?\[[^\n]*\]|\[[A-Za-z][^\n]*\]|template\s*<[^\n]*>)\s*$")
_ANNOTATION_START: Final = re.compile(r"@\w|#!?\[|\[[A-Za-z]")
_ANNOTATION_END: Final = frozenset((")", "})", "]", ")]", "})]", "});"))
_MAX_ANNOTATION_ROWS: Final = 100
_LEADING_ANNOTATIONS: Final = re.compile(r"(?:@[\w.]+(?:\([^()\n]*\))?\s*|\[[^\]\n]*\]\s*)+")
_CALLED: Final = re.compile(r"((?<![\w$#])(?<!\w::)(?:\w+::)*~?[\w$#]+|operator\s*[^\s\w]{1,3})\s*+(?:<[^<>()\n]*>\s*+)?$")
_BRACES: Final = re.compile(r"[(){};]|=>")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*")
_WORD: Final = re.compile(r"\w+")
_CLOSING_WORDS: Final = frozenset(("end", "fi", "done", "endif", "esac"))


@dataclass(slots=True)
class _Symbol:
    """A declaration from row `first` up to row `end`, excluded, with those within it. Rows count from 0."""

    first: int
    end: int
    title: str
    members: list[_Symbol] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Outline:
    """The declarations of a source. `is_content` says whether a row holds code (not a comment, not a closing brace); `above`
    gives the first row of the comments and annotations that end just above a row, not before the row `floor`."""

    symbols: Sequence[_Symbol]
    is_content: Callable[[int], bool]
    above: Callable[[int, int], int]


def _outline_headings(lines: Sequence[str], outline: _Outline) -> tuple[Heading, ...]:
    """`lines` are the source's, without their ends."""
    starts = line_starts(lines)
    found: list[Heading] = []

    def add(row: int, level: int, title: str) -> None:
        if not found or starts[row] > found[-1].start:  # `def f(): ...; x = 1` shares its line
            found.append(Heading(starts[row], starts[row], level, title[:MAX_TITLE_CHARS]))

    def content_within(first: int, end: int) -> int | None:
        return next((row for row in range(first, end) if outline.is_content(row)), None)

    # The depth of recursion is that of `members`, which those who find them bound.
    def write(symbols: Sequence[_Symbol], begin: int, end: int, level: int, between: str) -> None:
        done = begin
        last: str | None = None
        for symbol in symbols:
            first = outline.above(symbol.first, done)
            loose = content_within(done, first) if last is not None else None
            if loose is not None:
                add(outline.above(loose, done), level, between)
            # Overloads and the clauses of one function belong together.
            if symbol.title != last or loose is not None:
                add(first, level, symbol.title)
            if symbol.members and starts[symbol.end] - starts[symbol.first] > _LONG:
                write(symbol.members, symbol.first + 1, symbol.end, level + 1, _CLASS_LEVEL)
            done, last = symbol.end, symbol.title
        loose = content_within(done, end) if last is not None else None
        if loose is not None:
            add(outline.above(loose, done), level, between)

    write(outline.symbols, 0, len(lines), 1, _MODULE_LEVEL)
    return tuple(found)


def code_headings(source: str, language: str | None) -> tuple[tuple[Heading, ...], str | None]:
    """A heading before each declaration, its comments and annotations included, and why some may be missing."""
    if len(source) > MAX_CHARACTERS:
        return (), f"functions and classes were not looked for: more than {MAX_CHARACTERS:,} characters"
    outline = _python_outline(source) if language == "python" else None
    lines = source.split("\n")
    if outline is None and language in PATTERNS:
        finder = _Finder(lex(source, language), PATTERNS[language])
        outline = finder.outline()
        lines = finder.lexed.lines
    if outline is None:
        return (), None
    headings = _outline_headings(lines, outline)
    if len(headings) > _MAX_SYMBOLS:
        return (), f"functions and classes were left out: there are {len(headings):,}, more than {_MAX_SYMBOLS:,}"
    return headings, None


@dataclass(frozen=True, slots=True)
class _Open:
    """A declaration whose end has not been seen."""

    symbol: _Symbol
    indent: int
    is_container: bool


class _Finder:
    """Looks for the declarations of one source."""

    def __init__(self, lexed: Lexed, patterns: Patterns) -> None:
        self.lexed = lexed
        self._patterns = patterns

    def outline(self) -> _Outline:
        symbols = self._flat() if self._patterns.flat else self._nested()
        return _Outline(symbols, self._is_content, self._above)

    def _flat(self) -> list[_Symbol]:
        """Declarations that reach each to the next, of a source that is longer than a passage."""
        if sum(map(len, self.lexed.lines)) <= _LONG:
            return []
        found = []
        for row, line in enumerate(self.lexed.masked):
            if line[:1].strip() and (declared := self._declared(row, 0)):
                found.append(_Symbol(row, row, declared[0]))
        for symbol, following in pairwise([*found, _Symbol(len(self.lexed.lines), 0, "")]):
            symbol.end = following.first if following.title == "" else self._above(following.first, symbol.first + 1)
        return found

    def _nested(self) -> list[_Symbol]:
        top: list[_Symbol] = []
        stack: list[_Open] = []
        after = 0  # the row after the last one that holds code
        for row, line in enumerate(self.lexed.masked):
            code = line.lstrip()
            if not code:
                continue
            indent = len(line) - len(code)
            if not self._close(stack, row, after, indent, code) and len(stack) < _MAX_DEPTH:
                in_container = bool(stack) and stack[-1].is_container
                if (in_container or not stack) and (declared := self._declared(row, indent, member=in_container)):
                    symbol = _Symbol(row, row + 1, declared[0])
                    (stack[-1].symbol.members if stack else top).append(symbol)
                    stack.append(_Open(symbol, indent, declared[1]))
            after = row + 1
        for opened in stack:
            opened.symbol.end = after
        return top

    def _close(self, stack: list[_Open], row: int, after: int, indent: int, code: str) -> bool:
        """End what this line ends; whether the line itself belongs to a declaration."""
        while stack and indent <= stack[-1].indent:
            if indent == stack[-1].indent and _CONTINUES.match(code):
                if _ENDS.match(code):
                    stack.pop().symbol.end = row + 1
                return True
            stack.pop().symbol.end = after
        return False

    def _declared(self, row: int, indent: int, *, member: bool = False) -> tuple[str, bool] | None:
        """The title of what a row declares, and whether it may hold members."""
        text = self.lexed.lines[row][indent : indent + _MAX_LINE]
        found = self._patterns.declaration.match(text)
        if found is None:
            is_call = self._patterns.calls and (member or self._patterns.top_calls)
            return (called, False) if is_call and (called := self._called(row)) else None
        groups = found.groupdict()
        kind, name, title = groups.get("kind"), groups.get("name"), groups.get("title")
        if title is None:
            title = f"{kind} {name}".strip() if kind else f"{name}()"
        title = " ".join(title.replace('"', "").replace("`", "").partition(" where ")[0].split())
        first = _WORD.match((kind or title).lower())
        return title, first is not None and first[0] in self._patterns.containers

    def _called(self, row: int) -> str | None:
        """`name()` when a row begins a function: a name, its parameters, and a body before any semicolon."""
        line = self.lexed.masked[row][:_MAX_LINE].strip()
        if annotations := _LEADING_ANNOTATIONS.match(line):
            line = line[annotations.end() :]
        before, parenthesis, _ = line.partition("(")
        if (
            not parenthesis
            or ("=" in before and "operator" not in before)
            or not CONTROL_WORDS.isdisjoint(_IDENTIFIER.findall(before))
        ):
            return None
        if not (name := _CALLED.search(before)):
            return None
        rest = "\n".join(self.lexed.masked[row : row + _MAX_SIGNATURE_ROWS])
        begin = rest.find(before) + len(before)
        return f"{' '.join(name[1].split())}()" if self._has_body(rest[begin : begin + _MAX_SIGNATURE]) else None

    @staticmethod
    def _has_body(signature: str) -> bool:
        depth = 0
        for match in _BRACES.finditer(signature):
            if match[0] == "(":
                depth += 1
            elif match[0] == ")":
                depth -= 1
            elif depth == 0:
                return match[0] in ("{", "=>")
        return False

    def _is_content(self, row: int) -> bool:
        code = self.lexed.masked[row].strip()
        return code not in _CLOSING_WORDS and _WORD.search(code) is not None

    def _above(self, row: int, floor: int) -> int:
        while row > floor:
            if (comment := self.lexed.above.get(row - 1)) is not None and comment >= floor:
                row = comment
            elif (annotation := self._long_annotation(row, floor)) is not None:
                row = annotation
            elif _ANNOTATION.match(self.lexed.lines[row - 1].strip()[:_MAX_LINE]) or self._begins_above(row):
                row -= 1
            else:
                break
        return row

    def _begins_above(self, row: int) -> bool:
        """Whether a declaration of a language with semicolons goes on from the line above, as with the return type there."""
        if not self._patterns.calls or self._patterns is PATTERNS["typescript"]:
            return False
        line = self.lexed.masked[row - 1].rstrip()
        return bool(line) and line[-1] not in ";{}:,"

    def _long_annotation(self, row: int, floor: int) -> int | None:
        """The first row of an annotation over several lines that ends just above a row."""
        string = self.lexed.strings.get(row - 1, -1)
        if string >= floor and _ANNOTATION_START.match(self.lexed.lines[string].lstrip()):  # as `@doc` of Elixir
            return string
        last = self.lexed.masked[row - 1]
        if last.strip() not in _ANNOTATION_END:
            return None
        indent = len(last) - len(last.lstrip())
        for first in range(row - 2, max(floor, row - _MAX_ANNOTATION_ROWS) - 1, -1):
            line = self.lexed.masked[first]
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                return first if _ANNOTATION_START.match(line.lstrip()) else None
        return None


def _python_outline(source: str) -> _Outline | None:
    """None when the source doesn't parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as SyntaxWarning for an invalid escape: not our source
            body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = source.split("\n")
    statements: set[int] = set()

    def above(row: int, floor: int) -> int:
        while row > floor and lines[row - 1].lstrip().startswith("#"):
            row -= 1
        return row

    return _Outline(_symbols(body, statements, 1), statements.__contains__, above)


def _symbols(body: Sequence[ast.stmt], statements: set[int], depth: int) -> list[_Symbol]:
    """The declarations among these; rows of the others go to `statements`."""
    found = []
    for node in body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            statements.add(node.lineno - 1)
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        is_class = isinstance(node, ast.ClassDef)
        members = _symbols(node.body, statements, depth + 1) if is_class and depth < _MAX_DEPTH else []
        found.append(_Symbol(first, node.end_lineno or node.lineno, f"{'class' if is_class else 'def'} {node.name}", members))
    return found
