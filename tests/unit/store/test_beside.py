"""What stands beside a chunk, from memory and out of the database alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import Engine
from tests.unit.store.test_entry_table import Later

from ragd.core.storage import Version
from ragd.store.live.beside import following, preceding
from ragd.store.passages import Passages

Make = Callable[..., Version]
Ingest = Callable[[Version], object]


@pytest.mark.parametrize(
    ("source", "next_one"),
    [
        ("docs/chapter-3.md", "docs/chapter-4.md"),
        ("p09.txt", "p10.txt"),
        ("9.txt", "10.txt"),
        ("scan 099 (draft).pdf", "scan 100 (draft).pdf"),
        ("v2/notes.md", None),
        ("song.mp3", None),
        ("2024-1.2.md", "2024-1.3.md"),
        ("README", None),
    ],
)
def test_the_next_part_of_a_series_has_the_next_number(source: str, next_one: str | None) -> None:
    assert following(source) == next_one
    if next_one:
        assert source in preceding(next_one)


def test_nothing_comes_before_the_first_number() -> None:
    assert preceding("0.md") == []
    assert preceding("10.md") == ["09.md", "9.md"]


@pytest.fixture
def beside(engine: Engine) -> Callable[[list[Version]], dict[str, list[str]]]:
    """`beside(versions)`: the texts beside each chunk's, by its text; from memory, and the same out of the database."""
    later = Later()
    table, database = Passages(engine, later), Passages(engine)

    def check(made: list[Version]) -> dict[str, list[str]]:
        texts = {chunk.dense_id: chunk.text for version in made for chunk in version.chunks}
        expected = database.beside(list(texts))
        table.beside([])
        later.do()
        assert table.beside(list(texts)) == expected
        return {texts[entry]: [texts[other] for other in others] for entry, others in expected.items()}

    return check


def test_chunks_stand_beside_each_other_in_their_document(
    beside: Callable[..., object], make_version: Make, ingest: Ingest
) -> None:
    made = [make_version("a.md", "one", "two", "three"), make_version("b.md", "alone")]
    for version in made:
        ingest(version)
    assert beside(made) == {"one": ["two"], "two": ["one", "three"], "three": ["two"]}


def test_parts_of_a_series_follow_each_other(beside: Callable[..., object], make_version: Make, ingest: Ingest) -> None:
    made = [
        make_version("book/9.md", "nine", "nine again"),
        make_version("book/10.md", "ten"),
        make_version("book/12.md", "twelve"),
        make_version("other/11.md", "eleven"),
    ]
    for version in made:
        ingest(version)
    assert beside(made) == {"nine": ["nine again"], "nine again": ["nine", "ten"], "ten": ["nine again"]}


def test_only_files_are_parts_of_a_series(beside: Callable[..., object], make_version: Make, ingest: Ingest) -> None:
    made = [make_version(f"PROJ-{number}", f"issue {number}") for number in (1, 2)]
    for version in made:
        ingest(replace(version, source_uri=f"https://jira.example.org/browse/{version.source}"))
    assert beside(made) == {}
