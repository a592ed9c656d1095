"""Ragas and DeepEval themselves, each in its environment, judged by a stand-in, in a network where every packet is seen."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ragd.evaluation.external import environments
from ragd.evaluation.external.process import PROGRAMS, SILENT
from ragd.providers.registry import build
from ragd.testing import rule_judge

from .test_no_telemetry import isolated

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

# One answer that the passages bear out and one that they do not, with the passage that answers first and last.
CASES: list[dict[str, Any]] = [
    {
        "question": "When is the lease due?",
        "answer": "The lease is due on the third of May.",
        "passages": ["The lease is due on the third of May.", "Bills are paid within thirty days."],
        "reference": "The lease is due on the third of May.",
    },
    {
        "question": "When is the lease due?",
        "answer": "Purple elephants dance nightly.",
        "passages": ["Bills are paid within thirty days.", "The lease is due on the third of May."],
        "reference": "The lease is due on the third of May.",
    },
]
# Runs a set over cases with the judge of the test, in the process that has a network of its own.
DRIVER = """
import json, sys
from ragd.evaluation.external.protocol import Case
from ragd.providers.registry import build
from ragd.testing.rule_judge import reply_to, vectors_of

class Advisor:
    calls = 0
    vectors = staticmethod(vectors_of)

    def reply(self, prompt):
        self.calls += 1
        return reply_to(prompt)

made = build("metric_set", sys.argv[1])
given = [Case(one["question"], one["answer"], tuple(one["passages"]), one["reference"]) for one in json.loads(sys.argv[2])]
advisor = Advisor()
found = [
    {name: [value.value, value.problem] for name, value in values.items()}
    for values in made.measure([(case, list(made.metrics)) for case in given], advisor)
]
print(json.dumps([advisor.calls, found]))
"""
# One metric of the tool in its own environment, without the hook that `serve.py` sets.
UNMINDED = """
import json, runpy, sys
folder, name, case, rule = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), sys.argv[4]
serve, judge = runpy.run_path(f"{folder}/serve.py"), runpy.run_path(rule)
tool = runpy.run_path(f"{folder}/{name}_metrics.py")
measures = tool["build"](["faithfulness"], judge["reply_to"], judge["vectors_of"], serve["structured"])
print(measures["faithfulness"](case))
"""
# They are about the question and the passages, whatever their order and the answer.
OF_THE_CONTEXT = {"context_recall", "context_relevance", "contextual_recall", "contextual_relevancy"}


@pytest.fixture(params=list(environments.FOR))
def tool(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if environments.state(name) != "installed":
        pytest.skip(f"{name} is not installed: scripts/test.py runs `rag extras add {name}`")
    return name


def test_every_metric_tells_a_good_answer_from_a_bad_one_and_nothing_is_sent(tool: str, tmp_path: Path) -> None:
    done = isolated(tmp_path / "record.json", tmp_path, sys.executable, "-c", DRIVER, tool, json.dumps(CASES))
    assert done.returncode == 0, done.stdout
    calls, (good, bad) = json.loads(done.stdout.splitlines()[-1])
    made = build("metric_set", tool)
    assert set(good) == set(made.metrics)
    # What people are told beforehand that it will cost.
    assert calls == sum(once + each * len(case["passages"]) for case in CASES for once, each in made.calls.values())
    assert {name: problem for found in (good, bad) for name, (_value, problem) in found.items() if problem} == {}
    for name, (value, _) in good.items():
        if name in OF_THE_CONTEXT:
            assert value == bad[name][0] >= 0.5, name
        else:
            assert value > max(bad[name][0], 0.4), name
    assert json.loads((tmp_path / "record.json").read_text("utf-8")) == []


def test_what_they_are_told_is_enough_to_keep_them_silent(tool: str, tmp_path: Path) -> None:
    printed, seen = unminded(tool, tmp_path, **SILENT)
    assert "(1.0, " in printed
    assert seen == []


def test_deepeval_would_send_where_nothing_is_said(tmp_path: Path) -> None:
    """Else the test above could not fail."""
    if environments.state("deepeval") != "installed":
        pytest.skip("deepeval is not installed: scripts/test.py runs `rag extras add deepeval`")
    _, seen = unminded("deepeval", tmp_path)
    assert [name for name in seen if name.endswith("posthog.com")]


def unminded(tool: str, folder: Path, **environment: str) -> tuple[str, list[str]]:
    """What a metric of the tool gave, and whom it wanted to reach."""
    case, rule = json.dumps(CASES[0]), Path(rule_judge.__file__)
    command = ("-c", UNMINDED, str(PROGRAMS), tool, case, str(rule))
    python = environments.interpreter(environments.folder_of(tool))
    done = isolated(
        folder / "record.json", folder, "sh", "-c", 'cd "$HOME" && exec "$@"', "sh", str(python), *command, **environment
    )
    assert done.returncode == 0, done.stdout
    return done.stdout, json.loads((folder / "record.json").read_text("utf-8"))
