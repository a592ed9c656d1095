from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.core.ids import canonical, hash32


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("\ufeffa\r\nb\rc", "a\nb\nc"),
        ("ﾃｽﾄ１２３", "テスト123"),
        ("か\u3099", "が"),
        ("a\u200bb\x00c\u00add", "abcd"),
        ("a  \nb\t\n", "a\nb"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("  a\tb  ", "a\tb"),
    ],
)
def test_canonical_text_has_one_form(raw: str, expected: str) -> None:
    assert canonical(raw) == expected


@given(st.text())
def test_canonical_is_idempotent(text: str) -> None:
    once = canonical(text)
    assert canonical(once) == once


def test_a_hash_is_32_hex_digits_and_depends_on_where_the_parts_end() -> None:
    assert len(hash32("a")) == 32
    assert hash32("ab", "c") != hash32("a", "bc")
    assert hash32("é") == hash32("é".encode())
