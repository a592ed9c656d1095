"""The tokens of a text that may be keywords, each with its kind, without a dictionary or a tagger.

A word of grammar shows what most likely follows: a noun after an article or a preposition, a verb after a pronoun or a modal
verb.
In Japanese, runs of kanji and katakana are nouns or begin verbs, and the kana that follow show which.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from ragd.language.scripts import HAN, HIRAGANA, KATAKANA, LONG_VOWEL
from ragd.language.stop_words import (
    BEFORE_NOUNS,
    BEFORE_VERBS,
    CHINESE_FUNCTION,
    CODE_WORDS,
    ENDS_WITH_SUFFIX,
    FUNCTION_WORDS,
    GENERIC_JAPANESE,
    GENERIC_WORDS,
)

_MAX_CHARS: Final = 40
"""Longer tokens are no candidates."""

_KATAKANA: Final = f"{KATAKANA}{LONG_VOWEL}"
_HAN_KATAKANA: Final = f"{HAN}{_KATAKANA}"
_RUN: Final = f"[{_HAN_KATAKANA}]"
_BRACKETS: Final = '()\\[\\]{}<>"`“”«»|=*…→←'
_FULL_WIDTH_SIGNS: Final = "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f"
_KANA_AND_SIGNS: Final = "\u3001-\u3004\u3006\u3008-\u30a0\u30fb\u30fd-\u30ff"
_APART: Final = f"{_BRACKETS}{_FULL_WIDTH_SIGNS}{_KANA_AND_SIGNS}"
# Kana that end a verb whose stem is the last kanji before them, unless they begin a word of their own.
_VERB_ENDING: Final = "(?!くだ|いた|うち)[いうえきくけぎぐげじちつっびぶべみむめらりるれろ]"
_BLANKS: Final = " \t\r\x0b\x0c\x1c-\x1f\x85\u00a0\u2000-\u200a\u2028\u2029\u202f\u3000"
TOKENS: Final = re.compile(
    rf"((?:[{_BLANKS}{_APART}]+|{_RUN}(?!{_RUN})|{_RUN}(?=[{HAN}]{_VERB_ENDING}))*+)"
    rf"(?:(\n|[0-9０-９][0-9０-９.,]*+(?![A-Za-z_-])[ \u3000]?{_RUN}*|{_RUN}{{2,}}(?:(?<=[{_KATAKANA}])|(?!{_VERB_ENDING}))"
    rf"|[^\s{_HAN_KATAKANA}{_APART}]+[)\]\"”]*)|\Z)"
)
"""What stands before a token, and the token: a line end, a number with what it counts, a run of kanji and katakana, or what
stands between blanks, brackets and quotes. At the end of the text it is empty."""

_JAPANESE: Final = f"[{HIRAGANA}{_HAN_KATAKANA}]"
WRAPPED: Final = re.compile(f"(?<=[^\n]{{20}})(?<={_JAPANESE})\n(?={_JAPANESE})(?![^\n:：]{{1,12}}[:：])")
"""A line end inside of a Japanese text that was broken into lines."""

FIRST_CJK: Final = "\u3005"
_IDENTIFIER: Final = re.compile(
    r"--?[A-Za-z][\w-]+"  # --no-cache
    r"|[~.]{0,2}/[\w.@+-]+(?:/[\w.@+-]+)+/?"  # /etc/kestrel/uid
    r"|[A-Za-z_](?=[\w-]*(?:[a-z][A-Z]|[A-Za-z]-?\d|[A-Za-z\d]_[A-Za-z\d]))[\w-]*+(?:[.:]++[\w-]++)*"  # getName
    r"|[A-Za-z][\w-]+(?:\.[A-Za-z][\w-]+)+",  # kestrel.yaml
    re.ASCII,
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ACRONYM: Final = re.compile(r"[A-Z][A-Z&]{1,5}s?")
_LEADING: Final = "#$@%&'’‘+!?.,;:^\\—–_"
_TRAILING: Final = "#$@%&'’‘+!?.,;:^\\—–)]\"”/~-"
_OWNER: Final = re.compile(r"['’]s$|^(?:self|this|cls)\.")
_SENTENCE_ENDS: Final = re.compile(r"[.!?:][)\]\"”]*$")
_PHRASE_ENDS: Final = re.compile(r"\W$")
_CHINESE_WORDS: Final = re.compile(f"[^{''.join(sorted(CHINESE_FUNCTION))}]+")
_LONGEST_CHINESE_WORD: Final = 6
_LONGEST_COMPOUND: Final = 16
_COUNTED: Final = re.compile(
    "[一二三四五六七八九十百千万〇数]+(?:[週分秒日月年回件個台人名度枚冊円本割倍歳泊箇]|時間|時(?!的|停))"
)
_PREFIXES: Final = ("各", "約")
_SUFFIXES: Final = ("時", "後", "前", "中", "等", "毎", "別", "内", "側", "向", "済", "用")
_NOT_ADVERBS: Final = frozenset(("supply", "reply", "assembly", "family", "anomaly"))

_IDENTIFIER_WEIGHT: Final = 2.0
_OPTION_WEIGHT: Final = 1.5
_ACRONYM_WEIGHT: Final = 1.4
_WEAK: Final = 0.6


class _Term(NamedTuple):
    """One token of a text. What weighs nothing is no candidate. `in_phrase`: it may be part of a phrase.

    `noun_next` and `verb_next` say what most likely follows; None: what was likely before it.
    """

    weight: float = 0.0
    form: str = ""
    in_phrase: bool = False
    capital: bool = False
    ends_phrase: bool = False
    ends_sentence: bool = False
    noun_next: bool | None = None
    verb_next: bool = False


@lru_cache(maxsize=65_536)
def term(token: str) -> _Term:
    """What a token of prose is."""
    return _term(token, code=False)


@lru_cache(maxsize=65_536)
def code_term(token: str) -> _Term:
    """What a token of source code is: the words of programming languages mean nothing, and no words make phrases."""
    return _term(token, code=True)


@lru_cache(maxsize=65_536)
def folded(form: str) -> str:
    """The form that spellings of one term share: small letters, without an English plural's ending."""
    key = form.lower()
    if len(key) > 3 and key.isascii() and key[-1] == "s" and key[-2] not in "sui":
        return key[:-3] + "y" if key.endswith("ies") else key[:-1]
    return key


def within(key: str, other: str) -> bool:
    """Whether one folded term is a part of another: words of a phrase, characters of a Japanese compound."""
    return f" {key} " in f" {other} " or (key[0] >= FIRST_CJK and key in other)


def chinese_words(run: str) -> list[str]:
    """Of a long run of Chinese, what stands between characters of grammar; short runs, which may be a table, stay whole."""
    if len(run) <= _LONGEST_CHINESE_WORD or run[0] < FIRST_CJK:
        return [run]
    return [word for word in _CHINESE_WORDS.findall(run) if 2 <= len(word) <= _LONGEST_CHINESE_WORD]


def _term(token: str, *, code: bool) -> _Term:
    if token == "\n":
        return _Term(ends_phrase=True, ends_sentence=True, noun_next=False)
    ends_phrase, ends_sentence = bool(_PHRASE_ENDS.search(token)), bool(_SENTENCE_ENDS.search(token))
    if token[0].isdecimal():
        return _Term(ends_phrase=ends_phrase, ends_sentence=ends_sentence)
    if token[0] >= FIRST_CJK:
        noun = _japanese_noun(token)
        return _Term(_weight_of_japanese(noun), noun, ends_phrase=True, noun_next=False)
    core = _OWNER.sub("", token.rstrip(_TRAILING).lstrip(_LEADING))
    lower = core.lower()
    if lower in FUNCTION_WORDS:
        noun_next, verb_next = lower in BEFORE_NOUNS, lower in BEFORE_VERBS
        return _Term(ends_phrase=ends_phrase, ends_sentence=ends_sentence, noun_next=noun_next, verb_next=verb_next)
    weight, in_phrase = _weight_of_word(core, lower, code=code)
    return _Term(
        weight,
        core,
        in_phrase=in_phrase and token.startswith(core),
        capital=core[:1].isupper(),
        ends_phrase=ends_phrase,
        ends_sentence=ends_sentence,
        noun_next=False if ends_phrase else None,
    )


def _weight_of_word(core: str, lower: str, *, code: bool) -> tuple[float, bool]:
    """What a token weighs, and whether it may be part of a phrase."""
    if not 2 <= len(core) <= _MAX_CHARS or lower in GENERIC_WORDS or (code and lower in CODE_WORDS):
        return 0.0, False
    if _IDENTIFIER.fullmatch(core):
        return (_OPTION_WEIGHT if core[0] == "-" else _IDENTIFIER_WEIGHT), False
    if _ACRONYM.fullmatch(core):
        return _ACRONYM_WEIGHT, not code
    if len(core) < 3 or not _WORD.fullmatch(core):
        return 0.0, False
    weak = lower.endswith(("ing", "ed")) or (lower.endswith("ly") and lower not in _NOT_ADVERBS)
    return (_WEAK, False) if weak or code else (1.0, True)


def _japanese_noun(run: str) -> str:
    """A run of kanji and katakana without what is put before and after nouns; empty when it is a word of any subject."""
    run = run.lstrip("ー")
    if len(run) > 2 and run.startswith(_PREFIXES):
        run = run[1:]
    if len(run) > 2 and run.endswith(_SUFFIXES) and run[-2:] not in ENDS_WITH_SUFFIX:
        run = run[:-1]
    generic = _COUNTED.match(run) or run in GENERIC_JAPANESE or (run[:2] in GENERIC_JAPANESE and run[2:] in GENERIC_JAPANESE)
    return run if 2 <= len(run) <= _LONGEST_COMPOUND and not generic else ""


def _weight_of_japanese(noun: str) -> float:
    if len(noun) < 3:
        return 0.9 if noun and noun[0] >= "\u3400" else _WEAK * bool(noun)
    return 1.1 if len(noun) < 4 else 1.3
