"""Jira issues: fields, texts of both deployments, comments that a citation opens, and envelopes that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragd.core.documents import Document
from ragd.core.errors import ParseFailed
from ragd.core.sections import split_sections
from ragd.formats.jira.loader import JiraLoader
from ragd.ingest.chunking.places import Places
from ragd.providers.registry import provider_class


def adf(*paragraphs: str, heading: str = "") -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if heading:
        content.append({"type": "heading", "attrs": {"level": 1}, "content": [{"type": "text", "text": heading}]})
    content += [{"type": "paragraph", "content": [{"type": "text", "text": text}]} for text in paragraphs]
    return {"format": "adf", "value": {"type": "doc", "version": 1, "content": content}}


def wiki(text: str) -> dict[str, Any]:
    return {"format": "wiki", "value": text}


def issue(**changes: Any) -> dict[str, Any]:
    return {
        "format": "jira/1",
        "deployment": "cloud",
        "id": "10012",
        "key": "KES-12",
        "project": {"key": "KES", "name": "Kestrel"},
        "summary": "Shard 3 は起動しない",
        "url": "https://tarnwood.example/browse/KES-12",
        "type": "Bug",
        "status": "Open",
        "priority": "High",
        "resolution": "",
        "assignee": "Mara Lindqvist",
        "reporter": "林 美咲",
        "labels": ["shard"],
        "components": ["storage-engine"],
        "created": "2026-01-02T03:04:05.000Z",
        "updated": "2026-02-03T04:05:06.000Z",
        "fields": [["Type", "Bug"], ["Links", ["blocks KES-9", "relates to OPS-1"]], ["Sprint", "Mai 2"]],
        "texts": [["Description", adf("It says E_SHARD_0x1F foo_bar.", heading="Steps")], ["Environment", adf("Linux 6.1")]],
        "users": {},
        "comments": [
            {"id": "77", "author": "Joan Abara", "created": "2026-01-03T10:11:12.000Z",
             "body": adf("Cleared the lock.", heading="Fix")},
            {"id": "78", "author": "", "created": "2026-01-04T00:00:00.000Z", "body": adf("再起動で直りました。")},
        ],
        "withheld": 0,
        "attachments": [{"name": "trace.log", "size": 12}, {"name": "画面.png", "size": 3}],
    } | changes  # fmt: skip


def load(envelope: dict[str, Any]) -> Document:
    return JiraLoader().load(json.dumps(envelope).encode(), "KES-12.json")


def place_of(document: Document, text: str) -> str | None:
    at = document.markdown.index(text)
    return Places(document).of(at, at + len(text)).anchor


def test_an_issue_reads_as_one_page_with_everything_that_it_says() -> None:
    document = load(issue())
    assert document.markdown == (
        "# KES-12: Shard 3 は起動しない\n\n- Type: Bug\n- Links: blocks KES-9, relates to OPS-1\n- Sprint: Mai 2\n\n"
        "## Description\n\n### Steps\n\nIt says E_SHARD_0x1F foo_bar.\n\n## Environment\n\nLinux 6.1\n\n"
        "## Comments\n\n### Joan Abara, 2026-01-03 10:11 UTC\n\n#### Fix\n\nCleared the lock.\n\n"
        "### Unknown, 2026-01-04 00:00 UTC\n\n再起動で直りました。\n\n## Attachments\n\n- trace.log\n- 画面.png"
    )
    assert (document.doc_type, document.title) == ("jira", "KES-12: Shard 3 は起動しない")
    assert document.metadata == {
        "ancestors": ["KES"], "project": "KES", "tags": ["shard", "storage-engine"], "key": "KES-12", "type": "Bug",
        "status": "Open", "priority": "High", "assignee": "Mara Lindqvist", "reporter": "林 美咲",
        "created": "2026-01-02T03:04:05.000Z", "updated": "2026-02-03T04:05:06.000Z",
    }  # fmt: skip
    assert all(document.markdown[found.start : found.end].endswith(found.title) for found in document.headings)


def test_the_loader_is_found_by_its_name() -> None:
    assert provider_class("loader", "jira") is JiraLoader


def test_sections_stand_below_the_project() -> None:
    paths = [section.path for section in split_sections(load(issue()), "doc")]
    title = "KES-12: Shard 3 は起動しない"
    assert ("KES", title, "Description", "Steps") in paths
    assert ("KES", title, "Comments", "Joan Abara, 2026-01-03 10:11 UTC", "Fix") in paths


def test_a_citation_opens_the_very_comment() -> None:
    document = load(issue())
    assert place_of(document, "Cleared the lock.") == "?focusedCommentId=77"
    assert place_of(document, "再起動で直りました。") == "?focusedCommentId=78"
    assert [place_of(document, text) for text in ("Sprint", "E_SHARD_0x1F", "Linux 6.1", "trace.log")] == [None] * 4


def test_a_citation_of_data_center_opens_the_tab_of_comments() -> None:
    document = load(
        issue(deployment="data_center", texts=[], comments=[dict(issue()["comments"][0], body=wiki("h2. Fix\n*done*"))])
    )
    assert place_of(document, "#### Fix".removeprefix("#### ")) == (
        "?focusedCommentId=77&page=com.atlassian.jira.plugin.system.issuetabpanels:comment-tabpanel#comment-77"
    )
    assert "##### Fix\n\n**done**" in document.markdown


def test_mentions_are_told_by_the_names_that_the_issue_knows() -> None:
    document = load(issue(texts=[["Description", wiki("ask [~jabara]")]], users={"jabara": "Joan Abara"}))
    assert "ask @Joan Abara" in document.markdown


def test_a_text_that_shows_nothing_has_no_heading() -> None:
    document = load(
        issue(texts=[["Description", adf("")], ["Environment", wiki("{color:red}{color}")]], comments=[], attachments=[])
    )
    assert document.markdown.endswith("- Sprint: Mai 2")
    assert [found.title for found in document.headings] == ["KES-12: Shard 3 は起動しない"]


def test_comments_for_some_readers_alone_are_counted_and_not_told() -> None:
    assert (
        "## Comments\n\n2 comments for a part of the readers only: not included." in load(issue(comments=[], withheld=2)).markdown
    )


def test_a_key_and_an_error_text_stay_as_they_are() -> None:
    said = "KES-12: [ERROR] foo_bar_baz at C:\\temp\\_x -Xmx512m"
    document = load(issue(texts=[["Description", wiki(said)]]))
    assert said in document.markdown


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"format": "jira/2"}',
        b'{"format": "jira/1"}',
        json.dumps(issue(texts=[["Description", {"format": "adf"}]])).encode(),
        json.dumps(issue(texts=7)).encode(),
        json.dumps(issue(comments=[None])).encode(),
        json.dumps(issue(project=None)).encode(),
        b"[" * 100_000,
        b'{"format": "jira/1", "texts": ' + b"[" * 100_000,
    ],
)
def test_what_is_no_envelope_is_refused_with_one_message(data: bytes) -> None:
    with pytest.raises(ParseFailed, match=r"KES-12\.json"):
        JiraLoader().load(data, "KES-12.json")
