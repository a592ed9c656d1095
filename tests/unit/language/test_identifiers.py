"""What is found in a question to the letter, and what its words, language and intent are."""

from __future__ import annotations

import pytest

from ragd.language.detect_question import language_of
from ragd.language.identifiers import MAX_IDENTIFIERS, find_identifiers
from ragd.retrieve.planning.intent import intent_of
from ragd.retrieve.planning.keywords import keywords_of


def kinds(text: str) -> list[tuple[str, str]]:
    return [(identifier.kind, identifier.text) for identifier in find_identifiers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("who fixed PROJ-123?", [("issue_key", "PROJ-123")]),
        ("CVE-2024-12345 and #1234", [("issue_key", "CVE-2024-12345"), ("issue_key", "#1234")]),
        ("E1045, then ORA-00942", [("error_code", "E1045"), ("error_code", "ORA-00942")]),
        ("0x80070005 or ERR_CONNECTION_RESET", [("error_code", "0x80070005"), ("error_code", "ERR_CONNECTION_RESET")]),
        ("connect: ECONNREFUSED", [("error_code", "ECONNREFUSED")]),
        ("HTTP 404 with exit code 137", [("error_code", "404"), ("error_code", "137")]),
        ("エラーコード137とは", [("error_code", "137")]),
        ("エラーE1045の対処方法", [("error_code", "E1045")]),
        ("状态码 502 怎么处理", [("error_code", "502")]),
        ("docker build --no-cache", [("option", "--no-cache")]),
        ("gcc -Wl,-z,now -rf", [("option", "-Wl,-z,now"), ("option", "-rf")]),
        ("edit /etc/hosts now", [("path", "/etc/hosts")]),
        (r"open C:\x or C:\Program", [("path", r"C:\x"), ("path", r"C:\Program")]),
        (r"on \\server\share\a.txt", [("path", r"\\server\share\a.txt")]),
        ("see src/app/main.py and ~/.bashrc", [("path", "src/app/main.py"), ("path", "~/.bashrc")]),
        ("https://example.com/a?x=1.", [("path", "https://example.com/a?x=1")]),
        ("from v1.2.3 to version 2.4", [("version", "v1.2.3"), ("version", "2.4")]),
        ("バージョン 3.1 の変更点", [("version", "3.1")]),
        ("getUserName and max_connections", [("name", "getUserName"), ("name", "max_connections")]),
        ("std::vector, dh_link(1), foo.bar()", [("name", "std::vector"), ("name", "dh_link(1)"), ("name", "foo.bar()")]),
        ("kestrel.yamlの設定は?", [("name", "kestrel.yaml")]),
        ("signing with SHA384 or SHA-256", [("name", "SHA384"), ("name", "SHA-256")]),
        ("git-buildpackage", [("name", "git-buildpackage")]),
        ("10.0.0.1 and a@example.com", [("name", "10.0.0.1"), ("name", "a@example.com")]),
        ('the "exact words" here', [("quoted", "exact words")]),
        ("「完全一致の語」と『書名』", [("quoted", "完全一致の語"), ("quoted", "書名")]),
        ('what is "PROJ-123"', [("issue_key", "PROJ-123")]),
        ("run `git rebase --onto main`", [("quoted", "git rebase --onto main"), ("option", "--onto")]),
    ],
)
def test_identifiers_are_found_as_they_are_written(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "and/or yes/no",
        "well-known things - and so on",
        "about 1.5 GB or 404 files",
        "e.g. this, i.e. that",
        "on 2026/01/31",
        'a 5" disk and a 3" one',
        "TCP/IP",
        "How do I back up everything?",
        "見積書の承認フローを教えて",
        '"AND (',
        "SELECT * FROM users",
        "🎉 !!! ???",
    ],
)
def test_what_merely_looks_alike_is_no_identifier(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize(
    "unit",
    ["a/", "a_", "A_", "--a ", "a.a", '"', "a-", "x::", "0x", "1.", "/", "a@", "E", "aB", "_", "-a,", "「", "f(", "\\\\a\\"],
)
def test_a_long_odd_text_is_read_at_once_and_gives_a_plan_that_can_be_printed(unit: str) -> None:
    assert len(find_identifiers(unit * (8192 // len(unit)))) <= MAX_IDENTIFIERS


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I rotate keys?", "en"),
        ("経費の申請方法", "ja"),
        ("鍵の更新", "ja"),
        ("検索設定", "ja"),
        ("数据库连接超时", "zh"),
        ("怎么设置", "zh"),
        ("백업 방법", "ko"),
        ("接続設定", "ja"),
        ("休暇", None),
        ("", None),
        ("🎉", None),
        ("مرحبا", None),
        ("Größe ändern", None),
    ],
)
def test_the_language_is_told_by_script_or_not_at_all(text: str, language: str | None) -> None:
    assert language_of(text) == language


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
    assert keywords_of(text, find_identifiers(text), language_of(text)) == keywords


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
def test_the_intent_is_told_by_rules_in_three_languages(text: str, intent: str) -> None:
    assert intent_of(text) == intent
