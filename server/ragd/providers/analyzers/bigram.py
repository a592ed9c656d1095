"""Chinese, Japanese and Korean without a dictionary."""

from __future__ import annotations

from ragd.providers.analyzers.terms import ANALYSIS_PROFILE, bigrams, terms


class BigramAnalyzer:
    """Overlapping pairs of characters for Chinese, Japanese and Korean; pairs of hiragana alone are left out."""

    name = "bigram"
    profile = f"bigram-1/{ANALYSIS_PROFILE}"

    def tokens(self, text: str) -> list[str]:
        return terms(text, lambda run, _has_kana: bigrams(run))
