"""The functions and classes of Python, by Python's own parser."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import Final

from ragd.formats.code.outline import Outline, Symbol

MAX_DEPTH: Final = 4


def python_outline(source: str) -> Outline | None:
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

    return Outline(_symbols(body, statements, 1), statements.__contains__, above)


def _symbols(body: Sequence[ast.stmt], statements: set[int], depth: int) -> list[Symbol]:
    """The declarations among these; rows of the others go to `statements`."""
    found = []
    for node in body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            statements.add(node.lineno - 1)
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        is_class = isinstance(node, ast.ClassDef)
        members = _symbols(node.body, statements, depth + 1) if is_class and depth < MAX_DEPTH else []
        found.append(Symbol(first, node.end_lineno or node.lineno, f"{'class' if is_class else 'def'} {node.name}", members))
    return found
