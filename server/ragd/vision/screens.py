"""What a picture of a window says: its title, buttons and menus, and messages of errors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from ragd.core.documents import OcrLine
from ragd.vision.tables_by_words import Rows, aligned
from ragd.vision.windows import UI_WORDS
from ragd.vision.words import is_label, rows_of

if TYPE_CHECKING:
    from ragd.vision.controls import Controls

_ERROR: Final = re.compile(
    r"\berrors?\b|\bfail(?:ed|ure|s)?\b|\bexception\b|\bwarning\b|\bdenied\b|\bcan(?:no|')t\b|\bunable\b|\binvalid\b|"
    r"\bnot found\b|\btraceback\b|\bfatal\b|\btimed? ?out\b|"
    r"エラー|失敗|警告|できません|見つかりません|無効|拒否|错误|失败|无法|无效|拒绝|找不到|超时",
    re.IGNORECASE,
)
_SHORT: Final = 24
_LONGEST_TITLE: Final = 90
_LEAST_COLUMNS: Final = 4
_LEAST_ROWS: Final = 2
_LEAST_SIDE_BY_SIDE: Final = 3


@dataclass(frozen=True, slots=True)
class Screen:
    """Words of a window by what they are."""

    title: str = ""
    actions: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    table: Rows = ()
    """Rows of a list in it, its headings first."""
    fields: tuple[tuple[str, str], ...] = ()
    """Labels with what stands in the fields beside them."""
    chosen: tuple[str, ...] = ()
    """What check boxes and radio buttons are marked for."""
    unchosen: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    """What stands side by side in lists whose rows are not alike."""


def screen_in(words: Sequence[OcrLine], controls: Controls | None = None) -> Screen:
    """What can be told of a window by its words, and by its controls where its pixels could be looked at."""
    rows = rows_of(words)
    texts = [" ".join(line.text for line in row) for row in rows]
    actions = [line.text.strip() for line in words if len(line.text) <= _SHORT and UI_WORDS.match(line.text)]
    choices = controls.choices if controls else ()
    if controls:
        actions += [line.text.strip() for line in controls.buttons]
    errors = [text for text in texts if _ERROR.search(text) and len(text) > 6]
    title = next(
        (text for text in texts[:3] if len(text) <= _LONGEST_TITLE and not all(UI_WORDS.match(part) for part in text.split())), ""
    )
    said = {title, *actions, *errors, *(choice.text for choice in choices)}
    lines = [text for text in texts if text not in said and not all(UI_WORDS.match(part) for part in text.split())]
    return Screen(
        title,
        tuple(dict.fromkeys(actions)),
        tuple(dict.fromkeys(errors)),
        tuple(lines),
        _listed(rows),
        controls.fields if controls else (),
        tuple(dict.fromkeys(choice.text for choice in choices if choice.chosen)),
        tuple(dict.fromkeys(choice.text for choice in choices if not choice.chosen)),
        tuple(" ".join(line.text for line in row) for row in rows if _is_of_list(row, controls)),
    )


def _is_of_list(row: Sequence[OcrLine], controls: Controls | None) -> bool:
    """Whether words stand side by side that are neither buttons nor fields with their labels."""
    pressed = {line.text for line in controls.buttons} if controls else set()
    others = [line for line in row if line.text not in pressed and not UI_WORDS.match(line.text)]
    return len(others) >= _LEAST_SIDE_BY_SIDE and not any(is_label(line.text) for line in row)


def _listed(rows: Sequence[Sequence[OcrLine]]) -> Rows:
    """The longest run of rows with the same number of words side by side, where they are so many that it is a list."""
    best: list[Sequence[OcrLine]] = []
    for _, group in groupby(rows, key=len):
        run = list(group)
        if len(run[0]) >= _LEAST_COLUMNS and len(run) > max(_LEAST_ROWS, len(best)):
            best = run
    return aligned([line for row in best for line in row]) if best else ()
