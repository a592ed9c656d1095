"""Words of a window by what they are: title, buttons, messages, the rows of a list."""

from __future__ import annotations

from ragd.core.documents import OcrLine
from ragd.vision.screens import screen_in


def line(text: str, row: int, column: int) -> OcrLine:
    left, top = 0.05 + 0.18 * column, 0.05 + 0.1 * row
    return OcrLine(text, 0.9, (left, top, left + 0.12, top + 0.05))


HEADINGS = ("Queue", "Waiting", "Workers", "State")
ROWS = (("invoices", "18204", "24", "active"), ("labels", "311", "8", "active"), ("newsletter", "640118", "2", "paused"))


def test_rows_of_a_list_in_a_window_are_a_table() -> None:
    words = [line("Admin console", 0, 0), line("Queues", 1, 0), line("Nodes", 1, 1)]
    words += [
        line(cell, row, column) for row, cells in enumerate((HEADINGS, *ROWS), start=3) for column, cell in enumerate(cells)
    ]
    assert screen_in(words).table == (HEADINGS, *ROWS)


def test_a_form_with_labels_and_values_is_no_table() -> None:
    words = [line("Export", 0, 0)]
    words += [line(text, row, column) for row in range(1, 5) for column, text in enumerate((f"Name {row}", f"value {row}"))]
    assert screen_in(words).table == ()


def test_what_is_neither_title_nor_button_nor_error_is_a_line() -> None:
    screen = screen_in([line("Kestrel", 0, 0), line("The lease could not be renewed.", 2, 0), line("Cancel", 4, 0)])
    assert (screen.title, screen.actions, screen.lines) == ("Kestrel", ("Cancel",), ("The lease could not be renewed.",))
