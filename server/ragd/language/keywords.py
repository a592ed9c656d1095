"""Keywords by rule: names, identifiers, and terms that are frequent here and rare elsewhere in the document.

Candidates are found without a dictionary: identifiers, names, acronyms, words, and what stands between stop words as one phrase
(RAKE: Rose et al. 2010); in Japanese, runs of kanji and katakana. A document's keywords are ranked by kind and frequency, those
of
a passage by inverse passage frequency, too (Spärck Jones 1972). All are forms of the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import chain, pairwise
from math import log2
from typing import Final, NamedTuple

from ragd.language.terms import FIRST_CJK, TOKENS, WRAPPED, chinese_words, code_term, folded, term, within

MAX_TERMS: Final = 200_000
"""Distinct terms that are counted in a document; terms that come later than so many others are not."""

_LONGEST: Final = 64
_NAME_WEIGHT: Final = 1.6
_NOT_AS_NOUN: Final = 0.7
_PHRASE_WEIGHT: Final = {1: 1.4, 2: 1.6}
"""By the blanks in it."""
_MIN_COUNT: Final = 2
"""How often a phrase, or a word that was never seen where nouns stand, must be in the document."""
_IN_TITLE: Final = 1.5


class Terms(NamedTuple):
    """Single terms and phrases of a text. `names` were capitalised inside of sentences, `nouns` stood where nouns stand."""

    words: Counter[str]
    phrases: Counter[str]
    names: set[str]
    nouns: set[str]


def count_terms(text: str, language: str | None = None, *, code: bool = False) -> Terms:
    """The candidates of a passage, each with its frequency."""
    words: list[str] = []
    names: set[str] = set()
    nouns: set[str] = set()
    runs: list[tuple[bool, list[str]]] = []
    classify = code_term if code else term
    run: list[str] = []
    last = ""
    noun_next = verb_next = False
    begins = broken = True
    for gap, whole in TOKENS.findall(WRAPPED.sub("", text)):
        if not whole:
            break
        # The ends of a long token say what it is; the whole of it would be remembered.
        token = whole if len(whole) <= _LONGEST else whole[: _LONGEST // 2] + whole[-_LONGEST // 2 :]
        weight, form, in_phrase, capital, ends_phrase, ends_sentence, then_noun, then_verb = classify(token)
        in_japanese = not gap.isascii()
        if last and (in_japanese or form[:1] >= FIRST_CJK):
            nouns.add(last)
        goes_on = in_phrase and gap == " " and not broken and bool(run)
        if run and not goes_on:
            runs.append((noun_next, run))
            run = []
            noun_next = False
        last = ""
        if weight and not verb_next:
            last = form
            words.append(form)
            if capital and not begins and (in_japanese or not gap.strip()):
                names.add(form)
            if not goes_on and (noun_next or in_japanese):
                nouns.add(form)
            if in_phrase:
                run.append(form)
        if then_noun is not None:
            noun_next = then_noun
        begins, broken, verb_next = ends_sentence, ends_phrase, then_verb
    runs.append((noun_next, run))
    if language == "zh":
        words = [word for form in words for word in chinese_words(form)]
    return Terms(Counter(words), Counter(_phrases(runs, nouns)), names, nouns)


def _phrases(runs: Sequence[tuple[bool, list[str]]], nouns: set[str]) -> Iterator[str]:
    """Two and three neighbours of each run; those at the beginning of a run where a noun stands are added to `nouns`."""
    for is_noun, run in runs:
        for length in (2, 3):
            for start in range(len(run) - length + 1):
                phrase = " ".join(run[start : start + length])
                if is_noun and start == 0:
                    nouns.add(phrase)
                yield phrase


class Keywords:
    """The keywords of a document and of its passages, which come block by block, so that memory stays bounded.

    Frequencies of the document are of all blocks so far; inverse passage frequencies of a block are its own.
    """

    def __init__(self) -> None:
        self._words: Counter[str] = Counter()
        self._phrases: Counter[str] = Counter()
        self._names: set[str] = set()
        self._nouns: set[str] = set()
        self._noun_keys: set[str] = set()
        self._known: dict[str, tuple[str, float]] = {}

    def of_passages(self, block: Sequence[Terms], limit: int) -> list[tuple[str, ...]]:
        """The keywords of each passage of the next block, best first."""
        for terms in block:
            if len(self._words) + len(self._phrases) < MAX_TERMS:
                self._words.update(terms.words)
                self._phrases.update(terms.phrases)
                self._names |= terms.names
                self._nouns |= terms.nouns
        self._noun_keys = set(map(folded, self._nouns))
        self._known.clear()
        groups = [self._grouped(terms.words, terms.phrases) for terms in block]
        spread = Counter(chain.from_iterable(groups))
        rarity = {key: log2(1 + len(block) / count) for key, count in spread.items()}
        return [_best(found, rarity, limit) for found in groups]

    def of_document(self, title: Terms, limit: int, least: int = 1) -> tuple[str, ...]:
        """The document's keywords, best first. Terms that the `title` does not hold must be mentioned at `least` so often."""
        groups = self._grouped(self._words, self._phrases)
        named = {folded(form) for form in chain(title.words, title.phrases)}
        groups = {key: group for key, group in groups.items() if group[1] >= least or key in named}
        return _best(groups, {key: _IN_TITLE if key in named else 1.0 for key in groups}, limit)

    def _grouped(self, words: Counter[str], phrases: Counter[str]) -> dict[str, _Group]:
        """Candidates by the form that their spellings share."""
        groups: dict[str, _Group] = {}
        known = self._known
        for form, count in chain(words.items(), phrases.items()):
            info = known.get(form)
            if info is None:
                info = known[form] = (folded(form), self._weight(form))
            key, weight = info
            if not weight:
                continue
            other = groups.get(key)
            if other is None:
                groups[key] = (weight, count, count, form)
            else:
                usual = (count, form) if (count, form.islower()) > (other[2], other[3].islower()) else other[2:]
                groups[key] = (max(weight, other[0]), count + other[1], *usual)
        return groups

    def _weight(self, form: str) -> float:
        """What a form weighs in this document; nothing when it is no candidate."""
        if " " in form:
            fine = (form in self._nouns or self._phrases[form] >= _MIN_COUNT) and self._is_noun(form)
            return _PHRASE_WEIGHT[form.count(" ")] if fine else 0.0
        weight = term(form).weight
        if form in self._names and form.lower() not in self._words:
            return max(_NAME_WEIGHT, weight)
        if weight <= 1.0 and form.isascii() and folded(form) not in self._noun_keys:
            return _NOT_AS_NOUN * weight if self._words[form] >= _MIN_COUNT else 0.0
        return weight

    def _is_noun(self, phrase: str) -> bool:
        """Not `client renews` or `clients renew`: a word in -s, or one after it, must have been seen where nouns stand."""
        words = phrase.split(" ")
        return all(folded(word) in self._noun_keys for before, word in pairwise(words) if "s" in (before[-1], word[-1]))


_Group = tuple[float, int, int, str]
"""Weight, frequency of all spellings, and frequency and form of the usual one."""


def _best(groups: Mapping[str, _Group], factors: Mapping[str, float], limit: int) -> tuple[str, ...]:
    ranked = [
        (-weight * log2(1 + total) * factors[key], order, key, form)
        for order, (key, (weight, total, _, form)) in enumerate(groups.items())
    ]
    chosen: dict[str, str] = {}
    for _, _, key, form in nsmallest(limit * 4, ranked):
        if not any(within(key, other) or within(other, key) for other in chosen):
            chosen[key] = form
            if len(chosen) == limit:
                break
    return tuple(chosen.values())
