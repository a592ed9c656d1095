"""What functions, classes and the like look like, language by language: one row of a table for each.

A declaration is recognised by the beginning of its line. `kind` and `name` of the match make its title, or `title` alone; a
`kind` in `containers` may hold others. Of `flat` languages each declaration reaches to the next, of others as far as its lines
are indented. In `calls` languages a function has no word of its own, and is known by its parameters and its body: methods in
classes, or with `top_calls` functions everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Patterns:
    """How the declarations of a language look."""

    declaration: re.Pattern[str]
    containers: frozenset[str] = frozenset()
    flat: bool = False
    calls: bool = False
    top_calls: bool = False


def _words(text: str) -> str:
    """Any number of these words, with the blanks after each."""
    return rf"(?:(?:{'|'.join(text.split())})\s+)*+"


def _patterns(declaration: str, containers: str = "", *, flags: int = 0, **how: bool) -> Patterns:
    return Patterns(re.compile(declaration, flags), frozenset(containers.split()), **how)


_CLASSES: Final = "class interface enum record struct trait object protocol extension actor namespace module"
_SCRIPT_MODIFIERS: Final = _words("export default declare abstract async public private protected static readonly override")
_SCRIPT: Final = _patterns(
    rf"{_SCRIPT_MODIFIERS}(?:(?P<kind>class|interface|enum|namespace|function)\b\s*\*?\s*(?P<name>[\w$.]+)"
    rf"|(?P<title>(?:(?:const|let|var)\s+)?[\w$#.]+)\s*(?::[^=\n]{{1,200}})?=\s*(?:async\b\s*)?(?:function\b|(?:<[^>\n]*>\s*)?"
    rf"(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*(?:\)[^=\n]{{0,200}}=>|$)|[\w$]+\s*=>)))",
    "class namespace",
    calls=True,
)
_HCL_BLOCK: Final = r"(?P<title>[\w-]+(?:\s+(?:\"[^\"\n]*\"|[\w-]+))*)\s*\{"

PATTERNS: Final[dict[str, Patterns]] = {
    "c": _patterns(r"(?:typedef\s+)?(?P<kind>struct|enum|union)\s+(?P<name>\w+)\s*(?:\{|$)", calls=True, top_calls=True),
    "cpp": _patterns(
        r"(?:typedef\s+)?(?P<kind>class|struct|enum(?:\s+class)?|union)\s+(?:\[\[[^\]\n]*\]\]\s*|[A-Z_]{4,}\s+)?(?P<name>[\w:]+)"
        r"(?:\s+final)?\s*(?:[:{]|$)",
        "class struct union",
        calls=True,
        top_calls=True,
    ),
    "objective-c": _patterns(
        r"@(?P<kind>interface|implementation|protocol)\s+(?P<name>\w+)|(?P<title>[-+]\s*\([^)\n]*\)\s*\w+)", flat=True
    ),
    "java": _patterns(
        _words("public private protected abstract final static sealed non-sealed strictfp")
        + r"(?P<kind>class|interface|enum|record|@interface)\s+(?P<name>\w+)",
        "class interface enum record",
        calls=True,
    ),
    "csharp": _patterns(
        _words("public private protected internal abstract sealed static partial readonly unsafe ref file new")
        + r"(?P<kind>class|interface|enum|struct|record(?:\s+(?:class|struct))?)\s+(?P<name>\w+)",
        "class interface struct record",
        calls=True,
    ),
    "dart": _patterns(
        _words("abstract base final sealed interface mixin") + r"(?P<kind>class|mixin|enum|extension)\s+(?P<name>\w+)",
        "class mixin extension enum",
        calls=True,
        top_calls=True,
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "groovy": _patterns(
        _words("public private protected static final abstract")
        + r"(?:(?P<kind>class|interface|enum|trait|def)\s+(?P<name>\w+)(?!\s*=)|(?P<title>\w+(?:\s*\([^()\n]*\)|\s+\w+)?)\s*\{)",
        "class interface enum trait pipeline stages",
    ),
    "go": _patterns(r"(?P<title>func\s+(?:\([^)\n]*\)\s*)?\w+)|(?P<kind>type)\s+(?P<name>\w+)"),
    "rust": _patterns(
        r"(?:pub(?:\s*\([^)\n]*\))?\s+)?"
        + _words(r'default async const unsafe extern(?:\s+"[^"\n]*")?')
        + r"(?:(?P<kind>fn|struct|enum|trait|union|mod|macro_rules!)\s+(?P<name>\w+)|(?P<title>impl\b[^{\n]*))",
        "trait mod impl",
    ),
    "kotlin": _patterns(
        r"(?:@\w+(?:\([^)\n]*\))?\s+)*"
        + _words(
            "public private protected internal open abstract sealed data inner override suspend inline operator infix tailrec "
            "external final annotation value expect actual enum"
        )
        + r"(?:(?P<kind>class|interface|object|fun)\b\s*(?:interface\s+)?(?:<[^>\n]*>\s*)?(?P<name>[\w.<>?`]+)"
        r"|(?P<title>companion\s+object))",
        "class interface object companion",
    ),
    "swift": _patterns(
        r"(?:@\w+(?:\([^)\n]*\))?\s+)*"
        + _words(
            r"public private fileprivate internal open final static class(?=\s+func) override mutating nonmutating convenience "
            r"required indirect nonisolated async"
        )
        + r"(?:(?P<kind>class|struct|enum|protocol|extension|actor|func)\s+(?P<name>[\w.]+)|(?P<title>init|deinit|subscript)\b)",
        "class struct enum extension actor protocol",
    ),
    "scala": _patterns(
        r"(?:@\w+(?:\([^)\n]*\))?\s+)*"
        + _words(r"private(?:\[\w+\])? protected(?:\[\w+\])? final sealed abstract implicit lazy override inline case package")
        + r"(?P<kind>class|object|trait|enum|def|given|extension)\s+(?P<name>[\w`]+)",
        "class object trait enum",
    ),
    "zig": _patterns(
        _words(r'pub export inline extern(?:\s+"[^"\n]*")?')
        + r"(?:(?P<kind>fn)\s+(?P<name>\w+)|const\s+(?P<title>\w+)\s*=\s*(?:packed\s+|extern\s+)?(?:struct|enum|union)\b)",
    ),
    "php": _patterns(
        _words("abstract final public private protected static readonly")
        + r"(?P<kind>class|interface|trait|enum|function)\s+&?(?P<name>\w+)",
        "class interface trait enum",
    ),
    "ruby": _patterns(r"(?P<kind>class|module|def)\s+(?P<name><<\s*self|[\w.:?!]+|[^\s\w(]{1,3})", "class module"),
    "perl": _patterns(r"(?P<kind>sub|package)\s+(?P<name>[\w:]+)"),
    "lua": _patterns(r"(?:local\s+)?(?P<kind>function)\s+(?P<name>[\w.:]+)|(?:local\s+)?(?P<title>[\w.]+)\s*=\s*function\b"),
    "elixir": _patterns(
        r"(?P<kind>defmodule|defprotocol|defimpl|defmacrop?|defguardp?|defp?|describe|test)\s+(?P<name>[\w.?!]+|\"[^\"\n]*\")",
        "defmodule defprotocol defimpl describe",
    ),
    "julia": _patterns(
        r"(?:mutable\s+|abstract\s+)?(?P<kind>function|struct|macro|module|baremodule|type)\s+(?P<name>[\w.!]+)", "module"
    ),
    "r": _patterns(r"(?P<title>[\w.]+)\s*(?:<<?-|=)\s*function\b"),
    "shell": _patterns(r"function\s+(?P<name>[\w:.-]+)|(?P<title>[\w:.-]+\s*\(\s*\))\s*(?:[{(]|$)"),
    "powershell": _patterns(
        r"(?P<kind>function|filter|class|enum|workflow|configuration)\s+(?P<name>[\w:-]+)", flags=re.IGNORECASE
    ),
    "vb": _patterns(
        _words("public private protected friend shared overridable overrides mustinherit notinheritable partial static async")
        + r"(?P<kind>class|module|structure|interface|enum|sub|function|property)\s+(?P<name>\w+)",
        "class module structure",
        flags=re.IGNORECASE,
    ),
    "protobuf": _patterns(r"(?P<kind>message|service|enum|extend|rpc)\s+(?P<name>[\w.]+)", "message service"),
    "graphql": _patterns(
        r"(?:extend\s+)?(?P<kind>type|interface|enum|input|union|fragment|query|mutation|subscription|directive|schema)\b"
        r"\s*(?P<name>@?\w*)"
    ),
    "hcl": _patterns(_HCL_BLOCK),
    "bicep": _patterns(r"(?P<kind>resource|module)\s+(?P<name>\w+)"),
    "cmake": _patterns(r"(?P<kind>function|macro)\s*\(\s*(?P<name>\w+)", flags=re.IGNORECASE),
    "sql": _patterns(
        r"CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|EXTERNAL|FOREIGN|EDITIONABLE)\s+)*"
        r"(?P<kind>(?:MATERIALIZED\s+)?VIEW|TABLE|FUNCTION|PROCEDURE|PROC|TRIGGER|TYPE|PACKAGE(?:\s+BODY)?|DOMAIN)\s+"
        r"(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>[\w.$#\"`\[\]]+)",
        flat=True,
        flags=re.IGNORECASE,
    ),
    "docker": _patterns(r"FROM\s+(?:--\S+\s+)?(?P<title>\S+(?:\s+AS\s+\S+)?)", flat=True, flags=re.IGNORECASE),
    "make": _patterns(r"(?P<title>[^\s#:=$.(](?:[^\s:=#]|[^\S\n]++(?=[^\s:=#]))*+)\s*+::?(?![=:])", flat=True),
    "vue": _patterns(r"<(?P<title>script|template|style)\b", flat=True),
    "svelte": _patterns(r"<(?P<title>script|style)\b", flat=True),
}
"""By programming language. `flat` languages look at lines that are not indented."""

CONTROL_WORDS: Final = frozenset(
    "if for foreach while switch catch return new else do using lock synchronized sizeof case throw await yield typeof delete "
    "with assert defined function guard elif when try in is as not and or".split()
)
