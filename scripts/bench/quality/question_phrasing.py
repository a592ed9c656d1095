#!/usr/bin/env python3
"""Whether the phrasing of a question takes weight from what it asks for: rare words in every phrasing, language and mode.

    .venv/bin/python scripts/bench/quality/question_phrasing.py [--half tuned] [--modes hybrid,sparse_only]

Each word of tests/golden/rare_words.yaml is put into one document of a few hundred: the samples, sections of docs/ and short
paragraphs in three languages. Prints, by mode and language, how often that document is among the first three, and how often the
question is called "not found". Nothing is asked over HTTP.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.core.query import QueryRequest
from ragd.providers.calibration.measure import texts_json
from ragd.store.jobs import FINISHED

ROOT = Path(__file__).resolve().parents[3]
SET = yaml.safe_load((ROOT / "tests" / "golden" / "rare_words.yaml").read_text(encoding="utf-8"))
SAMPLES = ROOT / "data" / "samples"
MOST_SECTIONS = 230
MODES = ("hybrid", "hybrid without rerank", "sparse_only", "dense_only")


class Asked(NamedTuple):
    """One question, the language of its phrasing, and the word, which is in the document of its own name alone."""

    text: str
    language: str
    word: str


def words() -> dict[str, str]:
    """Each rare word and the language of its document."""
    return {word: language for language, group in SET["words"].items() for word in group["list"]}


def write_corpus(folder: Path) -> None:
    """The documents; the one that holds a word is called after the word's number. Raises `ValueError` when others hold one."""
    shutil.copytree(SAMPLES, folder / "samples")
    texts: dict[str, list[str]] = {"en": _sections(), "ja": [], "zh": []}
    for row in json.loads(texts_json()):
        for language, (title, body) in row.items():
            texts[language].append(f"# {title}\n\n{body}\n")
    everything = "\n".join(text for group in texts.values() for text in group)
    if twice := [word for word in words() if word in everything]:
        raise ValueError(f"The documents hold these words already: {', '.join(twice)}.")
    for number, (word, language) in enumerate(words().items()):
        own = texts[language].pop(number * 7 % len(texts[language]))
        lines = own.splitlines()
        lines.insert(len(lines) // 2 + 1, f"\n{SET['words'][language]['sentence'].format(word=word)}\n")
        _write(folder / "rare" / f"{number:02}.md", "\n".join(lines))
    for language, rest in texts.items():
        for number, text in enumerate(rest):
            _write(folder / language / f"{number:03}.md", text)


def _sections() -> list[str]:
    """Sections of our own documents, as pages: some of each document, so that the set does not grow with them."""
    found = []
    for path in sorted((ROOT / "docs").glob("*.md")):
        for section in re.split(r"^(?=## )", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            found += [f"# {path.stem}\n\n{part}" for part in _parts(section)]
    step = -(-len(found) // MOST_SECTIONS)
    return found[::step]


def _parts(section: str) -> Iterator[str]:
    blocks = section.split("\n\n")
    for start in range(0, len(blocks), 4):
        yield "\n\n".join(blocks[start : start + 4])


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def open_application(folder: Path, corpus: Path, models: Path, config: Path = ROOT / "config") -> Application:
    """An application of its own in `folder`, with `corpus` ingested."""
    opened = Application(load_settings(config, environment={}), Directories(folder, models, config))
    opened.runner.start()
    job = opened.documents.ingest([str(corpus)])
    while (current := opened.jobs.get(job.job_id)).status not in FINISHED:
        opened.runner.wait_for_change(0.5)
    if current.status != "completed":
        opened.close()
        raise RuntimeError(f"The ingestion ended as {current.status}: {current.error}")
    # Descriptions of pictures come behind, and change what is found.
    while opened.jobs.unfinished():
        opened.runner.wait_for_change(0.5)
    return opened


def questions(half: str) -> Iterator[Asked]:
    """Every word in every phrasing of a half, in every language."""
    for language, phrasings in SET["phrasings"][half].items():
        for phrasing in phrasings:
            for word in words():
                yield Asked(phrasing.format(word=word), language, word)


def request(question: str, mode: str) -> QueryRequest:
    """The first three passages in one of `MODES`."""
    return QueryRequest(question, top_k=3, strategy=mode.split(maxsplit=1)[0], rerank=mode == "hybrid")


def outcome(app: Application, asked: Asked, mode: str) -> tuple[bool, bool]:
    """Whether the word's document is among the first three, and whether an answer was said to be there."""
    result = app.search.query(request(asked.text, mode))
    own = f"rare/{list(words()).index(asked.word):02}.md"
    return any(hit.passage.source.endswith(own) for hit in result.hits), result.found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("tuned", "held_out", "both"), default="held_out")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--failures", action="store_true", help="print every question whose document was missed")
    parser.add_argument("--every", type=int, default=1, help="ask one of so many questions")
    arguments = parser.parse_args()
    halves = ("tuned", "held_out") if arguments.half == "both" else (arguments.half,)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_corpus(folder / "corpus")
        app = open_application(folder / "data", folder / "corpus", Directories.default().models)
        try:
            for mode in arguments.modes.split(","):
                total, among, refused = Counter[str](), Counter[str](), Counter[str]()
                for half in halves:
                    for asked in list(questions(half))[:: arguments.every]:
                        there, found = outcome(app, asked, mode)
                        total[asked.language] += 1
                        among[asked.language] += there
                        refused[asked.language] += not found
                        if arguments.failures and not (there and found):
                            print(f"  {mode}: {asked.text} | {'there' if there else 'missed'}, found={found}")
                figures = "  ".join(
                    f"{language} {among[language] / total[language]:.3f} ({refused[language]} refused of {total[language]})"
                    for language in total
                )
                print(f"{mode:22} first three {among.total() / total.total():.3f}  {figures}", flush=True)
        finally:
            app.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
