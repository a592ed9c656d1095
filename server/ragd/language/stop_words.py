"""Words that say nothing about a text by themselves: the groups of `stop_words.toml`, which says what each is, as sets."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Final

_GROUPS: Final = {
    name: frozenset(words.split())
    for name, words in tomllib.loads(resources.files(__package__).joinpath("stop_words.toml").read_text(encoding="utf-8")).items()
}

FREQUENT_WORDS: Final = _GROUPS["frequent_grammar"] | {"see", "use"}
"""By which English prose is recognised."""
_GRAMMAR: Final = _GROUPS["frequent_grammar"] | _GROUPS["grammar"]
QUESTION_GRAMMAR: Final = _GRAMMAR | _GROUPS["questions"]
"""English words of grammar that questions are made of."""
BEFORE_NOUNS: Final = _GROUPS["before_nouns"]
BEFORE_VERBS: Final = _GROUPS["before_verbs"]
FUNCTION_WORDS: Final = _GRAMMAR | BEFORE_NOUNS | BEFORE_VERBS | _GROUPS["function_words"]
"""English words of grammar, and small numbers."""
GENERIC_WORDS: Final = _GROUPS["generic"]
CODE_WORDS: Final = _GROUPS["code"]
ASKING_ENGLISH: Final = _GROUPS["asking"]
GENERIC_JAPANESE: Final = _GROUPS["generic_japanese"]
ENDS_WITH_SUFFIX: Final = _GROUPS["ends_with_suffix"]
ASKING_JAPANESE: Final = _GROUPS["asking_japanese"]
PHRASING: Final = {name.removeprefix("phrasing_"): words for name, words in _GROUPS.items() if name.startswith("phrasing_")}
"""How questions are put: `english`, `japanese`, `chinese`, each with the words that close such a run towards the content."""

NOT_CONTENT: Final = (
    QUESTION_GRAMMAR.union(ASKING_ENGLISH, *PHRASING.values())
    | _GROUPS["not_content_english"]
    | _GROUPS["not_content_japanese"]
    | _GROUPS["not_content_chinese"]
)
"""Words of a question, in three languages, that need not stand in a passage that answers it."""

CHINESE_FUNCTION: Final = frozenset(
    "的了在是和与或及把被将从对为不也都就而其此该这那有可会能要上下中个们着过到以于由向并但若如则已还又再很更最等所之它他她我你您吗呢吧啊请让给"
)
"""Chinese characters of grammar; words are what stands between them."""
CHINESE_GRAMMAR_WORDS: Final = (
    "为什么 怎么样 怎么办 请问 怎么 怎样 如何 什么 哪些 哪个 哪里 是否 能否 可以 可否 能不能 是不是 有没有 多少 几个 一个 一下 "
    "这个 那个 这些 那些 应该 需要 告诉 以及 或者 还是 因为 所以 如果 的话 时候 的 了 吗 呢 吧 啊 我 你 您 它 们 把 被 和 与 是"
).split()
"""Chinese words of grammar and asking, longest first where one begins another."""
