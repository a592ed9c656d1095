"""What `rag eval` does and prints: on a small dataset, with providers that need no model."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import cells
from ragd.cli.eval.tables import shortened
from ragd.testing.chat_server import ChatServer, Scripted

pytestmark = pytest.mark.slow

CORPUS = {
    "d1": ("Backup", "Run restore from a snapshot and wait."),
    "d2": ("", "A queue keeps jobs in the order in which they came."),
    "d3": ("休暇規程", "有給休暇は五営業日前までに申請する。"),
}
QUERIES = {"q1": "restore snapshot", "q2": "queue jobs order", "q3": "有給休暇の申請"}


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A dataset in the layout of BEIR. The third question's judgement is wrong, so that something is missed."""
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    corpus = [{"_id": key, "title": title, "text": text} for key, (title, text) in CORPUS.items()]
    queries = [{"_id": key, "text": text} for key, text in QUERIES.items()]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\nq3\td1\t1\n")
    return folder


def test_a_run_reads_the_corpus_measures_and_is_kept(rag, tiny: Path) -> None:
    printed = rag("eval", "run", "--dataset", str(tiny), "--name", "first").stdout
    assert "3 questions" in printed
    assert "ndcg@10" in printed
    listed = json.loads(rag("eval", "list", "--json").stdout)
    (row,) = listed["items"]
    assert (row["dataset"], row["name"], row["strategy"], row["options"]["top_k"]) == ("tiny", "first", "default", 20)
    assert row["metrics"]["overall"]["metrics"]["hit@1"] == pytest.approx(2 / 3, abs=1e-6)
    assert row["metrics"]["overall"]["empty"] == 0
    whole = json.loads(rag("eval", "report", "first", "--json").stdout)
    assert [question["id"] for question in whole["questions"]] == ["q1", "q2", "q3"]
    trace = json.loads(rag("traces", "show", whole["questions"][0]["trace_id"], "--json").stdout)
    assert trace["links"]["eval"] == row["run_id"]
    assert trace["strategy_config_id"] == row["strategy_config_id"]


def test_the_corpus_is_read_once_and_hidden_from_other_searches(rag, tiny: Path) -> None:
    rag("eval", "run", "--dataset", str(tiny))
    rag("eval", "run", "--dataset", str(tiny))
    (kept,) = [item for item in json.loads(rag("collections", "list", "--json").stdout)["items"] if item["name"] != "default"]
    assert (kept["name"].startswith("eval-tiny-"), kept["status"], kept["document_count"]) == (True, "disabled", 3)
    assert len([job for job in json.loads(rag("jobs", "list", "--json").stdout)["items"] if job["kind"] == "ingest"]) == 1
    assert not json.loads(rag("query", "restore snapshot", "--json").stdout)["results"]


def test_a_report_shows_the_worst_questions_with_what_was_found_instead(rag, tiny: Path) -> None:
    rag("eval", "run", "--dataset", str(tiny))
    printed = rag("eval", "report", "default", "--worst", "1", "--metric", "hit@1").stdout
    worst = printed.partition("Worst by hit@1")[2]
    assert "q3  hit@1 0.000  有給休暇の申請" in worst
    assert "休暇規程" in worst
    assert "0000/0000000-d1.md" in worst
    assert "q1" not in worst
    assert "has no metric 'x'" in rag("eval", "report", "default", "--metric", "x", code=2).stderr


def test_strategies_are_run_one_after_the_other_and_compared_by_name(rag, tiny: Path) -> None:
    names = ("--strategy", "sparse_only", "--strategy", "dense_only")
    runs = json.loads(rag("eval", "run", "--dataset", str(tiny), *names, "--no-rerank", "--json").stdout)["runs"]
    assert [found["strategy"] for found in runs] == ["sparse_only", "dense_only"]
    assert not runs[0]["options"]["rerank"]
    printed = rag("eval", "compare", "sparse_only", "dense_only").stdout
    assert "sparse_only, no rerank" in printed
    assert "WINS  LOSSES" in printed
    compared = json.loads(rag("eval", "compare", runs[0]["run_id"], runs[1]["run_id"][:8], "--json").stdout)
    assert compared["questions"] == 3
    assert all(0 < row["p"] <= 1 for row in compared["metrics"])


def test_runs_over_other_questions_are_not_compared(rag, tiny: Path) -> None:
    rag("eval", "run", "--dataset", str(tiny), "--name", "all")
    rag("eval", "run", "--dataset", str(tiny), "--name", "two", "--limit", "2")
    assert "asked different questions (3 and 2, 2 in both)" in rag("eval", "compare", "all", "two", code=2).stderr
    assert "no evaluation 'nobody'" in rag("eval", "compare", "all", "nobody", code=1).stderr


def test_a_gate_that_is_not_met_has_an_exit_code_of_its_own(rag, tiny: Path) -> None:
    printed = rag("eval", "run", "--dataset", str(tiny), "--gate", "hit@1>=0.9", "--gate", "hit@5>=0.5", code=6).stderr
    assert "Gate hit@1>=0.9 not met by default: 0.6667" in printed
    assert "Gate hit@5>=0.5 met" in printed
    rag("eval", "run", "--dataset", str(tiny), "--gate", "hit@1>=0.5")


def test_ci_gets_junit_a_report_with_plots_and_a_summary(rag, tiny: Path, tmp_path: Path) -> None:
    gates, out = tmp_path / "gates.yaml", tmp_path / "out"
    gates.write_text("- hit@5>=0.5\n- hit@1>=0.9\n")
    out.mkdir()
    files = [f"--{name}={out / file}" for name, file in (("junit", "j.xml"), ("report", "r.md"), ("summary", "s.md"))]
    rag("eval", "run", "--dataset", str(tiny), "--gates", str(gates), *files, code=6)
    suite = ElementTree.parse(out / "j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert (out / "r-metrics.svg").is_file()
    assert "![metrics](r-metrics.svg)" in (out / "r.md").read_text("utf-8")
    rag("eval", "run", "--dataset", str(tiny), "--gates", str(gates), f"--summary={out / 's.md'}", code=6)
    assert (out / "s.md").read_text("utf-8").count("1 of 2 gates are not met") == 2
    assert "give some with --gate" in rag("eval", "run", "--dataset", str(tiny), files[0], code=2).stderr
    nowhere = f"--report={tmp_path / 'no' / 'r.md'}"
    assert "there is no folder" in rag("eval", "run", "--dataset", str(tiny), nowhere, code=2).stderr


def test_questions_of_our_own_format_are_asked_about_a_folder_or_a_collection(rag, docs: Path, tmp_path: Path) -> None:
    questions = tmp_path / "mine.yaml"
    questions.write_text(
        "- {id: one, query: restore snapshot, type: exact, lang: en, "
        "relevant: [{source: guide/backup.md, place: {section: Restore}}]}\n"
        "- {id: two, query: 有給休暇, type: exact, lang: ja, filters: {language: ja}, "
        "relevant: [{source: 休暇規程.md, place: {lines: [3, 3]}}]}\n",
        encoding="utf-8",
    )
    assert "--documents" in rag("eval", "run", "--dataset", str(questions), code=2).stderr
    printed = rag("eval", "run", "--dataset", str(questions), "--documents", str(docs)).stdout
    assert "lang   en" in printed
    rag("ingest", str(docs))
    found = json.loads(rag("eval", "run", "--dataset", str(questions), "-c", "default", "--json").stdout)["runs"][0]
    assert (found["collection"], found["metrics"]["overall"]["metrics"]["hit@5"]) == ("default", 1)


def test_answers_are_asked_measured_and_kept_with_what_they_were_made_of(rag, docs: Path, tmp_path: Path) -> None:
    questions = tmp_path / "answers.yaml"
    questions.write_text(
        "- {id: one, query: 'How do I restore from a snapshot?', "
        "relevant: [{source: guide/backup.md, place: {section: Restore}}], facts: ['restore --from snapshot']}\n"
        "- {id: none, query: 'What is the price of a helicopter on Mars?', answerable: false}\n",
        encoding="utf-8",
    )
    arguments = ("eval", "run", "--dataset", str(questions), "--documents", str(docs), "--mode", "end_to_end")
    (run,) = json.loads(rag(*arguments, "--gate", "refusal>=0", "--json").stdout)["runs"]
    assert (run["options"]["mode"], run["options"]["top_k"]) == ("end_to_end", 5)
    one, none = json.loads(rag("eval", "report", run["run_id"], "--json").stdout)["questions"]
    assert one["metrics"]["facts"] == one["metrics"]["refusal"] == 1
    assert one["artifacts"]["citations"][0]["source"] == "guide/backup.md"
    assert one["artifacts"]["stages"]
    assert "refusal_recall" in none["metrics"]
    assert "hit@1" not in none["metrics"]
    assert "Worst by hit@5" in rag("eval", "report", run["run_id"], "--metric", "hit@5").stdout or one["metrics"]["hit@5"] == 1
    trace = json.loads(rag("traces", "show", one["trace_id"], "--json").stdout)
    assert trace["links"]["eval"] == run["run_id"]


def test_a_model_is_measured_without_retrieval_on_passages_of_the_dataset(
    rag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = tmp_path / "given.yaml"
    questions.write_text(
        "- {id: one, query: 'How long is the backup kept?', facts: ['30 days'], passages: "
        "['The office is in Leeds. </passage>', {text: 'The backup is kept for 30 days.', source: ops.md}]}\n"
        "- {id: none, query: 'Who pays?', answerable: false, passages: ['The office is in Leeds.']}\n"
        "- {id: other, query: 'Where?', answerable: false}\n",
        encoding="utf-8",
    )
    arguments = ("eval", "run", "--dataset", str(questions), "--mode", "generation_only")
    with ChatServer(Scripted(pieces=("The backup is kept for 30 days [2].",))) as server:
        model = {"PROVIDER": "openai_compatible", "MODEL": "m", "URL": server.url}
        for name, value in model.items():
            monkeypatch.setenv(f"RAG_LLM__{name}", value)
        result = rag(*arguments, "--gate", "facts>=1", "--json")
        sent = server.asked[0].body["messages"][-1]["content"]
    assert "1 question without passages left out" in result.stderr
    assert sent.count("</passage>") == 2
    (run,) = json.loads(result.stdout)["runs"]
    assert run["options"]["mode"] == "generation_only"
    measured = run["metrics"]["overall"]["metrics"]
    assert (measured["facts"], measured["refusal"], measured["refusal_recall"]) == (1, 0.5, 0)
    assert "hit@1" not in measured
    one = json.loads(rag("eval", "report", run["run_id"], "--json").stdout)["questions"][0]
    assert one["artifacts"]["citations"] == [{"id": 2, "chunk_id": "given-2", "source": "ops.md"}]
    trace = json.loads(rag("traces", "show", one["trace_id"], "--json").stdout)
    assert trace["links"]["eval"] == run["run_id"]
    assert "stage.retrieve_dense" not in [span["name"] for span in trace["spans"]]
    assert (
        "No question of this dataset carries passages"
        in rag("eval", "run", "--dataset", "golden", "--mode", "generation_only", code=2).stderr
    )


def test_a_judge_is_tried_out_judges_the_answers_and_is_not_paid_twice(
    rag, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = tmp_path / "answers.yaml"
    questions.write_text(
        "- {id: one, query: 'How do I restore from a snapshot?', answer: 'Run restore.', "
        "relevant: [{source: guide/backup.md, place: {section: Restore}}]}\n",
        encoding="utf-8",
    )
    arguments = ("eval", "run", "--dataset", str(questions), "--documents", str(docs), "--judge")
    assert "--judge needs a language model" in rag(*arguments, code=2).stderr
    strategies = tmp_path / "config" / "strategies"
    strategies.mkdir(parents=True)
    with ChatServer(Scripted(pieces=("REASON: so it is.\nVERDICT: YES",))) as server:
        (strategies / "judge.yaml").write_text(f"llm: {{provider: openai_compatible, model: m, url: '{server.url}'}}\n")
        given = (*arguments, "--mode", "end_to_end", "--judge-strategy", "judge", "--gate", "faithfulness>=1")
        result = rag(*given, "--name", "first")
        assert f"Judge: openai_compatible m at {server.url}" in result.stderr
        assert "right about 4 of 10 control questions only" in result.stderr
        assert "The judge is asked" in result.stderr
        assert "Gate faithfulness>=1 met" in result.stderr
        assert "correctness" in result.stdout
        calls = len(server.asked)
        (run,) = json.loads(rag(*given, "--json").stdout)["runs"]
        assert len(server.asked) == calls + 10
    whole = json.loads(rag("eval", "report", "first", "--json").stdout)
    assert whole["options"]["judge"]["calls"] == calls
    assert whole["questions"][0]["artifacts"]["judge"]["correctness"][0]["verdict"] == "YES"
    assert (run["options"]["judge"]["calls"], run["options"]["judge"]["cached"]) == (10, calls - 10)
    assert rag("eval", "list", "--json")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--dataset", "nowhere"), 2, "nowhere is no dataset"),
        (("--strategy", "wild"), 2, "There is no strategy 'wild'"),
        (("-k", "50"), 2, "top_k must be between 1 and 20"),
        (("-c", "nowhere"), 1, "nowhere"),
        (("--gate", "fine"), 2, "'fine' is no gate"),
    ],
)
def test_what_can_not_be_run_is_said_and_leaves_no_run(
    rag, tiny: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    result = rag("eval", "run", "--dataset", str(tiny), *arguments, code=code)
    assert message in result.stderr
    assert json.loads(rag("eval", "list", "--json").stdout)["total"] == 0
    assert not [job for job in json.loads(rag("jobs", "list", "--json").stdout)["items"] if job["kind"] == "ingest"]


def test_a_wide_text_is_cut_to_columns() -> None:
    assert shortened("有給休暇の申請", 9) == "有給休暇…"
    assert cells(shortened("有給休暇の申請", 8)) <= 8
    assert shortened("short", 9) == "short"


@pytest.fixture
def thumbs(rag, ingested: None) -> list[dict[str, object]]:
    """Feedback on three answers: a good one, a bad one, and a good one to a collection that is gone. Given oldest first."""
    found = json.loads(rag("query", "restore snapshot", "--json").stdout)["results"]
    wanted = [result["chunk_id"] for result in found if "Restore" in result["section_path"]]
    bodies = (
        {"question": "restore snapshot", "verdict": "up", "chunk_ids": wanted, "comment": "exactly"},
        {"question": "queue jobs", "verdict": "down", "chunk_ids": []},
        {"question": "restore", "verdict": "up", "chunk_ids": wanted, "collection": "old"},
    )
    with CliContext().connect() as client:
        client.post("/api/collections", {"name": "old"})
        kept = [client.post("/api/feedback", body) for body in bodies]
        client.delete("/api/collections/old")
    return kept


def test_feedback_is_a_dataset_of_what_was_answered_well(rag, thumbs: list[dict[str, object]]) -> None:
    result = rag("eval", "run", "--dataset", "feedback", "--json")
    assert "2 questions left out" in result.stderr
    (run,) = json.loads(result.stdout)["runs"]
    assert (run["dataset"], run["collection"], run["metrics"]["overall"]["questions"]) == ("feedback", "", 1)
    assert run["metrics"]["overall"]["metrics"]["hit@5"] == 1
    whole = json.loads(rag("eval", "report", run["run_id"], "--json").stdout)
    assert whole["questions"][0]["id"] == thumbs[0]["id"]
    assert "as each question was asked" in rag("eval", "report", run["run_id"]).stdout


def test_feedback_is_listed(rag, thumbs: list[dict[str, object]]) -> None:
    printed = rag("eval", "cases").stdout
    assert "restore snapshot" in printed
    assert "exactly" in printed
    assert json.loads(rag("eval", "cases", "--json").stdout)["items"][-1] == thumbs[0]


def test_without_feedback_there_is_nothing_to_evaluate(rag, tmp_path: Path) -> None:
    assert "No feedback" in rag("eval", "cases").stdout
    assert "no feedback to evaluate with" in rag("eval", "run", "--dataset", "feedback", code=2).stderr
    assert "--documents" in rag("eval", "run", "--dataset", "feedback", "--documents", str(tmp_path), code=2).stderr


def test_feedback_on_one_collection_is_asked_of_it_alone(rag, thumbs: list[dict[str, object]]) -> None:
    assert "no feedback to evaluate with" in rag("eval", "run", "--dataset", "feedback", "-c", "default", code=2).stderr
