"""Follow-up questions made self-contained, by rules and by a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ragd.core.errors import RemoteUnavailable, ValidationFailed
from ragd.core.query import QueryPlan, Turn
from ragd.retrieve.history import MAX_TURN_CHARS, MAX_TURNS, parse_history
from ragd.retrieve.planning.followup import self_contained

Plan = Callable[..., QueryPlan]
Scripted = Callable[..., Any]

LEASES = "How do I set the lease timeout in Kestrel?"


@pytest.mark.parametrize(
    ("earlier", "text", "expected"),
    [
        ([LEASES], "and on Windows?", "set lease timeout Kestrel on Windows?"),
        ([LEASES], "what about its default?", "set lease timeout Kestrel its default?"),
        ([LEASES, "and on Windows?"], "why?", "set lease timeout Kestrel Windows why?"),
        ([LEASES], "How do I raise it?", "set lease timeout Kestrel How do I raise it?"),
        (["Kestrelのリース期限の上限は?"], "それの単位は?", "Kestrel リース期限 上限 単位は?"),
        (["Kestrelの設定ファイルはどこ?"], "Windowsでは?", "Kestrel 設定ファイル Windowsでは?"),
        (["怎么设置数据库连接?"], "那超时呢?", "设置数据库连接 超时呢?"),
        (["怎么设置数据库连接?"], "它的默认值是多少?", "设置数据库连接 它的默认值是多少?"),
        (["How do I fix E1045 in Kestrel?"], "and E1046?", "fix Kestrel E1046?"),
        (["What is PROJ-1 about leases?"], "what about version 2.4?", "PROJ-1 leases version 2.4?"),
    ],
)
def test_a_follow_up_gets_the_topic_of_the_turns_before_it(plan: Plan, earlier: list[str], text: str, expected: str) -> None:
    made = plan(text, *earlier)
    assert (made.text, made.asked, made.rewriting) == (expected, text, "rules")


@pytest.mark.parametrize(
    "text",
    [
        LEASES,
        "How do I build a Debian package and test it with lintian?",
        "Is it possible to install offline?",
        "What does E1045 mean, and is it fatal?",
        "tantivy phrase query",
        "And how do I build a Debian package with sbuild in a clean chroot?",
        "見積書の承認フローを教えてください",
        "バックアップの保存先は?",
        "如何配置反向代理的证书?",
        "🎉",
    ],
)
def test_a_question_that_stands_alone_is_not_touched(plan: Plan, text: str) -> None:
    made = plan(text, "something about backups")
    assert (made.text, made.rewriting) == (text, "none")


def test_without_history_or_with_rewriting_switched_off_nothing_is_rewritten(plan: Plan) -> None:
    assert plan("and on Windows?").rewriting == "none"
    assert plan("and on Windows?", LEASES, rewrite="none").text == "and on Windows?"


def test_what_the_assistant_said_is_not_carried_over() -> None:
    turns = [Turn("user", "lease timeouts"), Turn("assistant", "Use --force and E9999 on Mars.")]
    assert self_contained("and on Windows?", turns) == "lease timeouts on Windows?"
    assert self_contained("and on Windows?", turns[1:]) is None


def reply(question: object) -> str:
    return json.dumps({"question": question})


def test_a_model_makes_a_follow_up_self_contained(plan: Plan, scripted: Scripted) -> None:
    model = scripted(reply("What is the lease timeout of Kestrel on Windows?"))
    made = plan("and on Windows?", LEASES, rewrite="model", model=model)
    assert (made.text, made.rewriting) == ("What is the lease timeout of Kestrel on Windows?", "model")
    assert json.loads(model.asked[0][1].text)["conversation"] == [{"role": "user", "text": LEASES}]


def test_a_model_is_not_asked_about_a_question_that_stands_alone(plan: Plan, scripted: Scripted) -> None:
    model = scripted(reply("x"))
    assert plan("tantivy phrase query", LEASES, rewrite="model", model=model).rewriting == "none"
    assert model.asked == []


@pytest.mark.parametrize(
    "answer",
    [
        RemoteUnavailable("The service is away."),
        "",
        "What about Windows?",
        "{",
        "[]",
        reply(""),
        reply(3),
        reply("word " * 400),
        reply("What does E1045 mean on Windows?"),
        reply("Does E1046 delete /etc/passwd?"),
        '{"a":' * 5000,
    ],
)
def test_a_rewrite_that_fails_or_is_malformed_falls_back_to_rules_visibly(
    plan: Plan, scripted: Scripted, answer: str | Exception
) -> None:
    made = plan("and E1046?", "What does E1045 mean in Kestrel?", rewrite="model", model=scripted(answer))
    assert (made.text, made.rewriting, made.degraded) == ("Kestrel E1046?", "rules", ("rewrite",))
    assert "language model" in made.warnings[0]


def test_a_rewrite_that_broke_off_is_not_used(plan: Plan, scripted: Scripted) -> None:
    model = scripted(reply("What does E1046 mean?"), finish="length")
    assert plan("and E1046?", "What does E1045 mean in Kestrel?", rewrite="model", model=model).degraded == ("rewrite",)


def test_a_history_is_checked_turn_by_turn() -> None:
    assert parse_history(None) == ()
    assert parse_history([{"role": "user", "text": "x"}, {"role": "assistant", "text": " "}]) == (Turn("user", "x"),)


@pytest.mark.parametrize(
    ("history", "field", "message"),
    [
        ([{"role": "user", "text": "x"}] * (MAX_TURNS + 1), "history", "51 turns; 50 are the most"),
        ([{"role": "user", "text": "x" * (MAX_TURN_CHARS + 1)}], "history[0].text", "20,001 characters; 20,000"),
        ([{"role": "system", "text": "x"}], "history[0].role", "user, assistant"),
        ([{"role": "user", "content": "x", "text": "y"}], "history[0].content", "text"),
        ([{"role": "user"}], "history[0].text", "string"),
        (["x"], "history[0]", "object"),
    ],
)
def test_a_history_that_can_not_be_used_names_the_turn(history: list[object], field: str, message: str) -> None:
    with pytest.raises(ValidationFailed, match=message) as caught:
        parse_history(history)
    assert field in [problem.field for problem in caught.value.details]
