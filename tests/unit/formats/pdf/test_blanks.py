"""Blanks between words and none within them, in tightly set, letter-spaced and justified text."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from ragd.formats.pdf.loader import PdfLoader

FIXTURES = Path(__file__).parents[3] / "data" / "pdf"
WORDS = ("two", "winters", "from", "mid", "March;", "A", "surface", "and", "stoves", "have", "been", "kept")


def set_by_glyph(letter_gap: float, word_gap: float, font: str = "Times-Roman", size: float = 10) -> str:
    """The words without a blank among their characters, each placed by itself; gaps are in em."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(595, 842), invariant=True)
    canvas.setFont(font, size)
    x = 50.0
    for word in WORDS:
        for character in word:
            canvas.drawString(x, 700, character)
            x += pdfmetrics.stringWidth(character, font, size) + letter_gap * size
        x += (word_gap - letter_gap) * size
    canvas.save()
    return PdfLoader().load(buffer.getvalue(), "a.pdf").markdown


@pytest.mark.parametrize("font", ["Times-Roman", "Helvetica"])
@pytest.mark.parametrize(("letters", "words"), [(0.0, 0.22), (-0.03, 0.2), (0.0, 0.27), (0.0, 0.44), (0.08, 0.4), (0.14, 0.42)])
def test_a_gap_of_a_fifth_of_an_em_is_a_blank_and_the_distance_of_letters_is_none(
    letters: float, words: float, font: str
) -> None:
    assert set_by_glyph(letters, words, font) == " ".join(WORDS)


def test_text_that_a_browser_spaced_out_or_pressed_together_keeps_its_words() -> None:
    markdown = PdfLoader().load((FIXTURES / "spaced-en.pdf").read_bytes(), "a.pdf").markdown
    text = " ".join(markdown.split())
    assert "The two winters before the repair were hard on the plaster of the hall. A surface that had stood" in text
    assert text.count("and the stoves have been kept burning since the first of November") == 2
    assert "SLOW" in text
    assert "BUILDING" in text
