"""Days and times of a spreadsheet: serial numbers to text by the tokens of a number format, Japanese eras included."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1899, 12, 30)
_EPOCH_1904: Final = datetime(1904, 1, 1)
_LAST_SERIAL: Final = 2_958_466
"""The day after 9999-12-31."""
_FALSE_LEAP_DAY: Final = 60
"""Excel counts a 29 February 1900 that never was; the days before it are one further from the epoch."""

_ERAS: Final = (
    (date(2019, 5, 1), "R", "令", "令和"),
    (date(1989, 1, 8), "H", "平", "平成"),
    (date(1926, 12, 25), "S", "昭", "昭和"),
    (date(1912, 7, 30), "T", "大", "大正"),
    (date(1868, 1, 25), "M", "明", "明治"),
)
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_JAPANESE_WEEKDAYS: Final = "月火水木金土日"
_CHINESE_WEEKDAYS: Final = "一二三四五六日"
_LOCALES: Final = {"411": "ja", "804": "zh", "404": "zh"}
"""Languages by the last digits of the locale that a format names. The names of months and weekdays are English in all others."""
_FIRST_YEAR: Final = "gannen"
"""In the name of a locale: the first year of an era is called 元."""
_NOON: Final = {"am/pm": ("AM", "PM"), "a/p": ("A", "P"), "午前/午後": ("午前", "午後"), "上午/下午": ("上午", "下午")}
_ISO: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d*)?)?Z?)?$")


def _moment_of(serial: float, *, from_1904: bool = False) -> datetime | None:
    """The moment of a serial number, to the microsecond; None when it is outside of what spreadsheets show."""
    if not 0 <= serial < _LAST_SERIAL:
        return None
    if from_1904:
        epoch = _EPOCH_1904
    else:
        epoch = _EPOCH + timedelta(days=1) if serial < _FALSE_LEAP_DAY else _EPOCH
    # Whole milliseconds: a serial has some 15 digits, of which the time gets ten at most.
    try:
        return epoch + timedelta(milliseconds=round(serial * 86_400_000))
    except OverflowError:
        return None


def serial_of(iso: str, *, from_1904: bool = False) -> float | None:
    """The serial number of an ISO 8601 date or moment, as cells of the type `d` hold it."""
    found = _ISO.match(iso.strip())
    if not found:
        return None
    try:
        moment = datetime(*(int(part or 0) for part in found.groups()))  # type: ignore[arg-type]  # no time zone among them
    except ValueError:
        return None
    return (moment - (_EPOCH_1904 if from_1904 else _EPOCH)) / timedelta(days=1)


def date_text(tokens: Sequence[tuple[str, str]], serial: float, *, from_1904: bool = False) -> str | None:
    """A serial number by the tokens of a date section; None when it can't be shown as a date (Excel shows `####`)."""
    elapsed = any(kind == "elapsed" for kind, _ in tokens)
    if elapsed and serial < 0:
        text = date_text(tokens, -serial, from_1904=from_1904)
        return None if text is None else f"-{text}"
    moment = _moment_of(serial, from_1904=from_1904)
    if moment is None:
        return None
    fraction = _fraction_digits(tokens)
    # Rounded to the smallest unit that is shown where that is a second or less; hours and minutes are cut, as Excel does.
    moment = _rounded(moment, fraction)
    if any(kind == "system" for kind, _ in tokens):
        is_time = any(text == "F400" for kind, text in tokens if kind == "system")
        return moment.strftime("%H:%M:%S") if is_time else moment.date().isoformat()
    seconds = round(serial * 86_400) if elapsed else 0
    locale = next((text.lower() for kind, text in tokens if kind == "locale"), "")
    noon = next((_NOON[text.lower()] for kind, text in tokens if kind == "noon"), None)
    parts: list[str] = []
    for index, (kind, text) in enumerate(tokens):
        if kind == "date":
            is_minutes = text[0] in "mM" and len(text) <= 2 and _is_minutes(tokens, index)
            parts.append(_two(moment.minute, text) if is_minutes else _date_part(text.lower(), moment, locale, noon is not None))
        elif kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[text[0]]
            parts.append(str(seconds // unit).rjust(len(text), "0"))
        elif kind == "noon":
            parts.append(noon[moment.hour >= 12] if noon else "")
        elif kind == "digit":
            parts.append(f"{moment.microsecond:06d}"[: len(text)])
        elif kind != "locale" and text != "@":
            parts.append(text)
    return "".join(parts).strip()


def _two(number: int, token: str) -> str:
    """With a leading zero when the token has two letters."""
    return f"{number:02d}" if len(token) > 1 else str(number)


def _date_part(token: str, moment: datetime, locale: str, twelve: bool) -> str:
    long = len(token) > 3
    language = _LOCALES.get(locale[-3:], locale[:2] if locale[:2] in ("ja", "zh") else "")
    match token[0]:
        case "y":
            return f"{moment.year:04d}" if len(token) > 2 else f"{moment.year % 100:02d}"
        case "m":
            if len(token) < 3:
                return _two(moment.month, token)
            name = f"{moment.month}月" if language else _MONTHS[moment.month - 1]
            return name if long or language else name[:3]
        case "d":
            if len(token) < 3:
                return _two(moment.day, token)
            name = _WEEKDAYS[moment.weekday()]
            return _weekday(moment, language, long) if language else name if long else name[:3]
        case "a":
            return _weekday(moment, language, long)
        case "h":
            return _two((moment.hour - 1) % 12 + 1 if twelve else moment.hour, token)
        case "s":
            return _two(moment.second, token)
        case _:
            return _era_part(token, moment, locale)


def _weekday(moment: datetime, language: str, long: bool) -> str:
    if language == "zh":
        return ("星期" if long else "周") + _CHINESE_WEEKDAYS[moment.weekday()]
    return _JAPANESE_WEEKDAYS[moment.weekday()] + ("曜日" if long else "")


def _era_part(token: str, moment: datetime, locale: str) -> str:
    """`g`, `gg` and `ggg` are the era's name, `e` its year. Before the first of the eras: no name, and the common year."""
    first_day, *names = next((row for row in _ERAS if moment.date() >= row[0]), (date(1, 1, 1), "", "", ""))
    if token[0] == "g":
        return names[min(len(token), 3) - 1]
    year = moment.year - first_day.year + 1
    return "元" if year == 1 and _FIRST_YEAR in locale else _two(year, token)


def _is_minutes(tokens: Sequence[tuple[str, str]], index: int) -> bool:
    """`m` means minutes right after hours or right before seconds."""
    before = next((text[0].lower() for kind, text in reversed(tokens[:index]) if kind in ("date", "elapsed")), "")
    after = next((text[0].lower() for kind, text in tokens[index + 1 :] if kind in ("date", "elapsed")), "")
    return before == "h" or after == "s"


def _fraction_digits(tokens: Sequence[tuple[str, str]]) -> int | None:
    """Digits of the seconds' fraction that are shown; None when no seconds are."""
    if not any(text[:1].lower() == "s" for kind, text in tokens if kind in ("date", "elapsed")):
        return None
    return sum(len(text) for kind, text in tokens if kind == "digit")


def _rounded(moment: datetime, fraction: int | None) -> datetime:
    unit = 10 ** (6 - min(fraction, 3)) if fraction is not None else 1_000_000
    excess = moment.microsecond % unit
    try:
        return moment + timedelta(microseconds=unit - excess if excess * 2 >= unit else -excess)
    except OverflowError:
        return moment - timedelta(microseconds=excess)
