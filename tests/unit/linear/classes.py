"""Which characters an expression can't tell apart: texts of the same classes are the same work for it."""

from __future__ import annotations

import re
import re._compiler as compiler  # type: ignore[import-not-found]
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Callable, Iterator
from typing import Any, Final

_ONE: Final = frozenset((sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY))
_REPEATS: Final = frozenset((sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT))
_FLAGS: Final = re.IGNORECASE | re.ASCII | re.UNICODE | re.DOTALL
# Compiled, by what they are and their flags; expressions share many.
_tests: Final[dict[tuple[str, int], re.Pattern[str]]] = {}


class _ComparesError(Exception):
    """An expression compares characters with each other, or has a part that we don't know."""


def classes_of(*patterns: re.Pattern[str]) -> Callable[[str], tuple[int, ...]] | None:
    """A function that gives each character of a text a number: the same for those that every part of the patterns takes alike.

    None where more than that counts: `(.)\\1` compares characters with each other.
    """
    tests = {}
    try:
        for pattern in patterns:
            # `\b`, `^` and `$` ask for these.
            always = re.compile(r"\w", pattern.flags & _FLAGS), re.compile(r"\n")
            of_parts = _of(parser.parse(pattern.pattern, pattern.flags), pattern.flags)
            tests |= {id(test): test for test in (*always, *of_parts)}
    except _ComparesError:
        return None
    known: dict[str, int] = {}
    numbers: dict[tuple[bool, ...], int] = {}

    def classes(text: str) -> tuple[int, ...]:
        for character in set(text) - known.keys():
            takes = tuple(test.match(character) is not None for test in tests.values())
            known[character] = numbers.setdefault(takes, len(numbers))
        return tuple([known[character] for character in text])

    return classes


def _of(tree: Any, flags: int) -> Iterator[re.Pattern[str]]:
    """An expression for each part of a parsed pattern that takes one character."""
    for op, value in tree:
        if op in _ONE:
            key = repr((op, value)), int(flags & _FLAGS)
            if key not in _tests:
                part = parser.SubPattern(parser.State(), [(op, value)])
                part.state.flags = key[1]
                _tests[key] = compiler.compile(part, key[1])
            yield _tests[key]
        elif op in _REPEATS:
            yield from _of(value[2], flags)
        elif op is sre.SUBPATTERN:
            yield from _of(value[3], compiler._combine_flags(flags, value[1], value[2]))
        elif op is sre.ATOMIC_GROUP:
            yield from _of(value, flags)
        elif op is sre.BRANCH:
            for branch in value[1]:
                yield from _of(branch, flags)
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _of(value[1], flags)
        elif op is not sre.AT and op is not sre.FAILURE:
            raise _ComparesError
