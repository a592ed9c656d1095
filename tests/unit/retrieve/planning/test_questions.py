"""What the words and the intent of a question are."""

from __future__ import annotations

import pytest

from ragd.language.detection import question_language
from ragd.language.identifiers import find_identifiers
from ragd.retrieve.planning.intent import intent_of
from ragd.retrieve.planning.keywords import keywords_of


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("How do I set the lease timeout in Kestrel?", ("set", "lease", "timeout", "Kestrel")),
        ("What does E1045 mean with --no-cache?", ("E1045", "--no-cache")),
        ("見積書の承認フローを教えて", ("見積書", "承認フロー")),
        ("数据库连接的超时怎么设置", ("数据库连接", "超时", "设置")),
        ("the of and it", ()),
        ("🎉", ()),
        ("queue Queue QUEUE", ("queue",)),
    ],
)
def test_keywords_are_the_content_words_as_they_are_written(text: str, keywords: tuple[str, ...]) -> None:
    assert keywords_of(text, find_identifiers(text), question_language(text)) == keywords


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Where are backups kept?", "search"),
        ("Summarise the incident report", "summarise"),
        ("障害報告を要約して", "summarise"),
        ("总结这份报告", "summarise"),
        ("tantivy vs fts5", "compare"),
        ("What is the difference between a lease and a lock?", "compare"),
        ("リースとロックの違いは?", "compare"),
        ("两者有什么区别", "compare"),
        ("List all documents about backups", "filter"),
        ("バックアップの資料の一覧", "filter"),
        ("有哪些文档提到备份", "filter"),
        ("Which file holds the token?", "search"),
    ],
)
def test_the_intent_is_found_by_rules_in_three_languages(text: str, intent: str) -> None:
    assert intent_of(text) == intent
