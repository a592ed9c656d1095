"""Figures of a sentence, normalised: quantities in base units, dates, times of day and days of the week.

Full-width digits, thousands separators, numerals in words and kanji, Japanese eras and units of one dimension (5 km, 5,000 m)
compare as equal. Each expression is linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

_MOST_CHARS: Final = 20_000
_ERAS: Final = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
_FIRST_YEAR: Final = "元"
_DIGITS: Final = {char: value for value, char in enumerate("〇一二三四五六七八九")}
_POWERS: Final = {"十": 10, "百": 100, "千": 1000}
_MYRIADS: Final = {"万": 10**4, "億": 10**8, "兆": 10**12}
_COUNTED: Final = (
    "か月|ヶ月|カ月|箇月|月|営業日|日|年|時間|時|分|秒|週|人|名|枚|冊|回|台|円|個|件|本|倍|割|歳|部|階|号|条|世代|つ|足|箱|便|点|頭|匹|巻"
    "|パーセント|%|メートル|キロ|トン"
)
_KANJI: Final = re.compile(
    rf"(?<![〇一二三四五六七八九十百千万億兆0-9])(?!十分[なにで])([〇一二三四五六七八九十百千万億兆]{{1,12}})(?={_COUNTED})"
)
_MIXED: Final = re.compile(r"(\d{1,9}(?:\.\d{1,6})?) ?([万億兆])")
_TO_TWENTY: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty"
)
_TENS: Final = "thirty forty fifty sixty seventy eighty ninety hundred"
# "one" is seldom a number.
_WORDS: Final = {word: number for number, word in enumerate(_TO_TWENTY.split()) if word != "one"} | {
    word: number for number, word in zip(range(30, 101, 10), _TENS.split(), strict=True)
}
_WORD: Final = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
MORE: Final = "more|longer|greater|higher|warmer|hotter|older|faster|larger|later|wider|heavier|deeper|stronger"
LESS: Final = "less|fewer|shorter|lower|smaller|younger|colder|cooler|slower|earlier|narrower|lighter|weaker"
"""What stands before "than" and a number."""
_BEFORE_TIMES: Final = "for|in|within|after|over|than|about|takes|least|most"
_PHRASES: Final = (
    (re.compile(r"\ba year and a half\b|一年半|1年半"), "18 months"),
    (re.compile(r"\bhalf a year\b|\bhalf-year\b|半年(?!度)"), "6 months"),
    (re.compile(r"\bhalf an hour\b|半時間"), "30 minutes"),
    (re.compile(r"\ba decade\b"), "10 years"),
    (re.compile(r"\bevery (?:second|other) (?=day|week|month|year|hour)"), "every 2 "),
    (re.compile(r"\b(?:not|never) exceed(?:s|ing)?\b"), "at most"),
    (re.compile(rf"\b(?:no|not|never|nobody|cannot)\b([^.;,]{{0,40}}?)\b(?:{MORE}) than\b"), r"\1at most"),
    (re.compile(rf"\b(?:no|not|never|nobody|cannot)\b([^.;,]{{0,40}}?)\b(?:{LESS}) than\b"), r"\1at least"),
    (re.compile(r"\ba fortnight\b"), "14 days"),
    (re.compile(rf"\b({_BEFORE_TIMES}) an? (?=(?:second|minute|hour|day|week|month|year)\b)"), r"\1 1 "),
    (re.compile(r"\bone (?=(?:second|minute|hour|day|week|month|year)\b)", re.IGNORECASE), "1 "),
    (re.compile(r"\btwice as\b|\bdouble\b|\btwice the\b", re.IGNORECASE), "2 times "),
    (re.compile(r"正午|\bnoon\b", re.IGNORECASE), " 12:00 "),
    (re.compile(r"\bmidnight\b", re.IGNORECASE), " 00:00 "),
)

_UNITS: Final[dict[str, tuple[str, float]]] = {
    form: (dimension, factor)
    for dimension, rows in {
        "time": "ms|millisecond|milliseconds|ミリ秒=0.001 s|sec|second|seconds|秒|秒間=1 min|minute|minutes|分|分間=60 "
        "h|hour|hours|時間=3600 day|days|日|日間|泊=86400 week|weeks|週|週間=604800",
        "month": "month|months|か月|ヶ月|カ月|箇月|か月間|月間=1 year|years|年|年間=12 decade|decades=120",
        "length": "mm|millimetre|millimetres|millimeters|ミリ|ミリメートル=0.001 "
        "cm|centimetre|centimetres|centimeters|センチ|センチメートル=0.01 "
        "m|metre|metres|meter|meters|メートル=1 km|kilometre|kilometres|kilometers|キロメートル=1000",
        "mass": "mg|ミリグラム=0.001 g|gram|grams|グラム=1 kg|kilogram|kilograms|キログラム=1000 "
        "t|tonne|tonnes|tons|トン=1000000",
        "speed": "m/s|mps=1 km/s=1000 km/h|kmh=0.27777778 knot|knots|ノット=0.51444444",
        "volume": "ml|ミリリットル=0.001 l|litre|litres|liter|liters|リットル=1 m3=1000",
        "angle": "°c|°|度|degrees=1",
        "share": "%|percent|パーセント=1 割=10",
        "yen": "円|yen=1",
        "euro": "€|euro|euros|ユーロ=1 cent|cents=0.01",
        "krone": "kr|kroner=1",
        "franc": "franc|francs|chf=1",
        "dollar": "$|dollar|dollars|ドル=1",
        "bytes": "kb=1000 mb=1000000 gb=1000000000 tb=1000000000000",
        "concentration": "mg/l=1 g/l=1000",
        "times": "倍|times=1",
        "people": "人|名|person|persons|people=1",
    }.items()
    for forms, factor in ((row.partition("=")[0], float(row.partition("=")[2])) for row in rows.split(" "))
    for form in forms.split("|")
}
_UNIT: Final = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_LONG_UNITS: Final = (
    (re.compile(r"\b(?:metres?|meters?) per second\b|メートル毎秒"), "m/s"),
    (re.compile(r"\b(?:kilometres?|kilometers?) per second\b"), "km/s"),
    (re.compile(r"cubic met(?:re|er)s?|立方メートル"), "m3"),
    (re.compile(r"per cent\b"), "%"),
    (re.compile(r"degrees? celsius"), "°c"),
)
_NUMBER: Final = re.compile(
    r"(?<![a-z0-9_.])(?<![a-z]-)(?<!\d[,:/-])(-(?=\d))?(\d{1,15}+(?:\.\d{1,9}+)?+)(?![:.]?\d)[ -]?"
    rf"({_UNIT})?(?P<rest>[a-z]{{0,20}})"
)
_SEPARATED: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DATES: Final = (
    re.compile(r"(?<!\d)(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)"),
    re.compile(r"(?P<era>明治|大正|昭和|平成|令和)(?P<y>元|\d{1,2})年(?:(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})日)?)?"),
    re.compile(r"(?<!\d)(?P<y>\d{4})年(?:(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})日)?)?"),
    re.compile(r"(?<!\d)(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})日)?"),
)
_MONTHS: Final = "january|february|march|april|may|june|july|august|september|october|november|december".split("|")
_MONTH: Final = "|".join((*_MONTHS, "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"))
_ENGLISH_DATES: Final = (
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m>{_MONTH})\b\.?(?:,? (?P<y>\d{{4}}))?"),
    re.compile(rf"\b(?P<m>{_MONTH})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y>\d{{4}}))?"),
    re.compile(rf"\b(?P<m>{_MONTH}) (?P<y>\d{{4}})\b"),
    re.compile(rf"\b(?P<m>{'|'.join(month for month in _MONTHS if month not in ('may', 'march'))})\b"),
    re.compile(r"(?<=\bin )(?P<m>may|march)\b"),
)
_YEAR: Final = re.compile(rf"(?<![\d.,:/-])(?P<y>1[5-9]\d\d|20\d\d)(?![\d,.:/-]*\d)(?! ?(?:{_UNIT})(?![a-z]))")
_CLOCKS: Final = (
    re.compile(
        r"(?P<half>午前|午後|朝|夕方|夜)?(?<!\d)(?P<h>\d{1,2})[時:](?!間)(?:(?P<min>\d{1,2})分?)?(?P<after> ?[ap]\.?m\b\.?)?"
    ),
    re.compile(r"(?<!\d)(?P<h>\d{1,2}) ?(?P<after>[ap]\.?m\b\.?)"),
)
_BOTH: Final = re.compile(r"(?<![\d.])(\d{1,3}) ?(?:時間|h|hours?)(?: and)? ?(\d{1,2}) ?(?:分|min(?:utes?)?\b)")
_WEEKDAYS: Final = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|([月火水木金土日])曜")
_WEEKDAY_NUMBER: Final = {
    name: at
    for names in ("mon|tues|wednes|thurs|fri|satur|sun", "月|火|水|木|金|土|日")
    for at, name in enumerate(names.split("|"))
}
_LINKS: Final = re.compile(r"[\s~〜～–-]*+(?:to|and|or|から|と|、|,)?[\s~〜～–-]*+")


class Quantity(NamedTuple):
    """A `number`, and its `value` in its dimension's base unit; without a known unit the dimension is empty.

    `start` and `end` are its place.
    """

    value: float
    dimension: str
    number: float
    start: int
    end: int

    def equals(self, other: Quantity) -> bool:
        """Whether both say the same; a unit that is not known is not held against the other."""
        if self.dimension and other.dimension:
            return self.dimension == other.dimension and _is_close(self.value, other.value)
        return _is_close(self.number, other.number)

    def is_comparable(self, other: Quantity) -> bool:
        """Whether both may count the same."""
        return self.dimension == other.dimension or not (self.dimension and other.dimension)


def _is_close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-3 * max(abs(one), abs(other))


Moment = tuple[str, int | None, int | None, int | None]
"""`date` with year, month and day, as far as they are said; `clock` with minutes of the day; `weekday` with its number."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a sentence says in figures, and the `text`, normalised, that their places are in."""

    text: str
    quantities: tuple[Quantity, ...]
    moments: tuple[Moment, ...]


def is_same_moment(claimed: Moment, known: Moment) -> bool:
    """Whether a moment is the other, or one that says less: the 3rd of March is in March."""
    return claimed[0] == known[0] and all(one is None or one == other for one, other in zip(claimed[1:], known[1:], strict=True))


@lru_cache(maxsize=1_024)
def figures_of(text: str) -> Figures:
    """The figures of a sentence or row."""
    text = unicodedata.normalize("NFKC", text[:_MOST_CHARS]).lower().replace("−", "-")
    text = _SEPARATED.sub("", text)
    for pattern, plain in (*_PHRASES, *_LONG_UNITS):
        text = pattern.sub(plain, text)
    text = _MIXED.sub(lambda match: f"{float(match[1]) * _MYRIADS[match[2]]:.0f}", text)
    text = _KANJI.sub(lambda match: str(_kanji_number(match[1])), text)
    text = _WORD.sub(lambda match: str(_WORDS[match.group()]), text)
    text = _BOTH.sub(lambda match: f"{int(match[1]) * 60 + int(match[2])} min", text)
    moments: list[Moment] = []
    for pattern in (*_DATES, *_ENGLISH_DATES, *_CLOCKS, _YEAR):
        text = pattern.sub(lambda match: _taken(match, moments), text)
    for match in _WEEKDAYS.finditer(text):
        moments.append(("weekday", _WEEKDAY_NUMBER[match[1] or match[2]], None, None))
    return Figures(text, tuple(_quantities(text)), tuple(moments))


def _taken(match: re.Match[str], moments: list[Moment]) -> str:
    """Adds the moment of a match and gives as many blanks; what can't be one stays as it is."""
    found = match.groupdict()
    if found.get("h") is not None:
        hour, minute = int(found["h"]), int(found.get("min") or 0)
        late = (found.get("half") or "") in ("午後", "夕方", "夜") or (found.get("after") or "").strip()[:1] == "p"
        if hour > 24 or minute > 59 or (":" in match.group() and found.get("min") is None):
            return match.group()
        moments.append(("clock", (hour % 24 if not late or hour >= 12 else hour + 12) * 60 + minute, None, None))
    else:
        year, month, day = (found.get(name) for name in "ymd")
        number = None if year is None else 1 if year == _FIRST_YEAR else int(year)
        if era := found.get("era"):
            number = (number or 0) + _ERAS[era]
        in_year = None if month is None else int(month) if month.isdecimal() else _month(month)
        if in_year is not None and not 1 <= in_year <= 12:
            return match.group()
        moments.append(("date", number, in_year, int(day) if day else None))
    return " " * len(match.group())


def _month(name: str) -> int:
    return next(at for at, month in enumerate(_MONTHS, start=1) if month.startswith(name[:3]))


def _quantities(text: str) -> Iterator[Quantity]:
    found = list(_NUMBER.finditer(text))
    dimension, factor, before = "", 1.0, 0
    made: list[Quantity] = []
    for match in reversed(found):
        unit = match[3] if match[3] and not (match["rest"] and match[3].isascii() and match[3].isalpha()) else None
        if unit:
            dimension, factor = _UNITS[unit]
        elif not (before and _LINKS.fullmatch(text, match.end(2), before)):
            dimension, factor = "", 1.0
        number = float(match[2]) * (-1 if match[1] else 1)
        before = match.start()
        made.append(Quantity(number * factor, dimension, number, match.start(), match.end(3) if unit else match.end(2)))
    yield from reversed(made)


def _kanji_number(text: str) -> int:
    """The value of a numeral in kanji, as 二十三 or 二〇二六."""
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    total = part = digit = 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _POWERS:
            part += (digit or 1) * _POWERS[char]
            digit = 0
        else:
            total += (part + digit or 1) * _MYRIADS[char]
            part = digit = 0
    return total + part + digit
