"""The filters and preferences of `rag query`."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click import Context
from click.testing import Result

from ragd.cli.query import query

pytestmark = pytest.mark.slow

Rag = Callable[..., Result]


@pytest.fixture
def sources(rag: Rag, ingested: None) -> Callable[..., list[str]]:
    """The sources that a query with these options finds."""

    def find(*options: str) -> list[str]:
        answer = json.loads(rag("query", "restore queue 休暇", "--json", *options).stdout)
        return sorted({result["source"] for result in answer["results"]})

    return find


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--source", "queues.txt", "--source", "休暇規程.md"), ["queues.txt", "休暇規程.md"]),
        (("--section", "operations > restore"), ["guide/backup.md"]),
        (("--section", "restore"), ["guide/backup.md"]),
        (("--section", "restore", "--type", "text"), []),
        (("--type", "md,py"), ["guide/backup.md", "休暇規程.md"]),
        (("--language", "ja", "--type", "markdown"), ["休暇規程.md"]),
        (("--before", "2001-01-01"), []),
        (("--after", "2001-01-01", "--path-prefix", "guide/"), ["guide/backup.md"]),
        (("--prefer-recent", "--type", "text"), ["queues.txt"]),
        (("--has-image",), []),
        (("--no-image", "--type", "text"), ["queues.txt"]),
        (("--image-type", "chart", "--image-type", "Table"), []),
    ],
)
def test_options_narrow_what_is_found(sources: Callable[..., list[str]], options: tuple[str, ...], expected: list[str]) -> None:
    assert sources(*options) == expected


def test_a_tag_is_an_option_that_can_be_repeated(sources: Callable[..., list[str]]) -> None:
    # Documents without any tags are not shut out; these have none.
    assert len(sources("--tag", "ops", "--tag", "dev")) == 3


def test_a_wrong_value_is_told_with_what_is_right(rag: Rag, ingested: None) -> None:
    assert "ISO 8601" in rag("query", "restore", "--after", "lunch", code=2).stderr


def test_a_type_of_picture_that_there_is_not_is_told_with_those_that_there_are(rag: Rag) -> None:
    said = rag("query", "restore", "--image-type", "poem", code=2).stderr
    assert "'poem' is not one of" in said
    assert "'flowchart'" in said


def test_types_of_pictures_are_completed() -> None:
    (option,) = [one for one in query.params if one.name == "image_type"]
    found = option.shell_complete(Context(query), "f")
    assert [one.value for one in found] == ["flowchart"]


def test_the_verdict_is_that_of_every_interface(rag: Rag, ingested: None) -> None:
    doubt = "Nothing that clearly answers this was found; these passages come closest."
    for question in ("restore", "Who painted the ceiling of the chapel in 1512?"):
        said = rag("query", question, "--strategy", "sparse_only").stdout
        by_rest = json.loads(rag("query", question, "--strategy", "sparse_only", "--json").stdout)
        assert (doubt in said) == (not by_rest["found"])
    assert doubt in said
