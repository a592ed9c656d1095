"""The language of documents and questions."""

from __future__ import annotations

import pytest

from ragd.language.detection import detect_language, language_of_tag, question_language

JAPANESE = "設定ファイルを読み込めません。カタカナもあります。\n"
FRENCH = "Le café est très bon, où êtes-vous allé à l'été dernier ?\n"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (JAPANESE, "ja"),
        ("この API は token を受け取り、session を返します。" * 3, "ja"),
        ("这是一个用于检索文档的系统。", "zh"),
        ("The server reads the settings and then it starts.", "en"),
        (FRENCH, None),
        ("def f(x): return x", None),
        ("12345 --- !!!", None),
        ("", None),
    ],
)
def test_a_document_has_its_language_by_scripts_and_function_words(text: str, language: str | None) -> None:
    assert detect_language(text) == language


def test_a_declared_language_tag_counts_by_its_primary_part() -> None:
    assert [language_of_tag(tag) for tag in ("ja-JP", "zh_CN", "EN", "fr", "")] == ["ja", "zh", "en", None, None]


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
def test_a_question_has_its_language_by_script_or_has_none(text: str, language: str | None) -> None:
    assert question_language(text) == language
