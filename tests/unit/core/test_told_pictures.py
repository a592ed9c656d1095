"""What a context tells of a passage's pictures: what was read, what is said, and as many of its points as there is room for."""

from __future__ import annotations

from ragd.core.documents import Place
from ragd.core.results import Described, ImageRef, Passage


def told(described: Described | None) -> str:
    image = ImageRef("a" * 32, "image/png", "Duty", "Monday\nOkafor", described)
    names = ("chunk_id", "doc_id", "version_id", "collection", "content", "source", "source_uri", "title")
    known = dict.fromkeys(names, "")
    passage = Passage(**known, doc_type="markdown", section_path=(), place=Place(), ordinal=0, tokens=0, images=(image,))
    return passage.picture_texts


def test_the_rows_of_a_described_table_are_told_a_line_each() -> None:
    said = Described("rules", "table", "Table “Duty”.", points=("Monday: First line: Okafor", "Tuesday: First line: Marsh"))
    assert told(said).endswith(
        "(Description of the picture Duty, by rules: Table “Duty”.\n- Monday: First line: Okafor\n- Tuesday: First line: Marsh)"
    )


def test_points_beyond_the_room_are_left_out_whole() -> None:
    said = Described("rules", "table", "Table.", points=tuple(f"{number} {'x' * 395}" for number in range(5)))
    assert [text[:3] for text in told(said).splitlines() if text.startswith("- ")] == ["- 0", "- 1", "- 2"]


def test_without_a_description_only_what_was_read_is_told() -> None:
    assert told(None) == "\n(In the picture Duty: Monday\nOkafor)"
