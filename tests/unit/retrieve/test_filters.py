from __future__ import annotations

import re

import pytest

from ragd.core.errors import ValidationFailed
from ragd.core.query import Among, Filters, QueryPlan
from ragd.retrieve.filters import combined, contradictions, parse_filters


def test_no_filters_are_no_filters() -> None:
    assert parse_filters(None) == Filters()
    assert not parse_filters({"doc_type": None, "path_prefix": ""})


def test_a_single_string_is_a_list_of_one() -> None:
    assert parse_filters({"doc_type": "pdf", "source": ["a.md", "b.md"]}) == Filters(doc_type=("pdf",), source=("a.md", "b.md"))


@pytest.mark.parametrize(
    ("value", "headings"),
    [
        ("Guide", ("Guide",)),
        ("Guide > Set up", ("Guide", "Set up")),
        ("Guide / Set up > and/or", ("Guide", "Set up", "and/or")),
        (["Guide", "A / B"], ("Guide", "A / B")),
        ("", ()),
    ],
)
def test_a_section_prefix_is_a_list_of_headings_or_a_text_with_marks_between_them(
    value: object, headings: tuple[str, ...]
) -> None:
    assert parse_filters({"section_prefix": value}).section_prefix == headings


def test_what_is_chosen_is_bounded_and_its_names_are_known() -> None:
    assert parse_filters({"among": {"doc_id": "d1", "path_prefix": ["a/", "b/"], "source_id": []}}) == Filters(
        among=Among(doc_id=("d1",), path_prefix=("a/", "b/"))
    )
    assert not parse_filters({"among": {}})
    for wrong in ([], {"doc": ["d1"]}, {"doc_id": [1]}, {"doc_id": ["d"] * 201}):
        with pytest.raises(ValidationFailed):
            parse_filters({"among": wrong})


def test_what_is_chosen_survives_a_trace() -> None:
    filters = Filters(among=Among(collection=("a",), doc_id=("d1", "d2")), also=(Filters(among=Among(source_id=("s",))),))
    plan = QueryPlan("q", "q", "q", "0", "hybrid", filters)
    assert Filters.of_dict(plan.as_dict()["filters"]) == filters


def test_filters_on_different_fields_become_one_and_those_on_the_same_both_hold() -> None:
    pdf, word, here = Filters(doc_type=("pdf",)), Filters(doc_type=("docx", "pdf")), Filters(path_prefix="a/")
    assert combined(Filters(), pdf) == combined(pdf, Filters()) == pdf
    assert combined(pdf, here) == Filters(doc_type=("pdf",), path_prefix="a/")
    assert combined(pdf, word) == Filters(doc_type=("pdf",), also=(word,))
    assert contradictions(combined(pdf, word)) == ()


@pytest.mark.parametrize(
    ("one", "other", "named"),
    [
        ({"doc_type": "pdf"}, {"doc_type": "docx"}, "doc_type docx and pdf"),
        ({"source": ["a", "b"]}, {"source": "c"}, r"source c and a\|b"),
        ({"path_prefix": "a/"}, {"path_prefix": "b/"}, "path_prefix"),
        ({"updated_after": "2026-02-01"}, {"updated_before": "2026-01-01"}, "updated_after 2026-02-01"),
    ],
)
def test_filters_that_nothing_can_pass_together_are_named(one: dict[str, object], other: dict[str, object], named: str) -> None:
    found = contradictions(combined(parse_filters(other), parse_filters(one)))
    assert len(found) == 1
    assert re.search(named, found[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"path_prefix": "a/"}, {"path_prefix": "a/b"}),
        ({"tags": "a"}, {"tags": "b"}),
        ({"language": "ja"}, {"language": "en"}),
        ({"updated_after": "2026-01-01"}, {"updated_after": "2026-02-01"}),
    ],
)
def test_filters_that_something_could_pass_are_no_contradiction(one: dict[str, object], other: dict[str, object]) -> None:
    assert contradictions(combined(parse_filters(one), parse_filters(other))) == ()


def test_times_are_brought_to_utc() -> None:
    assert parse_filters({"updated_after": "2026-01-31T09:00:00+09:00"}).updated_after == "2026-01-31T00:00:00.000Z"


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"doc_typ": "pdf"}, "filters.doc_typ", "doc_type"),
        ({"doc_type": "papyrus"}, "filters.doc_type", "docx"),
        ({"doc_type": []}, "filters.doc_type", "not empty"),
        ({"source": 3}, "filters.source", "string"),
        ({"path_prefix": ["a"]}, "filters.path_prefix", "string"),
        ({"section_prefix": 3}, "filters.section_prefix", "string"),
        ({"section_prefix": "A >  > B"}, "filters.section_prefix", "none of them empty"),
        ({"section_prefix": ["A", " "]}, "filters.section_prefix", "none of them empty"),
        ({"version_id": []}, "filters.version_id", "not empty"),
        ({"also": []}, "filters.also", "Known"),
        ({"updated_after": "0001-01-01T00:00+09:00"}, "filters.updated_after", "ISO 8601"),
        ({"updated_before": "yesterday"}, "filters.updated_before", "ISO 8601"),
    ],
)
def test_a_filter_that_can_not_be_executed_is_an_error(values: dict[str, object], field: str, message: str) -> None:
    with pytest.raises(ValidationFailed, match=message) as caught:
        parse_filters(values)
    assert [problem.field for problem in caught.value.details] == [field]


@pytest.mark.parametrize(
    ("named", "types"),
    [
        ("md", ("markdown",)),
        (".DOCX", ("docx",)),
        ("Word", ("docx",)),
        (["excel", "xlsx", "PDF"], ("xlsx", "pdf")),
        ("py", ("*.py", "*.pyi", "*.pyw")),
        ("python", ("*.py", "*.pyi", "*.pyw")),
        ("png", ("image",)),
    ],
)
def test_a_type_is_understood_by_its_extension_and_by_what_people_call_it(named: object, types: tuple[str, ...]) -> None:
    assert parse_filters({"doc_type": named}).doc_type == types
    assert not contradictions(combined(parse_filters({"doc_type": "code"}), parse_filters({"doc_type": "py"})))


def test_a_language_is_a_code_or_a_name_and_an_unknown_one_is_refused_with_those_there_are() -> None:
    assert parse_filters({"language": ["Japanese", "ja-JP", "日本語", "EN"]}).language == ("ja", "en")
    with pytest.raises(ValidationFailed, match=r"'klingon'. Known: en \(english\), ja \(japanese\), zh \(chinese\)"):
        parse_filters({"language": "klingon"})


def test_pictures_are_asked_for_by_a_flag_and_by_known_types() -> None:
    assert parse_filters({"has_image": False, "image_type": "chart"}) == Filters(has_image=False, image_type=("chart",))
    assert parse_filters({"has_image": False})
    assert not parse_filters({"has_image": None, "image_type": None})
    for wrong in ({"has_image": "yes"}, {"has_image": 1}, {"image_type": []}, {"image_type": True}):
        with pytest.raises(ValidationFailed):
            parse_filters(wrong)
    with pytest.raises(ValidationFailed, match="screenshot"):
        parse_filters({"image_type": "screnshot"})


def test_no_picture_survives_a_trace_and_a_typed_filter() -> None:
    filters = Filters(has_image=False, also=(Filters(image_type=("chart",)),))
    plan = QueryPlan("q", "q", "q", "0", "hybrid", filters)
    assert Filters.of_dict(plan.as_dict()["filters"]) == filters
    assert combined(filters, Filters(doc_type=("pdf",))).has_image is False
