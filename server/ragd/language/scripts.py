"""Characters by script: every range once, written as inside of the brackets of a regular expression's class.

Sets that differ in a few characters stand beside each other on purpose: chunk ids, index terms and keywords depend on them.
"""

from __future__ import annotations

import re
from typing import Final

HIRAGANA: Final = "\u3041-\u309f"
KATAKANA: Final = "\u30a1-\u30fa"
"""Without the sign of long vowels."""
LONG_VOWEL: Final = "\u30fc"
KANA_REPEATED: Final = "\u30fd\u30fe"
BASIC_KANA: Final = f"{HIRAGANA}{KATAKANA}{LONG_VOWEL}{KANA_REPEATED}\u30ff"
KANA: Final = f"{BASIC_KANA}\u31f0-\u31ff"
"""With the small katakana that Ainu needs."""
KANA_SOUNDS: Final = f"\u3041-\u3096\u309d-\u309f{KATAKANA}{KANA_REPEATED}\u30ff\uff66-\uff9d"
"""Kana of both widths that stand for a sound of their own: no signs of long or voiced ones."""
KANA_BLOCKS: Final = "\u3041-\u30ff"
"""Kana with the punctuation that Unicode has between them."""
HALF_WIDTH_KATAKANA: Final = "\uff66-\uff9f"
HALF_WIDTH_JAPANESE: Final = "\uff61-\uff9f"
"""Half-width katakana and their punctuation."""

UNIFIED_HAN: Final = "\u4e00-\u9fff"
HAN_BLOCKS: Final = "\u3400-\u9fff"
"""Chinese characters of the basic plane, with the hexagrams that Unicode has between them."""
IDEOGRAPHS: Final = f"\u3400-\u4dbf{UNIFIED_HAN}\uf900-\ufaff"
RARE_IDEOGRAPHS: Final = "\U00020000-\U0003134f"
"""Chinese characters that are not in everyday use, as of Unicode 13."""
_HAN_PLANES: Final = "\U00020000-\U0003ffff"
"""The two planes that are kept for them."""
_HAN_SIGNS: Final = "\u3005\u3007"
"""The sign of repetition and the zero."""
HAN: Final = f"{_HAN_SIGNS}{IDEOGRAPHS}"
ALL_HAN: Final = f"{HAN}{_HAN_PLANES}"
HANGZHOU_NUMERALS: Final = "\u3021-\u3029"

HANGUL_SYLLABLES: Final = "\uac00-\ud7af"
HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
SOUTH_EAST_ASIAN: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer, which put no blanks between words."""

SIGNS_AND_KANA: Final = "\u3000-\u30ff"
EAST_ASIAN: Final = "\u3001-\ud7ff\uff01-\uff9f"
"""Every block from Japanese punctuation to Hangul, and the full- and half-width forms of Latin letters and katakana."""
FULL_WIDTH: Final = "\uff00-\uffef"
CJK: Final = f"\u3001-\u30ff{IDEOGRAPHS}\uff01-\uff60\U00020000-\U000323af"
"""What is printed without blanks around it, punctuation and full-width forms included."""

LATIN: Final = "A-Za-z\u00c0-\u024f"


def code_ranges(characters: str) -> list[tuple[int, int]]:
    """First and last code points of the ranges in a class."""
    return [(ord(first), ord(last)) for first, last in re.findall("(.)-(.)", characters)]
