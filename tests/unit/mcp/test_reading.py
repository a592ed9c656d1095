"""Documents read piece by piece, by their outline and by their passages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.client.requests import path
from ragd.core.errors import ValidationFailed
from ragd.core.ids import hash32
from ragd.mcp.results.documents import Contents, chunk_rows, outline, piece

from .conftest import Agent

pytestmark = pytest.mark.slow


def long_text() -> str:
    """Some 30,000 characters, with two-unit characters, fences, and a line without any blank."""
    sections = [
        f"# Part {number} 😀\n\n"
        + f"Line of part {number} [1] with 経費 and \U0001f680.\n" * 40
        + f"\n```\ncode {number}\n```\n\n"
        for number in range(12)
    ]
    return "".join([*sections, "# 終わり\n\n", "長" * 6_000, "😀" * 1_000, "\n"])


@pytest.fixture
def long(agent: Agent, tmp_path: Path) -> tuple[Agent, str]:
    (tmp_path / "long.md").write_text(long_text(), encoding="utf-8")
    agent.read([tmp_path / "long.md"])
    return agent, agent.rest.get("/api/documents").json()["items"][0]["id"]


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_pieces_put_together_are_the_text(text: str, room: int) -> None:
    found = ""
    while len(found) < len(text):
        part = piece(text, len(found), room)
        assert 0 < len(part) <= room
        found += part
    assert found == text


def test_a_piece_ends_at_a_line_where_one_is_near() -> None:
    assert piece("one two\nthree", 0, 9) == "one two\n"
    assert piece("onetwothree", 0, 9) == "onetwothr"
    assert piece("one", 3, 9) == ""
    with pytest.raises(ValidationFailed, match="behind the end"):
        piece("one", 4, 9)


def test_a_document_read_piece_by_piece_is_what_rest_gives(long: tuple[Agent, str]) -> None:
    agent, doc_id = long
    content = agent.rest.get(f"/api/documents/{doc_id}/content").json()["markdown"]
    for asked in (1_000_000, 3_000):
        parts: list[str] = []
        offset: int | None = 0
        while offset is not None:
            read = agent.fields("get_document", doc_id=doc_id, offset=offset, max_chars=asked)
            assert read["total_chars"] == len(content)
            assert read["offset"] == sum(map(len, parts))
            parts.append(read["markdown"])
            offset = read.get("next_offset")
        assert "".join(parts) == content
        assert len(parts) == {1_000_000: 2, 3_000: len(parts)}[asked]
    assert len(parts) > 8


def test_a_document_that_changes_while_it_is_read_goes_on_as_its_new_self(long: tuple[Agent, str], tmp_path: Path) -> None:
    agent, doc_id = long
    first = agent.fields("get_document", doc_id=doc_id, max_chars=3_000)
    (tmp_path / "long.md").write_text(long_text().replace("Part", "Teil"), encoding="utf-8")
    agent.read([tmp_path / "long.md"])
    content = agent.rest.get(f"/api/documents/{doc_id}/content").json()["markdown"]
    second = agent.fields("get_document", doc_id=doc_id, offset=first["next_offset"], max_chars=3_000)
    assert content[second["offset"] :].startswith(second["markdown"])
    assert second["version_id"] != first["version_id"]


def test_texts_that_are_kept_are_few_and_those_of_their_hash() -> None:
    contents = Contents()
    contents.keep("a hash", "another text")
    assert contents.get("a hash") is None
    texts = [f"text {number}" for number in range(5)]
    for text in texts:
        contents.keep(hash32(text), text)
    assert [contents.get(hash32(text)) for text in texts] == [None, None, *texts[2:]]
    contents.drop(hash32(texts[4]))
    assert contents.get(hash32(texts[4])) is None


def test_the_text_of_a_piece_is_fenced_and_says_how_to_read_on(long: tuple[Agent, str]) -> None:
    agent, doc_id = long
    text = agent.text("get_document", doc_id=doc_id, max_chars=3_000, include_summary=True)
    lines = text.splitlines()
    assert len(text) < 3_600
    assert lines[0].startswith("**Part 0 😀** (long.md, default) · doc_id ")
    assert "````" in lines
    assert lines[-3].startswith("Read on: get_document with offset ")
    assert lines[-1].startswith("trace_id: ")


def test_an_outline_leads_to_the_place_to_read_on(long: tuple[Agent, str]) -> None:
    agent, doc_id = long
    by_rest = agent.rest.get(f"/api/documents/{doc_id}/sections", params={"page_size": 100}).json()
    found = agent.fields("list_document_sections", doc_id=doc_id)
    assert (found["sections"], found["total"]) == (by_rest["items"], 13)
    assert agent.fields("get_document", doc_id=doc_id, format="sections")["sections"] == by_rest["items"]
    last = found["sections"][-1]
    assert f"- 終わり · {last['start']}-{last['end']} · {last['section_id']}" in agent.text(
        "list_document_sections", doc_id=doc_id
    )
    assert agent.fields("get_document", doc_id=doc_id, offset=last["start"])["markdown"].lstrip().startswith("長長")
    second = agent.fields("list_document_sections", doc_id=doc_id, page=2, page_size=5)
    assert second["sections"] == by_rest["items"][5:10]


def test_passages_come_page_by_page_as_rest_gives_them(long: tuple[Agent, str]) -> None:
    agent, doc_id = long
    by_rest = agent.rest.get(f"/api/documents/{doc_id}/chunks", params={"page": 2, "page_size": 3}).json()
    asked = {"doc_id": doc_id, "format": "chunks", "page": 2, "page_size": 3}
    found = agent.fields("get_document", **asked)
    assert [row["chunk_id"] for row in found["chunks"]] == [row["chunk_id"] for row in by_rest["items"]]
    assert [row["content"] for row in found["chunks"]] == [row["content"] for row in by_rest["items"]]
    assert found["total"] == by_rest["total"]
    text = agent.text("get_document", **asked)
    assert f"4. {found['chunks'][0]['place'].replace('[', chr(92) + '[')}, chunk_id {found['chunks'][0]['chunk_id']}" in text
    short = agent.fields("get_document", doc_id=doc_id, format="chunks", max_chars=500)
    assert any(row["truncated"] for row in short["chunks"])
    assert all(len(row["content"]) <= 200 for row in short["chunks"])


def test_what_can_not_be_read_is_told_with_the_code_of_rest(long: tuple[Agent, str]) -> None:
    agent, doc_id = long
    wrong = [
        {"offset": 10**9},
        {"offset": -1},
        {"offset": 5, "format": "chunks"},
        {"page": 2},
        {"format": "chunks", "page": 0},
        {"format": "chunks", "page": 10**7},
        {"format": "pdf"},
        {"max_chars": "many"},
    ]
    for arguments in wrong:
        assert agent.failure("get_document", doc_id=doc_id, **arguments)["code"] == "VALIDATION_ERROR", arguments
    assert agent.failure("list_document_sections", doc_id=doc_id, page_size=101)["code"] == "VALIDATION_ERROR"
    assert agent.failure("get_document", doc_id="x" * 300)["code"] == "VALIDATION_ERROR"
    assert agent.failure("get_document", doc_id="")["code"] == "VALIDATION_ERROR"
    for other in ("..", ".", "../../status", f"{doc_id}/content", f"{doc_id}?x", f"{doc_id}#x", "%2e%2e", "a\\b", "a\nb", "a\0b"):
        for tool in ("get_document", "list_document_sections", "get_document_summary", "summarize_document"):
            assert agent.failure(tool, doc_id=other)["code"] == "DOCUMENT_NOT_FOUND", (tool, other)
    agent.rest.delete(f"/api/documents/{doc_id}")
    for tool in ("get_document", "list_document_sections", "get_document_summary", "summarize_document"):
        assert agent.failure(tool, doc_id=doc_id)["code"] == "DOCUMENT_DELETED"


@given(st.text(min_size=1))
def test_an_id_is_one_segment_of_a_path_whatever_it_is(doc_id: str) -> None:
    family, segment, last = path("/f", doc_id, "content").removeprefix("/").split("/")
    assert (family, last) == ("f", "content")
    assert not set(segment) & set("/?#.\\ ")
    assert "%2f" not in segment.lower()


def test_an_outline_without_room_counts_what_is_left_out() -> None:
    sections = [
        {"section_id": f"{number}", "section_path": ["above", f"`{number}`"], "start": number, "end": number + 1}
        for number in range(50)
    ]
    lines, left_out = outline(sections, 200)
    assert len(lines) + left_out == 50
    assert sum(map(len, lines)) <= 200
    assert lines[0] == "- \\`0\\` · 0-1 · 0"
    root = {"section_id": "r", "section_path": [], "start": 0, "end": 9}
    deeper = {"section_id": "d", "section_path": ["a", "b"], "start": 9, "end": 12}
    assert outline([root, deeper], 1_000)[0] == ["- (before the first heading) · 0-9 · r", "- b · 9-12 · d"]


def test_room_that_short_passages_leave_goes_to_later_ones() -> None:
    chunks = [{"content": "short", "section_path": []}, {"content": "x" * 900, "section_path": []}]
    assert [row["truncated"] for row in chunk_rows(chunks, 1_000)] == [False, False]
