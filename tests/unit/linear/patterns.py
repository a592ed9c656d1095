"""Every regular expression of the daemon, found in its sources, with the methods that it is used by."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import ragd

PACKAGE: Final = Path(ragd.__file__).parent
_METHODS: Final = frozenset(("match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"))
# What a module that has to do with expressions says somewhere: only such a one is parsed, which takes most of the time.
_SAID: Final = re.compile(rf"\b(?:import re\b|from re\b)|\.\w+\.(?:{'|'.join(sorted(_METHODS))})\b")


@dataclass(slots=True)
class Expression:
    """A pattern, where it stands, and the methods by which it is used; `search` and its like try it at every character."""

    pattern: re.Pattern[Any]
    places: list[str] = field(default_factory=list)
    methods: set[str] = field(default_factory=set)


# They import what is in the environments of `rag extras add` alone, and have no expressions.
_ELSEWHERE = ("ragas_metrics", "deepeval_metrics")


def modules() -> Iterator[tuple[str, Path]]:
    """Each module's name and file, but those that run a program when they are imported, or are for another tool's environment."""
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        if parts[-1] != "__main__" and parts[-1] not in _ELSEWHERE:
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


def collected() -> tuple[dict[tuple[Any, int], Expression], dict[str, str]]:
    """The expressions by pattern and flags; and the calls whose pattern is made at run time, by `module:function`."""
    found: dict[tuple[Any, int], Expression] = {}
    made_later: dict[str, str] = {}
    loaded = [(name, importlib.import_module(name), file.read_text("utf-8")) for name, file in modules()]

    def note(pattern: re.Pattern[Any], place: str = "", method: str = "") -> None:
        expression = found.setdefault((pattern.pattern, pattern.flags), Expression(pattern))
        expression.places += [place] if place else []
        expression.methods |= {method} if method else set()

    of_fields: dict[str, set[str]] = {}
    nodes = {}
    for name, module, text in loaded:
        if not (_SAID.search(text) or any(isinstance(value, re.Pattern) for value in vars(module).values())):
            continue
        nodes[name] = list(_nodes(ast.parse(text)))
        for node, _ in nodes[name]:
            if isinstance(node, ast.Attribute) and node.attr in _METHODS and isinstance(node.value, ast.Attribute):
                of_fields.setdefault(node.value.attr, set()).add(node.attr)
    for name, module, _ in loaded:
        for variable, value in vars(module).items():
            for pattern, within in _inside(value):
                methods = of_fields.get(within, set()) if within else set()
                note(pattern, f"{name}.{variable}")
                for method in methods:
                    note(pattern, method=method)
        for function, call in _calls(nodes.get(name, [])):
            pattern = _evaluated(call, module)
            if pattern is None:
                made_later[f"{name}:{function}"] = ast.unparse(call)
            else:
                assert isinstance(call.func, ast.Attribute)
                note(pattern, f"{name}:{function}", "" if call.func.attr == "compile" else call.func.attr)
        for pattern, method in _uses(nodes.get(name, []), module):
            note(pattern, method=method)
    return found, made_later


def _inside(value: Any, within: str = "", depth: int = 0) -> Iterator[tuple[re.Pattern[Any], str]]:
    """Patterns in a module's value, each with the name of the field that holds it, if one does."""
    if isinstance(value, re.Pattern):
        yield value, within
    elif depth < 4 and isinstance(value, dict):
        for item in (*value.keys(), *value.values()):
            yield from _inside(item, within, depth + 1)
    elif depth < 4 and isinstance(value, (tuple, list, set, frozenset)):
        for item in value:
            yield from _inside(item, within, depth + 1)
    elif depth < 4 and is_dataclass(value) and not isinstance(value, type):
        for item in fields(value):
            yield from _inside(getattr(value, item.name, None), item.name, depth + 1)


def _nodes(tree: ast.AST, function: str = "") -> Iterator[tuple[ast.AST, str]]:
    """All nodes below one, each with the function that it stands in."""
    for name, value in ast.iter_fields(tree):
        for node in value if isinstance(value, list) else (value,):
            if isinstance(node, ast.AST) and name != "ctx":
                inner = f"{function}.{node.name}".strip(".") if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else function
                yield node, inner
                yield from _nodes(node, inner)


def _calls(nodes: Sequence[tuple[ast.AST, str]]) -> Iterator[tuple[str, ast.Call]]:
    """Calls of `re.…(pattern, …)` with the functions that they stand in."""
    for node, function in nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in _METHODS | {"compile"}
        ):
            yield function, node


def _evaluated(call: ast.Call, module: ModuleType) -> re.Pattern[Any] | None:
    def value(node: ast.expr) -> Any:
        return eval(compile(ast.fix_missing_locations(ast.Expression(node)), f"<{module.__name__}>", "eval"), dict(vars(module)))

    try:
        pattern = value(call.args[0])
        flags = [value(node) for node in call.args[1:] if "re." in ast.unparse(node)]
        flags += [value(keyword.value) for keyword in call.keywords if keyword.arg == "flags"]
    except NameError:
        return None
    return re.compile(pattern, sum(flags, re.RegexFlag(0)))


def _uses(nodes: Sequence[tuple[ast.AST, str]], module: ModuleType) -> Iterator[tuple[re.Pattern[Any], str]]:
    """Each use of a module's pattern by its name: the method, or `object` where it is handed on."""
    called: set[int] = set()
    for node, _ in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            value = vars(module).get(node.value.id)
            if isinstance(value, re.Pattern):
                called.add(id(node.value))
                if node.attr in _METHODS:
                    yield value, node.attr
    for node, _ in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            value = vars(module).get(node.id)
            if isinstance(value, re.Pattern) and node.id != node.id.lower():
                yield value, "object"
