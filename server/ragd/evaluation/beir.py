"""Datasets in the layout of BEIR (Thakur et al. 2021), which MTEB has, too: `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`.

The corpus is streamed: of a document, only its id and its file's name are kept in memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ragd.core.errors import ValidationFailed
from ragd.core.ids import hash32
from ragd.evaluation.datasets import Dataset, Question, Relevant, broken, digest_of, read_lines, read_objects, text_of

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels/test.tsv"

_JUDGEMENTS = "qrels"
_HEADER = ("query-id", "corpus-id", "score")
# What a file's name may hold everywhere; the number before it keeps names apart that differ in case only.
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_NAME_LENGTH = 60
_PER_FOLDER = 1000
_TELL_EVERY = 500


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of a dataset. `sources` maps a document's id to the name of its file below the written folder.

    `empty` counts documents without any text, which are not written: nothing could find them.
    """

    path: Path
    hash: str
    sources: Mapping[str, str]
    empty: int

    def __len__(self) -> int:
        return len(self.sources) - self.empty

    def write(self, folder: Path, progress: Callable[[int], None]) -> None:
        """Write each document as a file of its own, Markdown where it has a title; `progress` gets the number written, at times.

        What is there with the right content stays. Raises `ValidationFailed` when the corpus was changed since it was read.
        """
        written = 0
        for line, value in read_objects(self.path):
            source = self.sources.get(text_of(value, "_id", self.path, line))
            if source is None:
                raise broken(self.path, line, "the file was changed while it was read. Start again.")
            title = text_of(value, "title", self.path, line, required=False).strip()
            text = text_of(value, "text", self.path, line, required=False)
            if not (title or text.strip()):
                continue
            data = (f"# {' '.join(title.split())}\n\n{text}\n" if title else f"{text}\n").encode()
            path = folder / source
            if not path.is_file() or path.read_bytes() != data:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            written += 1
            if written % _TELL_EVERY == 0:
                progress(written)


def beir_folder(path: Path) -> tuple[Path, str] | None:
    """The folder, and the file of judgements below it: `path` is the folder, or one of its `qrels/*.tsv`; None for neither."""
    if (path / CORPUS).is_file():
        return path, QRELS
    above = path.parent.parent
    if path.suffix == ".tsv" and path.parent.name == _JUDGEMENTS and (above / CORPUS).is_file():
        return above, f"{_JUDGEMENTS}/{path.name}"
    return None


def read_beir(folder: Path, qrels: str = QRELS) -> tuple[Dataset, Corpus]:
    """A dataset and its corpus; `qrels` is the file of judgements. Questions that no document answers are left out and counted.

    Raises `ValidationFailed` for what can't be read, stands twice or names an unknown id, and when nothing can be asked.
    """
    corpus = _read_corpus(folder / CORPUS)
    texts = _read_queries(folder / QUERIES)
    judged = _read_qrels(folder / qrels, texts, corpus.sources)
    questions = tuple(
        Question(
            id=query_id,
            text=texts[query_id],
            relevant=tuple(Relevant(corpus.sources[doc_id], {}, grade) for doc_id, grade in grades.items() if grade > 0),
        )
        for query_id, grades in judged.items()
    )
    answerable = tuple(question for question in questions if question.relevant)
    if not answerable:
        raise ValidationFailed(
            f"{folder / qrels}: no question has a relevant document (a score above 0), so nothing can be asked."
        )
    identity = hash32(corpus.hash, digest_of(folder / QUERIES), digest_of(folder / qrels))
    dataset = Dataset(
        folder.resolve().name, identity, answerable, by_document=True, unanswerable=len(questions) - len(answerable)
    )
    return dataset, corpus


def _read_corpus(path: Path) -> Corpus:
    sources: dict[str, str] = {}
    empty = 0
    for line, value in read_objects(path):
        doc_id = text_of(value, "_id", path, line)
        if doc_id in sources:
            raise broken(path, line, f"the id '{doc_id}' stands twice.")
        title = text_of(value, "title", path, line, required=False)
        text = text_of(value, "text", path, line, required=False)
        empty += not (title.strip() or text.strip())
        index = len(sources)
        name = _UNSAFE.sub("-", doc_id)[:_NAME_LENGTH]
        sources[doc_id] = f"{index // _PER_FOLDER:04}/{index:07}-{name}.{'md' if title.strip() else 'txt'}"
    if len(sources) == empty:
        raise ValidationFailed(f"{path} holds no documents with a text.")
    return Corpus(path, hash32(digest_of(path)), sources, empty)


def _read_queries(path: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    for line, value in read_objects(path):
        query_id = text_of(value, "_id", path, line)
        if query_id in texts:
            raise broken(path, line, f"the id '{query_id}' stands twice.")
        texts[query_id] = text_of(value, "text", path, line)
    if not texts:
        raise ValidationFailed(f"{path} holds no questions.")
    return texts


def _read_qrels(path: Path, texts: Mapping[str, str], sources: Mapping[str, str]) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for line, row in read_lines(path):
        parts = tuple(row.split("\t"))
        if parts == _HEADER:
            continue
        if len(parts) != len(_HEADER):
            raise broken(path, line, f"three values with tabs between them are expected: {', '.join(_HEADER)}.")
        query_id, doc_id, score = parts
        if query_id not in texts:
            raise broken(path, line, f"there is no question '{query_id}' in {QUERIES}.")
        if doc_id not in sources:
            raise broken(path, line, f"there is no document '{doc_id}' in {CORPUS}.")
        grades = judged.setdefault(query_id, {})
        if doc_id in grades:
            raise broken(path, line, f"question '{query_id}' and document '{doc_id}' are judged twice.")
        try:
            grades[doc_id] = int(score)
        except ValueError:
            raise broken(path, line, f"the score '{score}' is no whole number.") from None
    return judged
