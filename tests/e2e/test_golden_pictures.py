"""Questions that only a picture answers: its description tells the answer, that of a model that sees more often; else seldom.

A half of the set that `python -m pictures.golden.measure` (in scripts/) measures whole: docs/pictures.md has its table.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ..unit.scripts.loading import load

pytestmark = [pytest.mark.e2e, pytest.mark.model]

draw = load("pictures.draw")
corpus = load("pictures.golden.corpus")
measure = load("pictures.golden.measure")

NAMES = ("01", "03", "05", "06", "07", "12", "13", "15", "16", "17")
CASES = [case for case in corpus.CASES if case.name in NAMES]


@pytest.fixture(scope="module")
def shares(models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Captioner -> the share of questions that find their picture's passage and are told the answer there; all on one index."""
    if not all(Path(path).is_file() for path in (draw.FONT, draw.CJK)):
        pytest.skip("the fonts that the pictures are drawn with are not here")
    folder = tmp_path_factory.mktemp("pictures")
    corpus.write(folder / "notes", CASES)
    found = {}
    for captioner in measure.CAPTIONERS:
        with measure.opened(folder / "data", captioner, CASES, models_dir) as app:
            measure.ingest(app, folder / "notes")
            found[captioner] = measure.share(measure.outcomes(app, CASES), "told")
    return found


def test_there_are_questions_enough_in_two_languages() -> None:
    questions = [(case.language, question) for case in corpus.CASES for question, _ in case.questions]
    assert len(set(questions)) == len(questions) >= 40
    assert min([language for language, _ in questions].count(language) for language in ("en", "ja")) >= 20


@pytest.mark.timeout(180)
def test_what_only_a_picture_says_is_found_by_its_description(shares: dict[str, float]) -> None:
    assert shares["none"] <= 0.3, shares
    assert shares["rules"] >= 0.7, shares
    assert shares["fake"] >= 0.9, shares
