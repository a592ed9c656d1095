"""How many tokens a text takes in a model whose vocabulary is not here."""

from __future__ import annotations

import re
from typing import Final

from ragd.language.scripts import FULL_WIDTH, HAN_BLOCKS, HANGUL_SYLLABLES, SIGNS_AND_KANA

# One alternative for each way in which characters become tokens; the counts beside them are in `estimate_tokens`.
_UNITS: Final = re.compile(
    f"(?P<letters>[A-Za-z]+)|(?P<kana>[{SIGNS_AND_KANA}{FULL_WIDTH}])|(?P<han>[{HAN_BLOCKS}{HANGUL_SYLLABLES}])"
    "|(?P<sign>[\\x21-\\x7e])|(?P<blanks>\\s+)|(?P<other>[^\\x00-\\x7f])"
)


def estimate_tokens(text: str) -> int:
    """Tokens of `text` in a byte-pair vocabulary, without one at hand: rather too many than too few.

    Three letters (of a run in mixed case, such as a key, one and a half), one digit, sign or kana are a token, a Chinese
    character or
    Korean syllable two, any other letter half of its bytes in UTF-8, and what is left as many as it has bytes. Held against real
    vocabularies in `docs/decisions.md`.
    """
    total = 0
    for match in _UNITS.finditer(text):
        kind, unit = match.lastgroup, match.group()
        if kind == "letters":
            plain = unit.islower() or unit.isupper() or unit.istitle()
            total += -(-len(unit) // 3) if plain else -(-2 * len(unit) // 3)
        elif kind == "blanks":
            total += 0 if unit == " " else 1 + unit.count("\n")
        elif kind == "other":
            size = len(unit.encode("utf-8", "replace"))
            total += -(-size // 2) if unit.isalpha() else size
        else:
            total += 2 if kind == "han" else 1
    return total
