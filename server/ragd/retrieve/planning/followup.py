"""Follow-up questions made self-contained by rules: "and on Windows?" after a question about lease timeouts.

A question depends on those before it when it begins as a continuation ("what about", "では", "那"), when a pronoun in it refers
to nothing before, or when it is a fragment. Then the content words of the user's last self-contained question, and of follow-ups
in between, are put in front; a carried-over identifier yields to one of the same kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ragd.core.ids import canonical
from ragd.core.query import Turn
from ragd.language.detection import question_language
from ragd.language.identifiers import find_identifiers
from ragd.retrieve.planning.keywords import keywords_of

_MAX_TOPIC: Final = 8
"""Content words that are carried over at most."""

MAX_TURNS: Final = 5
"""User turns that are looked at, from the newest back."""

# A turn can be a pasted log; its first lines say what it is about.
_TURN_CHARS: Final = 500
# With more content words than this, a question says itself what it is about.
_FEW: Final = 3

_LEAD_IN: Final = re.compile(
    r"(?:(?:ok(?:ay)?|so|and|but|also|then|or)[ ,]+)*"
    r"(?:(?:what|how) about\b|and what about\b|same (?:thing )?for\b|(?:and|but|also|then|or)\b(?=[ ,]))[ ,]*"
    r"|(?:それ(?:で|なら)?は|では|じゃあ?|なら|ちなみに|あと(?:は)?|また|そして)[、, ]+"
    r"|(?:それ|これ|あれ)(?:ら)?の(?!よう|他|ほか|ため|通り|とおり|まま)|(?:那么|那|还有|另外)[,， ]*(?!些|个|里|边|样|时)"
    r"|(?:그럼|그러면)[ ,]+",
    re.IGNORECASE,
)
_PRONOUN: Final = re.compile(
    r"\b(?:it|its|it's|they|them|their|theirs|this|that|that's|these|those|ones?"
    r"|the (?:same|former|latter|first one|second one|other)|both of (?:them|these)|he|she|him|her|his)\b",
    re.IGNORECASE,
)
# "it" that stands for nothing.
_EXPLETIVE: Final = re.compile(
    r"\b(?:is|was|would|does|will|can|could) it "
    r"(?:possible|ok|okay|safe|allowed|necessary|required|enough|legal|better|best|matter|take|mean)\b"
    r"|\bit (?:is|takes|seems|appears|was) |\b(?:this|that) (?:means|is why)\b|\bone of\b|\bone or\b|\bno one\b",
    re.IGNORECASE,
)
_FRAGMENT: Final = re.compile(
    r"(?:(?:on|in|for|with|without|under|at|from|during|using|via|by|after|before|until|since) .{1,60}"
    r"|why(?: not| is that)?|how(?: so| come)?|when|where|who|which(?: one)?|really"
    r"|(?:any |an |some |more )*(?:examples?|details?|others?|else|more)(?: please)?"
    r"|what else|go on|continue|tell me more)[ ?.!]*",
    re.IGNORECASE,
)
_JAPANESE: Final = re.compile(
    r"(?:それ(?!ぞれ|とも|でも|なのに)|これ(?!から|まで|ほど)|あれ|その(?!まま|他|ほか|うち)|この|あの|そこ(?!そこ)|ここ|同じ|上記|前者|後者|そちら|こちら)"
    r"|^(?:他|ほか)に(?:は|も)?|^もっと|^なぜ[?？]?$|^どうして[?？]?$|^例えば[?？]?$|^具体的には?"
)
_JAPANESE_FRAGMENT: Final = re.compile(r".{1,20}(?:は|なら|では|でも|の場合は?|だと)[?？]|(?:例|詳細|理由)(?:は|も)?[?？]?")
_CHINESE: Final = re.compile(
    r"[它它们]|^(?:这|那(?!么多)|该|上述|前者|后者|他们|她)|^其(?!他|它|实|余)|^为什么[?？]?$|^怎么办[?？]?$|^例如[?？]?$"
)
_CHINESE_FRAGMENT: Final = re.compile(r".{1,20}呢[?？]?")
_KOREAN: Final = re.compile(r"^(?:그럼|그러면|그것|그건|이것|이건|그)(?=\s|[은는이가을를의])|^.{1,12}[은는]요?[?？]$")
# Beyond so many characters, a question in Japanese or Chinese explains its own pronouns.
_SHORT: Final = 30


def self_contained(text: str, history: Sequence[Turn]) -> str | None:
    """The question with what it leaves unsaid, or None when it needs nothing or the history has nothing to give.

    `text` is in canonical form; `history` is oldest first.
    """
    if not _depends_on_history(text):
        return None
    asked = [canonical(turn.text[:_TURN_CHARS]) for turn in history if turn.role == "user"][-MAX_TURNS:]
    topic: list[str] = []
    for earlier in reversed(asked):
        topic = _merged(_content(earlier), topic)
        if topic and not _depends_on_history(earlier):
            break
    topic = _without_overridden(topic, text)
    lead_in = _LEAD_IN.match(text)
    rest = text[lead_in.end() :] if lead_in else text
    # What stands in the question already is not said twice.
    missing = [word for word in topic if word.casefold() not in text.casefold()][:_MAX_TOPIC]
    return f"{' '.join(missing)} {rest or text}" if missing else None


def _depends_on_history(text: str) -> bool:
    """Whether a question, in canonical form, can't be understood alone."""
    language = question_language(text)
    if language == "ja":
        return len(text) <= _SHORT and bool(
            _JAPANESE.search(text[:6])
            or _LEAD_IN.match(text)
            or (_JAPANESE_FRAGMENT.fullmatch(text) and len(_content(text)) <= 1)
        )
    if language == "ko":
        return len(text) <= _SHORT and bool(_KOREAN.search(text))
    if language == "zh":
        return len(text) <= _SHORT and bool(_CHINESE.search(text) or _LEAD_IN.match(text) or _CHINESE_FRAGMENT.fullmatch(text))
    return _english_depends(text)


def might_depend(text: str) -> bool:
    """Whether anything in a question points to what was said before: as `_depends_on_history`, with nothing ruled out."""
    marks = (_PRONOUN, _JAPANESE, _CHINESE, _KOREAN)
    return _depends_on_history(text) or bool(_LEAD_IN.match(text)) or any(mark.search(text) for mark in marks)


def _english_depends(text: str) -> bool:
    if len(_content(text)) > _FEW:
        return False
    if _LEAD_IN.match(text) or _FRAGMENT.fullmatch(text):
        return True
    pronoun = _PRONOUN.search(_EXPLETIVE.sub(lambda found: "_" * len(found.group()), text))
    return pronoun is not None and not find_identifiers(text[: pronoun.start()])


def _content(text: str) -> list[str]:
    identifiers = find_identifiers(text)
    return list(keywords_of(text, identifiers, question_language(text)))


def _merged(earlier: Sequence[str], later: Sequence[str]) -> list[str]:
    known = {word.casefold() for word in earlier}
    return [*earlier, *(word for word in later if word.casefold() not in known)]


def _without_overridden(topic: Sequence[str], text: str) -> list[str]:
    own = {identifier.kind for identifier in find_identifiers(text)}
    return [word for word in topic if not any(found.kind in own for found in find_identifiers(word))]
