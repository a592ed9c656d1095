"""Jira's wiki markup within a line as Markdown.

Most of what looks like markup in an issue is none: error texts, logs, paths and identifiers stand outside of blocks of code. So a
sign counts only where its counterpart does and nothing speaks against it, and what is the same in Markdown (`_em_`) stays.
https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ragd.formats.common.text import code_span

_MAX_NESTING: Final = 4
"""Emphases within emphases."""
_LONGEST_PHRASE: Final = 400
"""Characters that one emphasis may take: what is farther apart are two signs that have nothing to do with each other."""
_LONGEST_LINK: Final = 4000
"""Characters of a link or of monospaced text."""

# Where something may begin: an address, a path of Windows, code between backticks; these stand as they are. Else a sign.
_SPECIAL: Final = re.compile(
    r"(?P<exact>\b(?:https?|ftp|file|ssh|git)://[^\s|\]{}]+|(?<!\w)[A-Za-z]:\\[^\s|\"'<>*?]*|(?<![\w\\])\\\\[\w.$-]+\\[^\s|\"'<>*?]*"
    r"|`[^`\n]{1,300}`)"
    r"|(?P<sign>\\|\{\{|\{|\[|!|[*+^~-])"
)
_BREAK: Final = re.compile(r"\\\\(?=\s|$)")
_ESCAPED: Final = frozenset("*_-+^~{}[]|!?#")
_TARGET: Final = re.compile(r"(?:(?:https?|ftp)://|mailto:|//|www\.)[^\s|\]]+", re.IGNORECASE)
_PLACE: Final = re.compile(r"#\S{1,200}")
_ISSUE: Final = re.compile(r"[A-Z][A-Z0-9_]+-\d+")
_PICTURE: Final = re.compile(r"!([^\s!|][^!|\n]{0,200})(?:\|[^!\n]{0,200})?!(?!\w)")
_MEDIA: Final = re.compile(r"\.(?:png|jpe?g|gif|bmp|svg|webp|tiff?|ico|heic|mp4|mov|webm|avi|pdf)$", re.IGNORECASE)
_FORCED: Final = re.compile(r"\{([*_+^~-])\}([^\n{}]{1,400}?)\{\1\}")
_ANCHOR: Final = re.compile(r"\{anchor:[^{}\n]{0,200}\}")
_SMALL: Final = re.compile(r"([\^~])([\w+-]{1,40})\1(?!\w)")
_PUNCTUATION: Final = frozenset(".,;:!?)]}'\"|、。，．；：！？）」』】")
_BEFORE: Final = frozenset(" \t\u3000([{'\"|>、。，．：；（「『【")
_SIGNS: Final = {"*": "**", "-": "~~", "+": ""}


def inline(text: str, users: Mapping[str, str], depth: int = 0) -> str:
    """One or more lines of text as Markdown. `users` are display names by user name or account id."""
    if not _SPECIAL.search(text):
        return text
    return "\n".join(_Line(line, users, depth).markdown() for line in text.split("\n"))


class _Line:
    """A walk over one line. Each step looks at what follows a sign; where closing signs stand is looked up once for all."""

    def __init__(self, text: str, users: Mapping[str, str], depth: int) -> None:
        self._text = text
        self._users = users
        self._depth = depth
        self._closings: dict[str, list[int]] = {}
        self._steps: dict[str, Callable[[int], tuple[int, str] | None]] = {
            "\\": self._backslash,
            "{{": self._monospaced,
            "{": self._braces,
            "[": self._link,
            "!": self._picture,
            "*": self._phrase,
            "-": self._phrase,
            "+": self._phrase,
            "^": self._small,
            "~": self._small,
        }

    def markdown(self) -> str:
        parts: list[str] = []
        position = 0
        while found := _SPECIAL.search(self._text, position):
            parts.append(self._text[position : found.start()])
            if found["exact"]:
                parts.append(found["exact"])
                position = found.end()
                continue
            written = self._steps[found["sign"]](found.start())
            if written is None:
                parts.append(found["sign"])
                position = found.end()
            else:
                position = written[0]
                parts.append(written[1])
        parts.append(self._text[position:])
        return "".join(parts)

    def _inner(self, text: str) -> str:
        return inline(text, self._users, self._depth + 1) if self._depth < _MAX_NESTING else text

    def _backslash(self, at: int) -> tuple[int, str] | None:
        if found := _BREAK.match(self._text, at):
            return found.end(), "\n" if self._text[found.end() :].strip() else ""
        before, after = self._text[at - 1 : at], self._text[at + 1 : at + 2]
        if after in _ESCAPED and after and before not in ("\\", ":"):
            return at + 2, after
        return (at + 2, "\\\\") if after == "\\" else None

    def _monospaced(self, at: int) -> tuple[int, str] | None:
        closings = self._positions("}}", r"(?<!\\)\}\}(?!\})")
        end = next_of(closings, at + 3)
        if end is None or end - at > _LONGEST_LINK:
            return at + 2, "{{"
        content = self._text[at + 2 : end]
        if content[:1].isspace() or content[-1:].isspace() or "{{" in content:  # a template's
            return at + 2, "{{"
        return end + 2, code_span(re.sub(r"\\([{}])", r"\1", content))

    def _braces(self, at: int) -> tuple[int, str] | None:
        if found := _ANCHOR.match(self._text, at):
            return found.end(), ""
        if found := _FORCED.match(self._text, at):
            # Within a word, Markdown's own sign would part it for the search.
            sign = _SIGNS.get(found[1], "") if found[1] != "_" else "_"
            inside_word = self._text[at - 1 : at].isalnum() or self._text[found.end() : found.end() + 1].isalnum()
            sign = "" if inside_word else sign
            raised = "^" if found[1] == "^" else ""
            return found.end(), f"{sign}{raised}{self._inner(found[2])}{sign}"
        return None

    def _link(self, at: int) -> tuple[int, str] | None:
        end = next_of(self._positions("]", r"\]"), at + 1)
        if end is None or end - at > _LONGEST_LINK:
            return None
        text, bar, rest = self._text[at + 1 : end].partition("|")
        if "[" in text:
            return None
        target, _, manner = rest.partition("|")
        if manner and not manner.startswith("smart-"):
            return None
        target = (target if bar else text).strip()
        if not bar and target.startswith("~"):
            user = target[1:].removeprefix("accountid:")
            return (end + 1, f"@{self._users.get(user, user)}") if user and " " not in user else None
        if target.startswith("^") and len(target) > 1 and "." in target:
            return end + 1, f"{text} ({target[1:]})" if bar else target[1:]
        if not bar:
            return (end + 1, target.removeprefix("mailto:")) if _TARGET.fullmatch(target) else None
        shown = self._inner(text.strip())
        if _TARGET.fullmatch(target):
            if shown in (target, target.removeprefix("mailto:")):
                return end + 1, shown
            return end + 1, f"[{shown}]({target.replace('(', '%28').replace(')', '%29')})"
        if _ISSUE.fullmatch(target):
            return end + 1, shown if shown == target else f"{shown} ({target})"
        return (end + 1, shown) if _PLACE.fullmatch(target) else None

    def _picture(self, at: int) -> tuple[int, str] | None:
        found = _PICTURE.match(self._text, at)
        if not found:
            return None
        name = found[1].strip()
        if _TARGET.fullmatch(name):
            return found.end(), f"![]({name})"
        return (found.end(), f"[image: {name}]") if _MEDIA.search(name) else None

    def _phrase(self, at: int) -> tuple[int, str] | None:
        sign = self._text[at]
        before, after = self._text[at - 1 : at] if at else "", self._text[at + 1 : at + 2]
        if (before and before not in _BEFORE) or not after or after.isspace() or after == sign:
            return None
        end = next_of(self._positions(sign, rf"(?<=[^\s{re.escape(sign)}]){re.escape(sign)}(?![\w{re.escape(sign)}])"), at + 2)
        if end is None or end - at > _LONGEST_PHRASE or not self._closes(end):
            return None
        content = self._text[at + 1 : end]
        if sign != "+" and f" {sign}" in content:  # options of a command, pointers
            return None
        if sign == "+" and (not content[0].isalpha() or "+" in content):  # telephone numbers
            return None
        return end + 1, f"{_SIGNS[sign]}{self._inner(content)}{_SIGNS[sign]}"

    def _closes(self, end: int) -> bool:
        after, then = self._text[end + 1 : end + 2], self._text[end + 2 : end + 3]
        return not after or after.isspace() or (after in _PUNCTUATION and not (then.isalnum() and after.isascii()))

    def _small(self, at: int) -> tuple[int, str] | None:
        found = _SMALL.match(self._text, at)
        if not found or (at and (self._text[at - 1].isalnum() or self._text[at - 1] in "_^~\\/")):
            return None
        return found.end(), f"^{found[2]}" if found[1] == "^" else found[2]

    def _positions(self, name: str, expression: str) -> list[int]:
        if name not in self._closings:
            self._closings[name] = [found.start() for found in re.finditer(expression, self._text)]
        return self._closings[name]


def next_of(positions: Sequence[int], least: int) -> int | None:
    """The first of these sorted positions that is not before `least`."""
    index = bisect_left(positions, least)
    return positions[index] if index < len(positions) else None
