"""Numbers as a spreadsheet shows them: number format codes (ECMA-376 part 1, 18.8.30 and 18.8.31) for the formats people use.

A code has up to four sections (positive; negative; zero; text), each made of literals and placeholders. A section that has no
sign of its own for negative numbers, such as `[Red]#,##0`, gets a minus: here is no colour that would show them. What depends on
the reader's settings (the short date of code 14, `[$-F800]`, `[$-F400]`) is written by ISO 8601. Fills and padding (`*x`, `_x`)
are left out, as are the shapes of numerals (`[DBNum1]`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final

from ragd.formats.excel.dates import date_text

Display = Callable[[float], str]

GENERAL: Final = "General"
_MAX_CODE: Final = 255
"""Characters that Excel allows in a code."""
_JAPANESE_DATES: Final = {
    27: "[$-411]ge.m.d", 28: '[$-411]ggge"年"m"月"d"日"', 29: '[$-411]ggge"年"m"月"d"日"', 30: "m/d/yy", 31: 'yyyy"年"m"月"d"日"',
    32: 'h"時"mm"分"', 33: 'h"時"mm"分"ss"秒"', 34: 'yyyy"年"m"月"', 35: 'm"月"d"日"', 36: "[$-411]ge.m.d",
    50: "[$-411]ge.m.d", 51: '[$-411]ggge"年"m"月"d"日"', 52: 'yyyy"年"m"月"', 53: 'm"月"d"日"', 54: '[$-411]ggge"年"m"月"d"日"',
    55: 'yyyy"年"m"月"', 56: 'm"月"d"日"', 57: "[$-411]ge.m.d", 58: '[$-411]ggge"年"m"月"d"日"',
}  # fmt: skip
BUILT_IN: Final = {
    0: GENERAL, 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "$#,##0;($#,##0)", 6: "$#,##0;($#,##0)",
    7: "$#,##0.00;($#,##0.00)", 8: "$#,##0.00;($#,##0.00)", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 22: "yyyy-mm-dd hh:mm", **_JAPANESE_DATES, 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 41: '#,##0;(#,##0);"-"', 42: '$#,##0;($#,##0);"-"',
    43: '#,##0.00;(#,##0.00);"-"', 44: '$#,##0.00;($#,##0.00);"-"', 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""Codes by their built-in number, those of Japanese Excel included."""

_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|[_*].|\[(?P<bracket>[^\]]{0,255})\]|(?P<general>General)|(?P<noon>AM/PM|A/P|午前/午後|上午/下午)'
    r"|(?P<exponent>E[+-])|(?P<date>y+|m+|d+|h+|s+|g+|e+|a{3,4})|(?P<digit>[0#?]+|(?<=/)\d+)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION: Final = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d{1,15}(?:\.\d{1,15})?)$")
_COMPARE: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b, "<>": lambda a, b: a != b,
}  # fmt: skip
_SYSTEM: Final = ("F800", "F400")
_NEGATIVE_MARKS: Final = re.compile(r"[-(−▲△▼]|CR|マイナス")
_REMEMBERED: Final = 1024
"""Numbers that each format keeps the texts of: dates and prices come again and again."""

_Token = tuple[str, str]
"""Kind and text: `digit` (a run of `0`, `#`, `?`), `exponent` (`E+`, `E-`), `literal`, or `other` (a character by itself)."""
# 308 digits before the point, and as many behind it as a code has room for.
_EXACT: Final = Context(prec=700, Emax=2000, Emin=-2000)
_COMMA: Final = ("other", ",")
_PERCENT: Final = ("other", "%")
_POINT: Final = ("other", ".")
_BAR: Final = ("other", "/")
_LARGEST_DENOMINATOR: Final = 999


class _Section:
    """One section of a code: its tokens `(kind, text)`, and the condition under which it holds, if it states one."""

    def __init__(self, code: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        self.condition: Callable[[float], bool] | None = None
        for match in _TOKEN.finditer(code):
            kind, text = match.lastgroup or "", match[0]
            if kind in ("quoted", "escaped"):
                self.tokens.append(("literal", match[kind]))
            elif kind == "bracket":
                self._bracket(match[kind])
            elif kind:
                self.tokens.append((kind, text))
        kinds = {kind for kind, _ in self.tokens}
        self.is_date = bool(kinds & {"date", "elapsed", "system"}) and "general" not in kinds
        self.is_text = ("other", "@") in self.tokens
        self._pattern = _NumberPattern(self.tokens) if "digit" in kinds and "general" not in kinds and not self.is_date else None
        self._literals = "".join(text for kind, text in self.tokens if kind in ("literal", "other"))

    @property
    def tells_negative(self) -> bool:
        """Whether what it shows can't be taken for a positive number; an empty section shows nothing at all."""
        return not self.tokens or bool(_NEGATIVE_MARKS.search(self._literals))

    def number_text(self, number: float, sign: str) -> str:
        if self._pattern:
            return self._pattern.text(number, sign)
        return sign + "".join(
            _general(abs(number)) if kind == "general" else text for kind, text in self.tokens if kind != "locale"
        )

    def _bracket(self, text: str) -> None:
        if found := _CONDITION.match(text):
            compare, limit = _COMPARE[found[1]], float(found[2])
            self.condition = lambda number: compare(number, limit)
        elif text[:1] == "$":
            currency, _, locale = text[1:].partition("-")
            if locale.upper() in _SYSTEM:
                self.tokens.append(("system", locale.upper()))
            self.tokens += [("locale", locale), ("literal", currency)]
        elif text and text.lower() == text[0].lower() * len(text) and text[0] in "hmsHMS":
            self.tokens.append(("elapsed", text.lower()))


def display_of(code: str, *, from_1904: bool = False) -> Display:
    """The function that shows a finite number by this code. `from_1904`: the workbook counts its days from 1904."""
    if len(code) > _MAX_CODE or code.strip().lower() in ("general", "@", ""):
        return _general
    sections = [_Section(part) for part in _split_sections(code)]
    numeric = [section for section in sections if not section.is_text] or sections[:1]

    @lru_cache(maxsize=_REMEMBERED)
    def show(number: float) -> str:
        section, sign = _choose(numeric, number)
        if section.is_date:
            text = date_text(section.tokens, number, from_1904=from_1904)
            return _general(number) if text is None else text
        return section.number_text(number, sign).strip() if section.tokens else ""

    return show


def text_display_of(code: str) -> tuple[str, str] | None:
    """What a code puts before and after a text, as in `@"様"`; None when it shows texts as they are."""
    if "@" not in code or len(code) > _MAX_CODE:
        return None
    section = next((section for section in map(_Section, reversed(_split_sections(code))) if section.is_text), None)
    if section is None:
        return None
    at = section.tokens.index(("other", "@"))
    before, after = ("".join(text for _, text in part) for part in (section.tokens[:at], section.tokens[at + 1 :]))
    return (before, after) if before.strip() or after.strip() else None


def is_date_code(code: str) -> bool:
    """Whether a code shows dates or times."""
    return len(code) <= _MAX_CODE and _Section(_split_sections(code)[0]).is_date


def _general(number: float) -> str:
    """As the format General does in a wide cell: up to ten digits with decimals, whole numbers in full."""
    if number == int(number) and abs(number) < 1e15:
        return str(int(number))
    text = f"{number:.10g}" if abs(number) < 1e11 else f"{number:.15g}"
    return text.replace("e", "E")


def _split_sections(code: str) -> list[str]:
    parts, start = [], 0
    for match in _TOKEN.finditer(code):
        if match[0] == ";":
            parts.append(code[start : match.start()])
            start = match.end()
    return [*parts, code[start:]][:4]


def _choose(sections: list[_Section], number: float) -> tuple[_Section, str]:
    """The section for a number, and the sign to put before what it shows."""
    if any(section.condition for section in sections):
        chosen = next((section for section in sections if not section.condition or section.condition(number)), sections[-1])
    elif number < 0 and len(sections) > 1:
        chosen = sections[1]
    elif number == 0 and len(sections) > 2:
        chosen = sections[2]
    else:
        return sections[0], "-" if number < 0 else ""
    return chosen, "-" if number < 0 and not chosen.tells_negative else ""


class _NumberPattern:
    """A section's placeholders, with what stands before and after them. There is at least one run of digits among `tokens`."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        tokens = [token for token in tokens if token[0] != "locale"]
        kinds = [kind for kind, _ in tokens]
        first = kinds.index("digit")
        last = len(kinds) - kinds[::-1].index("digit")
        commas = 0
        while tokens[last + commas : last + commas + 1] == [_COMMA]:  # each divides by a thousand
            commas += 1
        before, after = tokens[:first], tokens[last + commas :]
        self._before = "".join(text for _, text in before)
        self._after = "".join(text for _, text in after)
        self._shift = 2 * sum(token == _PERCENT for token in (*before, *after)) - 3 * commas
        self._pattern = list(tokens[first:last])
        self._exponent = kinds.index("exponent") - first if "exponent" in kinds[first:last] else 0
        self._bar = self._pattern.index(_BAR) if _BAR in self._pattern else 0
        point = self._pattern.index(_POINT) if _POINT in self._pattern else len(self._pattern)
        self._left, self._right = self._pattern[:point], self._pattern[point:]
        self._decimals = _placeholders(self._right)
        self._unit = Decimal(1).scaleb(-len(self._decimals))
        self._least = _placeholders(self._left).count("0")
        self._grouped = _COMMA in self._left
        self._plain = all(token[0] == "digit" or token == _COMMA for token in self._left) and all(
            token[0] == "digit" or token == _POINT for token in self._right
        )

    def text(self, number: float, sign: str) -> str:
        """A number of either sign, with `sign` before all of it unless it is rounded to zero."""
        value = Decimal(f"{abs(number):.15g}")
        if self._shift:
            value = value.scaleb(self._shift, context=_EXACT)
        shown = self._shown(value)
        if sign and not any(char in "123456789" for char in shown):
            sign = ""
        return f"{sign}{self._before}{shown}{self._after}"

    def _shown(self, value: Decimal) -> str:
        if self._exponent:
            return self._scientific(value)
        if self._bar:
            return self._fraction(Fraction(value))
        rounded = value.quantize(self._unit, ROUND_HALF_UP, context=_EXACT)
        whole, _, part = f"{rounded:,f}".partition(".") if self._grouped else f"{rounded:f}".partition(".")
        while part and self._decimals[len(part) - 1] != "0" and part.endswith("0"):
            part = part[:-1]
        if not self._plain:
            return _filled(self._left, whole.replace(",", ""), self._least) + _filled_behind(self._right, part)
        if whole == "0" and not self._least:
            whole = ""
        whole = whole.rjust(self._least, "0")
        return f"{whole}.{part}" if part else whole  # Excel would show the point of `0.##` in any case

    def _scientific(self, value: Decimal) -> str:
        mantissa_code = "".join(text for _, text in self._pattern[: self._exponent])
        whole, _, decimals = mantissa_code.partition(".")
        step = max(1, len(whole.replace(",", "")))  # ##0.0E+0 has exponents of three
        unit = Decimal(1).scaleb(-len(decimals))
        exponent = value.adjusted() // step * step if value else 0
        mantissa = value.scaleb(-exponent, context=_EXACT).quantize(unit, ROUND_HALF_UP, context=_EXACT)
        if mantissa >= 10**step:
            exponent += step
            mantissa = value.scaleb(-exponent, context=_EXACT).quantize(unit, ROUND_HALF_UP, context=_EXACT)
        width = len(_placeholders(self._pattern[self._exponent :]))
        sign = "-" if exponent < 0 else self._pattern[self._exponent][1][1:].replace("-", "")
        return f"{mantissa:f}E{sign}{str(abs(exponent)).rjust(width, '0')}"

    def _fraction(self, value: Fraction) -> str:
        """`# ?/?`, `# ??/??`, or with a denominator that is given: `# ?/8`."""
        below = _placeholders(self._pattern[self._bar :])
        if below.isdecimal() and int(below[:4]):
            denominator = int(below[:4])
            value = Fraction(round(value * denominator), denominator)
        else:
            value = value.limit_denominator(min(10 ** len(below) - 1, _LARGEST_DENOMINATOR))
            denominator = value.denominator
        has_whole = sum(kind == "digit" for kind, _ in self._pattern[: self._bar]) > 1
        whole, rest = divmod(value, 1) if has_whole else (0, value)
        part = f"{int(rest * denominator)}/{denominator}"
        return str(whole) if has_whole and not rest else f"{whole} {part}" if whole else part


def _placeholders(tokens: Sequence[_Token]) -> str:
    return "".join(text for kind, text in tokens if kind == "digit")


def _filled(pattern: Sequence[_Token], digits: str, least: int) -> str:
    """Digits before the point with what stands between them, as in postal codes and telephone numbers: from the right."""
    digits = digits.lstrip("0").rjust(least, "0")
    parts: list[str] = []
    for kind, text in reversed(pattern):
        if kind == "digit":
            parts.append(digits[-len(text) :])
            digits = digits[: -len(text)]
        elif text != ",":
            parts.append(text)
    return digits + "".join(reversed(parts))


def _filled_behind(pattern: Sequence[_Token], digits: str) -> str:
    parts: list[str] = []
    for kind, text in pattern:
        if kind == "digit":
            parts.append(digits[: len(text)])
            digits = digits[len(text) :]
        else:
            parts.append(text)
    return "".join(parts)
