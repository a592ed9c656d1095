"""The fixed phrases of an answer, such as the one for "not found", in the language of the question."""

from __future__ import annotations

from typing import Final, Literal

from ragd.core.query import QueryPlan
from ragd.language.detection import likely_language

_PHRASES: Final = {
    "not_found": {
        "en": "The documents that were searched do not answer this question.",
        "ja": "検索した文書には、この質問への答えが見つかりませんでした。",
        "zh": "在检索的文档中没有找到这个问题的答案。",
    },
    "extract_follows": {
        "en": "The documents say:",
        "ja": "文書には次のように書かれています。",
        "zh": "文档中的相关内容如下：",
    },
}
_LANGUAGES: Final = {"en": "English", "ja": "Japanese", "zh": "Chinese", "ko": "Korean"}


def phrase(kind: Literal["not_found", "extract_follows"], plan: QueryPlan) -> str:
    """The answer to a question that the passages do not answer, or what introduces sentences of the passages."""
    return _PHRASES[kind][_language_of(plan)]


def language_name(plan: QueryPlan) -> str:
    """The language to answer in, by its English name."""
    return _LANGUAGES.get(plan.language or "") or _LANGUAGES[_language_of(plan)]


def says_not_found(answer: str) -> bool:
    """Whether an answer is the phrase for "not found", in any language, and no more."""
    text = " ".join(answer.split()).rstrip(".。")
    return any(text == phrase.rstrip(".。") for phrase in _PHRASES["not_found"].values())


def _language_of(plan: QueryPlan) -> str:
    """The detected language, where there are phrases in it; else one by the script of the question."""
    return plan.language if plan.language in _PHRASES["not_found"] else likely_language(plan.text)
