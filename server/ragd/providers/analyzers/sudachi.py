"""Japanese by dictionary, in short units (mode A): Takaoka et al., "Sudachi: a Japanese Tokenizer for Business", LREC 2018."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from ragd.core.errors import SettingsError
from ragd.providers.analyzers.terms import ANALYSIS_PROFILE, bigrams, terms

if TYPE_CHECKING:
    from sudachipy import Dictionary, Tokenizer

# Sudachi refuses more than 49,149 bytes at once; a character has at most 4.
_MAX_RUN = 10_000

# Particles, auxiliary verbs, signs, blanks, conjunctions, interjections, pronouns, adnominals: they say nothing about a passage.
_FUNCTION_WORDS = {"助詞", "助動詞", "補助記号", "空白", "接続詞", "感動詞", "代名詞", "連体詞"}

_REMEMBERED_CHARS = 500
_REMEMBERED = 4_096
"""Sentences, headings and questions whose terms are remembered: questions come back to the same passages."""


class SudachiAnalyzer:
    """Morphological analysis of Japanese. The dictionary is loaded with the first Japanese text."""

    name = "sudachi"

    def __init__(self) -> None:
        try:
            installed = f"{version('sudachipy')}-small-{version('sudachidict_small')}"
        except PackageNotFoundError as error:
            raise SettingsError(
                f"The Japanese dictionary is not installed ({error}). Install sudachipy and sudachidict_small, "
                "or set sparse.analyzer: bigram, which needs none."
            ) from error
        self.profile = f"sudachi-1/{installed}/A-dictionary/{ANALYSIS_PROFILE}"
        self._lock = threading.Lock()
        self._dictionary: Dictionary | None = None
        self._kept: frozenset[int] = frozenset()
        self._names: frozenset[int] = frozenset()
        self._local = threading.local()
        self._remembered = lru_cache(_REMEMBERED)(lambda text: tuple(terms(text, self._words)))

    def tokens(self, text: str) -> list[str]:
        return list(self._remembered(text)) if len(text) <= _REMEMBERED_CHARS else terms(text, self._words)

    def names(self, text: str) -> frozenset[str]:
        found = set()
        for start in range(0, len(text), _MAX_RUN):
            for morpheme in self._tokenizer().tokenize(text[start : start + _MAX_RUN]):
                surface = morpheme.surface()
                if morpheme.part_of_speech_id() in self._names and not surface.isascii():
                    found.add(surface)
        return frozenset(found)

    def _words(self, run: str, has_kana: bool) -> Iterator[str]:
        tokenizer = self._tokenizer()
        seen: set[str] = set()
        for start in range(0, len(run), _MAX_RUN):
            for morpheme in tokenizer.tokenize(run[start : start + _MAX_RUN]):
                if morpheme.part_of_speech_id() in self._kept:
                    word = morpheme.dictionary_form()
                    seen.add(word)
                    yield word
        if not has_kana:
            # Perhaps Chinese, whose words the dictionary doesn't know. In Japanese the extra terms match nothing wrong.
            yield from (pair for pair in bigrams(run) if pair not in seen)

    def _tokenizer(self) -> Tokenizer:
        """This thread's tokenizer: they share the dictionary but can't be used by two threads at once."""
        tokenizer: Tokenizer | None = getattr(self._local, "tokenizer", None)
        if tokenizer is None:
            tokenizer = self._local.tokenizer = self._loaded().tokenizer("A", fields={"pos", "dictionary_form"})
        return tokenizer

    def _loaded(self) -> Dictionary:
        with self._lock:
            if self._dictionary is None:
                from sudachipy import Dictionary

                dictionary = Dictionary(dict="small")
                kept, names, index = set(), set(), 0
                while (part_of_speech := dictionary.pos_of(index)) is not None:
                    if part_of_speech[0] not in _FUNCTION_WORDS:
                        kept.add(index)
                    if part_of_speech[1] == "固有名詞":
                        names.add(index)
                    index += 1
                self._kept, self._names = frozenset(kept), frozenset(names)
                self._dictionary = dictionary
            return self._dictionary
