"""The plan of a question: a value, whatever the question."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ragd.core.errors import RemoteUnavailable, ValidationFailed
from ragd.core.query import Filters, Preferences, QueryPlan
from ragd.providers.protocols import LanguageModel
from ragd.retrieve.planning.operators import take_operators

Plan = Callable[..., QueryPlan]
Scripted = Callable[..., LanguageModel]


@pytest.mark.parametrize(
    "text",
    [
        "the of and",
        "をのはが",
        "🎉🎉🎉",
        "???!!!",
        "مرحبا كيف الحال",
        "שלום \u202eעולם\u202c",
        "SELECT * FROM users WHERE id='1'; DROP TABLE x--",
        '"AND (',
        "\"\"\"'''「「』",
        "type: pdf",
        "type:",
        ":pdf",
        "a" * 8192,
        "word " * 1600,
        "経費" * 4096,
        "\x00\x01x",
        "NEAR/3 ^title *:* [a TO b] {x}",
        'lang:日本語 after:9999999-01-01 before: section:"" section:" > "',
    ],
)
def test_any_question_with_something_in_it_has_a_plan(plan: Plan, text: str) -> None:
    made = plan(text, "an earlier question", multi_query=5, synonyms="- [x, y]\n- [経費, 費用]")
    assert made.text
    assert all(len(phrase) > 1 for phrase in made.phrases)
    json.dumps([made.as_dict(), made.as_dict(texts=False)])


@pytest.mark.parametrize("text", ["", " \n", "\u200b\ufeff", "\x00"])
def test_a_question_without_any_text_is_an_error(plan: Plan, text: str) -> None:
    with pytest.raises(ValidationFailed, match="empty"):
        plan(text)


def test_a_question_of_filters_alone_is_an_error_that_says_so(plan: Plan) -> None:
    with pytest.raises(ValidationFailed, match=r"nothing but filters \(type:pdf tag:ops\)"):
        plan("type:pdf tag:ops")


def test_a_question_that_is_too_long_is_cut_with_a_warning(plan: Plan) -> None:
    made = plan("word " * 100, max_chars=20)
    assert made.text == "word word word word"
    assert "only the first 20" in made.warnings[0]


def test_quoted_phrases_and_identifiers_of_several_parts_are_phrases(plan: Plan) -> None:
    made = plan('is "exact words" in PROJ-123 with --no-cache and E1045?')
    assert made.phrases == (("exact", "word"), ("proj", "123"), ("no", "cach"))


def test_a_phrase_in_kanji_is_analysed_as_texts_of_both_languages_are(plan: Plan) -> None:
    assert plan("「接続設定」の方法").phrases == (("接続", "設定"),)
    chinese = plan("请问“数据连接”是什么").phrases
    assert ("数据", "据连", "连接")[:2] == tuple(term for term in chinese[-1] if len(term) == 2)[:2]


@pytest.mark.parametrize(
    ("text", "rest", "filters"),
    [
        ("lease type:pdf,docx", "lease", Filters(doc_type=("pdf", "docx"))),
        ("type:PDF lease tag:x tag:y", "lease", Filters(doc_type=("pdf",), tags=("x", "y"))),
        ("lang:ja 申請 path:docs/", "申請", Filters(language=("ja",), path_prefix="docs/")),
        ('lease section:"A > B" source:"my file.md"', "lease", Filters(source=("my file.md",), section=("A", "B"))),
        (
            "lease after:2026-01-01 before:2026-02-01T00:00Z",
            "lease",
            Filters(updated_after="2026-01-01T00:00:00.000Z", updated_before="2026-02-01T00:00:00.000Z"),
        ),
        ("is it path:guides/?", "is it", Filters(path_prefix="guides/")),
        ("sales picture:chart,table picture:photo", "sales", Filters(image_type=("chart", "table", "photo"))),
        ("sales picture:Yes", "sales", Filters(has_image=True)),
        ("sales picture:no", "sales", Filters(has_image=False)),
    ],
)
def test_operators_leave_the_text_and_become_filters(text: str, rest: str, filters: Filters) -> None:
    assert take_operators(text) == (rest, filters, ())


@pytest.mark.parametrize(
    "text",
    [
        "http://x.y/z",
        r"C:\x",
        "std::vector tag::x",
        "type: string",
        "def f(path:str, type:int)",
        "def f(x, path:str, tag:int)",
        "values (source:bytes, path:str, y)",
        "say 'type:pdf'",
        '"the words type:pdf here"',
        "`x tag:y z`",
        "mimetype:pdf",
        "size:large",
        "type:",
        "after: lunch",
    ],
)
def test_what_is_no_operator_stays_in_the_text(text: str) -> None:
    assert take_operators(text) == (text, Filters(), ())


@pytest.mark.parametrize(
    "operator", ["type:papyrus", "after:lunch", "lang:japanese-language-x", "before:2026-13-01", "picture:poem"]
)
def test_a_known_operator_with_a_wrong_value_is_searched_with_a_warning(operator: str) -> None:
    rest, filters, warnings = take_operators(f"lease {operator} time")
    assert (rest, filters) == (f"lease {operator} time", Filters())
    assert operator in warnings[0]


def test_typed_filters_and_those_of_the_request_both_hold(plan: Plan) -> None:
    made = plan("lease type:pdf", filters=Filters(source=("a.md",)))
    assert made.filters == Filters(doc_type=("pdf",), source=("a.md",))
    assert made.warnings == ()


def test_filters_that_contradict_each_other_stay_hard_and_are_named(plan: Plan) -> None:
    made = plan("lease type:pdf", filters=Filters(doc_type=("docx",)))
    assert made.filters == Filters(doc_type=("docx",), also=(Filters(doc_type=("pdf",)),))
    assert "doc_type docx and pdf" in made.warnings[0]
    assert plan("lease after:2026-02-01 before:2026-01-01").warnings[0].startswith("Nothing can be found")


def test_synonyms_go_to_the_sparse_side_only_and_count_half(plan: Plan) -> None:
    made = plan("K8s cluster", synonyms="- [k8s, Kubernetes, container orchestration]")
    assert made.text == "K8s cluster"
    assert made.synonyms == ("Kubernetes", "container orchestration")
    assert {term: made.terms.count(term) for term in made.terms} == {
        "k8s": 4,
        "cluster": 2,
        "kubernet": 1,
        "contain": 1,
        "orchestr": 1,
    }


def test_without_a_synonym_that_applies_terms_count_once(plan: Plan) -> None:
    assert plan("some cluster", synonyms="- [k8s, kubernetes]").terms == ("some", "cluster")


def test_further_wordings_come_from_rules_as_many_as_are_asked_for(plan: Plan) -> None:
    text = "How do I set up the Kubernetes cluster for PROJ-123?"
    assert plan(text).variants == ()
    assert plan(text, multi_query=1).variants == ("set Kubernetes cluster PROJ-123",)
    made = plan(text, multi_query=5, synonyms="- [k8s, kubernetes]")
    assert made.variants == ("set Kubernetes cluster PROJ-123", "set Kubernetes cluster PROJ-123 k8s", "PROJ-123")
    assert made.degraded == ()


def test_further_wordings_come_from_the_model_where_there_is_one(plan: Plan, scripted: Scripted) -> None:
    model = scripted('```json\n{"wordings": ["lease expiry", "", 3, "lease expiry", "lock time"]}\n```')
    assert plan("lease timeout", multi_query=2, model=model).variants == ("lease expiry", "lock time")


def test_a_model_that_fails_leaves_the_wordings_to_rules_visibly(plan: Plan, scripted: Scripted) -> None:
    made = plan("what is the lease timeout?", multi_query=2, model=scripted(RemoteUnavailable("No answer.")))
    assert made.variants == ("lease timeout",)
    assert made.degraded == ("multi_query",)
    assert "No answer" in made.warnings[0]


def test_a_plan_without_texts_tells_numbers_alone(plan: Plan) -> None:
    made = replace(plan("secret PROJ-123 type:pdf tag:hidden"), prefer=Preferences(source=("private/",)))
    shown = json.dumps(made.as_dict(texts=False))
    assert not [word for word in ("secret", "PROJ", "hidden", "private") if word in shown]
    assert made.as_dict()["filters"] == {"doc_type": ["pdf"], "tags": ["hidden"]}
    assert made.as_dict()["identifiers"] == [{"kind": "issue_key", "text": "PROJ-123"}]


def test_the_profile_of_plans_changes_with_the_synonyms(planner: Callable[..., object], tmp_path: Path) -> None:
    profiles = {planner(synonyms=text).profile for text in (None, "- [a, b]", "- [a, c]")}  # type: ignore[attr-defined]
    assert len(profiles) == 3
