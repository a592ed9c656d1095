"""Whether a claim says something else than the text that is nearest to it, by rules: figures, names, negation, comparison.

A claim in other words passes; what is looked for is a difference where both speak of the same thing: another number of the same
dimension, another name in the same place, a clause with and without "not", or "at least" for "at most".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from ragd.answer.figures import LESS, MORE, Figures, Quantity, figures_of, is_same_moment
from ragd.language.scripts import HAN, HIRAGANA, KATAKANA, LONG_VOWEL
from ragd.language.stop_words import FUNCTION_WORDS
from ragd.providers.protocols import Analyzer

Terms = Callable[[str], Sequence[str]]
"""A text's index terms."""

_CLAUSE: Final = re.compile(
    r"[,;:.!?]\s|[、，；：。]|\s(?:but|and|while|because|if|unless|when|whereas|which|although)\s", re.IGNORECASE
)
_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|without|cannot|none|nobody|nothing|neither|nor|forbidden|prohibited|banned|unnecessary|refuses?|impossible|"
    r"missing|lacks?|lacking|free of charge|for free)\b|\b(?!un|nevert|regard|neverthe)\w{4,20}less\b|n['’]t\b"
    r"|(?<!少)ない|なかった|(?<!少)なく(?!ては|し|な)|ません|せず|れず|わず|かず|らず|できず|不要|不可|対象外|無料|休み|休館|休業|禁止|禁じ|無効"
    r"|(?<=[がは])なければ|なし(?=[でに。]|$)",
    re.IGNORECASE,
)
_SOFT: Final = re.compile(
    rf"\b(?:no|not|never|nobody|cannot)\b(?=[^.;,]{{0,40}}\b(?:{MORE}|{LESS}) than\b)"
    r"|(?:なければ|なくては|ねば)ならない|ないと(?:いけない|ならない)|やむを得ない|だけで(?:は)?なく"
    r"|\bnot only\b|\bnothing but\b|\b(?:no one|nobody) (?:but|else)\b",
    re.IGNORECASE,
)
"""Negations that mean duty, a bound or "only": both parts of `しなければならない` go."""
_INSTEAD: Final = re.compile(r"\b(?:instead of|rather than)\b|代わりに", re.IGNORECASE)
_SAME_CLAUSE: Final = 0.5
"""The share of a clause's terms that must stand in the other text for it to be about the same."""
_MOSTLY: Final = 0.75
_ALIKE: Final = 0.75
_FEWEST_TERMS: Final = 2

_LOWER_BOUND: Final = re.compile(
    rf"(?:\b(?:at least|minimum(?: of)?|lowest|above|over|exceed(?:s|ing|ed)?|after|(?:{MORE})(?: \w+)? than)[: ]{{1,2}}"
    r"(?:a |an |the |of )?"
    r"|少なくとも|最低(?:でも)?|最小|下限)[:は約]?$"
)
_UPPER_BOUND: Final = re.compile(
    rf"(?:\b(?:at most|maximum(?: of)?|highest|up to|within|below|under|until|before|(?:{LESS})(?: \w+)? than)[: ]{{1,2}}"
    r"(?:a |an |the |of )?"
    r"|多くとも|長くとも|最大で?|最長で?|上限)[:は約]?$"
)
_LOWER_AFTER: Final = re.compile(
    r" ?(?:以上|以降|を?超え|を?こえ|を上回|より(?:大き|多|長|高|重|早|速)|or more|or longer|or over|at least)"
)
_UPPER_AFTER: Final = re.compile(
    r" ?(?:以下|以内|まで|未満|を下回|より(?:小さ|少な|短|低|軽|遅)|or less|or fewer|at most|前まで)"
)
_REACH: Final = 40
"""Characters before a number that may say how it is meant."""

_OPPOSITES: Final = tuple(
    (re.compile(one), re.compile(other))
    for one, other in (
        (r"\babove\b", r"\bbelow\b"),
        (r"\bbefore\b", r"\bafter\b"),
        (r"\bincreas", r"\bdecreas|\breduc"),
        (r"\bfirst\b", r"\blast\b"),
        (r"\binside\b", r"\boutside\b"),
        (r"\balways\b", r"\bnever\b"),
        ("最大|最長|上限", "最小|最短|下限"),
        ("上回", "下回"),
        ("超え", "下回|満たない"),
        ("の前に|前に|より前", "の後に|後に|より後"),
        ("長い", "短い"),
        ("高い", "低い"),
        ("多い", "少ない"),
        ("早い|速い", "遅い"),
        ("大きい", "小さい"),
    )
)

_IDENTIFIER: Final = re.compile(
    r"(?<![\w/.-])(?:--?[A-Za-z][\w-]*|/[\w.-]+(?:/[\w.-]+)+|[A-Za-z]+-?\d[\w-]*|[A-Z]{2,}[\w-]*|[A-Za-z]\w*[_.]\w[\w.]*)"
)
_CAPITAL: Final = re.compile(r"(?<![\w/.’'-])[A-Z][\w’'-]*[a-z][\w’'-]*")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:;]\s+|\n\s*|\"|“|「|\|\s*)\W*$")
_LETTERS: Final = re.compile(r"(?<![^\W\d_])[a-zß-öø-ÿ]+(?![^\W\d_])")
_LIGHT_VERBS: Final = frozenset(("する", "れる", "られる", "いる", "ある", "なる", "できる"))
_WIDE: Final = re.compile(f"[{HIRAGANA}{KATAKANA}{HAN}]")
_KATAKANA_WORD: Final = re.compile(f"[{KATAKANA}{LONG_VOWEL}]{{2,}}")
_NOT_NAMES: Final = frozenset(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday "
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays".split()
)
"""They are compared as dates."""


def contradicts(claim: str, near: str, around: Sequence[str], passage: str, analyzer: Analyzer) -> bool:
    """Whether a `claim` differs from the unit `near` it in a comparison, a negation, a figure or a name.

    What the unit lacks may stand in one of the texts `around`, which hold it with its neighbours, or elsewhere in the passage.
    """
    said = figures_of(claim)
    if _other_bounds(said, figures_of(near)) or _opposite(claim, near) or _negated(claim, near, analyzer.tokens):
        return True
    return all(
        _other_figures(said, figures_of(text), figures_of(passage))
        or _other_names(claim, text, passage, analyzer)
        or (text is not near and _negated(claim, text, analyzer.tokens))
        for text in (near, *around)
    )


def _other_bounds(claim: Figures, near: Figures) -> bool:
    """Whether a number that both have is the least in one and the most in the other."""
    for quantity in claim.quantities:
        bound = _bound(claim.text, quantity)
        bounds = [_bound(near.text, known) for known in near.quantities if quantity.equals(known)]
        if bound and bounds and all(known == -bound for known in bounds):
            return True
    return False


def _other_figures(claim: Figures, near: Figures, passage: Figures) -> bool:
    """Whether the near text has another figure where the claim has one, or the passage has the claim's nowhere."""
    for moment in claim.moments:
        if any(is_same_moment(moment, known) for known in near.moments):
            continue
        has_another = any(known[0] == moment[0] for known in near.moments)
        if has_another or not any(is_same_moment(moment, known) for known in passage.moments):
            return True
    spare = [known for known in near.quantities if not any(one.equals(known) for one in claim.quantities)]
    for quantity in claim.quantities:
        if any(quantity.equals(known) for known in near.quantities):
            continue
        has_another = any(quantity.is_comparable(known) for known in spare)
        if has_another or not any(quantity.equals(known) for known in passage.quantities):
            return True
    return False


def _bound(text: str, quantity: Quantity) -> int:
    """1 where a number is the least, -1 where it is the most, 0 where it is just so."""
    after = text[quantity.end : quantity.end + 12]
    if _LOWER_AFTER.match(after):
        return 1
    if _UPPER_AFTER.match(after):
        return -1
    before = text[max(0, quantity.start - _REACH) : quantity.start]
    return 1 if _LOWER_BOUND.search(before) else -1 if _UPPER_BOUND.search(before) else 0


def _other_names(claim: str, near: str, passage: str, analyzer: Analyzer) -> bool:
    """Whether the claim names what the passage does not, or what the near text does not while that names something else."""
    folded, whole, said = passage.casefold(), near.casefold(), claim.casefold()
    if any(not _holds(folded, match.group().casefold()) for match in _IDENTIFIER.finditer(claim)):
        return True
    if (_WIDE.search(claim) is None) != (_WIDE.search(near) is None):
        return False
    own, known = analyzer.names(claim), analyzer.names(near)
    strange = {name for name in _names(claim, passage, proven=False) if not _holds(whole, name)}
    inside = {match.group().casefold() for match in _CAPITAL.finditer(claim) if not _starts(claim, match)}
    unknown = {name for name in strange & inside if not _holds(folded, name)} | {name for name in own if name not in passage}
    strange |= {name for name in own if name not in near}
    missing = any(not _holds(said, name) for name in _names(near, passage, proven=True)) or any(
        name not in claim for name in known
    )
    lent = any(name not in near for name in _KATAKANA_WORD.findall(claim))
    replaced = lent and any(_KATAKANA_WORD.fullmatch(name) and name not in claim for name in known)
    return bool(unknown or (strange and missing) or replaced)


def _starts(text: str, match: re.Match[str]) -> bool:
    return _SENTENCE_START.search(text[max(0, match.start() - 8) : match.start()]) is not None


def _names(text: str, passage: str, *, proven: bool) -> set[str]:
    """Words with a capital inside of a sentence.

    At the start of one, too: those that the passage has with a capital inside of one when they must be `proven`, else those that
    it never has in small letters.
    """
    found = set()
    for match in _CAPITAL.finditer(text):
        name = match.group().casefold().removesuffix("'s").removesuffix("’s")
        if name in FUNCTION_WORDS or name in _NOT_NAMES:
            continue
        if not _starts(text, match) or (name in _inner_names(passage) if proven else name not in _small_words(passage)):
            found.add(name)
    return found


@lru_cache(maxsize=64)
def _inner_names(passage: str) -> frozenset[str]:
    return frozenset(match.group().casefold() for match in _CAPITAL.finditer(passage) if not _starts(passage, match))


@lru_cache(maxsize=64)
def _small_words(passage: str) -> frozenset[str]:
    return frozenset(_LETTERS.findall(passage))


def _holds(text: str, name: str) -> bool:
    return re.search(rf"(?<![a-z0-9_]){re.escape(name)}(?![a-z0-9_])", text) is not None


def _opposite(claim: str, near: str) -> bool:
    """Whether one has the opposite of a word that the other has, and neither has both."""
    claim, near = figures_of(claim).text, figures_of(near).text
    for one, other in _OPPOSITES:
        here = (one.search(claim) is not None, other.search(claim) is not None)
        there = (one.search(near) is not None, other.search(near) is not None)
        is_opposite = here in ((True, False), (False, True)) and there == (here[1], here[0])
        if is_opposite and _is_negated(claim) == _is_negated(near):
            return True
    return False


def _is_negated(text: str) -> bool:
    return len(_NEGATION.findall(_SOFT.sub("", text))) % 2 == 1


def _negated(claim: str, near: str, terms: Terms) -> bool:
    """Whether what both say is denied in one of them alone."""
    if _INSTEAD.search(claim) or _INSTEAD.search(near):
        return False
    own, known = ([clause for part in _parts(text) if (clause := _said(part, terms))[0]] for text in (claim, near))
    all_own, all_known = (frozenset[str]().union(*(said for said, _ in clauses)) for clauses in (own, known))
    ours = [denied for said, denied in own if len(said & all_known) >= _SAME_CLAUSE * len(said)]
    most = max((len(said & all_own) for said, _ in known), default=0)
    theirs = [
        denied
        for said, denied in known
        if (shared := len(said & all_own)) >= _MOSTLY * len(said) or (shared == most and shared >= _SAME_CLAUSE * len(said))
    ]
    if ours and theirs and any(ours) != any(theirs):
        return True
    # Both deny something: the clauses that are much alike tell whether it is the same.
    for said, denied in own if any(ours) else ():
        alike = [other for words, other in known if len(said & words) >= _ALIKE * len(said | words)]
        if len(said) >= _FEWEST_TERMS and alike and denied not in alike:
            return True
    return False


def _parts(text: str) -> list[str]:
    return [part for part in _CLAUSE.split(_SOFT.sub(" ", text)) if part and part.strip()]


def _said(text: str, terms: Terms) -> tuple[frozenset[str], bool]:
    """The terms of a text without words of grammar, and whether it denies: an odd number of negations."""
    kept = (term for term in terms(_NEGATION.sub(" ", text)) if term not in FUNCTION_WORDS and term not in _LIGHT_VERBS)
    return frozenset(kept), len(_NEGATION.findall(text)) % 2 == 1
