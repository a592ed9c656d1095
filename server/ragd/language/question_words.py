"""Words that questions are made of and that say nothing about their subject, in English, Japanese and Chinese."""

from __future__ import annotations

from typing import Final

ENGLISH: Final = frozenset(
    """
    a about above after again all also am an and any anybody anyone anything are aren't as at be because been before being
    below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't done during e.g each
    either else ever every everything few for from further had has hasn't have haven't having he her here hers him his how
    however i i'd i'll i'm i.e i've if in into is isn't it it's its itself just let let's may maybe me might mine more most
    must my myself neither no nor not nothing now of off ok okay on once one ones only onto or other others otherwise our ours
    out over own per perhaps please rather same shall she should shouldn't since so some somebody someone something still such
    than thanks that that's the their theirs them themselves then there there's these they this those though through thus to
    together too toward towards under until up upon us very via was wasn't we well were weren't what what's when where whether
    which while who whom whose why will with within without won't would wouldn't yes yet you you'd you're your yours yourself
    """.split()
)
"""Words of grammar."""

ENGLISH_ASKING: Final = frozenset(
    """
    ask asking describe explain find get give happen happens help know list look looking mean means need show tell use used using
    want way work works
    """.split()
)
"""What a question does, not what it is about."""

JAPANESE_ASKING: Final = frozenset("教 何 知 場合 方法 時 事 物 下 私 詳細 質問 説明 お願 今".split())
"""Runs of kanji and katakana that questions are made of."""

CHINESE_GRAMMAR: Final = (
    "为什么 怎么样 怎么办 请问 怎么 怎样 如何 什么 哪些 哪个 哪里 是否 能否 可以 可否 能不能 是不是 有没有 多少 几个 一个 一下 "
    "这个 那个 这些 那些 应该 需要 告诉 以及 或者 还是 因为 所以 如果 的话 时候 的 了 吗 呢 吧 啊 我 你 您 它 们 把 被 和 与 是"
).split()
"""Chinese words of grammar and asking, longest first where one begins another."""
