#!/usr/bin/env python3
"""How well the support check tells sentences that passages bear out from those that they don't, and the threshold for it.

    .venv/bin/python scripts/bench/answers/support.py [--half dev|held_out] [--verbose]

First over the documents of tests/golden/answers: every sentence of their paragraphs as it stands (`verbatim`), sentences that
restate them, written by hand (`restated`), and both with one thing changed by rules: a number, a unit or date, a name, a
negation, a comparison. Each is held against all sections of its document.

Then over data/samples, written by hand: sentences that restate a section in other words (of the same language or another), and
sentences with a changed figure, a made-up detail, or the subject of another document. Each is held against its section and the
two next to it. Prints the threshold with the best balanced accuracy; chosen on one half of the sections it is tried on the other.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent))

from _changes import changes_of, sentences_of
from _sections import SECTIONS, Section

from ragd.answer.support import SupportCheck
from ragd.config.loading import Directories, load_settings
from ragd.core.documents import DocType, Place
from ragd.core.results import Citation, Passage
from ragd.models.store import ensure_model
from ragd.providers.protocols import Embedder, Vectors
from ragd.providers.registry import build

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "data" / "samples"
ANSWERS = ROOT / "tests" / "golden" / "answers"
CHANGES: Final = ("number", "unit or date", "name", "negation", "comparison")
SENTENCES: Final = 6
PASSAGES: Final = 5
CHARACTERS: Final = 1_200
"""Of a passage of some 300 tokens; half as many in Japanese."""


@dataclass
class Kept:
    """Of sentences of one kind, how many were judged right, and those that were not."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.right + len(self.wrong)

    @property
    def share(self) -> float:
        return self.right / self.total


def measure(check: SupportCheck, threshold: float, half: str | None = None) -> dict[str, Kept]:
    """Kind -> what became of its sentences; those of `changes` are right when they are marked as not borne out."""
    found: dict[str, Kept] = defaultdict(Kept)
    for name, of_document in yaml.safe_load((ANSWERS / "questions.yaml").read_text(encoding="utf-8")).items():
        text = (ANSWERS / "documents" / name).read_text(encoding="utf-8")
        is_other = half not in (None, of_document["half"])
        verbatim = [] if is_other else list(sentences_of(text))
        restated = [] if is_other else of_document["paraphrases"]
        if half != "held_out":
            restated = [*restated, *of_document.get("seen", ())]
        if not (verbatim or restated):
            continue
        changed = [change for sentence in (*verbatim, *restated) for change in changes_of(sentence, of_document["names"])]
        claims = [*(("verbatim", said) for said in verbatim), *(("restated", said) for said in restated), *changed]
        evidence = judged(check, [said for _, said in claims], passages_of(name, text))
        for (kind, said), by_number in zip(claims, evidence, strict=True):
            score = max(item.score for item in by_number.values())
            if (score >= threshold) == (kind not in CHANGES):
                found[kind].right += 1
            else:
                found[kind].wrong.append(f"{name} {score:.2f}: {said}")
    return found


def judged(check: SupportCheck, claims: list[str], passages: list[Citation]) -> Iterator[Mapping[int, Any]]:
    """The evidence for claims in answers as long as most: a check looks at fewer units for a sentence of a long one."""
    for start in range(0, len(claims), SENTENCES):
        yield from check.evidence(claims[start : start + SENTENCES], passages)


def passages_of(name: str, text: str) -> list[Citation]:
    """A document's sections as passages."""
    doc_type: DocType = "markdown" if name.endswith(".md") else "text"
    return [
        Citation(number, Passage(str(number), "d", "v", "c", body, name, "", doc_type, name, (heading,), Place(), number, 0))
        for number, (heading, body) in enumerate(sections_of(text), start=1)
    ]


def caught(found: dict[str, Kept]) -> Kept:
    """The changes of all kinds together."""
    parts = [found[kind] for kind in CHANGES]
    return Kept(sum(part.right for part in parts), [one for part in parts for one in part.wrong])


def sections_of(text: str) -> list[tuple[str, str]]:
    """Heading and text of each section, in order."""
    cuts = [match.start() for match in re.finditer(r"^#{1,4} ", text, re.MULTILINE)] or [0]
    bodies = [text[start:end] for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True)]
    return [(body.partition("\n")[0].lstrip("# "), body) for body in bodies]


def citations_of(section: Section) -> list[Citation]:
    """The section and its neighbours, numbered as an answer would find them."""
    parts = sections_of((SAMPLES / section.document).read_text(encoding="utf-8"))
    at = next(index for index, (heading, _) in enumerate(parts) if heading.startswith(section.heading))
    chosen = [parts[at], *parts[max(0, at - 1) : at], *parts[at + 1 : at + 3]]
    return [
        Citation(
            number,
            Passage(str(number), "d", "v", "c", body, section.document, "", "markdown", heading, (heading,), Place(), number, 0),
        )
        for number, (heading, body) in enumerate(chosen, start=1)
    ]


def long_citations_of(section: Section) -> list[Citation]:
    """As many passages as a search gives, as long as most: from the section on, and from four other places of its document."""
    first = citations_of(section)[0]
    parts = sections_of((SAMPLES / section.document).read_text(encoding="utf-8"))
    at = next(index for index, (heading, _) in enumerate(parts) if heading.startswith(section.heading))
    cited = []
    for number in range(PASSAGES):
        start = (at + number * len(parts) // PASSAGES) % len(parts)
        text = "".join(body for _, body in parts[start:])
        body = text[: CHARACTERS if text.isascii() else CHARACTERS // 2]
        cited.append(replace(first, id=number + 1, passage=replace(first.passage, chunk_id=str(number), content=body)))
    return cited


class Counting:
    """Wraps an embedder and counts the texts that it is given."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.texts = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        return self._embedder.embed_passages(texts)


def area(good: list[float], bad: list[float]) -> float:
    """The chance that a supported sentence scores above an unsupported one."""
    return sum((one > other) + 0.5 * (one == other) for one in good for other in bad) / (len(good) * len(bad))


def best_threshold(good: list[float], bad: list[float]) -> tuple[float, float]:
    """The threshold in the middle of those with the best balanced accuracy, and that accuracy."""
    tried = [(accuracy(good, bad, step / 200), step / 200) for step in range(200)]
    top = max(value for value, _ in tried)
    return statistics.median(step for value, step in tried if value == top), top


def accuracy(good: list[float], bad: list[float], threshold: float) -> float:
    """Balanced accuracy."""
    return (sum(one >= threshold for one in good) / len(good) + sum(one < threshold for one in bad) / len(bad)) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", choices=["dev", "held_out"])
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    settings = load_settings(environment={})
    model = ensure_model(settings.embedding.model, Directories.default().models)
    embedder = build("embedder", "onnx", files=model, device="cpu", threads=0, batch_tokens=1024)
    check = SupportCheck(embedder, build("analyzer", settings.sparse.analyzer), settings.answer.support_threshold)
    for half in (args.half,) if args.half else ("dev", "held_out"):
        found = measure(check, settings.answer.support_threshold, half)
        for kind, kept in [*found.items(), ("all changes", caught(found))]:
            print(f"{half:9} {kind:13} {kept.right:3} of {kept.total:3} judged right ({kept.share:.3f})")
            if args.verbose and kind != "all changes":
                print("".join(f"    {one}\n" for one in kept.wrong), end="")
    scores: dict[str, list[list[float]]] = {}
    signs: dict[str, dict[str, list[float]]] = {name: {} for name in ("meaning", "words", "score")}
    for section in SECTIONS:
        citations = citations_of(section)
        for kind, said in (("supported", section.supported), ("changed", section.changed), ("made up", section.made_up)):
            best = [max(found.values(), key=lambda item: item.score) for found in check.evidence(said, citations)]
            scores.setdefault(kind, []).append([item.score for item in best])
            for name, values in signs.items():
                values.setdefault(kind, []).extend(getattr(item, name) for item in best)
    for name, values in signs.items():
        areas = {kind: area(values["supported"], values[kind]) for kind in ("changed", "made up")}
        print(f"{name:8}  AUC against changed {areas['changed']:.3f}, made up {areas['made up']:.3f}")
    for kind, lists in scores.items():
        flat = [score for part in lists for score in part]
        print(f"{kind:10} n={len(flat):3}  quartiles {[round(value, 3) for value in statistics.quantiles(flat)]}")
    unlike = [*zip(scores["changed"], scores["made up"], strict=True)]
    halves = [
        (
            [one for part in scores["supported"][half::2] for one in part],
            [one for pair in unlike[half::2] for part in pair for one in part],
        )
        for half in (0, 1)
    ]
    for half in (0, 1):
        threshold, inside = best_threshold(*halves[half])
        outside = accuracy(*halves[1 - half], threshold)
        print(f"half {half + 1}: threshold {threshold:.3f}, balanced accuracy {inside:.3f}; on the other half {outside:.3f}")
    threshold, reached = best_threshold(halves[0][0] + halves[1][0], halves[0][1] + halves[1][1])
    print(f"all: threshold {threshold:.3f}, balanced accuracy {reached:.3f}")
    counting: Any = Counting(embedder)
    check = SupportCheck(counting, build("analyzer", settings.sparse.analyzer), settings.answer.support_threshold)
    started = time.process_time()
    for section in SECTIONS:
        check.evidence([*section.supported, *section.changed[:2]], long_citations_of(section))
    took = (time.process_time() - started) / len(SECTIONS)
    texts, sentences = counting.texts / len(SECTIONS), sum(len(section.supported) + 2 for section in SECTIONS) / len(SECTIONS)
    print(
        f"{took * 1000:.0f} ms of the processor and {texts:.0f} texts embedded for an answer of {sentences:.1f} sentences over "
        f"{PASSAGES} passages of some 300 tokens"
    )


if __name__ == "__main__":
    main()
