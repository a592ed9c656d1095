"""Plain text and source code: the facts are the file itself, so that lines are counted exactly."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any, Final

from rag_assistant.ingest.loaders import programming_language_of
from rag_assistant.ingest.loaders.decoding import decode
from rag_assistant.ingest.loaders.language import detect_language
from rag_assistant.ingest.loaders.naming import choose_title, first_line
from rag_assistant.types import Document, Heading

MODULE_LEVEL: Final = "module level"
"""Title of a stretch of Python statements that follows a function or class and belongs to none."""

# Emacs, Vim and PEP 263 notations, which count in the first two lines only.
_CODING: Final = re.compile(rb"\A(?:[^\n]*\n)?[^\n]*?coding[:=][ \t]*([-\w.]+)")


class TextLoader:
    """Plain text. The title is the first line when that is short."""

    name = "text"
    version = "1"

    def load(self, data: bytes, name: str) -> Document:
        decoded = decode(data, name)
        title, metadata = choose_title(name, first_line=first_line(decoded.text))
        return Document(
            doc_type="text",
            title=title,
            markdown=decoded.text,
            loader=self.name,
            loader_version=self.version,
            verbatim=True,
            language=detect_language(decoded.text),
            metadata={**metadata, "encoding": decoded.encoding},
            warnings=decoded.warnings,
        )


class CodeLoader:
    """Source code. Python's functions and classes of the top level become sections; other languages stay in one."""

    name = "code"
    version = "1"

    def load(self, data: bytes, name: str) -> Document:
        coding = _CODING.match(data[:1024])
        decoded = decode(data, name, declared=coding[1].decode("ascii", "replace") if coding else None)
        language = programming_language_of(name)
        title, metadata = choose_title(name)
        metadata |= {"encoding": decoded.encoding}
        if language:
            metadata["programming_language"] = language
        return Document(
            doc_type="code",
            title=title,
            markdown=decoded.text,
            loader=self.name,
            loader_version=self.version,
            verbatim=True,
            headings=python_headings(decoded.text) if language == "python" else (),
            language=detect_language(decoded.text),
            metadata=metadata,
            warnings=decoded.warnings,
        )


def python_headings(source: str) -> tuple[Heading, ...]:
    """A heading of no characters before each top-level function and class, its decorators and the comment above it included.

    Having no characters, it takes nothing away from the section's text. Source that doesn't parse has no headings.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as SyntaxWarning for an invalid escape: not our source
            body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    lines = source.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found: list[tuple[int, str]] = []
    for node in body:
        title = _symbol_title(node)
        if title is None and (not found or found[-1][1] == MODULE_LEVEL):
            continue
        row = _first_row(node)
        while row > 0 and lines[row - 1].startswith("#"):
            row -= 1
        if not found or starts[row] > found[-1][0]:  # `def f(): ...; x = 1` shares its line
            found.append((starts[row], title or MODULE_LEVEL))
    return tuple(Heading(start, start, 1, title) for start, title in found)


def _symbol_title(node: ast.stmt) -> str | None:
    match node:
        case ast.ClassDef():
            return f"class {node.name}"
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return f"def {node.name}"
        case _:
            return None


def _first_row(node: Any) -> int:
    return int(min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])) - 1
