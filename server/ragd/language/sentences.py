"""Sentences: of plain text, what a person would quote; of an answer in Markdown, with their places.

What is a sentence and what is not (a byline, a log line, a row of numbers, a greeting) is decided by its words, without a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ragd.language.boundaries import SENTENCE, fenced_blocks
from ragd.language.plain_text import LOGGED, goes_on
from ragd.language.scripts import HIRAGANA, IDEOGRAPHS, KANA_BLOCKS
from ragd.language.stop_words import FUNCTION_WORDS

CITATION_MARKS: Final = re.compile(r"(?<!\s)\s*+(?:\[\d{1,3}\])+")
"""Citation marks as `CitationFilter` writes them, with the blanks before them."""

_ABBREVIATIONS: Final = r"e\.g|i\.e|etc|vs|cf|approx|[Nn]o|[Ff]ig|[Vv]ol|Dr|Mr|Mrs|Ms|St|Inc|Ltd|pp|[A-Z]"
_ABBREVIATION: Final = re.compile(rf"\b(?:{_ABBREVIATIONS}|Co)\.\s*$")
_HIRAGANA: Final = re.compile(f"[{HIRAGANA}]")
_HAN_KANA: Final = re.compile(f"[{KANA_BLOCKS}{IDEOGRAPHS}]")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ENDS: Final = re.compile(r"[.!?。！？．｡][」』）)\]\"'”’]*$")
_NO_SENTENCE: Final = re.compile(
    rf"{LOGGED.pattern}"
    r"|(?i:.*\b(?:copyright|all rights reserved|table of contents|licen[sc]ed under|spdx-|unsubscribe|this e-?mail)\b|.*©)"
    r"|(?:Notes|Chart|Axes|Diagram):\s"
    r"|(?i:(?:hope (?:this|you)|dear|hi|hello|regards|best|thanks|thank you)\b)"
    r"|.*(?:目次|社外秘|無断転載|無断複製|お世話になって|お疲れ(?:様|さま)|お引き立て|ご高配|よろしくお願い)|拝啓|敬具|平素|時下"
)
_LONGEST_JOINED: Final = 2_000
_OPENING: Final = "(（「『【"
_CLOSING_SIGNS: Final = ")）」』】"
_GOES_ON: Final = re.compile(r"[a-z]+[ ,.]|(?:と|って|という|との|など|の|を|は|が|に|で|、)")
"""How no sentence begins: a small word that is no name of a program, or what follows a quotation in Japanese."""
_MIN_HIRAGANA: Final = 0.15
_MIN_SMALL_WORDS: Final = 0.5
_MIN_FUNCTION_WORDS: Final = 0.12
_MIN_LETTERS: Final = 0.6

_ANSWER_END: Final = re.compile(
    r"(?:[。！？．｡]+[」』）】〉》”’)\]\"']*|(?<![.!?])[.!?]++[」』）”’)\"'*_]*+(?=\s|\[\d|$))(?:\s*+\[\d{1,3}\])*"
)
_ANSWER_ABBREVIATION: Final = re.compile(rf"(?:\b(?:{_ABBREVIATIONS})|^\d{{1,3}})\.$", re.IGNORECASE)
"""Answers know no `Co.`, but numbers of lists."""
_ANSWER_START: Final = re.compile(r"[ \t\u3000]*(?:(?:>|[-*+•・]|\d{1,3}[.)．）]|#{1,6})[ \t\u3000]+|[・●○■]\s*|\|\s*)*")
_HEADING: Final = re.compile(r"[ \t]*+(?:#{1,6}\s|[\s|:=_*-]*+$)")
_LINE: Final = re.compile(r"[^\n]*\n?")
_TABLE_RULE: Final = frozenset("|:- \t\n")
_UNDERLINE: Final = re.compile(r"=+|-{2,}")
_BOLD_LINE: Final = re.compile(r"(\*\*|__)[^*_\n]+\1[:：]?")
_BLOCK_START: Final = re.compile(r"[-*+•・>|●○■]|\d{1,3}[.)．）]\s|#{1,6}\s")
_BLOCK_END: Final = re.compile(r"[.!?。！？|:：][」』）)\]\"'”’*_]{0,4}$")
_LABEL: Final = re.compile(r"[:：][*_]*\s*$")
_WORD_CHARACTER: Final = re.compile(r"\w")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a unit's text, their marks included; what stands after the last mark is one, too."""
    start = 0
    for match in SENTENCE.finditer(text):
        if not _ABBREVIATION.search(text, max(start, match.end() - 12), match.end()):
            yield text[start : match.end()].strip()
            start = match.end()
    if rest := text[start:].strip():
        yield rest


def whole_sentences(text: str) -> Iterator[str]:
    """As `sentences`, of text on one line, and never a part of one.

    What a bracket holds, and what goes on after a quotation or the full stop of a number or an abbreviation, stays with what is
    before it.
    """
    before = ""
    opened = 0
    for sentence in sentences(text):
        gap = " " if before and not (_HAN_KANA.match(sentence) or before[-1] in "。！？．｡」』）】") else ""
        if (
            before
            and len(before) < _LONGEST_JOINED
            and (opened > 0 or _GOES_ON.match(sentence) or (before[-1] == "．" and sentence[0].isdecimal()))
        ):
            before += gap + sentence
        else:
            if before:
                yield before
            before, opened = sentence, 0
        opened += sum(sentence.count(sign) for sign in _OPENING) - sum(sentence.count(sign) for sign in _CLOSING_SIGNS)
    if before:
        yield before


def is_sentence(text: str) -> bool:
    """Whether a text says something in a whole sentence."""
    length = len(text)
    if not 12 <= length <= 1000 or _NO_SENTENCE.match(text):
        return False
    wide = len(_HAN_KANA.findall(text))
    if wide >= max(8, 0.15 * length):
        hiragana, ended = len(_HIRAGANA.findall(text)), _ENDS.search(text) is not None
        return ended if not hiragana else hiragana >= _MIN_HIRAGANA * wide and (ended or length >= 24)
    words = _WORD.findall(text)
    if len(words) < 5 or sum(map(len, words)) < _MIN_LETTERS * length:
        return False
    small = sum(word[0].islower() for word in words) / len(words)
    function = sum(word.lower() in FUNCTION_WORDS for word in words) / len(words)
    return small >= _MIN_SMALL_WORDS and (function >= _MIN_FUNCTION_WORDS or (small >= 0.8 and _ENDS.search(text) is not None))


def answer_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Character ranges of the sentences of Markdown, in order, each with the citation marks behind it.

    Headings, labels of lists, code, heads and rules of tables are none. Lines that a paragraph was broken into are read as one.
    """
    start = 0
    for first, last in [*fenced_blocks(text), (len(text), len(text))]:
        for low, high in _regions(text, start, first):
            yield from _of_line(text, low, high)
        start = last


def _regions(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Character ranges of what may hold sentences: lines, each with its wraps."""
    lines = [(start + line.start(), line.group()) for line in _LINE.finditer(text[start:end])]
    low: int | None = None
    for (at, line), (_, following) in zip(lines, [*lines[1:], (0, "")], strict=True):
        is_head = line.lstrip().startswith("|") and bool(following) and "-" in following and _TABLE_RULE.issuperset(following)
        is_title = bool(following) and low is None and _UNDERLINE.fullmatch(following.strip()) is not None
        if not line.strip() or is_head or is_title or _HEADING.match(line) or _BOLD_LINE.fullmatch(line.strip()):
            low = None
            continue
        low = at if low is None else low
        if _is_wrapped(line.strip(), following.strip()):
            continue
        yield low, at + len(line)
        low = None


def _is_wrapped(line: str, following: str) -> bool:
    if not following or _BLOCK_START.match(following) or _BLOCK_END.search(line):
        return False
    return following[0].islower() or goes_on(line, following)


def _of_line(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    opening = _ANSWER_START.match(text, low, high)
    start = opening.end() if opening else low
    for match in _ANSWER_END.finditer(text, start, high):
        dotted = text[start : match.start() + 1]
        if not _ANSWER_ABBREVIATION.search(dotted[-8:]):
            yield from _trimmed(text, start, match.end())
            start = match.end()
    yield from _trimmed(text, start, high)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] == "|"):
        end -= 1
    words = CITATION_MARKS.sub("", text[start:end])
    if len(_WORD_CHARACTER.findall(words)) >= 2 and not _LABEL.search(words):
        yield start, end
