"""Terms that the analyzers give, by example."""

from __future__ import annotations

import pytest

from ragd.providers.analyzers.sudachi import SudachiAnalyzer
from ragd.providers.analyzers.terms import BigramAnalyzer

bigram, sudachi = BigramAnalyzer(), SudachiAnalyzer()


def test_names_are_known_by_the_dictionary_alone() -> None:
    text = "担当は基盤課の村瀬、代理は神戸支店の小田とする。"
    assert sudachi.names(text) == {"村瀬", "神戸", "小田"}
    assert bigram.names(text) == frozenset()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("dh_make(1)", ["dh_make", "dh", "make", "1"]),
        ("--no-cache", ["--no-cache", "no-cache", "no", "cach"]),
        ("-Wl,--as-needed", ["-wl", "wl", "--as-needed", "as-needed", "as", "need"]),
        ("v1.2.3", ["v1.2.3", "1.2.3", "1.2"]),
        ("C++, C# and g++-4.3.", ["c++", "c", "c#", "and", "g++-4.3", "4.3"]),
        ("x86_64", ["x86_64", "86", "64"]),
        ("well-known and/or", ["well-known", "well", "known", "and/or", "and", "or"]),
        ("Users’ don't", ["user", "don't"]),
        ("$HOME/.bashrc", ["home/.bashrc", "home", "bashrc"]),
        ("std::vector<int>", ["std::vector", "std", "vector", "int"]),
        ('{"key": "value"}', ["key", "valu"]),
    ],
)
def test_latin_text_becomes_words_and_identifiers(text: str, terms: list[str]) -> None:
    assert list(dict.fromkeys(bigram.tokens(text))) == terms


def test_identifiers_count_twice_and_plain_compounds_once() -> None:
    assert bigram.tokens("max_connections").count("max_connections") == 2
    assert bigram.tokens("well-known").count("well-known") == 1


def test_parts_of_a_path_that_are_names_are_terms() -> None:
    assert {"/etc/apt/sources.list", "sources.list", "apt"} <= set(bigram.tokens("see /etc/apt/sources.list."))


def test_bigrams_leave_hiragana_pairs_out() -> None:
    assert bigram.tokens("設定をするには") == ["設定", "定を"]
    assert bigram.tokens("語") == ["語"]


def test_sudachi_gives_dictionary_forms_without_particles() -> None:
    assert sudachi.tokens("サーバーの設定を読み込んだ。") == ["サーバー", "設定", "読む", "込む"]
    assert set(sudachi.tokens("変更した")) >= set(sudachi.tokens("変更")) - {"更し"}


def test_text_without_kana_also_gets_bigrams_as_it_may_be_chinese() -> None:
    assert {"信息", "系统"} <= set(sudachi.tokens("信息检索系统"))
    assert sudachi.tokens("設定変更") == ["設定", "変更", "定変"]
    assert "定変" not in sudachi.tokens("設定変更の")


def test_words_in_two_scripts_are_cut_between_them() -> None:
    assert sudachi.tokens("getNameを呼ぶ") == ["getname", "getname", "get", "name", "呼ぶ"]
    assert bigram.tokens("한국어 API") == ["한국", "국어", "api"]


def test_a_token_too_long_to_be_kept_whole_gives_its_words() -> None:
    assert set(bigram.tokens("/".join(["folder"] * 60))) == {"folder"}
