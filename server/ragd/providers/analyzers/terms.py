"""Text to index terms, the part that every analyzer shares: normalising, cutting by script, identifiers and English words.

A text is normalised by NFKC and cut into runs of one kind of script. What is written with blanks (Latin, Cyrillic, digits ...)
becomes terms here; runs of Chinese characters and kana go to the analyzer's own function. Words are lower-cased and stemmed
with Snowball's English stemmer (M. F. Porter, https://snowballstem.org). What looks like an identifier, an option, a path, a
version or an issue key is kept whole *and* split into its words, so that `--no-cache` is found by itself and by "cache", and
found by itself first.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.metadata import version
from itertools import pairwise

import Stemmer

from ragd.language.identifiers import WORD_BOUNDARIES
from ragd.language.scripts import ALL_HAN, HANGUL, HANGZHOU_NUMERALS, HIRAGANA, KANA, LONG_VOWEL, SOUTH_EAST_ASIAN

MAX_TERM_CHARS = 200
"""A longer token (base64, minified code) is not kept whole, and a longer word not at all. Engines refuse very long terms."""

_REMEMBERED_CHARS = 64
"""Longer tokens hardly come again, and a file of them would stay in memory for as long as the process lives."""

_WHOLE_WEIGHT = 2
"""Times that the whole form of an identifier is counted: it says more than its words do. Not so for `well-known` or `and/or`."""

ANALYSIS_PROFILE = f"terms-1/pystemmer-{version('pystemmer')}"
"""Version of the rules on this page; part of every analyzer's profile. Change a rule, change this."""

Unsegmented = Callable[[str, bool], Iterator[str]]
"""`(run, has_kana)` to the terms of a run of Chinese characters and kana. A text without any kana may be Chinese."""

_HAN = f"{ALL_HAN}{HANGZHOU_NUMERALS}"

_RUNS = re.compile(
    f"(?P<han_kana>[{_HAN}{KANA}]+)|(?P<paired>[{HANGUL}]+|[{SOUTH_EAST_ASIAN}]+)"
    f"|(?P<spaced>[^\\s{_HAN}{KANA}{HANGUL}{SOUTH_EAST_ASIAN}]+)"
)
_ANY_KANA = re.compile(f"[{KANA}]")
_HIRAGANA = re.compile(f"[{HIRAGANA}{LONG_VOWEL}]+")

# A token ends at blanks, brackets, quotes, "=" and whatever else does not go on inside identifiers, paths and options.
_TOKENS = re.compile(r"[^\s()\[\]{}<>\"'`“”‘’«»,;=|!?&*^%$\\、。・「」『』【】…→←]+(?:['’](?=\w)\w+)*")
_LEADING = re.compile(r"^(?:[^\w/.~-]|_(?!\w))+")
_TRAILING = re.compile(r"(?<!\W)(?:(?<=\w)(\+\+|#))?\W*+$")
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_COMPOUND = re.compile(r"[^\W\d_]+(?:[-/][^\W\d_]+)+")
_VERSION = re.compile(r"(?<![\w.])v?((\d+\.\d+)(?:\.\d+)*)(?!\w)", re.IGNORECASE)

_local = threading.local()


def terms(text: str, unsegmented: Unsegmented) -> list[str]:
    """Index terms of a text, in order. Scripts without blanks other than Chinese characters and kana become bigrams."""
    text = unicodedata.normalize("NFKC", text)
    has_kana = _ANY_KANA.search(text) is not None
    found: list[str] = []
    for run in _RUNS.finditer(text):
        if run.lastgroup == "spaced":
            for token in _TOKENS.finditer(run.group()):
                remembers = len(token.group()) <= _REMEMBERED_CHARS
                found.extend(_terms_of_token(token.group()) if remembers else _token_terms(token.group()))
        elif run.lastgroup == "han_kana":
            found.extend(unsegmented(run.group(), has_kana))
        else:
            found.extend(bigrams(run.group()))
    return found


def bigrams(run: str) -> Iterator[str]:
    """Overlapping pairs of characters; a single character stands for itself. Hiragana alone is grammar and left out."""
    for term in [run] if len(run) == 1 else map("".join, pairwise(run)):
        if not _HIRAGANA.fullmatch(term):
            yield term


@lru_cache(maxsize=32_768)
def _terms_of_token(token: str) -> tuple[str, ...]:
    """The terms of a token, remembered: a few thousand tokens make up most of any text."""
    return tuple(_token_terms(token))


def _token_terms(token: str) -> Iterator[str]:
    token = _TRAILING.sub(r"\1", _LEADING.sub("", token))
    words = [word for joined in _WORDS.findall(token) for word in WORD_BOUNDARIES.split(joined)]
    if words == [token]:
        if len(token) <= MAX_TERM_CHARS:
            yield _stem(token)
        return
    if words and len(token) <= MAX_TERM_CHARS:
        for _ in range(1 if _COMPOUND.fullmatch(token) else _WHOLE_WEIGHT):
            yield token.lower()
        yield from _inner_names(token, words)
    for word in words:
        # "x" of x86_64 or "2" of 1.2.3 says nothing by itself.
        if (len(word) > 1 or len(words) == 1) and len(word) <= MAX_TERM_CHARS:
            yield _stem(word)


def _inner_names(token: str, words: list[str]) -> Iterator[str]:
    """Names of several words inside a token: `no-cache` of --no-cache, `sources.list` of a path, 1.2.3 and 1.2 of v1.2.3."""
    core = token.strip("-_./~")
    names = {core: None}
    if "/" in core:
        names |= dict.fromkeys(name for name in core.split("/") if len(_WORDS.findall(name)) > 1)
    for match in _VERSION.finditer(token):
        names |= dict.fromkeys(match.groups())
    for name in names:
        if name not in (token, *words):
            yield name.lower()


def _stem(word: str) -> str:
    # Stemmer objects are not thread-safe: each thread has its own.
    stemmer: Stemmer.Stemmer | None = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer.Stemmer("english")
    stemmed: str = stemmer.stemWord(word.lower().replace("’", "'"))
    return stemmed


class BigramAnalyzer:
    """Chinese, Japanese and Korean without a dictionary: overlapping pairs of characters, without pairs of hiragana alone."""

    name = "bigram"
    profile = f"bigram-1/{ANALYSIS_PROFILE}"

    def tokens(self, text: str) -> list[str]:
        return terms(text, lambda run, _has_kana: bigrams(run))

    def names(self, text: str) -> frozenset[str]:  # noqa: ARG002
        return frozenset()
