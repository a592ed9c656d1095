"""Questions that only a picture answers: its description tells the answer, that of a model that sees more often; else seldom.

A half of the set that `python -m pictures.golden.measure` (in scripts/) measures whole: docs/pictures.md has its table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ..unit.scripts.loading import load

pytestmark = [pytest.mark.e2e, pytest.mark.model]

draw = load("pictures.draw")
corpus = load("pictures.golden.corpus")
measure = load("pictures.golden.measure")
real = load("pictures.golden.real")
stand_in = load("pictures.golden.stand_in")

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


@pytest.mark.parametrize("cases", [corpus.CASES, (*corpus.CASES, *real.CASES)])
def test_there_are_questions_enough_in_two_languages(cases: Sequence[Any]) -> None:
    questions = [(case.language, question) for case in cases for question, _ in case.questions]
    assert len(set(questions)) == len(questions) >= 40
    assert min([language for language, _ in questions].count(language) for language in ("en", "ja")) >= 20


def test_nearly_half_of_the_pictures_are_others_and_what_is_seen_in_them_answers_what_is_asked() -> None:
    assert len(real.CASES) >= 12
    assert {case.name for case in real.CASES} == {line.split("\t")[0] for line in real.TABLE.read_text("utf-8").splitlines()}
    for case in real.CASES:
        said = stand_in.describe(case.truth, case.language)
        told = [said.summary, *said.key_points]
        for question, answer in case.questions:
            assert any(re.search(answer, line, re.IGNORECASE) for line in told), question


@pytest.mark.timeout(180)
def test_what_only_a_picture_says_is_found_by_its_description(shares: dict[str, float]) -> None:
    assert shares["none"] <= 0.3, shares
    assert shares["rules"] >= 0.7, shares
    assert shares["fake"] >= 0.9, shares
