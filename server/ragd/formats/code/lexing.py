"""Comments and strings of source code, so that what stands in them is taken for nothing else.

One regular expression for each language, made of the tokens below. Every one of them ends where the text does if its end is
missing, and takes back nothing that it has matched: the work is linear in the text whatever it holds. Nested comments (Rust,
Swift, Kotlin) are taken to end at their first end, which costs at worst the symbol that stands there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

_TOKENS: Final = {
    "//": r"(?P<c_slashes>//[^\n]*+)",
    "#": r"(?P<c_hash>(?<![\w$&{(])\#[^\n]*+)",
    "--": r"(?P<c_dashes>--[^\n]*+)",
    ";": r"(?P<c_semicolon>;[^\n]*+)",
    "%": r"(?P<c_percent>%[^\n]*+)",
    "'": r"(?P<c_apostrophe>'[^\n]*+)",
    "/*": r"(?P<c_block>/\*(?s:.*?)(?:\*/|\Z))",
    "--[[": r"(?P<c_long>--\[(?P<eq>=*)\[(?s:.*?)(?:\](?P=eq)\]|\Z))",
    "<#": r"(?P<c_angle><\#(?s:.*?)(?:\#>|\Z))",
    "#=": r"(?P<c_julia>\#=(?s:.*?)(?:=\#|\Z))",
    "=begin": r"(?P<c_begin>^=begin\b(?s:.*?)(?:^=end\b|\Z))",
    "=pod": r"(?P<c_pod>^=[a-z]\w*(?s:.*?)(?:^=cut\b|\Z))",
    '"': r'(?P<double>"(?:[^"\\\n]++|\\[\s\S])*+"?)',
    "''": r"(?P<single>(?<!\w)'(?:[^'\\\n]++|\\[\s\S])*+'?)",
    "'c'": r"(?P<char>'(?:[^'\\\n]|\\[^\n]{1,10}?)')",
    "``": r"(?P<template>`(?:[^`\\]++|\\[\s\S])*+`?)",
    "`go": r"(?P<raw>`[^`]*+`?)",
    '"""c': r'(?P<c_triple>"""(?s:.*?)(?:"""|\Z))',
    '"""': r'(?P<triple>"""(?s:.*?)(?:"""|\Z))',
    "'''": r"(?P<triple_single>'''(?s:.*?)(?:'''|\Z))",
    'r#"': r'(?P<rust>\bb?r(?P<hashes>\#*)"(?s:.*?)(?:"(?P=hashes)|\Z))',
    'R"(': r'(?P<cpp>\bR"(?P<delimiter>[^()\\\s]{0,16})\((?s:.*?)(?:\)(?P=delimiter)"|\Z))',
    '@"': r'(?P<verbatim>(?:@\$?|\$@)"(?:[^"]++|"")*+"?)',
    "@'": r"""(?P<here>@(?P<q>["'])[ \t]*\n(?s:.*?)(?:^(?P=q)@|\Z))""",
    "<<": r"""(?P<heredoc>(?<![\w<)])<<[-~]?(?P<hq>["']?)(?P<tag>[A-Za-z_]\w*)(?P=hq)[^\n]*\n(?s:.*?)(?:^[ \t]*(?P=tag)\b|\Z))""",
    "<<<": r"""(?P<php><<<[ \t]*(?P<pq>["']?)(?P<ptag>[A-Za-z_]\w*)(?P=pq)[^\n]*\n(?s:.*?)(?:^[ \t]*(?P=ptag)\b|\Z))""",
    "$$": r"(?P<dollars>\$(?P<dtag>[A-Za-z_]\w*|)\$(?s:.*?)(?:\$(?P=dtag)\$|\Z))",
    "'sql'": r"(?P<sql>'(?:[^']++|'')*+'?)",
    "#include": r"(?P<directive>^[ \t]*\#(?:[^\\\n]++|\\[\s\S])*+)",
    "/re/": r"(?P<regex>(?:(?<=[=(,:;!&|?{}\[+])|\breturn\b|^)[ \t]*/(?![*/])"
    r"(?:[^\\/\[\n]++|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\])++/)",
}

_SLASHES: Final = ("//", "/*")
_SYNTAX: Final[dict[str, tuple[str, ...]]] = {
    "c": ("#include", *_SLASHES, '"', "'c'"),
    "cpp": ("#include", *_SLASHES, 'R"(', '"', "'c'"),
    "objective-c": ("#include", *_SLASHES, '"', "'c'"),
    "csharp": ("#include", *_SLASHES, '"""', '@"', '"', "'c'"),
    "java": (*_SLASHES, '"""', '"', "'c'"),
    "javascript": (*_SLASHES, "/re/", "``", '"', "''"),
    "typescript": (*_SLASHES, "/re/", "``", '"', "''"),
    "dart": (*_SLASHES, '"""', "'''", '"', "''"),
    "groovy": (*_SLASHES, '"""', "'''", '"', "''"),
    "go": (*_SLASHES, "`go", '"', "'c'"),
    "rust": (*_SLASHES, 'r#"', '"', "'c'"),
    "kotlin": (*_SLASHES, '"""', '"', "'c'"),
    "swift": (*_SLASHES, '"""', '"'),
    "scala": (*_SLASHES, '"""', '"', "'c'"),
    "zig": ("//", '"', "'c'"),
    "php": (*_SLASHES, "#", "<<<", '"', "''"),
    "ruby": ("=begin", "#", "<<", '"', "''"),
    "perl": ("=pod", "#", "<<", '"', "''"),
    "shell": ("#", "<<", '"', "''"),
    "powershell": ("<#", "#", "@'", '"', "''"),
    "elixir": ("#", '"""', '"'),
    "julia": ("#=", "#", '"""', '"', "'c'"),
    "r": ("#", '"', "''"),
    "lua": ("--[[", "--", '"', "''"),
    "sql": ("--", "/*", "$$", "'sql'", '"'),
    "vb": ("'", '"'),
    "hcl": ("#", *_SLASHES, "<<", '"'),
    "protobuf": (*_SLASHES, '"', "''"),
    "graphql": ("#", '"""c', '"'),
    "docker": ("#",),
    "make": ("#",),
    "cmake": ("#", '"'),
}


@dataclass(frozen=True, slots=True)
class Lexed:
    """Lines of a source, and the same with blanks where comments and strings are. `above` leads from the last row of each
    comment that stands alone in its lines to its first, `strings` from the last row of each string over several to its first."""

    lines: list[str]
    masked: list[str]
    above: dict[int, int]
    strings: dict[int, int]


def lex(source: str, language: str) -> Lexed:
    """`masked` is the source itself for a language without an entry here."""
    pattern = _pattern(language)
    if pattern is None:
        lines = source.split("\n")
        return Lexed(lines, lines, {}, {})
    above: dict[int, int] = {}
    strings: dict[int, int] = {}
    parts: list[str] = []
    done = row = counted = 0
    for match in pattern.finditer(source):
        start, end = match.span()
        parts += (source[done:start], _blank(match[0]))
        done = end
        row += source.count("\n", counted, start)
        last = row + match[0].count("\n")
        if match.lastgroup and match.lastgroup.startswith("c_") and _alone(source, start, end):
            above[last] = row
        elif last > row:
            strings[last] = row
        row, counted = last, end
    parts.append(source[done:])
    return Lexed(source.split("\n"), "".join(parts).split("\n"), above, strings)


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    names = _SYNTAX.get(language)
    return re.compile("|".join(_TOKENS[name] for name in names), re.MULTILINE) if names else None


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _alone(source: str, start: int, end: int) -> bool:
    """Whether nothing but blanks stands before and after in the same lines. Looks at a bounded number of characters."""
    before = source[max(0, start - 200) : start].rpartition("\n")[2]
    after = source[end : end + 200].partition("\n")[0]
    return not before.strip() and not after.strip()
