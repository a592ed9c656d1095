"""The report of what a new profile changed."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from ragd.ingest.chunking.structure import MOST_CHANGED, Shape, drift


def shape(doc_id: str, chunks: str, *, sections: int = 1, section_hash: str = "s", tokens: int = 100) -> Shape:
    """A document whose chunks are the letters of a text, each of so many tokens."""
    return Shape(doc_id, section_hash, sections, tuple(f"{doc_id}-{letter}" for letter in chunks), (tokens,) * len(chunks))


def test_the_same_shapes_have_no_drift() -> None:
    shapes = [shape("a", "xyz"), shape("b", "x")]
    report = drift(shapes, shapes)
    assert report["documents"] == {"compared": 2, "sections_changed": 0, "chunks_changed": 0}
    assert report["chunks"] == {"before": 4, "after": 4, "kept": 4, "kept_share": 1.0}
    assert report["changed_most"] == []


def test_chunks_are_counted_before_and_after_and_the_kept_ones_by_their_ids() -> None:
    report = drift([shape("a", "wxyz")], [shape("a", "yzq")])
    assert report["chunks"] == {"before": 4, "after": 3, "kept": 2, "kept_share": 0.5}
    assert report["documents"]["chunks_changed"] == 1


def test_sections_may_change_without_their_number() -> None:
    report = drift([shape("a", "x", sections=3)], [shape("a", "x", sections=3, section_hash="t")])
    assert report["documents"] == {"compared": 1, "sections_changed": 1, "chunks_changed": 0}
    assert report["sections"] == {"before": 3, "after": 3}
    assert [row["doc_id"] for row in report["changed_most"]] == ["a"]


def test_lengths_have_mean_median_and_the_95th_percentile() -> None:
    before = [Shape("a", "s", 1, tuple(map(str, range(20))), tuple(range(10, 210, 10)))]
    report = drift(before, [Shape("a", "s", 1, ("0", "1"), (30, 50))])
    assert report["tokens"] == {
        "before": {"mean": 105.0, "median": 105.0, "p95": 190},
        "after": {"mean": 40.0, "median": 40.0, "p95": 50},
    }


def test_a_document_that_is_in_one_list_only_counts_nowhere() -> None:
    report = drift([shape("a", "x"), shape("gone", "xyz")], [shape("a", "x"), shape("new", "xy", tokens=900)])
    assert report["documents"]["compared"] == 1
    assert report["chunks"]["before"] == report["chunks"]["after"] == 1
    assert report["tokens"]["after"]["p95"] == 100


def test_the_documents_that_changed_most_come_first() -> None:
    before = [shape("some", "wxyz"), shape("all", "wxyz"), shape("none", "x"), shape("more", "xy")]
    after = [shape("some", "wxyq"), shape("all", "abcd"), shape("none", "x"), shape("more", "xyz")]
    assert [(row["doc_id"], row["kept_share"]) for row in drift(before, after)["changed_most"]] == [
        ("all", 0.0),
        ("some", 0.75),
        ("more", 1.0),
    ]


def test_no_more_than_twenty_documents_are_named() -> None:
    before = [shape(f"{number:03}", "xy") for number in range(50)]
    after = [shape(f"{number:03}", "xz") for number in range(50)]
    report = drift(before, after)
    assert len(report["changed_most"]) == MOST_CHANGED == 20
    assert report["documents"]["chunks_changed"] == 50


def test_documents_without_chunks_lost_nothing() -> None:
    report = drift([shape("a", "")], [shape("a", "x")])
    assert report["chunks"]["kept_share"] == 1.0
    assert report["tokens"]["before"] == {"mean": None, "median": None, "p95": None}
    assert drift([], [])["documents"]["compared"] == 0


def test_a_report_is_plain_json_and_does_not_depend_on_the_order_of_documents() -> None:
    before = [shape("a", "xy"), shape("b", "pq"), shape("設計", "z")]
    after = [shape("b", "pr"), shape("設計", "w"), shape("a", "xz")]
    report = drift(before, after)
    assert json.loads(json.dumps(report)) == report
    assert drift(before[::-1], after[::-1]) == report


@given(st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.text("vwxyz", max_size=6), st.text("vwxyz", max_size=6))))
def test_what_is_kept_is_never_more_than_there_was(chunks: dict[str, tuple[str, str]]) -> None:
    report = drift([shape(d, old) for d, (old, _) in chunks.items()], [shape(d, new) for d, (_, new) in chunks.items()])
    assert 0 <= report["chunks"]["kept"] <= min(report["chunks"]["before"], report["chunks"]["after"])
    assert 0 <= report["chunks"]["kept_share"] <= 1
    assert report["documents"]["chunks_changed"] == sum(set(old) != set(new) for old, new in chunks.values())
