"""Ranges of characters of a script are written in `language/` alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragd.language.scripts import CJK, HALF_WIDTH_JAPANESE, HAN_BLOCKS, HANGUL, KANA, KANA_BLOCKS, code_ranges

PACKAGE = Path(__file__).resolve().parents[3] / "server" / "ragd"
ENDS = f"{KANA_BLOCKS}\u3040\u31f0-\u31ff{HAN_BLOCKS}{HANGUL}\uf900-\ufaff{HALF_WIDTH_JAPANESE}\U00020000-\U0003ffff"
RANGE = re.compile(f"(?P<first>[{ENDS}])-(?P<last>.)|(?P<before>.)-(?P<end>[{ENDS}])", re.DOTALL)
ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})")
# Fewer characters are no script: Japanese era names, numbers in circles.
SCRIPT = 16
LIMITS = {
    number for characters in (KANA, KANA_BLOCKS, CJK, HAN_BLOCKS) for limits in code_ranges(characters) for number in limits
}


def script_ranges(source: str) -> Iterator[int]:
    """Lines with a range of Han, kana or Hangul: in a pattern, as characters that are compared with, or as code points."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)), node.value)
            for match in RANGE.finditer(text):
                first, last = (match["first"], match["last"]) if match["first"] else (match["before"], match["end"])
                if ord(last) - ord(first) >= SCRIPT:
                    yield node.lineno
        elif isinstance(node, ast.Constant) and type(node.value) is int and node.value in LIMITS:
            yield node.lineno
        elif isinstance(node, ast.Compare):
            limits = [part for part in (node.left, *node.comparators) if isinstance(part, ast.Constant)]
            if any(isinstance(part.value, str) and re.fullmatch(f"[{ENDS}]", part.value) for part in limits):
                yield node.lineno


@pytest.mark.slow
def test_no_other_module_has_ranges_of_han_kana_or_hangul() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] != "language"
        for line in script_ranges(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        'KANA = "[\u3041-\u309f]"',
        'KANA = "[ぁ-ん]"',
        r'KANA = r"[\u3040-\u30ff]"',
        'HAN = "一-龯"',
        "HAN = (0x4E00, 0x9FFF)",
        'kana = "\u3041" <= character <= "\u30ff"',
        'name = f"[{start}\uac00-\ud7af]"',
    ],
)
def test_a_range_is_seen_in_every_spelling(source: str) -> None:
    assert list(script_ranges(source))


@pytest.mark.parametrize("source", ['"[①-⑳]"', '"月-日"', '"設定-2"', "0x20", 'text == "、"'])
def test_other_text_is_no_range(source: str) -> None:
    assert list(script_ranges(source)) == []
