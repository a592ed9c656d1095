"""The estimate of tokens is never too low."""

from __future__ import annotations

import pytest

from ragd.language.token_estimate import estimate_tokens


@pytest.mark.parametrize(
    ("text", "at_least"), [("hello world", 2), ("日本語の文書", 6), ("kst_live_ab12", 5), ("🙂", 2), ("   \n\n", 1), ("", 0)]
)
def test_the_estimate_of_tokens_is_not_too_low(text: str, at_least: int) -> None:
    assert estimate_tokens(text) >= at_least
