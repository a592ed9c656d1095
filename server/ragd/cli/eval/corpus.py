"""Datasets by name, and their documents brought into a collection, by the ordinary ingestion, before the questions are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note, plural, warn
from ragd.core.errors import NotFound, ServiceUnavailable, ValidationFailed

if TYPE_CHECKING:
    from ragd.client.blocking import Client
    from ragd.evaluation.beir import Corpus
    from ragd.evaluation.datasets import Dataset


_WHERE: Final = (
    "Where are the documents that the questions are about? Give their folder with --documents, or the collection that they were "
    "read into with --collection."
)


@dataclass(frozen=True, slots=True)
class Material:
    """A dataset, and where its documents are: a `corpus` that must be written as files first, a `folder`, or neither.

    `documents_hash` names the collection that is made for them. With `as_asked` nothing is read: each question is asked of the
    collections that it was asked of before.
    """

    dataset: Dataset
    corpus: Corpus | None = None
    folder: Path | None = None
    documents_hash: str = ""
    as_asked: bool = False


def read_material(named: str, documents: Path | None, *, has_collection: bool) -> Material:
    """Read the dataset that `--dataset` names: `golden`, a file of questions, or a folder in the layout of BEIR or in TREC's.

    Raises `ValidationFailed`.
    """
    from ragd.config.loading import checkout_root
    from ragd.evaluation.beir import beir_folder, read_beir
    from ragd.evaluation.golden import GOLDEN, documents_hash, golden_files, read_questions

    path = Path(named).expanduser()
    if named == GOLDEN and not path.exists():
        path, samples = golden_files(checkout_root())
        folder = documents or samples
        dataset = read_questions(path, name=GOLDEN)
    elif beir := beir_folder(path):
        if documents:
            raise ValidationFailed("--documents is for questions in a file; this dataset has a corpus of its own.")
        dataset, corpus = read_beir(*beir)
        return Material(dataset, corpus=corpus, documents_hash=corpus.hash)
    else:
        dataset, found = _read_file(path, documents, has_collection=has_collection)
        if found is None and not has_collection:
            raise ValidationFailed(_WHERE)
        if found is None:
            return Material(dataset)
        folder = found
    return Material(dataset, folder=folder.absolute(), documents_hash="" if has_collection else documents_hash(folder))


def _read_file(path: Path, documents: Path | None, *, has_collection: bool) -> tuple[Dataset, Path | None]:
    """A dataset that has no corpus of its own, and the folder of its documents, if there is one."""
    from ragd.evaluation.beir import CORPUS
    from ragd.evaluation.feedback import FEEDBACK
    from ragd.evaluation.golden import GOLDEN, JSON_LINES, read_questions
    from ragd.evaluation.trec import DOCUMENTS, QRELS, read_trec

    if (path / QRELS).is_file():
        beside = path / DOCUMENTS
        folder = documents or (beside if beside.is_dir() and not has_collection else None)
        return read_trec(path, folder), folder
    if path.is_file() and path.suffix in (".yaml", ".yml", JSON_LINES):
        return read_questions(path), documents
    raise ValidationFailed(
        f"{path} is no dataset. A dataset is '{GOLDEN}', '{FEEDBACK}', the name of one on the dashboard, a file of questions "
        f"(YAML, or {JSON_LINES}), a folder with {CORPUS}, queries.jsonl and qrels/test.tsv (BEIR, MTEB; or the path of another "
        f"file in its qrels/), or a folder with {QRELS} and topics.tsv or topics.txt (TREC)."
    )


def read_stored(context: CliContext, named: str, documents: Path | None, *, has_collection: bool) -> Material | None:
    """The dataset that the daemon keeps under this name; None where the name means something else. Raises `ValidationFailed`."""
    from ragd.client.errors import ApiError
    from ragd.evaluation.golden import GOLDEN, documents_hash, questions_of, require_questions

    if named == GOLDEN or Path(named).expanduser().exists():
        return None
    with context.connect() as client:
        try:
            found = client.get(f"/api/datasets/{quote(named, safe='')}/text")
        except ApiError as error:
            if error.status == NotFound.status:
                return None
            raise
    read = questions_of(found["text"], Path(named), named, found["digest"])
    dataset = require_questions(read, f"The dataset '{named}'")
    if documents is None and not has_collection:
        raise ValidationFailed(_WHERE)
    if documents is None:
        return Material(dataset)
    return Material(dataset, folder=documents.absolute(), documents_hash="" if has_collection else documents_hash(documents))


def with_own_passages(material: Material) -> Material:
    """The questions that carry their passages, asked without any document. Raises `ValidationFailed` when there are none."""
    questions = tuple(question for question in material.dataset.questions if question.passages)
    if not questions:
        raise ValidationFailed(
            "No question of this dataset carries passages to answer from. Give it 'passages', a list of texts, in the YAML file."
        )
    if left_out := len(material.dataset.questions) - len(questions):
        note(f"{plural(left_out, 'question')} without passages left out.")
    return Material(replace(material.dataset, questions=questions), as_asked=True)


def read_feedback(context: CliContext, collection: str | None) -> Material:
    """The feedback of the data directory as a dataset: all of it, or what was asked of one collection.

    Raises `ValidationFailed` when there is none that can be asked.
    """
    from ragd.evaluation.feedback import feedback_dataset

    with context.connect() as client:
        cases = [case for case in client.pages("/api/feedback") if collection in (None, case["collection"])]
        enabled = {item["name"] for item in client.pages("/api/collections") if item["status"] == "enabled"}
    return Material(feedback_dataset(cases, enabled), as_asked=True)


@contextmanager
def evaluated_collection(
    client: Client, context: CliContext, material: Material, named: str | None, check: Callable[[str | None], None]
) -> Iterator[str | None]:
    """The collection to ask: the one that is `named`, else one of the dataset's own, filled when it is not yet; None for all.

    A collection of the dataset's own is enabled only meanwhile, so that no other search finds its documents. `check` is called
    with the collection before anything is read into it.
    """
    if named or material.as_asked:
        check(named)
        yield named
        return
    name = f"eval-{material.dataset.name[:60]}-{material.documents_hash[:12]}"
    path = f"/api/collections/{quote(name, safe='')}"
    found = next((item for item in client.pages("/api/collections") if item["name"] == name), None)
    if found is None:
        found = client.post("/api/collections", {"name": name})
    elif found["status"] != "enabled":
        client.patch(path, {"status": "enabled"})
    try:
        check(name)
        if found["document_count"] == 0 or found["description"] != _complete(found["document_count"]):
            _fill(client, context, material, name)
            counted = next(item for item in client.pages("/api/collections") if item["name"] == name)["document_count"]
            client.patch(path, {"description": _complete(counted)})
        yield name
    finally:
        client.patch(path, {"status": "disabled"})


def _complete(documents: int) -> str:
    return f"Documents of an evaluation, {documents} in all. Disabled while none runs."


def _fill(client: Client, context: CliContext, material: Material, name: str) -> None:
    from ragd.cli.common.progress import JobProgress, follow

    folder = material.folder
    if corpus := material.corpus:
        folder = context.directories.data / "evaluation" / material.documents_hash
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with JobProgress("Writing the corpus") as bar:
            corpus.write(folder, lambda done: bar.show("files", done, len(corpus)))
        if corpus.empty:
            note(f"{plural(corpus.empty, 'document')} of the corpus without any text left out.")
    body = {"paths": [str(folder)], "collection": name, "gitignore": False}
    documents = plural(len(corpus), "document") if corpus else "documents"
    job = follow(client, client.post("/api/ingest", body)["job_id"], f"Reading {documents}", cancel=True)
    if job["status"] != "completed":
        reason = job["error"]["message"] if job["error"] else "the job was cancelled. Run it again to go on."
        raise ServiceUnavailable(f"The documents could not be read: {reason}")
    if failed := job["result"]["failed"]:
        first = failed[0]
        warn(f"{plural(len(failed), 'document')} could not be read; the first: {first['source']}: {first['message']}")
    if not job["result"]["added"] + job["result"]["updated"] + job["result"]["unchanged"] + job["result"]["moved"]:
        raise ValidationFailed(f"No document of the dataset could be read into the collection '{name}'.")
