"""The content words of a question, as they are written: for people, for short wordings, and for what a follow-up carries over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ragd.core.query import Identifier
from ragd.language.detect_question import HAN, HANGUL, KANA
from ragd.language.question_words import CHINESE_GRAMMAR, ENGLISH, ENGLISH_ASKING, JAPANESE_ASKING

MAX_KEYWORDS: Final = 24

_KATAKANA: Final = "\u30a1-\u30fa\u30fc\u30fd\u30fe"
_CJK_RUN: Final = re.compile(f"[{HAN}{_KATAKANA}]+")
_KANJI_STEM: Final = re.compile(f"[{HAN}](?=[\u3041-\u309f])")
_WORD: Final = re.compile(rf"(?:(?![{HAN}{KANA}{HANGUL}])\w)+(?:['’.+#-]+(?:(?![{HAN}{KANA}{HANGUL}])\w)+)*[+#]*|[{HANGUL}]+")
_CHINESE_GRAMMAR: Final = re.compile("|".join(CHINESE_GRAMMAR))


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
        if word.casefold() not in ENGLISH | ENGLISH_ASKING and (len(word) > 1 or word.isupper()):
            found.append((match.start(), word))
    for match in _CJK_RUN.finditer(text):
        if language in ("zh", None):
            start = match.start()
            for word in _CHINESE_GRAMMAR.split(match.group()):
                if len(word) > 1:
                    found.append((text.index(word, start), word))
        elif match.group() not in JAPANESE_ASKING and not (len(match.group()) == 1 and _KANJI_STEM.match(text, match.start())):
            found.append((match.start(), match.group()))
    yield from (word for _, word in sorted(found))
