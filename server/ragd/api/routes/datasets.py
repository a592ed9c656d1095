"""Datasets of questions that the daemon keeps: looked at, edited question by question, each version whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query

from ragd.access.context import AccessContext
from ragd.answer.verification import live_passages
from ragd.api.common import Access, App, CallerOf, Pages, author_of
from ragd.api.middleware.security import DATASETS_PATH
from ragd.api.schemas.datasets import (
    Dataset,
    DatasetBody,
    DatasetPage,
    DatasetRow,
    DatasetText,
    QuestionChange,
    SampleBody,
)
from ragd.app.container import Application
from ragd.app.evaluations.datasets import question_key
from ragd.app.evaluations.sampling import QuestionLog
from ragd.core.errors import NotFound
from ragd.evaluation.golden import UNLABELLED
from ragd.evaluation.labels.export import collected, places_of
from ragd.evaluation.labels.labelling import Labelling
from ragd.evaluation.relevance import relevant_to

router = APIRouter(prefix=DATASETS_PATH, tags=["evaluations"])

_OfVersion = Annotated[str | None, Query(pattern="^[0-9a-f]{32}$", description="Of a version; the newest without it.")]


@router.get("", response_model=DatasetPage)
def list_datasets(app: App, paging: Pages) -> dict[str, Any]:
    """The newest version of each, by name."""
    found, total = app.datasets.stored.page(paging.page, paging.page_size)
    return paging.answer([asdict(one) for one in found], total)


@router.post("", status_code=201, response_model=DatasetRow)
def add_dataset(body: DatasetBody, app: App, caller: CallerOf) -> dict[str, Any]:
    """Keep a dataset under a name that is free."""
    return asdict(app.datasets.create(body.name, body.text, author_of(caller)))


@router.post("/sample", status_code=201, response_model=DatasetRow)
def sample_questions(body: SampleBody, app: App, caller: CallerOf) -> dict[str, Any]:
    """Make a dataset of questions that people asked, for somebody to label: a sample of what the traces keep."""
    app.tracer.flush()
    log = QuestionLog(app.traces, app.feedback, app.collections)
    return asdict(app.datasets.create(body.name, log.sample(body.wanted()), author_of(caller)))


@router.get("/{name}", response_model=Dataset)
def get_dataset(
    name: str,
    app: App,
    paging: Pages,
    digest: _OfVersion = None,
    text: Annotated[str, Query(max_length=1000, description="A part of a question or of its id.")] = "",
    unlabelled: Annotated[bool, Query(description="Only those that wait for labels.")] = False,
) -> dict[str, Any]:
    """A version, with a page of its questions in the order of the file."""
    versions = [asdict(one) for one in app.datasets.versions(name)]
    version = versions[0] if digest is None else next((one for one in versions if one["digest"] == digest), None)
    if version is None:
        raise NotFound(f"There is no dataset '{name}' with the digest {digest}.")
    wanted, items = text.casefold(), app.datasets.items(name, version["digest"])
    questions = [
        {"number": number, "question": one}
        for number, one in enumerate(items, start=1)
        if (wanted in one["query"].casefold() or wanted in one["id"].casefold()) and (one.get(UNLABELLED) or not unlabelled)
    ]
    return {
        "version": version,
        "versions": versions,
        "unlabelled": sum(bool(one.get(UNLABELLED)) for one in items),
        "questions": paging.answer(paging.of(questions), len(questions)),
    }


@router.get("/{name}/text", response_model=DatasetText)
def dataset_text(name: str, app: App, digest: _OfVersion = None) -> dict[str, Any]:
    """A version as the file that `rag eval run --dataset` reads."""
    found = digest or app.datasets.stored.versions(name)[0].digest
    return {"name": name, "digest": found, "text": app.datasets.stored.text(name, found)}


@router.patch("/{name}", response_model=DatasetRow)
def change_dataset(name: str, body: QuestionChange, app: App, access: Access, caller: CallerOf) -> dict[str, Any]:
    """Add, set or remove one question, take labels over, or let an older version count again; another version is made of it."""
    datasets, author = app.datasets, author_of(caller)
    if body.put is not None:
        made = datasets.put(name, body.base, _with_places(app, access, body.put), body.replaces, author)
    elif body.remove is not None:
        made = datasets.take_out(name, body.base, body.remove, author)
    elif body.take_labels:
        made = datasets.take_labels(name, body.base, _labelled(app, access), author)
    else:
        made = datasets.restore(name, body.base, str(body.restore), author)
    return asdict(made)


@router.delete("/{name}", status_code=204)
def delete_dataset(name: str, app: App) -> None:
    """Delete a dataset with all its versions. Runs that were measured with it stay."""
    app.datasets.stored.remove(name)


def _labelled(app: Application, access: AccessContext) -> dict[str, list[dict[str, Any]]]:
    """The places that people labelled, by the key of the question. Others read the dataset, too: of what everybody may see."""
    labels = app.labels.all()
    for_all = access.open_to_all({label.doc_id for label in labels})
    shown = Labelling(app.labels, app.passages).shown(labels, for_all, {})
    found: dict[str, list[dict[str, Any]]] = {}
    for one in collected(shown).questions:
        found.setdefault(question_key(one.question), []).extend(places_of(one))
    return found


def _with_places(app: Application, access: AccessContext, question: Mapping[str, Any]) -> dict[str, Any]:
    """The question with places where it names passages: ids of passages change with their documents."""
    listed = question.get("relevant")
    if not isinstance(listed, list):
        return dict(question)
    named = [one["chunk_id"] for one in listed if isinstance(one, dict) and isinstance(one.get("chunk_id"), str)]
    # Others read the dataset, too: no place of what not everybody may see.
    found = live_passages(app.passages, named, "put.relevant", access.open_to_all)
    relevant: list[Any] = []
    for one in listed:
        passage = found.get(str(one.get("chunk_id"))) if isinstance(one, dict) else None
        placed = relevant_to(passage) | {key: value for key, value in one.items() if key == "grade"} if passage else one
        if placed not in relevant:
            relevant.append(placed)
    return {**question, "relevant": relevant}
