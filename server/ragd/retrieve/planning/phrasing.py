"""What a question asks about, without how it asks: "avahi" of "Show the page about avahi please" or "avahiについて".

A text is taken apart from its outer end into the words of asking (`stop_words.toml`). Where such a run has a word that closes it
("about", "について", "关于"), what lies outside of that word goes; a text that is nothing but phrasing stays whole. "page" of
"page faults" stays, as nothing closes a run after it. One pass over the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from ragd.language.scripts import HIRAGANA
from ragd.language.stop_words import PHRASING

_WORD: Final = re.compile(r"[^\s,:;?!.。、，？！]+")
_SIGNS: Final = " \t\n?!.,:;。、，？！：；…~〜「」『』“”\"'"
_PARTED: Final = re.compile(rf"[\s{HIRAGANA}]")
_LONGEST_WORD: Final = 60
_LONGEST_CJK_WORD: Final = 10
_MOST_CHARS: Final = 80
"""Phrasing is looked for in so many characters at each end."""
_IN_HEADINGS: Final = PHRASING["japanese_closing"] - {"とは", "って", "とは何"}
_WITHOUT_OPENING: Final = frozenset(
    ("please", "thanks", "mentioned", "described", "explained", "documented", "written", "covered", "discussed")
)
_LONGEST: Final = max(map(len, PHRASING["japanese"] | PHRASING["japanese_closing"] | PHRASING["chinese"]))
_CHINESE: Final = PHRASING["chinese"] | PHRASING["chinese_closing"] | PHRASING["chinese_opening"]
_JAPANESE: Final = PHRASING["japanese"] | PHRASING["japanese_closing"]


def is_one_word(topic: str) -> bool:
    """Whether a topic is a single word: no blanks, no hiragana, and not so many characters that a sentence may be written so."""
    return len(topic) <= (_LONGEST_WORD if topic.isascii() else _LONGEST_CJK_WORD) and not _PARTED.search(topic)


def topic_of(question: str) -> str:
    """The part of a question, in canonical form, that says what it is about. Never empty when the question is not."""
    topic = _without_english(question)
    topic = _without_end(topic, _JAPANESE, PHRASING["japanese_closing"])
    topic = _without_beginning(topic, _CHINESE, PHRASING["chinese_opening"])
    topic = _without_end(topic, _CHINESE, PHRASING["chinese_closing"]).strip(_SIGNS)
    return topic if topic != question.strip(_SIGNS) and any(map(str.isalnum, topic)) else question


def _without_english(text: str) -> str:
    words = list(_WORD.finditer(text))
    lowered = [word.group().lower().replace("’", "'") for word in words]
    first = _closed(lowered)
    last = len(words)
    while last > first + 1 and lowered[last - 1] in PHRASING["english_ending"]:
        last -= 1
    if first == 0:
        if _WITHOUT_OPENING.isdisjoint(lowered[last:]):
            return text
        # "is avahi mentioned anywhere"
        first = int(lowered[0] in ("is", "are", "was", "were") and last > 1)
    # "explain what X is"
    if last < len(words) and first < last - 1 and lowered[first] in ("what", "who", "where"):
        first += 1
    if PHRASING["english"].union(PHRASING["english_opening"]).issuperset(lowered[first:last]):
        return text
    return text[words[first].start() : words[last - 1].end()]


def _closed(words: Sequence[str]) -> int:
    """How many words at the beginning are phrasing, up to the last that closes it; more than articles and prepositions."""
    found, asks = 0, False
    for number, word in enumerate(words, start=1):
        closes = word in PHRASING["english_opening"]
        if not closes and word not in PHRASING["english"]:
            break
        asks = asks or word not in PHRASING["english_weak"]
        if closes and asks:
            found = number
    return found


def _without_end(text: str, phrasing: Collection[str], closing: Collection[str]) -> str:
    """The text before the first closing word from which there is nothing but phrasing to the end."""
    end = len(text.rstrip(_SIGNS))
    reached = {end}
    cut = None
    for start in range(end - 1, max(0, end - _MOST_CHARS), -1):
        for length in range(1, min(_LONGEST, end - start) + 1):
            if start + length in reached and (word := text[start : start + length]) in phrasing:
                reached.add(start)
                # A heading may end in a closing word ("脱退について"): a question goes on, or asks with it.
                if word in closing and (start + length < end or word not in _IN_HEADINGS):
                    cut = start
                    break
    return text if cut is None else text[:cut]


def _without_beginning(text: str, phrasing: Collection[str], closing: Collection[str]) -> str:
    """The text behind the last closing word up to which there is nothing but phrasing."""
    begin = len(text) - len(text.lstrip(_SIGNS))
    reached = {begin}
    cut = begin
    for end in range(begin + 1, min(len(text), begin + _MOST_CHARS)):
        for length in range(1, min(_LONGEST, end - begin) + 1):
            if end - length in reached and (word := text[end - length : end]) in phrasing:
                reached.add(end)
                if word in closing:
                    cut = end
                    break
    return text[cut:]
