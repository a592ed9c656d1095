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
    "no_model": {
        "en": "No language model is set up (setting `llm.provider`), so the documents answer in their own words:",
        "ja": "言語モデルが設定されていない（設定 `llm.provider`）ため、文書の記述をそのまま示します。",
        "zh": "未设置语言模型（设置项 `llm.provider`），以下是文档原文：",
    },
}
_LANGUAGES: Final = {"en": "English", "ja": "Japanese", "zh": "Chinese", "ko": "Korean"}


def phrase(kind: Literal["not_found", "extract_follows", "no_model"], plan: QueryPlan) -> str:
    """The answer to a question that the passages do not answer, or what introduces extracts, with the reason or not."""
    return _PHRASES[kind][_language_of(plan)]


def language_name(plan: QueryPlan) -> str:
    """The language to answer in, by its English name."""
    return _LANGUAGES.get(plan.language or "") or _LANGUAGES[_language_of(plan)]


def says_not_found(answer: str) -> bool:
    """Whether an answer is the phrase for "not found", in any language, and no more."""
    return _folded(answer) in map(_folded, _PHRASES["not_found"].values())


def is_ours(sentence: str) -> bool:
    """Whether a sentence of an answer is one of our phrases, in any language: it says nothing of a document."""
    return _folded(sentence) in _OURS


def _folded(text: str) -> str:
    return " ".join(text.split()).rstrip(".。:：")


_OURS: Final = frozenset(_folded(text) for texts in _PHRASES.values() for text in texts.values())


def _language_of(plan: QueryPlan) -> str:
    """The detected language, where there are phrases in it; else one by the script of the question."""
    return plan.language if plan.language in _PHRASES["not_found"] else likely_language(plan.text)
