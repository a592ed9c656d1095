"""The language of a text by its script alone: fast, and good enough to choose a mean vector by."""

from __future__ import annotations

import re
from typing import Final

LANGUAGES: Final = ("en", "ja", "zh", "other")

_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_KANA = re.compile("[\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\uff66-\uff9d]")
_HAN = re.compile("[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
# Japanese technical text is full of Latin names; English text quotes a Japanese word at most.
_CJK_SHARE = 0.1
# A Chinese text may quote a Japanese name; a Japanese one has much more kana than that.
_KANA_SHARE = 0.05
# A longer stretch of Japanese has kana; a heading or a question of so many characters may have none.
_SHORT = 12


def language_of(text: str) -> str:
    """One of `LANGUAGES`: `en` (Latin letters), `ja`, `zh`, or `other`."""
    latin, kana, han = len(_LATIN.findall(text)), len(_KANA.findall(text)), _HAN.findall(text)
    letters = sum(map(str.isalpha, text))
    if kana + len(han) > _CJK_SHARE * letters:
        if kana > _KANA_SHARE * (kana + len(han)):
            return "ja"
        return "ja" if len(han) <= _SHORT and any(map(_japanese_form, han)) else "zh"
    return "en" if latin and latin * 2 >= letters else "other"


def _japanese_form(character: str) -> bool:
    """Whether the standard Japanese characters (JIS X 0208) have it, and those of simplified Chinese (GB 2312) not."""
    return bool(character.encode("shift_jis", "ignore")) and not character.encode("gb2312", "ignore")
