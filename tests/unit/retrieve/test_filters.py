from __future__ import annotations

import pytest

from rag_assistant.errors import ValidationFailed
from rag_assistant.retrieve.filters import parse_filters
from rag_assistant.types import Filters


def test_no_filters_are_no_filters() -> None:
    assert parse_filters(None) == Filters()
    assert not parse_filters({"doc_type": None, "path_prefix": ""})


def test_a_single_string_is_a_list_of_one() -> None:
    assert parse_filters({"doc_type": "pdf", "source": ["a.md", "b.md"]}) == Filters(doc_type=("pdf",), source=("a.md", "b.md"))


def test_times_are_brought_to_utc() -> None:
    assert parse_filters({"updated_after": "2026-01-31T09:00:00+09:00"}).updated_after == "2026-01-31T00:00:00.000Z"


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"doc_typ": "pdf"}, "filters.doc_typ", "doc_type"),
        ({"doc_type": "word"}, "filters.doc_type", "docx"),
        ({"doc_type": []}, "filters.doc_type", "not empty"),
        ({"source": 3}, "filters.source", "string"),
        ({"path_prefix": ["a"]}, "filters.path_prefix", "string"),
        ({"updated_before": "yesterday"}, "filters.updated_before", "ISO 8601"),
    ],
)
def test_a_filter_that_can_not_be_executed_is_an_error(values: dict[str, object], field: str, message: str) -> None:
    with pytest.raises(ValidationFailed, match=message) as caught:
        parse_filters(values)
    assert [problem.field for problem in caught.value.details] == [field]
