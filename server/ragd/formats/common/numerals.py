"""Numbers written as lists write them, by Word's names for the forms (ECMA-376 part 1, 17.18.59)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_AIUEO: Final = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA: Final = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
_STEMS: Final = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES: Final = "子丑寅卯辰巳午未申酉戌亥"
_GANADA: Final = "가나다라마바사아자차카타파하"
_DIGITS: Final = "〇一二三四五六七八九"
_LEGAL_DIGITS: Final = "零壱弐参四伍六七八九"
_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"),
    (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MAX_ROMAN: Final = 3999
_MAX_REPEATED: Final = 10


def numeral(number: int, form: str, custom: str = "") -> str:
    """`number` in the format `form` (a `w:numFmt`); decimal for formats that aren't known. `custom` is as `001, 002, ...`."""
    if form in ("none", "bullet"):
        return ""
    if form == "custom":
        return str(number).zfill(len(custom.partition(",")[0].strip()) if custom[:1].isdecimal() else 0)
    write = _FORMATS.get(form)
    return write(number) if write and number > 0 else str(number)


def _letters(number: int) -> str:
    """a … z, aa, bb …: Word repeats a letter, unlike a spreadsheet."""
    return _cycled(number, "abcdefghijklmnopqrstuvwxyz")


def _cycled(number: int, signs: str) -> str:
    rounds, index = divmod(number - 1, len(signs))
    return signs[index] * (rounds + 1) if rounds < _MAX_REPEATED else str(number)


def _roman(number: int) -> str:
    if number > _MAX_ROMAN:
        return str(number)
    signs = []
    for value, sign in _ROMAN:
        count, number = divmod(number, value)
        signs.append(sign * count)
    return "".join(signs)


def _counting(number: int, digits: str, powers: str, *, spoken_one: bool) -> str:
    """Up to 9,999 in Chinese numerals: 二百五 or 二百五; `spoken_one` writes the one before ten, hundred and thousand."""
    if number > 9999:
        return str(number)
    signs = []
    for power in (3, 2, 1, 0):
        digit = number // 10**power % 10
        if digit and (power == 0 or digit > 1 or spoken_one):
            signs.append(digits[digit])
        if digit and power:
            signs.append(powers[power - 1])
    return "".join(signs)


def _chinese(number: int) -> str:
    """As `_counting`, with 零 for what is skipped: 一百零五, but 十二 rather than 一十二."""
    if number > 9999:
        return str(number)
    signs = ""
    for power in (3, 2, 1, 0):
        digit = number // 10**power % 10
        if digit:
            signs += _DIGITS[digit] + ("十百千"[power - 1] if power else "")
        elif signs and not signs.endswith("零") and number % 10**power:
            signs += "零"
    return signs.removeprefix("一") if 10 <= number < 20 else signs


def _by_digits(number: int, digits: str) -> str:
    return "".join(digits[int(digit)] for digit in str(number))


def _from(first: str, last: int) -> Callable[[int], str]:
    """Numbers that have a character of their own, up to `last`."""
    return lambda number: chr(ord(first) + number - 1) if number <= last else str(number)


def _circled(number: int) -> str:
    for first, start, last in (("①", 1, 20), ("㉑", 21, 35), ("㊱", 36, 50)):
        if start <= number <= last:
            return chr(ord(first) + number - start)
    return str(number)


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


_FORMATS: Final[dict[str, Callable[[int], str]]] = {
    "decimalZero": lambda number: f"{number:02}",
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "ordinal": _ordinal,
    # The half-width kinds are written in full width: the same letters, easier to read and to search.
    **dict.fromkeys(("aiueo", "aiueoFullWidth"), lambda number: _cycled(number, _AIUEO)),
    **dict.fromkeys(("iroha", "irohaFullWidth"), lambda number: _cycled(number, _IROHA)),
    **dict.fromkeys(("decimalFullWidth", "decimalFullWidth2"), lambda number: _by_digits(number, "０１２３４５６７８９")),
    **dict.fromkeys(("decimalEnclosedCircle", "decimalEnclosedCircleChinese"), _circled),
    "decimalEnclosedFullstop": _from("⒈", 20),
    "decimalEnclosedParen": _from("⑴", 20),
    "ideographEnclosedCircle": _from("㊀", 10),
    "ideographTraditional": lambda number: _cycled(number, _STEMS),
    "ideographZodiac": lambda number: _cycled(number, _BRANCHES),
    **dict.fromkeys(("ideographDigital", "japaneseDigitalTenThousand"), lambda number: _by_digits(number, _DIGITS)),
    "japaneseCounting": lambda number: _counting(number, _DIGITS, "十百千", spoken_one=False),
    "japaneseLegal": lambda number: _counting(number, _LEGAL_DIGITS, "拾百阡", spoken_one=True),
    **dict.fromkeys(("chineseCounting", "chineseCountingThousand", "taiwaneseCountingThousand"), _chinese),
    **dict.fromkeys(("ganada", "chosung"), lambda number: _cycled(number, _GANADA)),
}
