"""Other tools' metrics in a process of their own: a tool of the test's, run by this Python, in place of Ragas and DeepEval."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import psutil
import pytest

from ragd.core.errors import RemoteUnavailable, ServiceUnavailable, ValidationFailed
from ragd.evaluation.external import environments
from ragd.evaluation.external.measuring import Chosen, case_of, choose, measure_records, without
from ragd.evaluation.external.process import environment, measure
from ragd.evaluation.external.protocol import ANSWER, PASSAGES, REFERENCE, Case, MetricSet, Value
from ragd.evaluation.judges.judge import JudgeStopped
from ragd.providers.registry import TABLE, build, names

TOOL = """
import os, pathlib, socket
from pydantic import BaseModel

VERSION = "1.2"
print("a library's own words")

class Verdict(BaseModel):
    share: float

def asked(prompt, structured):
    return lambda case: (structured(prompt, f"judge {case['answer']}", Verdict).share, "it was asked")

def build(names, prompt, vectors, structured):
    return {
        "asked": asked(prompt, structured),
        "compared": lambda case: (vectors([case["question"], *case["passages"]])[1][0], ""),
        "outside": lambda case: (float(bool(socket.create_connection(("telemetry.example.com", 443)))), ""),
        "looked_up": lambda case: (float(len(socket.getaddrinfo("telemetry.example.com", 443))), ""),
        "to_an_address": lambda case: (float(socket.socket().connect_ex(("203.0.113.9", 443))), ""),
        "here": lambda case: (float(str(pathlib.Path.cwd()) == os.environ["HOME"] != "/"), str(os.environ)),
        "nothing": lambda case: (float("nan"), ""),
        "beyond": lambda case: (1.5, ""),
    }
"""
CASE = Case("どこ？", "Green", ("It is green.", "緑です。"), "green")


class Advisor:
    """Replies by a script, the last reply again and again."""

    def __init__(self, *replies: str | Exception) -> None:
        self.replies = list(replies)
        self.prompts: list[str] = []

    def reply(self, prompt: str) -> str:
        self.prompts.append(prompt)
        said = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(said, Exception):
            raise said
        return said

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1 / (number + 1), 0.0] for number in range(len(texts))]


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    path = tmp_path / "tool.py"
    path.write_text(TOOL, encoding="utf-8")
    return path


def values(tool: Path, *names: str, advisor: Advisor | None = None) -> dict[str, Value]:
    (found,) = measure(Path(sys.executable), tool, names, [(CASE, names)], advisor or Advisor("{}"))
    return found


def test_the_models_are_asked_by_us_and_the_values_come_back(tool: Path) -> None:
    advisor = Advisor('<think>{"share": 1}</think>Sure!\n```json\n{"share": 0.25}\n```')
    found = values(tool, "asked", "compared", "beyond", advisor=advisor)
    assert advisor.prompts == ["judge Green"]
    assert found == {"asked": Value(0.25, "it was asked"), "compared": Value(0.5), "beyond": Value(1.0)}


def test_a_reply_without_the_form_is_asked_for_once_more_and_then_counts_for_nothing(tool: Path) -> None:
    advisor = Advisor("No idea.", '{"share": 1}')
    assert values(tool, "asked", advisor=advisor)["asked"].value == 1
    assert "No idea." in advisor.prompts[1]
    assert '"share"' in advisor.prompts[1]
    advisor = Advisor("No idea.")
    found = values(tool, "asked", "nothing", advisor=advisor)
    assert len(advisor.prompts) == 2
    assert [one.value for one in found.values()] == [None, None]
    assert found["asked"].problem.startswith("ValidationError: ")
    assert found["nothing"].problem == "the tool gave no value"


def test_nothing_is_reached_or_looked_up_and_nothing_of_ours_is_seen(tool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-ours")
    found = values(tool, "outside", "looked_up", "to_an_address", "here")
    for name in ("outside", "looked_up", "to_an_address"):
        assert found[name].problem.startswith("PermissionError: metrics may reach nothing but this machine")
    assert found["here"].value == 1
    assert "sk-ours" not in found["here"].reason
    assert "DEEPEVAL_TELEMETRY_OPT_OUT" in found["here"].reason
    kept = environment("/home", {"PATH": "/bin", "LC_ALL": "C", "HTTPS_PROXY": "x", "RAG_TOKEN": "x", "PYTHONPATH": "x"})
    assert kept.items() >= {"PATH": "/bin", "LC_ALL": "C", "HOME": "/home", "RAGAS_DO_NOT_TRACK": "true"}.items()
    assert kept.keys().isdisjoint({"HTTPS_PROXY", "RAG_TOKEN", "PYTHONPATH"})


def test_a_call_that_fails_costs_one_metric_and_a_judge_that_stops_ends_it(tool: Path) -> None:
    found = values(tool, "asked", "compared", advisor=Advisor(RemoteUnavailable("the service is away")))
    assert (found["asked"].problem, found["compared"].value) == ("RuntimeError: the service is away", 0.5)
    # Other tests of this process may have left theirs.
    before = {child.pid for child in psutil.Process().children()}
    with pytest.raises(JudgeStopped, match="all calls"):
        values(tool, "asked", advisor=Advisor(JudgeStopped("all calls are used")))
    assert {child.pid for child in psutil.Process().children()} <= before


def test_a_tool_that_does_not_start_or_dies_is_said_with_its_own_words(tool: Path) -> None:
    tool.write_text("import nothing_of_this_name\n", encoding="utf-8")
    with pytest.raises(ServiceUnavailable, match="No module named 'nothing_of_this_name'"):
        values(tool, "asked")
    tool.write_text(TOOL + "\ndef build(*_): return {'asked': lambda case: os._exit(3)}\n", encoding="utf-8")
    with pytest.raises(ServiceUnavailable, match="own program failed"):
        values(tool, "asked")
    with pytest.raises(ServiceUnavailable, match="can't be started"):
        next(measure(tool.with_name("python"), tool, [], [], Advisor("")))


def test_of_no_case_the_tool_is_only_opened(tool: Path) -> None:
    with closing(measure(Path(sys.executable), tool, [], [], Advisor(""))) as found:
        assert list(found) == []


# From records to cases and back.


class Counted:
    """A set that gives each metric the length of the case's answer in hundredths; `stops` after so many cases."""

    name = "counted"
    version = "7"
    metrics: ClassVar = {
        "grounded": frozenset({ANSWER, PASSAGES}),
        "ranked": frozenset({PASSAGES}),
        "right": frozenset({ANSWER, REFERENCE}),
    }
    calls: ClassVar = {"grounded": (2, 0), "ranked": (0, 1), "right": (1, 1)}
    stops: ClassVar[int | None] = None

    def require(self) -> None:
        """It is here."""

    def measure(self, cases: Iterable[tuple[Case, Sequence[str]]], advisor: Any) -> Generator[dict[str, Value], None, None]:
        for number, (case, wanted) in enumerate(cases):
            if number == self.stops:
                raise JudgeStopped("enough")
            yield {name: Value(len(case.answer) / 100 if case.answer else None, "because") for name in wanted}


def record(answer: str = "Green [1].", *, found: bool = True, relevant: bool = True, **kept: Any) -> dict[str, Any]:
    artifacts = {"found": found, "answer": answer, "passages": [{"content": "It is green."}], **kept}
    return {
        "query": "Which?",
        "relevant": [{"source": "a"}] if relevant else [],
        "metrics": {"hit@1": 1.0},
        "artifacts": artifacts,
    }


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> type[Counted]:
    """Registered as a stranger's package would be."""
    monkeypatch.setitem(TABLE, ("metric_set", "counted"), f"{__name__}:Counted")
    monkeypatch.setattr(Counted, "stops", None)
    return Counted


def chosen(*texts: str, answers: bool = True) -> Chosen:
    (one,) = choose(texts, answers=answers)
    return one


def test_a_record_becomes_a_case_of_what_it_has() -> None:
    assert case_of(record(reference="green")) == Case("Which?", "Green.", ("It is green.",), "green")
    assert case_of(record(found=False)) == Case("Which?", "", ("It is green.",), "")
    assert case_of(record(found=False, relevant=False)) == Case("Which?")
    ranked = record()
    del ranked["artifacts"]["answer"], ranked["artifacts"]["found"]
    assert case_of(ranked) == Case("Which?", "", ("It is green.",))


def test_values_stand_beside_ours_with_what_was_said(counted: type[Counted]) -> None:
    records = [record(), record(found=False), record(found=False, relevant=False)]
    measured, account = measure_records(records, chosen("counted"), Advisor(""), lambda *_: None)
    assert measured[0]["metrics"] == {"hit@1": 1.0, "counted:grounded": 0.06, "counted:ranked": 0.06}
    assert measured[0]["artifacts"]["metric_sets"]["counted:ranked"] == {"value": 0.06, "reason": "because", "problem": ""}
    assert measured[1]["metrics"] == {"hit@1": 1.0}
    assert measured[1]["artifacts"]["metric_sets"]["counted:ranked"]["value"] is None
    assert "metric_sets" not in measured[2]["artifacts"]
    assert (account["name"], account["version"], account["missing"], account["stopped"]) == ("counted", "7", 1, "")
    assert without(records, chosen("counted")) == ["right"]


def test_what_was_measured_before_the_judge_stopped_is_kept(counted: type[Counted], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted, "stops", 1)
    measured, account = measure_records([record()] * 3, chosen("counted:ranked"), Advisor(""), lambda *_: None)
    assert ["counted:ranked" in one["metrics"] for one in measured] == [True, False, False]
    assert account["stopped"] == "enough"


def test_metrics_are_named_one_by_one_or_by_their_set(counted: type[Counted]) -> None:
    assert chosen("counted:ranked, counted:right", "counted:ranked").full_names == ("counted:ranked", "counted:right")
    assert chosen("counted", answers=False).metrics == ("ranked",)
    assert chosen("counted").metric_set_id != chosen("counted:ranked").metric_set_id


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("raggas:faithfulness", "no set of metrics 'raggas'. Did you mean 'ragas'"),
        ("faithfulness", "Write SET:METRIC, such as ragas:faithfulness"),
        ("counted:grouned", "counted has no metric 'grouned'. Did you mean 'grounded'"),
        ("counted:right", "counted:right measures an answer: give --mode end_to_end"),
    ],
)
def test_what_can_not_be_measured_is_said(counted: type[Counted], text: str, message: str) -> None:
    with pytest.raises(ValidationFailed) as raised:
        choose([text], answers=False)
    assert message in str(raised.value)


@pytest.mark.parametrize("name", list(environments.FOR))
def test_a_tool_that_is_not_installed_is_said_with_the_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with pytest.raises(ServiceUnavailable, match=f"is not installed. Run: rag extras add {name}"):
        choose([name], answers=True)
    environments.folder_of(name).mkdir(parents=True)
    environments.note_installed(name)
    assert environments.state(name) == "installed"
    monkeypatch.setattr(environments, "lock_of", lambda _name: Path(__file__))
    with pytest.raises(ServiceUnavailable, match="was installed for another release"):
        choose([name], answers=True)


def test_our_sets_are_registered_and_have_metrics() -> None:
    assert names("metric_set") == list(environments.FOR)
    for name in environments.FOR:
        made: MetricSet = build("metric_set", name)
        assert made.name == name
        assert made.metrics
