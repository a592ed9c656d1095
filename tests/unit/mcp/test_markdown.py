"""The text of an answer: numbered, bounded, and with what documents say shut in fences."""

from __future__ import annotations

from typing import Any

import pytest

from ragd.mcp.results.markdown import cut, fenced, one_line, short
from ragd.mcp.results.markdown import passages as lines_of


def citation(number: int, content: str, **changed: Any) -> dict[str, Any]:
    known = {"id": number, "title": f"Title {number}", "source": f"s{number}.md", "doc_id": f"d{number}", "section_path": []}
    return known | {"content": content, "images": []} | changed


def answer(*citations: dict[str, Any], **changed: Any) -> dict[str, Any]:
    known = {"citations": list(citations), "results": list(citations), "warnings": [], "effective": {"degraded": []}}
    return known | {"trace_id": "t1", "found": True} | changed


def passages(found: dict[str, Any], limit: int) -> str:
    return "\n".join(lines_of(found, limit))


@pytest.mark.parametrize("limit", [500, 1_000, 2_000, 20_000])
def test_twenty_long_passages_stay_within_the_limit(limit: int) -> None:
    long = {"title": "T" * 900, "source": "s" * 900, "section_path": ["h" * 900]}
    found = answer(*(citation(number, "word " * 1_000, **long) for number in range(1, 21)))
    text = passages(found, limit)
    # The best passage is there with its line, however little room there is.
    assert len(text) < max(limit * 1.05, 1_200)
    assert "[1]\n```\nword word" in text


def test_what_has_no_room_is_said_and_has_no_number_in_the_list() -> None:
    text = passages(answer(*(citation(number, "word " * 100) for number in range(1, 21))), 1_500)
    listed = [line for line in text.splitlines() if " · doc_id " in line]
    assert 2 <= len(listed) < 20
    assert f"… and {20 - len(listed)} more, for which there is no room: raise max_chars" in text
    assert f"\n[{len(listed)}]\n```" in text
    assert f"\n[{len(listed) + 1}]\n" not in text


def test_small_passages_all_find_room() -> None:
    text = passages(answer(*(citation(number, f"Fact {number}.") for number in range(1, 21))), 5_000)
    assert "Fact 20." in text
    assert "no room" not in text
    assert "(cut;" not in text


def test_room_that_short_passages_leave_goes_to_long_ones() -> None:
    text = passages(answer(citation(1, "Short."), citation(2, "x " * 700)), 2_000)
    assert "(cut;" not in text


def test_pictures_are_named_up_to_ten() -> None:
    images = [{"asset_id": f"a{number}"} for number in range(13)]
    text = passages(answer(citation(1, "Shown.", images=images)), 2_000)
    assert "a9 and 3 more" in text
    assert "a10" not in text


def test_passages_that_do_not_fit_into_the_context_are_not_called_nothing() -> None:
    text = passages(answer(results=[citation(1, "x")]), 2_000)
    assert "Nothing was found" not in text
    assert "max_context_tokens" in text
    assert "Nothing was found" in passages(answer(), 2_000)


def test_how_it_was_found_is_told_at_the_end() -> None:
    effective = {"degraded": ["dense"], "live": {"forbidden": 1, "no_token": 2}}
    text = passages(answer(citation(1, "x"), warnings=["The [query] was cut."], effective=effective), 2_000)
    assert "Note: The \\[query\\] was cut." in text
    assert "Note: without dense" in text
    assert "Note: 3 passages of cloud sources were left out" in text


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    assert fenced("a\n`````\nb").splitlines()[0] == "``````"
    assert fenced("a") == "```\na\n```"


def test_text_of_documents_means_nothing_in_a_line_of_ours() -> None:
    assert one_line("a\n[1](http://x) <b> `c` \\") == "a \\[1\\](http://x) \\<b\\> \\`c\\` \\\\"
    assert short("[" * 5, 3) == "\\[\\[\\[…"
    assert short("[[[", 3) == "\\[\\[\\["


def test_a_text_is_cut_at_a_blank_near_its_end() -> None:
    assert cut("one two three", 8) == ("one two", True)
    assert cut("経費の精算は月末", 4) == ("経費の精", True)
    assert cut("short", 5) == ("short", False)


def test_passages_that_do_not_answer_are_given_as_the_nearest_ones() -> None:
    text = passages(answer(citation(1, "Leases end after 90 seconds."), found=False), 8000)
    assert text.startswith("Nothing that clearly answers this was found; the nearest passages follow.")
    assert "Leases end" in text


def test_a_passages_diagram_is_drawn_below_it_and_a_long_one_is_not() -> None:
    drawn = citation(1, "- Request", mermaid=['flowchart TB\n  n1["Request"]', "x" * 10_000])
    text = passages(answer(drawn), 4_000)
    assert 'Drawing of [1], made of its diagram:\n```mermaid\nflowchart TB\n  n1["Request"]\n```' in text
    assert "xxx" not in text
