#!/usr/bin/env python3
"""Ragas' and DeepEval's metrics beside ours, on one run of the questions of `tests/golden/answers`.

    .venv/bin/rag extras add ragas deepeval
    .venv/bin/python scripts/bench/answers/metric_sets.py --limit 20

All are judged by the language model of the settings (`RAG_LLM__PROVIDER` …). Where there is none, by a rule instead: a text
says a statement when it has most of its words. Then the figures compare how the three count, by the same rule, and say nothing
of the answers. The answers are those that the daemon makes without a language model, as the rule can write none.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import yaml

from ragd.testing.chat_server import Asked, ChatServer, Scripted
from ragd.testing.rule_judge import reply_to, says

ROWS: Final = (
    ("answer against its context",
     ("faithfulness", "ragas:faithfulness", "ragas:response_groundedness", "deepeval:faithfulness")),
    ("answer against the question", ("answer_relevancy", "ragas:answer_relevancy", "deepeval:answer_relevancy")),
    ("answer against the expected one", ("correctness", "ragas:answer_correctness", "ragas:factual_correctness")),
    ("order of the context",
     ("context_precision", "ragas:context_precision", "ragas:context_utilization", "deepeval:contextual_precision")),
    ("expected answer in the context", ("context_recall", "ragas:context_recall", "deepeval:contextual_recall")),
    ("share of the context that matters", ("context_relevance", "ragas:context_relevance", "deepeval:contextual_relevancy")),
)  # fmt: skip
ANSWERS: Final = Path(__file__).resolve().parents[3] / "tests" / "golden" / "answers"
STRATEGY: Final = "judged-by-rule"


class Rule(ChatServer):
    """Judges for all three: our own questions have tags, those of the others what `rule_judge` knows."""

    def take(self, asked: Asked) -> Scripted:
        text = asked.body["messages"][-1]["content"]
        parts = {
            tag: "\n".join(found)
            for tag in ("passage", "statement", "question", "answer", "expected")
            if (found := re.findall(rf"<{tag}>\n(.*?)\n</{tag}>", text, re.DOTALL))
        }
        if not parts:
            return Scripted(pieces=(reply_to(text),))
        claim = parts.get("statement") or parts.get("expected") or parts["question"]
        verdict = says(parts.get("passage") or parts["answer"], claim)
        return Scripted(pieces=(f"REASON: by rule\nVERDICT: {'YES' if verdict else 'NO'}",))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--metrics", default="ragas,deepeval")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rag-bench-") as root, judge(Path(root)) as environment:
        command = [sys.executable, "-m", "ragd", "eval", "run", "--limit", str(options.limit)]
        command += ["--dataset", str(dataset(Path(root))), "--documents", str(ANSWERS / "documents")]
        command += ["--mode", "end_to_end", "--judge", "--metrics", options.metrics, "--judge-calls", "100000", "--json"]
        if "RAG_LLM__PROVIDER" not in environment:
            command += ["--judge-strategy", STRATEGY]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=True)
        (run,) = json.loads(done.stdout)["runs"]
    show(run)


def dataset(root: Path) -> Path:
    """The questions as `rag eval run` reads them; what an answer must hold is what is expected."""
    path = root / "questions.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for name, about in yaml.safe_load((ANSWERS / "questions.yaml").read_text("utf-8")).items():
            for number, (question, _kind, held) in enumerate(about["questions"]):
                where = [{"source": name, "place": {}}]
                row = {"id": f"{name} {number}", "query": question, "relevant": where, "facts": held}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


@contextmanager
def judge(root: Path) -> Iterator[dict[str, str]]:
    """The environment of the run: the settings' own model, or the rule on loopback as that of a strategy."""
    config = root / "config"
    environment = os.environ | {"RAG_DATA_DIR": str(root / "data"), "RAG_CONFIG_DIR": str(config)}
    if "RAG_LLM__PROVIDER" in os.environ:
        yield environment
        return
    (config / "strategies").mkdir(parents=True)
    with Rule() as server:
        llm = {"provider": "openai_compatible", "model": "by-rule", "url": server.url, "context_tokens": 100_000}
        (config / "strategies" / f"{STRATEGY}.yaml").write_text(json.dumps({"llm": llm}), encoding="utf-8")
        yield environment


def show(run: dict[str, Any]) -> None:
    values = run["metrics"]["overall"]["metrics"]
    print(f"{run['metrics']['overall']['questions']} questions, judged by {run['options']['judge']['model']}")
    for account in run["options"]["metric_sets"]:
        print("{name} {version}: {calls} calls, {missing} values missing {stopped}".format_map(account))
    print("\n| what | ours | Ragas | DeepEval |\n|---|--:|--:|--:|")
    for what, names in ROWS:
        cells = {"": [], "ragas": [], "deepeval": []}  # type: dict[str, list[str]]
        for name in names:
            tool, _, metric = name.rpartition(":")
            if name in values:
                cells[tool].append(f"{values[name]:.3f} `{metric}`")
        print(f"| {what} | {' | '.join('; '.join(cells[tool]) for tool in cells)} |")


if __name__ == "__main__":
    main()
