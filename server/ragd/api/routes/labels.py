"""Labels: which passages answer a question, as people judged them. They are made into datasets by `rag eval labels export`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from ragd.access.callers import Caller, Role
from ragd.answer.verification import live_passages
from ragd.api.common import Access, App, CallerOf, Pages, author_of, collection_exists
from ragd.api.schemas.labels import Label, LabelAgreement, LabelBody, LabelledQuestionPage, LabelPage
from ragd.app.container import Application
from ragd.core.errors import FieldProblem, Forbidden, ValidationFailed
from ragd.evaluation.labels.agreement import agreements
from ragd.evaluation.labels.labelling import Labelling

router = APIRouter(prefix="/api/labels", tags=["evaluations"])


def _seen(app: App, caller: CallerOf, collection: Annotated[str | None, Query()] = None) -> Collection[str] | None:
    """Ids of the collections whose labels are meant: the one that is named, or those that the caller may write; None for all."""
    return caller.reach(Role.WRITER) if collection is None else [app.collections.get(collection).kb_id]


Seen = Annotated[Collection[str] | None, Depends(_seen)]


@router.get("", response_model=LabelPage)
def list_labels(
    app: App,
    paging: Pages,
    access: Access,
    caller: CallerOf,
    seen: Seen,
    question: Annotated[str | None, Query(max_length=20_000, description="The text of a question.")] = None,
    question_id: Annotated[str | None, Query(max_length=32)] = None,
    author: Annotated[str | None, Query(max_length=255)] = None,
    mine: Annotated[bool, Query(description="Those of whoever asks.")] = False,
) -> dict[str, Any]:
    """Labels that count: of each author, question and passage the newest mark, by question and document."""
    wanted = {"question": question, "question_id": question_id, "author": _author(caller, author) if mine else author}
    found, total = app.labels.page(paging.page, paging.page_size, kb_ids=seen, **wanted)
    readable = access.readable({label.doc_id for label in found})
    return paging.answer(_labelling(app).shown(found, readable, _names(app, found)), total)


@router.post("", status_code=201, response_model=Label, dependencies=[Depends(collection_exists)])
def add_label(body: LabelBody, app: App, access: Access, caller: CallerOf) -> dict[str, Any]:
    """Keep what somebody says of a passage. What they said of it before counts no more, and again once this is taken back."""
    if not body.question.strip():
        raise ValidationFailed("The question is empty.", details=[FieldProblem("question", "empty", "Must not be empty.")])
    passage = live_passages(app.passages, [body.chunk_id], "chunk_id", access.readable)[body.chunk_id]
    collection = app.collections.get(body.collection)
    if passage.collection != collection.name:
        raise ValidationFailed.of_field("collection", "another", "The passage is in another collection.")
    author = _author(caller, body.author)
    labelling = _labelling(app)
    kept = labelling.mark(passage, collection.kb_id, body.question.strip(), author, body.grade, body.trace_id)
    return labelling.shown([kept], [passage.doc_id], {collection.kb_id: collection.name})[0]


@router.get("/questions", response_model=LabelledQuestionPage)
def list_labelled_questions(app: App, paging: Pages, seen: Seen) -> dict[str, Any]:
    """Questions that have labels, the one that was labelled last first."""
    found, total = app.labels.questions(paging.page, paging.page_size, seen)
    names = _names(app, found)
    return paging.answer([asdict(one) | {"collection": names.get(one.kb_id, one.kb_id)} for one in found], total)


@router.get("/agreement", response_model=LabelAgreement)
def label_agreement(app: App, seen: Seen) -> dict[str, Any]:
    """How far each two authors agree on the passages that both have judged (Cohen's kappa)."""
    return {"pairs": [asdict(one) for one in agreements(app.labels.all(seen))]}


@router.delete("/{label_id}", status_code=204)
def delete_label(label_id: str, app: App, caller: CallerOf) -> None:
    """Take a mark back. Its author may, and an administrator of the collection."""
    label = app.labels.get(label_id)
    reach = caller.reach(Role.ADMIN)
    if label.author != (caller.name or caller.id) and reach is not None and label.kb_id not in reach:
        raise Forbidden(f"This label is of '{label.author}': its author takes it back, or an administrator of the collection.")
    app.labels.remove(label_id)


def _labelling(app: Application) -> Labelling:
    return Labelling(app.labels, app.passages)


def _names(app: Application, found: Collection[Any]) -> dict[str, str]:
    return {kb_id: app.collections.by_id(kb_id).name for kb_id in {one.kb_id for one in found}}


def _author(caller: Caller, given: str | None) -> str:
    """By what name a mark is kept. Raises `ValidationFailed` where a key or a person signed on would take another's."""
    named = (given or "").strip()
    if caller.kind == "local":
        return named or author_of(caller)
    own = author_of(caller)
    if named and named != own:
        raise ValidationFailed.of_field("author", "another", f"You judge as '{own}'; only the daemon's own token names others.")
    return own
