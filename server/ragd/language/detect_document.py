"""Language of a text by its scripts: kana is Japanese, Han without kana Chinese, Latin with English function words English."""

from __future__ import annotations

import re
from typing import Final

_SAMPLE: Final = 20_000
MIN_SHARE: Final = 0.05
"""Share of the letters (a kana or a Han character is one) from which a script decides."""
MIN_KANA_BESIDE_HAN: Final = 0.02
"""Share of kana among kana and Han from which a text with much Han is Japanese."""
MIN_STOP_WORDS: Final = 0.08
"""Share of English function words among Latin words; English prose has 0.3 to 0.5, other languages below 0.03."""

_KANA: Final = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f]")
_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_LETTER: Final = re.compile(r"[^\W\d_]")
_LATIN_WORD: Final = re.compile("[A-Za-z\u00c0-\u024f]+(?:'[a-z]+)?")
_STOP_WORDS: Final = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "do", "does", "for", "from", "had", "has",
    "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it", "its", "may", "more", "must", "no", "not", "of",
    "on", "only", "or", "our", "see", "should", "so", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "to", "use", "was", "we", "were", "what", "when", "where", "which", "who", "will", "with",
    "would", "you", "your",
))  # fmt: skip


def detect_language(text: str) -> str | None:
    """`ja`, `zh` or `en`, or None when none of them is plain. Looks at the first 20,000 characters."""
    sample = text[:_SAMPLE]
    letters = len(_LETTER.findall(sample))
    if not letters:
        return None
    kana, han = len(_KANA.findall(sample)), len(_HAN.findall(sample))
    if kana >= MIN_SHARE * letters:
        return "ja"
    if han >= 2 * MIN_SHARE * letters:
        # A Japanese table may be nearly all Han; Chinese has no kana but in a name here and there.
        return "ja" if kana >= MIN_KANA_BESIDE_HAN * (kana + han) else "zh"
    words = [word.lower() for word in _LATIN_WORD.findall(sample)]
    if words and sum(word in _STOP_WORDS for word in words) >= MIN_STOP_WORDS * len(words):
        return "en"
    return None


def language_of_tag(tag: str) -> str | None:
    """`ja` of a declared language tag such as `ja-JP`; None when the tag names none of our languages."""
    primary = re.split(r"[-_]", tag.strip().lower(), maxsplit=1)[0]
    return primary if primary in ("ja", "zh", "en") else None
