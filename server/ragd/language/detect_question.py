"""The language of a question, told by its script and a few tell-tale characters. Questions are too short for statistics.

Hangul is Korean, kana is Japanese. Chinese characters alone may be either: characters that only one of the two spellings has
decide (simplified forms and Chinese words of grammar against the Japanese forms of the 1946 reform and native coinages); without
any, the language is not known. Latin letters are English when a word of English grammar is there or no letter beyond ASCII is.
"""

from __future__ import annotations

import re
from typing import Final

from ragd.language.question_words import ENGLISH

HAN: Final = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA: Final = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"

_KANA: Final = re.compile(f"[{KANA}]")
_HANGUL: Final = re.compile(f"[{HANGUL}]")
_HAN: Final = re.compile(f"[{HAN}]")
_LATIN_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LATIN: Final = re.compile("[A-Za-z\u00c0-\u024f]+(?:['’][A-Za-z]+)*")
_CHINESE_ONLY: Final = frozenset(
    "们这那哪吗呢吧么嗎麼什怎您你它她的是了把被让给从个说请谁还没过对时问开关启动设务报错误试验证认识应该"
    "标签页码级权限执运环变查询节项线网络储队删缓连链账类结构组织导选择户电脑软库统载图书语种样实现处检录转单发无为与东车"
)
_JAPANESE_ONLY: Final = frozenset(
    "込働畑峠枠匂辻栃腺塀搾対変応図歳拡続縮処検録権満読総済経両価壊毎関売発伝転単営実拠従戻郵払圧囲団気仮様駅鉄黒齢剤収"
)


def language_of(text: str) -> str | None:
    """`ja`, `zh`, `ko` or `en`; None when the text does not say. Give it a question without its identifiers."""
    kana, hangul = len(_KANA.findall(text)), len(_HANGUL.findall(text))
    if kana or hangul:
        return "ja" if kana >= hangul else "ko"
    han = _HAN.findall(text)
    if han:
        chinese = sum(character in _CHINESE_ONLY for character in han)
        japanese = sum(character in _JAPANESE_ONLY for character in han)
        return None if chinese == japanese else "zh" if chinese > japanese else "ja"
    words = _LATIN_WORD.findall(text)
    if not words or any(not _LATIN.fullmatch(word) for word in words):
        return None
    return "en" if text.isascii() or any(word.lower() in ENGLISH for word in words) else None
