"""The content words of a question, as they are written: for people, for short wordings, and for what a follow-up carries over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ragd.core.query import Identifier
from ragd.language.scripts import ALL_HAN, HANGUL, HIRAGANA, KANA, KANA_REPEATED, KATAKANA, LONG_VOWEL
from ragd.language.stop_words import ASKING_ENGLISH, ASKING_JAPANESE, CHINESE_GRAMMAR_WORDS, QUESTION_GRAMMAR

MAX_KEYWORDS: Final = 24

_CJK_RUN: Final = re.compile(f"[{ALL_HAN}{KATAKANA}{LONG_VOWEL}{KANA_REPEATED}]+")
_KANJI_STEM: Final = re.compile(f"[{ALL_HAN}](?=[{HIRAGANA}])")
_WORD: Final = re.compile(
    rf"(?:(?![{ALL_HAN}{KANA}{HANGUL}])\w)+(?:['’.+#-]+(?:(?![{ALL_HAN}{KANA}{HANGUL}])\w)+)*[+#]*|[{HANGUL}]+"
)
_NOT_CONTENT: Final = QUESTION_GRAMMAR | ASKING_ENGLISH
_CHINESE_GRAMMAR: Final = re.compile("|".join(CHINESE_GRAMMAR_WORDS))


def keywords_of(text: str, identifiers: Sequence[Identifier], language: str | None) -> tuple[str, ...]:
    """Content words in the order in which they stand, identifiers whole, each once, at most `MAX_KEYWORDS`.

    Words of grammar and of asking are left out. Chinese is cut at its words of grammar. Of Japanese, runs of kanji and
    katakana are taken; a single kanji that begins a verb is not.
    """
    found: dict[str, str] = {}
    for word in _in_order(text, identifiers, language):
        found.setdefault(word.casefold(), word)
        if len(found) == MAX_KEYWORDS:
            break
    return tuple(found.values())


def _in_order(text: str, identifiers: Sequence[Identifier], language: str | None) -> Iterator[str]:
    whole = sorted({item.text for item in identifiers if item.kind != "quoted"}, key=len, reverse=True)
    apart = re.compile(f"({'|'.join(map(re.escape, whole))})") if whole else None
    for index, part in enumerate(apart.split(text) if apart else [text]):
        if index % 2:
            yield part
        else:
            yield from _words(part, language)


def _words(text: str, language: str | None) -> Iterator[str]:
    found: list[tuple[int, str]] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word.casefold() not in _NOT_CONTENT and (len(word) > 1 or word.isupper()):
            found.append((match.start(), word))
    for match in _CJK_RUN.finditer(text):
        if language in ("zh", None):
            start = match.start()
            for word in _CHINESE_GRAMMAR.split(match.group()):
                if len(word) > 1:
                    found.append((text.index(word, start), word))
        elif match.group() not in ASKING_JAPANESE and not (len(match.group()) == 1 and _KANJI_STEM.match(text, match.start())):
            found.append((match.start(), match.group()))
    yield from (word for _, word in sorted(found))
