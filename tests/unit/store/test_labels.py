"""Labels: of an author's marks of a passage the newest counts, until it is taken back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import Engine

from ragd.core.errors import NotFound
from ragd.store.collections import Collections
from ragd.store.contract.cleanup_tasks import CleanupTasks
from ragd.store.jobs import Jobs
from ragd.store.labels.labels import Labels, Mark, question_id_of
from ragd.store.sources import Sources


@pytest.fixture
def mark(engine: Engine) -> Mark:
    kb_id = Collections(engine).create("規程").kb_id
    return Mark(
        kb_id=kb_id,
        question="有給休暇は？",
        author="ada",
        grade=2,
        doc_id="d" * 32,
        source="規程.md",
        place={"lines": [3, 5]},
        section_path=("休暇",),
        chunk_id="c" * 32,
        text_hash="e" * 32,
        content_hash="f" * 32,
    )


def test_a_label_comes_back_as_it_was_given(engine: Engine, mark: Mark) -> None:
    labels = Labels(engine)
    kept = labels.add(mark)
    assert labels.page() == ([replace(kept, section_path=["休暇"])], 1)
    assert labels.get(kept.label_id).place == {"lines": [3, 5]}
    assert kept.question_id == question_id_of(mark.kb_id, " 有給休暇は？\n")
    assert kept.question_id != question_id_of("other", mark.question)


def test_the_newest_mark_counts_and_the_one_before_when_it_is_taken_back(engine: Engine, mark: Mark) -> None:
    labels = Labels(engine)
    first, second, third = (labels.add(replace(mark, grade=grade)) for grade in (2, 0, None))
    assert [one.position for one in (first, second, third)] == [1, 2, 3]
    assert labels.page() == ([], 0)
    assert labels.questions() == ([], 0)
    labels.remove(third.label_id)
    assert [one.grade for one in labels.all()] == [0]
    labels.remove(second.label_id)
    assert [one.grade for one in labels.all()] == [2]
    labels.remove(first.label_id)
    assert labels.all() == []
    with pytest.raises(NotFound, match="no label"):
        labels.remove(first.label_id)


def test_each_author_passage_and_question_has_a_label_of_its_own(engine: Engine, mark: Mark) -> None:
    labels = Labels(engine)
    for changed in ({}, {"author": "grace"}, {"text_hash": "0" * 32}, {"question": "経費は？"}):
        labels.add(replace(mark, **changed))
    found, total = labels.questions()
    assert total == 2
    assert {one.question: dict(one.authors) for one in found} == {"有給休暇は？": {"ada": 2, "grace": 1}, "経費は？": {"ada": 1}}
    assert len(labels.page(author="grace")[0]) == 1
    assert labels.page(question="経費は？ ", author="ada")[1] == 1
    assert labels.page(question="経費は？", question_id=found[0].question_id)[1] in (0, 1)
    assert len(labels.page(2, 3)[0]) == 1
    assert labels.page(kb_ids=["another"]) == ([], 0)
    assert labels.page(kb_ids=[]) == ([], 0)


def test_labels_go_with_their_collection(engine: Engine, mark: Mark) -> None:
    labels, queue = Labels(engine), Jobs(engine, max_queued=5, keep=5)
    kept = labels.add(mark)
    CleanupTasks(engine, Collections(engine), Sources(engine), queue).begin(mark.kb_id, None)
    assert labels.all() == []
    with pytest.raises(NotFound):
        labels.get(kept.label_id)


def test_marks_of_one_author_at_the_same_moment_each_have_a_place_of_their_own(engine: Engine, mark: Mark) -> None:
    labels = Labels(engine)
    with ThreadPoolExecutor(4) as pool:
        kept = list(pool.map(lambda number: labels.add(replace(mark, text_hash=f"{number:032x}")), range(12)))
    assert sorted(one.position for one in kept) == list(range(1, 13))
    assert len(labels.all()) == 12
