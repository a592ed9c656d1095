"""Globs as git understands them in a `.gitignore` (https://git-scm.com/docs/gitignore, git's wildmatch.c), in bounded time.

A pattern without a slash, but at its end, is held against a name; any other one against the path from its folder. `*` and `?`
stay inside a name, `**` crosses folders, a slash at the end means folders only, `!` takes back, and the last pattern that
matches decides. A pattern is matched against an entry itself, never against what lies in it: who walks from the top asks for
each folder first.

Why not `pathspec`: its expressions backtrack. `*a*a*a*a*b` takes 27 s on a name of 255 characters, `**/b/**/b/**/c` a minute on
a deep path, and a `.gitignore` may come from anywhere. Here every star but the last of a stretch takes its leftmost match for
good, which never loses a match (as in `fnmatch`), so time grows with the pattern times the path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9", "graph": "!-~",
    "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": r" \t\n\r\f\v", "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_CLASS_NAME = re.compile(r"\[:(\w+):\]")
_MANY_STARS = re.compile(r"\*\*+")
_ANY = "*"


class _Unusable(ValueError):
    """A pattern that can match nothing, such as one with an open bracket."""


@dataclass(frozen=True, slots=True)
class _Glob:
    """One pattern. `on_name`: it is held against the last part of a path."""

    expression: re.Pattern[str]
    on_name: bool
    folders_only: bool
    takes_back: bool


@dataclass(frozen=True, slots=True)
class Globs:
    """Patterns in their order, all from one folder."""

    patterns: tuple[_Glob, ...]

    def verdict(self, relative: str, *, is_folder: bool) -> bool | None:
        """Whether the last pattern that matches takes the entry (True) or takes it back (False); None when none matches.

        `relative` is the path from the patterns' folder, with `/` between its parts.
        """
        name = relative.rpartition("/")[2]
        for glob in reversed(self.patterns):
            if (is_folder or not glob.folders_only) and glob.expression.fullmatch(name if glob.on_name else relative):
                return not glob.takes_back
        return None

    def covers(self, relative: str) -> bool:
        """Whether a file is taken by itself, or else by the nearest folder above it that any pattern matches."""
        is_folder = False
        while relative:
            verdict = self.verdict(relative, is_folder=is_folder)
            if verdict is not None:
                return verdict
            relative, is_folder = relative.rpartition("/")[0], True
        return False


def compile_globs(lines: Iterable[str], *, any_case: bool = False) -> Globs:
    """The patterns of a `.gitignore`. Comments, blank lines and patterns that can match nothing are left out."""
    return Globs(tuple(glob for line in lines if (glob := compile_glob(line, any_case=any_case))))


def compile_glob(line: str, *, any_case: bool = False) -> _Glob | None:
    """One line of a `.gitignore`; None for a comment, a blank line, and a pattern that can match nothing."""
    text = _without_trailing_blanks(line)
    if not text or text.startswith("#"):
        return None
    takes_back = text.startswith("!")
    text = text[takes_back:]
    folders_only = text.endswith("/")
    text = text[: len(text) - folders_only]
    on_name = "/" not in text
    text = text.removeprefix("/")
    if not text:
        return None
    try:
        expression = _name(text) if on_name else _path(text.split("/"))
    except _Unusable:
        return None
    flags = re.DOTALL | (re.IGNORECASE if any_case else re.NOFLAG)
    return _Glob(re.compile(expression, flags), on_name, folders_only, takes_back)


def _without_trailing_blanks(line: str) -> str:
    text = line.removesuffix("\n").removesuffix("\r")
    bare = text.rstrip(" ")
    # A blank after a backslash is meant.
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
    return f"{bare} " if escaped and len(bare) < len(text) else bare


def _path(segments: list[str]) -> str:
    """A path's expression. `**` parts it into stretches: the first stands at the start, the last at the end."""
    # Two stars or more that are a whole segment are `**`; anywhere else each star is one of its own.
    marks = ["**" if _MANY_STARS.fullmatch(segment) else segment for segment in segments]
    marks = [mark for index, mark in enumerate(marks) if mark != "**" or marks[index - 1 : index] != ["**"]]
    inside = marks[-1] == "**"
    stretches: list[list[str]] = [[]]
    for mark in marks[: len(marks) - inside]:
        if mark == "**":
            stretches.append([])
        else:
            stretches[-1].append(_name(mark))
    first, *others = ["/".join(stretch) for stretch in stretches]
    if not others:
        return (f"{first}/.+" if first else ".+") if inside else first
    head = f"{first}/" if first else ""
    middle = "".join(f"(?>(?:[^/]+/)*?{stretch}/)" for stretch in others[:-1])
    last = f"(?>(?:[^/]+/)*?{others[-1]}/).+" if inside else f"(?:[^/]+/)*{others[-1]}"
    return head + middle + last


def _name(glob: str) -> str:
    """The expression of one name. Every star but the last takes its leftmost match for good."""
    pieces = _pieces(glob)
    stars = [index for index, piece in enumerate(pieces) if piece == _ANY]
    if not stars:
        return "".join(pieces)
    parts = ["".join(pieces[: stars[0]])]
    for star, following in zip(stars, [*stars[1:], None], strict=True):
        fixed = "".join(pieces[star + 1 : following])
        parts.append(f"[^/]*{fixed}" if following is None else f"(?>[^/]*?{fixed})")
    return "".join(parts)


def _pieces(glob: str) -> list[str]:
    """Expressions of one character each, and stars; stars in a row are one."""
    pieces: list[str] = []
    at = 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "*":
            if pieces[-1:] != [_ANY]:
                pieces.append(_ANY)
        elif char == "?":
            pieces.append("[^/]")
        elif char == "[":
            expression, at = _bracket(glob, at)
            pieces.append(expression)
        elif char == "\\":
            if at == len(glob):
                raise _Unusable
            pieces.append(re.escape(glob[at]))
            at += 1
        else:
            pieces.append(re.escape(char))
    return pieces


def _bracket(glob: str, at: int) -> tuple[str, int]:
    """The expression of a bracket whose `[` stands before `at`, and where it ends."""
    negated = glob[at : at + 1] in {"!", "^"}
    at += negated
    start = at
    members = ""
    while True:
        if at >= len(glob):
            raise _Unusable
        if glob[at] == "]" and at > start:
            break
        if named := _CLASS_NAME.match(glob, at):
            if named[1] not in _CLASSES:
                raise _Unusable
            members += _CLASSES[named[1]]
            at = named.end()
            continue
        low, at = _member(glob, at)
        high = low
        if glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in {"", "]"}:
            high, at = _member(glob, at + 1)
        # A range that runs backwards holds its first character alone.
        members += re.escape(low) if high <= low else f"{re.escape(low)}-{re.escape(high)}"
    return (f"[^/{members}]" if negated else f"(?!/)[{members}]"), at + 1


def _member(glob: str, at: int) -> tuple[str, int]:
    at += glob[at] == "\\"
    if at >= len(glob):
        raise _Unusable
    return glob[at], at + 1
