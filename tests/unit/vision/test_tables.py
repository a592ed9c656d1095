"""Cells of tables in pictures, with rules and without."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from ragd.core.documents import OcrLine
from ragd.vision.tables import table_in
from ragd.vision.tables_by_words import aligned

ROWS = (("Region", "Orders", "Returns"), ("Osaka", "1240", "31"), ("Lisbon", "", "12"), ("Nairobi", "455", "9"))


def words(rows: tuple[tuple[str, ...], ...], *, shift: float = 0.0) -> list[OcrLine]:
    """Lines of a picture of 600 x 240 pixels with a cell of 200 x 60 for each."""
    return [
        OcrLine(
            cell,
            0.99,
            ((20 + 200 * column) / 600 + shift, (15 + 60 * row) / 240, (120 + 200 * column) / 600, (45 + 60 * row) / 240),
        )
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
        if cell
    ]


def ruled(*, tilt: float = 0.0) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    image = Image.new("RGB", (600, 240), "white")
    draw = ImageDraw.Draw(image)
    for row in range(5):
        draw.line((0, min(239, row * 60), 599, min(239, row * 60)), fill="black", width=2)
    for column in range(4):
        draw.line((min(599, column * 200), 0, min(599, column * 200), 239), fill="black", width=2)
    return np.asarray(image.rotate(tilt, fillcolor="white"), np.uint8)


def test_cells_are_told_by_the_rules_between_them_and_empty_ones_stay_empty() -> None:
    assert table_in(ruled(), words(ROWS)) == ROWS


def test_two_lines_of_a_cell_are_one_text() -> None:
    found = table_in(ruled(), [*words(ROWS), OcrLine("(east)", 0.9, (0.04, 0.45, 0.15, 0.48))])
    assert found[1][0] == "Osaka (east)"


def test_without_rules_columns_are_told_by_where_words_stand() -> None:
    blank = np.full((240, 600, 3), 255, np.uint8)
    assert table_in(blank, words(ROWS)) == ROWS


def test_a_title_above_a_table_is_no_row() -> None:
    title = OcrLine("Orders by region", 0.9, (0.03, 0.0, 0.4, 0.03))
    assert aligned([title, *words(ROWS)]) == ROWS


def test_tabs_above_a_notice_are_no_headings_but_headings_without_the_first_are() -> None:
    rows = (("", "Orders", "Returns"), ("North",), *ROWS[1:], ("Quito", "1", "2"))
    assert aligned(words(rows))[0] == ("", "Orders", "Returns")
    wide = tuple((*cells, f"{number}", f"{number} days") for number, cells in enumerate(ROWS[:2] + ROWS[3:]))
    placed = [
        OcrLine(cell, 0.99, (0.02 + 0.2 * column, 0.1 * row, 0.06 + 0.2 * column + 0.02 * min(15, len(cell)), 0.1 * row + 0.06))
        for row, cells in enumerate((("Queues", "Nodes", "Audit", "Log"), ("The newsletter was paused",), *wide))
        for column, cell in enumerate(cells)
    ]
    assert aligned(placed) == wide


def test_running_text_is_no_table() -> None:
    lines = [OcrLine(f"A line of running text, number {row}", 0.9, (0.05, 0.1 * row, 0.9, 0.1 * row + 0.05)) for row in range(8)]
    assert table_in(np.full((240, 600, 3), 255, np.uint8), lines) == ()


def test_a_grid_without_words_is_no_table() -> None:
    assert table_in(ruled(), ()) == ()


def test_headings_above_the_grid_are_those_of_its_columns() -> None:
    heads = [OcrLine(text, 0.9, (x, 0.01, x + 0.1, 0.05)) for text, x in (("key", 0.05), ("name", 0.4), ("value", 0.75))]
    image = Image.new("RGB", (600, 260), "white")
    image.paste(Image.fromarray(ruled()), (0, 20))
    lower = [
        OcrLine(one.text, 0.9, (one.box[0], (one.box[1] * 240 + 20) / 260, one.box[2], (one.box[3] * 240 + 20) / 260))
        for one in words(ROWS)
    ]
    assert table_in(np.asarray(image, np.uint8), [*heads, *lower])[:2] == (("key", "name", "value"), ROWS[0])
