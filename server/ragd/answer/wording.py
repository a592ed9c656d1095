"""What an answer says of itself, in the language of the question."""

from __future__ import annotations

import re
from typing import Final

_KANA: Final = re.compile("[\u3041-\u30ff]")
_HAN: Final = re.compile("[\u3400-\u9fff]")

NOT_FOUND: Final = {
    "en": "The documents that were searched do not answer this question.",
    "ja": "検索した文書には、この質問への答えが見つかりませんでした。",
    "zh": "在检索的文档中没有找到这个问题的答案。",
}
EXTRACT_FOLLOWS: Final = {
    "en": "The documents say:",
    "ja": "文書には次のように書かれています。",
    "zh": "文档中的相关内容如下：",
}
LANGUAGES: Final = {"en": "English", "ja": "Japanese", "zh": "Chinese", "ko": "Korean"}


def language_of(question: str, detected: str | None) -> str:
    """The language for our own words: what the plan found, where we have words for it; else by the script of the question."""
    if detected in NOT_FOUND:
        return detected
    if _KANA.search(question):
        return "ja"
    return "zh" if _HAN.search(question) else "en"


def says_not_found(answer: str) -> bool:
    """Whether an answer is the sentence for "not found", in any language, and no more."""
    text = " ".join(answer.split()).rstrip(".。")
    return any(text == sentence.rstrip(".。") for sentence in NOT_FOUND.values())
