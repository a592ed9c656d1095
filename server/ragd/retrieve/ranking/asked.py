"""What kind of thing a question asks for, and whether a text holds one: a number of something, a time, a price, a person …

Rules for three languages, each a sign in the question and a pattern of what would answer it. Every run in a pattern is bounded,
so that the time grows with the text alone.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from ragd.language.scripts import KATAKANA, LONG_VOWEL, UNIFIED_HAN

_NUMBER: Final = (
    r"(?:(?<![0-9０-９.,])[0-9０-９][0-9０-９.,]{0,15}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
    r"|thirty|forty|fifty|half|an?|no|hundred|thousand|million)\b|[一二三四五六七八九十百千万数两]{1,8})"
)
_TIME: Final = (
    rf"{_NUMBER}[ -]?(?:milliseconds?|ms|seconds?|s|minutes?|min|hours?|h|days?|weeks?|months?|years?|quarters?)\b"
    rf"|\b(?:daily|weekly|monthly|yearly|every)\b|毎[日週月年時]"
    rf"|{_NUMBER} ?(?:ミリ秒|毫秒|秒|分|時間|小时|日|天|週|周|[かヶカ个]月|年|営業日)"
)
_MONEY: Final = r"[$€£¥]|\b(?:euros?|dollars?|yen|EUR|USD|NOK|JPY|free|percent)\b|[0-9] ?%|[0-9万千百] ?[円元]|無償|無料|免费"
_DATE: Final = (
    r"(?<!\d)\d{4}[-/年]|(?<!\d)\d{1,2}[:：]\d\d|\b(?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|daily|weekly|monthly|every|night|morning|quarter|until"
    r"|within|after|before)\b|[0-9０-９一二三四五六七八九十] ?(?:[かヶカ]?月|[日年時天]|営業日)|正午|[前翌当]日"
    r"|[毎每][日週周月年朝晩]|[月火水木金土日]曜|以内|年末|月末|四半期"
)
_CONDITION: Final = r"\b(?:when|whenever|while|if|unless|once|during)\b"
_NAME: Final = (
    rf"(?<=[a-z,;:|(] )[A-Z][a-z]|[{UNIFIED_HAN}{KATAKANA}{LONG_VOWEL}](?:さん|氏|様)|[(（][^)）\n]{{2,14}}[)）]"
    r"|\b(?:team|office|engineers?|managers?|owners?|head|group|department|colleagues?|customers?|security|on-call|support"
    r"|operators?|visitors?|everybody|nobody)\b|チーム|担当|当番|責任者|部|課|室|グループ|书记|書記|お客様|窓口|人员|团队"
)
_ANY_NUMBER: Final = r"[0-9０-９一二三四五六七八九十百千万两]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b"

# Counters that a text may write in another way than the question.
_COUNTERS: Final = {
    "人": "[人名]",
    "名": "[人名]",
    "パーセント": "(?:パーセント|[%％割])",
    "ワット": r"(?:ワット|W\b)",
    "メートル": r"(?:メートル|m\b)",
    "番": "",
    "台": r"(?:台|nodes?\b|servers?\b)",
}
_TIME_ASKED: Final = re.compile(
    r"何 ?(?:ミリ秒|秒|分|時間|日|週間|[かヶカ]月|年|営業日)|多久|多长时间|几[天年]|\bhow (?:long|soon|often|old)\b|\bafter how\b"
    r"|\bhow many (?:milli)?(?:second|minute|hour|day|week|month|year)",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    r"何 ?(人|名|円|個|回|件|台|番|度|社|枚|文字|[かヶカ]国語?|ワット|メートル|パーセント|%|倍|割|GB|キログラム|本|行|ページ)"
)
_HOW_MANY: Final = re.compile(r"\bhow many ((?:[\w-]{1,30} ){0,2}[\w-]{1,30})", re.IGNORECASE)
_SIGNS: Final = tuple(
    (re.compile(sign, re.IGNORECASE), re.compile(answer))
    for sign, answer in (
        (r"いくつ|ど[のれ]くらい|どの程度|多少(?!钱)|几[个人台次]", _ANY_NUMBER),
        (r"いくら|多少钱", _MONEY),
        (r"誰|どなた|氏名|谁|\bwho(?:se|m)?\b", _NAME),
        (r"\bwhen (?:must|may|can|should|do|does|are)\b", f"{_DATE}|{_CONDITION}"),
        (r"いつ|時期|何曜日|何月|什么时候|何时|\bwhen\b|\b(?:which|what) (?:day|date|year|month)\b", _DATE),
        (r"電話番号|内線|専用番号|电话|\bphone\b|mobile number", r"\d{4}|\d\d-\d"),
        (r"住所|メールアドレス|邮箱|地址|\be-?mail address", r"@|[0-9０-９][-−丁番号]|[都道府県市区町]"),
        (r"\bhow much\b.{0,80}\b(?:cost|paid|pay|charge|price)|\b(?:price|cost|salary|fee|wage)\b", _MONEY),
        (r"料金|価格|単価|費用|時給|手当|金額|[価总]格|费用|工资", _MONEY),
        (
            r"\bhow (?:much|far|fast|large|big|tall|high|deep|heavy|wide)\b"
            r"|\b(?:maximum|minimum|length|height|weight|shortest|longest|size|share|percentage)\b",
            _ANY_NUMBER,
        ),
    )
)
_PARTS: Final = re.compile(r"[。！？\n]|[.!?]\s")
_OWN: Final = re.compile(r"\b[A-Z][a-z]+\b|\d+")


class Asked(NamedTuple):
    """What would answer a question: `answer` is found in a text that holds such a thing beside the names in `own`."""

    answer: re.Pattern[str]
    own: frozenset[str]

    def is_in(self, text: str) -> bool:
        """Whether a text holds such a thing that the question itself does not name."""
        return self.answer.search(_OWN.sub(lambda word: " " if word.group() in self.own else word.group(), text)) is not None


def asked_for(question: str) -> Asked | None:
    """The kind of thing that a question asks for; None where no rule knows it."""
    answer = _answer_to(question)
    return Asked(answer, frozenset(_OWN.findall(question))) if answer else None


def parts_of(content: str) -> list[str]:
    """A passage's sentences, lines and rows."""
    return [part for part in _PARTS.split(content) if part.strip()]


def _answer_to(question: str) -> re.Pattern[str] | None:
    if _TIME_ASKED.search(question):
        return re.compile(_TIME, re.IGNORECASE)
    if counted := _COUNTED.search(question):
        return _number_of(_COUNTERS.get(counted[1], re.escape(counted[1])))
    if counted := _HOW_MANY.search(question):
        return _number_near(tuple(word[:5].lower() for word in counted[1].split()))
    return next((answer for sign, answer in _SIGNS if sign.search(question)), None)


@lru_cache(maxsize=256)
def _number_of(counter: str) -> re.Pattern[str]:
    return re.compile(rf"{_NUMBER} ?{counter}")


@lru_cache(maxsize=256)
def _number_near(stems: tuple[str, ...]) -> re.Pattern[str]:
    """A number up to two words before, or after, a word that begins as one of these."""
    word = f"(?:{'|'.join(map(re.escape, stems))})"
    return re.compile(
        rf"{_NUMBER}(?:[\s|,-]{{1,3}}\w{{1,20}}){{0,2}}[\s|,-]{{1,3}}{word}|{word}\w{{0,20}}(?:[\s|:,-]{{1,3}}\w{{1,20}}){{0,2}}[\s|:,-]{{1,3}}[0-9]",
        re.IGNORECASE,
    )
