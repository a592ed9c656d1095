"""Identifiers in questions: what is meant to the letter."""

from __future__ import annotations

import pytest

from ragd.language.identifiers import MAX_IDENTIFIERS, find_identifiers


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
