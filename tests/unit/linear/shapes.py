"""Texts that make a search repeat its work, and what tells linear from quadratic in spite of a busy machine."""

from __future__ import annotations

import gc
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import time
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Any, Final

from .classes import classes_of

# What the patterns and stages of a text repeat: blanks of every kind, signs of markup, openings without an end, joined words.
ATOMS: Final = (
    " ", "\t", "\u00a0", "\u3000", "\ufdfa", "\u200b", "\ufe0f", "\n", " \n", "\x0b", "\u2028",
    "a", "A", "aA", "1", "1.", "1,", "a.", "a+", "+", "-", "_", "a_", "*", "**", "~", "`", "#", "=", ":", ";", ".", "!", "?",
    "…", "。", "。」", "、", "「", '"', "'", "’a", "(", "[", "[]", "![", "[a](", "{", "{{", "|", "|-", "<", "<a ", "</", "<!--",
    "/", "/a", "\\", "&", "%", "@", "a@", "$", "あ", "漢", "ア", "한", "ก", "é", "a b", "://a",
)  # fmt: skip
LIMIT: Final = 2.6
"""Most by which the time of a text may grow when the text doubles."""
ANCHORED: Final = frozenset(("match", "fullmatch"))
_STEPS: Final = (24, 32, 100, 400, 1500)
_LONG: Final = 4_000
_SLOW_S: Final = 0.02
_SURELY_S: Final = 0.01
# What passes `LIMIT` at `_LONG` grows by 2.28 at the last of `_STEPS`: most is told there, for less than half of the time.
_SURELY_LINEAR: Final = 2.25


@dataclass(frozen=True, slots=True)
class Shape:
    """`prefix`, then `atom` again and again, then `suffix`."""

    atom: str
    prefix: str = ""
    suffix: str = ""

    def text(self, length: int) -> str:
        return self.prefix + self.atom * (length // len(self.atom)) + self.suffix


def growth(
    measured: Callable[[str], object], shape: Shape, floor_s: float, known: Callable[[str], bool] | None = None
) -> tuple[float, float] | None:
    """By how much the time grows when the text doubles, and the time of the longer text; None for what takes next to nothing.

    CPU time, the least of several runs: what others do on the machine can make a run longer, never shorter.
    `known` tells whether a text of the last of `_STEPS` is like one that was measured.
    """
    for length in _STEPS:
        if length == _STEPS[-1] and known and known(shape.text(length)):
            return None
        taken = _time(measured, shape.text(length))
        if taken > _SLOW_S and (taken := min(_time(measured, shape.text(length)) for _ in range(3))) > _SLOW_S:
            break  # already; at `_LONG` the cube of a length would take minutes
    else:
        if taken < floor_s or (taken := min(taken, _time(measured, shape.text(length)))) < floor_s:
            return None
        if _time(measured, shape.text(2 * length)) < _SURELY_LINEAR * taken:
            return None
        length = 2 * _LONG
    length //= 2
    shorter, longer = shape.text(length), shape.text(2 * length)
    first, second = _time(measured, shorter), _time(measured, longer)
    for _ in range(3):
        if second < LIMIT * first:
            break
        first, second = min(first, _time(measured, shorter)), min(second, _time(measured, longer))
    if second <= _SURELY_S:
        return None
    if second > LIMIT * first:
        # A cache that is full makes one doubling dear, the square of a length every one.
        longest = shape.text(4 * length)
        third = min(_time(measured, longest) for _ in range(3))
        return min(second / first, third / second), third
    return second / first, second


def _time(measured: Callable[[str], object], text: str) -> float:
    began = time.thread_time()
    measured(text)
    return time.thread_time() - began


def use(pattern: re.Pattern[Any], methods: Set[str]) -> Callable[[str], object]:
    """What a pattern is measured by: its own methods where they try it at the beginning alone, else from every character on."""
    binary = isinstance(pattern.pattern, bytes)
    anchored = sorted(methods) if methods and methods <= ANCHORED else ()

    def measured(text: str) -> None:
        subject: Any = text.encode("utf-8", "replace") if binary else text
        for method in anchored:
            getattr(pattern, method)(subject)
        if not anchored:
            for _ in pattern.finditer(subject):
                pass

    return measured


def shapes_for(pattern: re.Pattern[Any]) -> Iterator[Shape]:
    """Texts of `ATOMS`, and of what the pattern itself repeats and offers as alternatives."""
    text = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    tree = parser.parse(text, pattern.flags & ~re.LOCALE)
    whole = _sample(tree)
    for atom in ATOMS:
        for prefix, suffix in dict.fromkeys((("", ""), ("", "\x00"), (whole[:1], "\x00"))):
            yield Shape(atom, prefix, suffix)
    own = {atom: None for atom in _parts(tree) if atom and atom not in ATOMS} | ({whole: None} if whole else {})
    for atom in own:
        for prefix in dict.fromkeys(("", "a", whole[:1], whole[:3])):
            for suffix in ("", "\x00", "a"):
                yield Shape(atom, prefix, suffix)


def distinct(shapes: Iterable[Shape], *patterns: re.Pattern[Any]) -> Iterator[Shape]:
    """One shape of those that are the same work for the patterns: character for character, they take the same parts."""
    if any(isinstance(pattern.pattern, bytes) for pattern in patterns) or not (classes := classes_of(*patterns)):
        yield from shapes
        return
    seen: set[tuple[tuple[int, ...], ...]] = set()
    for shape in shapes:
        key = classes(shape.prefix), _period(classes(shape.atom)), classes(shape.suffix)
        if key not in seen:
            seen.add(key)
            yield shape


def _period(items: tuple[int, ...]) -> tuple[int, ...]:
    """The shortest beginning of which the whole is a repetition."""
    lengths = (length for length in range(1, len(items)) if len(items) % length == 0)
    return next((items[:length] for length in lengths if items[:length] * (len(items) // length) == items), items)


def _sample(tree: Any, depth: int = 0) -> str:
    """A text that the pattern, or a part of it, is likely to match."""
    out = ""
    for op, value in tree:
        if depth > 12 or len(out) > 60:
            break
        if op is sre.LITERAL:
            out += chr(value)
        elif op in (sre.IN, sre.CATEGORY):
            out += _member(value if op is sre.IN else [(op, value)])
        elif op in (sre.ANY, sre.NOT_LITERAL):
            out += "a" if op is sre.ANY or chr(value) != "a" else "b"
        elif op in _REPEATS:
            out += _sample(value[2], depth + 1) * max(1, min(value[0], 5))
        elif op in (sre.SUBPATTERN, sre.ATOMIC_GROUP):
            out += _sample(value[3] if op is sre.SUBPATTERN else value, depth + 1)
        elif op is sre.BRANCH:
            out += _sample(value[1][0], depth + 1)
    return out


_REPEATS: Final = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_CATEGORIES: Final = {sre.CATEGORY_DIGIT: "1", sre.CATEGORY_SPACE: " ", sre.CATEGORY_NOT_WORD: "-"}


def _member(items: Any) -> str:
    op, value = items[0]
    if op is sre.LITERAL:
        return chr(value)
    if op is sre.RANGE:
        return chr(value[0])
    return str(_CATEGORIES.get(value, "a"))


def _parts(tree: Any) -> Iterator[str]:
    """What is repeated anywhere in a pattern, each alternative, and the members of its sets that are named."""
    for op, value in tree:
        if op in _REPEATS:
            yield _sample(value[2])
            yield from _parts(value[2])
        elif op in (sre.SUBPATTERN, sre.ATOMIC_GROUP):
            yield from _parts(value[3] if op is sre.SUBPATTERN else value)
        elif op is sre.BRANCH:
            for branch in value[1][:8]:
                yield _sample(branch)
                yield from _parts(branch)
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            yield _sample(value[1])
            yield from _parts(value[1])
        elif op is sre.IN:
            yield from [chr(member) for kind, member in value if kind is sre.LITERAL][:8]


@dataclass(frozen=True, slots=True)
class Slow:
    """A shape whose time grows too fast."""

    shape: Shape
    ratio: float
    seconds: float

    def __str__(self) -> str:
        return f"{self.shape}: x{self.ratio:.1f}, {self.seconds * 1e3:.0f} ms"


def worst(
    measured: Callable[[str], object], shapes: Iterator[Shape], floor_s: float, known: Callable[[str], bool] | None = None
) -> Slow | None:
    """The first shape whose time grows faster than its length; None when there is none."""
    gc.disable()
    try:
        for shape in shapes:
            found = growth(measured, shape, floor_s, known)
            # Once more, as what others do on the machine comes and goes.
            if found and found[0] > LIMIT and (found := growth(measured, shape, floor_s)) and found[0] > LIMIT:
                return Slow(shape, *found)
    finally:
        gc.enable()
    return None
