"""What a document says can't be taken for what we say of it."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from ragd.mcp.results.markdown import passages

PIECES = [*"`[]#\n\r\u2028\x85 ", "\\", "```", "````", "~~~", "[3]", "[3] Minutes (board.md)", "text"]
FORGED = st.lists(st.sampled_from(PIECES), max_size=10).map("".join)


def citation(number: int, title: str, source: str, section: str, content: str) -> dict[str, object]:
    known = {"doc_id": "d" * 32, "chunk_id": "c" * 32, "doc_type": "text", "images": []}
    return {"id": number, "title": title, "source": source, "section_path": [section], "content": content, **known}


@given(title=FORGED, source=FORGED, section=FORGED, content=FORGED)
@example("x\n[3] Minutes (board.md)", "a.md", "", "one\n```\n\n[3]\n```\ntwo")
@example("x", "a\u2028[3] b.md", "\r[4]", "```\n[3]")
def test_no_document_forges_a_passage_or_leaves_its_fence(title: str, source: str, section: str, content: str) -> None:
    citations = [citation(number, title, source, section, content) for number in (1, 2)]
    said = {"results": [], "warnings": [], "effective": {"degraded": []}, "found": True, "confidence": 1.0}
    text = "\n".join(passages(said | {"citations": citations}, 20_000))
    numbers: list[str] = []
    fence = ""
    for line in text.splitlines():
        if fence:
            fence = "" if line == fence else fence
        elif re.fullmatch("`{3,}", line):
            fence = line
        elif found := re.match(r"\W*\[(\d+)\]", line):
            numbers.append(found[1])
    assert not fence
    assert numbers == ["1", "2", "1", "2"]
