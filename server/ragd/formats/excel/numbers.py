"""Figures by the placeholders of a number format: `#,##0.00`, `0%`, `0.00E+00`, `# ?/?`, `000-0000`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Final

Token = tuple[str, str]
"""Kind and text: `digit` (a run of `0`, `#`, `?`), `exponent` (`E+`, `E-`), `literal`, or `other` (a character by itself)."""

# 308 digits before the point, and as many behind it as a code has room for.
_EXACT: Final = Context(prec=700, Emax=2000, Emin=-2000)
_COMMA: Final = ("other", ",")
_PERCENT: Final = ("other", "%")
_POINT: Final = ("other", ".")
_BAR: Final = ("other", "/")
_LARGEST_DENOMINATOR: Final = 999


class NumberPattern:
    """A section's placeholders, with what stands before and after them. There is at least one run of digits among `tokens`."""

    def __init__(self, tokens: Sequence[Token]) -> None:
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


def _placeholders(tokens: Sequence[Token]) -> str:
    return "".join(text for kind, text in tokens if kind == "digit")


def _filled(pattern: Sequence[Token], digits: str, least: int) -> str:
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


def _filled_behind(pattern: Sequence[Token], digits: str) -> str:
    parts: list[str] = []
    for kind, text in pattern:
        if kind == "digit":
            parts.append(digits[: len(text)])
            digits = digits[len(text) :]
        else:
            parts.append(text)
    return "".join(parts)
