"""Datasets: each version whole, the newest counts, and nobody overwrites what somebody else has changed."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from ragd.core.errors import NotFound, ValidationFailed
from ragd.store.evaluation.datasets import Datasets

OLD, NEW, OTHER = "a" * 32, "b" * 32, "c" * 32


def test_each_version_is_kept_and_the_newest_counts(engine: Engine) -> None:
    datasets = Datasets(engine)
    datasets.add("規程", "old", OLD, 1, "ada")
    datasets.add("other", "text", OTHER, 3, "ada")
    assert datasets.change("規程", OLD, "new", NEW, 2, "bob").position == 2
    rows, total = datasets.page()
    assert total == 2
    assert [(row.name, row.digest, row.questions, row.author) for row in rows] == [
        ("other", OTHER, 3, "ada"),
        ("規程", NEW, 2, "bob"),
    ]
    assert [version.digest for version in datasets.versions("規程")] == [NEW, OLD]
    assert (datasets.text("規程"), datasets.text("規程", OLD)) == ("new", "old")


def test_a_change_of_another_version_than_the_newest_is_refused(engine: Engine) -> None:
    datasets = Datasets(engine)
    datasets.add("mine", "old", OLD, 1, "ada")
    datasets.change("mine", OLD, "new", NEW, 2, "bob")
    with pytest.raises(ValidationFailed, match="meanwhile"):
        datasets.change("mine", OLD, "other", OTHER, 2, "ada")
    with pytest.raises(ValidationFailed, match="already"):
        datasets.add("mine", "other", OTHER, 2, "ada")
    assert datasets.change("mine", NEW, "new", NEW, 2, "ada").author == "bob"


def test_the_oldest_versions_go_and_a_dataset_goes_whole(engine: Engine) -> None:
    datasets = Datasets(engine, keep=2)
    datasets.add("mine", "old", OLD, 1, "ada")
    datasets.change("mine", OLD, "new", NEW, 2, "ada")
    datasets.change("mine", NEW, "other", OTHER, 2, "ada")
    assert [version.position for version in datasets.versions("mine")] == [3, 2]
    with pytest.raises(NotFound, match=OLD):
        datasets.text("mine", OLD)
    datasets.remove("mine")
    for asked in (datasets.versions, datasets.text, datasets.remove):
        with pytest.raises(NotFound, match="mine"):
            asked("mine")
    with pytest.raises(NotFound):
        datasets.change("mine", OTHER, "x", OLD, 1, "ada")
