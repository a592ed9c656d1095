"""What share of the golden questions finds its picture's passage among the first five, and is told the answer there.

`python -m pictures.golden.measure [--real FOLDER] [--keep FOLDER] [-v]` in scripts/.

Three times over the same notes: with captions `none` (text recognition alone), with `rules`, and with a stand-in for a service
that sees, which says what a good model would say of each picture and knows none of the questions. The real embedding model is
used, at the shipped settings. With `--real FOLDER` the pictures are those of `real.py`, which nobody of the project made: they
are fetched into FOLDER from packages of Debian. With `--keep FOLDER` the notes, pictures and index stay there; `-v` prints what
was missed.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pictures.golden import real
from pictures.golden.corpus import CASES, write
from pictures.golden.stand_in import describe
from pictures.golden.truths import Case
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.core.errors import RagError
from ragd.core.query import QueryRequest
from ragd.jobs.captions import KIND
from ragd.providers.captioners.fake import FakeCaptioner
from ragd.store.jobs import FINISHED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragd.vision.description import Description

CAPTIONERS = ("none", "rules", "fake")
NAMES = {"none": "none", "rules": "rules", "fake": "a stand-in for a model that sees"}
FIRST = 5
CONFIG = Path(__file__).resolve().parents[3] / "config"


@contextmanager
def opened(data: Path, captioner: str, cases: Sequence[Case] = CASES, models: Path | None = None) -> Iterator[Application]:
    """The application on a data directory, with a captioner; the fake one knows the pictures by their files' names."""
    settings = load_settings(CONFIG, environment={}, explicit={"captions.provider": captioner})
    app = Application(settings, Directories(data, models or Directories.default().models, CONFIG))
    try:
        made = app.captioning.captioner()
        if isinstance(made, FakeCaptioner):
            answers: dict[str, Description | RagError] = {
                f"fig-{case.name}.png": describe(case.truth, case.language) for case in cases
            }
            made.answers.update(answers)
        app.reconciler.reconcile()
        app.runner.start()
        yield app
    finally:
        app.close()


def ingest(app: Application, folder: Path) -> None:
    """Take the notes in, where they are not yet, and wait until their pictures are described."""
    job = app.documents.ingest([str(folder)])
    while app.jobs.get(job.job_id).status not in FINISHED:
        app.runner.wait_for_change(0.5)
    app.picture_details.job.request()
    while app.jobs.waiting(KIND, statuses=("queued", "running")):
        app.runner.wait_for_change(0.5)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question: whether its picture's passage is among the first five, and whether what is told of it there, to
    a person and to a model, holds the answer in one line."""

    case: Case
    question: str
    found: bool
    told: bool


def outcomes(app: Application, cases: Sequence[Case] = CASES) -> list[Outcome]:
    """What becomes of each question."""
    return [_outcome(app, case, question, answer) for case in cases for question, answer in case.questions]


def _outcome(app: Application, case: Case, question: str, answer: str) -> Outcome:
    hits = app.search.query(QueryRequest(question, top_k=FIRST)).hits
    passage = next((hit.passage for hit in hits if hit.passage.source == f"{case.name}.md"), None)
    lines = passage.picture_texts.splitlines() if passage else []
    return Outcome(case, question, passage is not None, any(re.search(answer, line, re.IGNORECASE) for line in lines))


def share(seen: Sequence[Outcome], name: str, language: str | None = None) -> float:
    """The share of the outcomes, of a language or of all, that are `found`, or `told`."""
    chosen = [bool(getattr(one, name)) for one in seen if language in (None, one.case.language)]
    return sum(chosen) / len(chosen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", type=Path, help="a folder for pictures that nobody of the project made: measure these")
    parser.add_argument("--keep", type=Path, help="a folder for notes and data, which stays")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what was missed")
    options = parser.parse_args()
    cases = CASES
    if options.real:
        real.fetch(options.real)
        cases = real.CASES
    with tempfile.TemporaryDirectory() as scratch:
        folder: Path = options.keep or Path(scratch)
        write(folder / "notes", cases, options.real)
        print(f"{sum(len(case.questions) for case in cases)} questions about {len(cases)} pictures\n")
        print("| captions | found | answer told | English | Japanese |\n|---|---:|---:|---:|---:|")
        for captioner in CAPTIONERS:
            with opened(folder / "data", captioner, cases) as app:
                ingest(app, folder / "notes")
                seen = outcomes(app, cases)
            shares = [share(seen, "found"), *(share(seen, "told", language) for language in (None, "en", "ja"))]
            print(f"| {NAMES[captioner]} | {' | '.join(f'{one:.2f}' for one in shares)} |", flush=True)
            if options.verbose:
                lost = [one for one in seen if not one.told]
                print("\n".join(f"    {one.case.name} {'not found' if not one.found else ''} {one.question}" for one in lost))


if __name__ == "__main__":
    main()
