"""The language of a text, by its scripts and its words. Three lengths of text need three rules.

A document is long enough for shares: kana is Japanese, Han without kana Chinese, Latin with English function words English.
A passage has no room for function words: its script decides. In a question, single characters decide.
"""

from __future__ import annotations

import re
from typing import Final

from ragd.language.scripts import (
    ALL_HAN,
    BASIC_KANA,
    HALF_WIDTH_KATAKANA,
    HAN,
    HAN_BLOCKS,
    HANGUL,
    IDEOGRAPHS,
    KANA,
    KANA_BLOCKS,
    KANA_SOUNDS,
    LATIN,
    RARE_IDEOGRAPHS,
)
from ragd.language.stop_words import FREQUENT_WORDS, QUESTION_GRAMMAR

_SAMPLE: Final = 20_000
_MIN_SHARE: Final = 0.05
"""Share of a document's letters (a kana or a Han character is one) from which a script decides."""
_MIN_KANA_BESIDE_HAN: Final = 0.02
"""Share of kana among kana and Han from which a document with much Han is Japanese."""
_MIN_FREQUENT_WORDS: Final = 0.08
"""Share of frequent words among Latin words; English prose has 0.3 to 0.5, other languages below 0.03."""
_LETTER: Final = re.compile(r"[^\W\d_]")
_KANA: Final = re.compile(f"[{BASIC_KANA}{HALF_WIDTH_KATAKANA}]")
_HAN: Final = re.compile(f"[{IDEOGRAPHS}{RARE_IDEOGRAPHS}]")
_ENGLISH_WORD: Final = re.compile(f"[{LATIN}]+(?:'[a-z]+)?")

DOCUMENT_LANGUAGES: Final = {"en": ("english",), "ja": ("japanese", "日本語"), "zh": ("chinese", "中文", "汉语", "漢語")}
"""Code of each language that a document can be in, and its names; of other documents none is known."""

PASSAGE_LANGUAGES: Final = ("en", "ja", "zh", "other")
# Japanese technical text is full of Latin names; English text quotes a Japanese word at most.
_PASSAGE_CJK_SHARE: Final = 0.1
# A Chinese passage may quote a Japanese name; a Japanese one has much more kana than that.
_PASSAGE_KANA_SHARE: Final = 0.05
# A longer stretch of Japanese has kana; a heading or a question of so many characters may have none.
_SHORT_PASSAGE: Final = 12
_PASSAGE_LATIN: Final = re.compile(f"[{LATIN}]+")
_PASSAGE_KANA: Final = re.compile(f"[{KANA_SOUNDS}]+")
_PASSAGE_HAN: Final = re.compile(f"[{HAN}]")

_QUESTION_KANA: Final = re.compile(f"[{KANA}]")
_QUESTION_HANGUL: Final = re.compile(f"[{HANGUL}]")
_QUESTION_HAN: Final = re.compile(f"[{ALL_HAN}]")
_QUESTION_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_QUESTION_LATIN: Final = re.compile(f"[{LATIN}]+(?:['’][A-Za-z]+)*")
_KANA_BLOCKS: Final = re.compile(f"[{KANA_BLOCKS}]")
_HAN_BLOCKS: Final = re.compile(f"[{HAN_BLOCKS}]")
# Simplified forms and Chinese words of grammar, against the Japanese forms of the 1946 reform and native coinages.
_CHINESE_ONLY: Final = frozenset(
    "们这那哪吗呢吧么嗎麼什怎您你它她的是了把被让给从个说请谁还没过对时问开关启动设务报错误试验证认识应该"
    "标签页码级权限执运环变查询节项线网络储队删缓连链账类结构组织导选择户电脑软库统载图书语种样实现处检录转单发无为与东车"
)
_JAPANESE_ONLY: Final = frozenset(
    "込働畑峠枠匂辻栃腺塀搾対変応図歳拡続縮処検録権満読総済経両価壊毎関売発伝転単営実拠従戻郵払圧囲団気仮様駅鉄黒齢剤収"
)


def detect_language(text: str) -> str | None:
    """`ja`, `zh` or `en`, or None when none of them is plain. Looks at the first 20,000 characters."""
    sample = text[:_SAMPLE]
    letters = len(_LETTER.findall(sample))
    if not letters:
        return None
    kana, han = len(_KANA.findall(sample)), len(_HAN.findall(sample))
    if kana >= _MIN_SHARE * letters:
        return "ja"
    if han >= 2 * _MIN_SHARE * letters:
        # A Japanese table may be nearly all Han; Chinese has no kana but in a name here and there.
        return "ja" if kana >= _MIN_KANA_BESIDE_HAN * (kana + han) else "zh"
    words = [word.lower() for word in _ENGLISH_WORD.findall(sample)]
    if words and sum(word in FREQUENT_WORDS for word in words) >= _MIN_FREQUENT_WORDS * len(words):
        return "en"
    return None


def language_of_tag(tag: str) -> str | None:
    """`ja` of a language tag such as `ja-JP`; None when the tag names none of our languages."""
    primary = re.split(r"[-_]", tag.strip().lower(), maxsplit=1)[0]
    return primary if primary in DOCUMENT_LANGUAGES else None


def language_called(name: str) -> str | None:
    """The code of a language that a person names, by a tag, in English or in itself; None when it is none of ours."""
    word = name.strip().lower()
    return language_of_tag(word) or next((code for code, names in DOCUMENT_LANGUAGES.items() if word in names), None)


def passage_language(text: str) -> str:
    """One of `PASSAGE_LANGUAGES`: `en` (Latin letters), `ja`, `zh`, or `other`. Fast: made to choose a mean vector by."""
    if text.isascii():
        return "en" if _PASSAGE_LATIN.search(text) else "other"
    latin, kana = (sum(map(len, runs.findall(text))) for runs in (_PASSAGE_LATIN, _PASSAGE_KANA))
    han = _PASSAGE_HAN.findall(text)
    letters = sum(map(str.isalpha, text))
    if kana + len(han) > _PASSAGE_CJK_SHARE * letters:
        if kana > _PASSAGE_KANA_SHARE * (kana + len(han)):
            return "ja"
        return "ja" if len(han) <= _SHORT_PASSAGE and any(map(_has_japanese_form, han)) else "zh"
    return "en" if latin and latin * 2 >= letters else "other"


def _has_japanese_form(character: str) -> bool:
    """Whether the standard Japanese characters (JIS X 0208) have it, and those of simplified Chinese (GB 2312) not."""
    return bool(character.encode("shift_jis", "ignore")) and not character.encode("gb2312", "ignore")


def question_language(text: str) -> str | None:
    """`ja`, `zh`, `ko` or `en`; None when the text does not say. Give it a question without its identifiers.

    Han alone may be Chinese or Japanese: characters that only one of them writes decide. Latin letters are English when a word of
    English grammar is there or no letter beyond ASCII is.
    """
    kana, hangul = len(_QUESTION_KANA.findall(text)), len(_QUESTION_HANGUL.findall(text))
    if kana or hangul:
        return "ja" if kana >= hangul else "ko"
    han = _QUESTION_HAN.findall(text)
    if han:
        chinese = sum(character in _CHINESE_ONLY for character in han)
        japanese = sum(character in _JAPANESE_ONLY for character in han)
        return None if chinese == japanese else "zh" if chinese > japanese else "ja"
    words = _QUESTION_WORD.findall(text)
    if not words or any(not _QUESTION_LATIN.fullmatch(word) for word in words):
        return None
    return "en" if text.isascii() or any(word.lower() in QUESTION_GRAMMAR for word in words) else None


def likely_language(question: str) -> str:
    """`ja`, `zh` or `en`, by the script alone: for a question whose language is not plain."""
    if _KANA_BLOCKS.search(question):
        return "ja"
    return "zh" if _HAN_BLOCKS.search(question) else "en"
