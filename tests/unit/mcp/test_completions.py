"""What may be typed into arguments of prompts and addresses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from mcp.client import Client
from mcp.types import PromptReference, ResourceTemplateReference

from ragd.client import asynchronous
from ragd.mcp import completions

from ..api.asked_cloud import READER
from .reading_agent import NAMES, Reader, reading
from .test_names import error_of

ANSWER = PromptReference(name="answer_with_citations")
SUMMARY = PromptReference(name="summarize_document")
COMPARE = PromptReference(name="compare_documents")
DOC = ResourceTemplateReference(uri="doc://{id}")
COLLECTION = ResourceTemplateReference(uri="collection://{name}")


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with reading(tmp_path_factory.mktemp("completions")) as made:
        yield made


def complete(reader: Reader, ref: Any, argument: str, typed: str, token: str | None = None, **chosen: str) -> Any:
    async def conversation(client: Client) -> Any:
        return (await client.complete(ref, {"name": argument, "value": typed}, chosen or None)).completion

    return reader.talk(conversation, token)


@pytest.mark.slow
@pytest.mark.parametrize(("ref", "argument"), [(ANSWER, "collection"), (COLLECTION, "name")])
def test_collections_are_completed_by_their_beginning(reader: Reader, ref: Any, argument: str) -> None:
    assert complete(reader, ref, argument, "経").values == [NAMES[0]]
    assert complete(reader, ref, argument, "hr").values == ["HR..policies"]
    everything = complete(reader, ref, argument, "")
    assert set(everything.values) == {"default", *NAMES}
    assert (everything.total, everything.has_more) == (4, False)
    assert complete(reader, ref, argument, "policies").values == []


def test_a_collection_that_can_not_be_searched_is_not_proposed(reader: Reader) -> None:
    reader.cloud.client.post("/api/collections", json={"name": "idle"})
    assert complete(reader, ANSWER, "collection", "idle").values == ["idle"]
    reader.cloud.client.patch("/api/collections/idle", json={"status": "disabled"})
    assert complete(reader, ANSWER, "collection", "idle").values == []
    reader.cloud.client.delete("/api/collections/idle")


@pytest.mark.parametrize(("ref", "argument"), [(SUMMARY, "doc_id"), (DOC, "id")])
def test_documents_are_completed_by_id_title_and_source(reader: Reader, ref: Any, argument: str) -> None:
    ids = reader.ids()
    assert complete(reader, ref, argument, ids["long.md"][:12]).values == [ids["long.md"]]
    assert complete(reader, ref, argument, "LONG.M").values == [ids["long.md"]]
    assert complete(reader, ref, argument, "shown [").values == [ids["shown.md"]]
    assert complete(reader, ref, argument, "経費").values == [ids["経費.md"]]
    assert complete(reader, ref, argument, "no such thing").total == 0


def test_what_needs_a_token_is_never_proposed_without_it(reader: Reader) -> None:
    secret = reader.cloud.documents()[reader.cloud.secret_page]
    for typed in ("", "Falkenstein", secret[:8], secret):
        assert secret not in complete(reader, DOC, "id", typed).values
        assert secret in complete(reader, DOC, "id", typed, READER).values


def test_a_list_of_ids_is_completed_at_its_end(reader: Reader) -> None:
    ids = reader.ids()
    typed = f"{ids['shown.md']},long"
    assert complete(reader, COMPARE, "doc_ids", typed).values == [f"{ids['shown.md']},{ids['long.md']}"]
    assert complete(reader, COMPARE, "doc_ids", f"{ids['long.md']}, long").values == []


def test_styles_are_those_of_the_tool(reader: Reader) -> None:
    assert complete(reader, SUMMARY, "style", "").values == ["short", "bullet", "detailed"]
    assert complete(reader, SUMMARY, "style", "B").values == ["bullet"]


def test_pictures_have_no_list_and_get_an_empty_one(reader: Reader) -> None:
    found = complete(reader, ResourceTemplateReference(uri="asset://{id}"), "id", "x")
    assert (found.values, found.total, found.has_more) == ([], 0, False)


@pytest.mark.parametrize("ref", [ANSWER, COMPARE])
def test_questions_are_completed_by_names_as_in_the_editor(reader: Reader, ref: Any) -> None:
    found = complete(reader, ref, "question", "経")
    assert (found.values, found.total, found.has_more) == (["経費"], 1, False)
    assert complete(reader, ref, "question", "show").values == ["Shown [1]"]
    assert complete(reader, ref, "question", "no such thing").values == []
    assert complete(reader, ref, "question", "x" * 201).values == []


def test_a_question_to_one_collection_is_completed_by_its_names(reader: Reader) -> None:
    assert complete(reader, ANSWER, "question", "経", collection=NAMES[0]).values == ["経費"]
    assert complete(reader, ANSWER, "question", "経", collection="default").values == []


def test_names_that_are_not_gathered_yet_may_be_asked_for_again(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    suggestions = reader.cloud.app.suggestions
    monkeypatch.setattr(suggestions, "suggest", lambda *_asked: ([], False))
    found = complete(reader, ANSWER, "question", "経")
    assert (found.values, found.total, found.has_more) == ([], None, True)


def test_what_was_not_looked_at_is_not_said_to_be_nothing(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completions, "MAX_EXAMINED", 2)
    monkeypatch.setattr(asynchronous, "MAX_PAGE_SIZE", 2)
    found = complete(reader, COLLECTION, "name", "")
    assert (len(found.values), found.total, found.has_more) == (2, None, True)


def test_at_most_a_hundred_values_are_given_and_the_others_counted(reader: Reader) -> None:
    for number in range(101):
        reader.cloud.client.post("/api/collections", json={"name": f"many-{number:03}"})
    found = complete(reader, COLLECTION, "name", "many")
    assert (len(found.values), found.total, found.has_more) == (100, 101, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ref", "argument"),
    [
        (PromptReference(name="none"), "question"),
        (ResourceTemplateReference(uri="file:///{path}"), "path"),
        (ANSWER, "doc_id"),
        (DOC, "name"),
    ],
)
def test_what_there_is_not_can_not_be_completed(reader: Reader, ref: Any, argument: str) -> None:
    async def conversation(client: Client) -> Any:
        return await error_of(client.complete(ref, {"name": argument, "value": ""}))

    error = reader.talk(conversation)
    assert (error.code, error.data["code"]) == (-32602, "NOT_FOUND")
