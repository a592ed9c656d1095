"""What CI gets of a run: JUnit XML of the right shape, a report that no text of a dataset can break, intervals that repeat."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from lxml import etree
from markdown_it import MarkdownIt

from ragd.core.errors import ValidationFailed
from ragd.evaluation.gates import check, read_gate, read_gates
from ragd.evaluation.intervals import interval
from ragd.evaluation.metrics import summaries
from ragd.evaluation.reports.junit import junit
from ragd.evaluation.reports.markdown import plots, report, summary

# The shape that CI systems take: suites of cases, with counts and seconds.
SHAPE = etree.XMLSchema(
    etree.XML("""
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:attributeGroup name="counts">
    <xs:attribute name="name" type="xs:string" use="required"/>
    <xs:attribute name="tests" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="skipped" type="xs:nonNegativeInteger"/>
    <xs:attribute name="time" type="xs:decimal" use="required"/>
  </xs:attributeGroup>
  <xs:element name="testsuites"><xs:complexType>
    <xs:sequence><xs:element name="testsuite" maxOccurs="unbounded"><xs:complexType>
      <xs:sequence>
        <xs:element name="properties"><xs:complexType><xs:sequence>
          <xs:element name="property" maxOccurs="unbounded"><xs:complexType>
            <xs:attribute name="name" type="xs:string" use="required"/>
            <xs:attribute name="value" type="xs:string" use="required"/>
          </xs:complexType></xs:element>
        </xs:sequence></xs:complexType></xs:element>
        <xs:element name="testcase" minOccurs="0" maxOccurs="unbounded"><xs:complexType>
          <xs:sequence><xs:element name="failure" minOccurs="0"><xs:complexType><xs:simpleContent>
            <xs:extension base="xs:string">
              <xs:attribute name="type" type="xs:string" use="required"/>
              <xs:attribute name="message" type="xs:string" use="required"/>
            </xs:extension>
          </xs:simpleContent></xs:complexType></xs:element></xs:sequence>
          <xs:attribute name="name" type="xs:string" use="required"/>
          <xs:attribute name="classname" type="xs:string" use="required"/>
          <xs:attribute name="time" type="xs:decimal" use="required"/>
        </xs:complexType></xs:element>
      </xs:sequence>
      <xs:attributeGroup ref="counts"/>
      <xs:attribute name="timestamp" type="xs:dateTime" use="required"/>
    </xs:complexType></xs:element></xs:sequence>
    <xs:attributeGroup ref="counts"/>
  </xs:complexType></xs:element>
</xs:schema>
""")
)
HOSTILE = "a|b `c` <script>alert(1)</script> ![x](http://127.0.0.1/) \x07\n# heading & *stars* ]]>"


def run_of(values: dict[str, list[float]], strategy: str = "default", name: str = "") -> dict[str, Any]:
    """A finished run with these values of metrics, one a question."""
    count = len(next(iter(values.values())))
    questions = [
        {
            "id": f"q{index}",
            "query": HOSTILE,
            "groups": {"lang": "en" if index % 2 else HOSTILE},
            "results": 1,
            "latency_ms": 10.0 + index,
            "trace_id": f"{index:032x}",
            "metrics": {metric: found[index] for metric, found in values.items()},
        }
        for index in range(count)
    ]
    return {
        "run_id": "0" * 32,
        "name": name,
        "dataset": HOSTILE,
        "dataset_hash": "1" * 32,
        "collection": "c",
        "strategy": strategy,
        "strategy_config_id": "2" * 32,
        "options": {"rerank": True, "top_k": 20, "limit": None},
        "started_at": "2026-11-24T00:00:00.000Z",
        "finished_at": "2026-11-24T00:00:02.500Z",
        "metrics": summaries(questions),
        "questions": questions,
    }


@pytest.fixture
def checks() -> list[Any]:
    gates = [read_gate("ndcg@10>=0.5", 20), read_gate("hit@1>=0.9", 20), read_gate("p95_ms<=1000", 20)]
    first = run_of({"hit@1": [1, 0, 1, 1], "ndcg@10": [1, 0.5, 0.2, 1]})
    second = run_of({"hit@1": [1, 1, 1, 1], "ndcg@10": [1, 0.9, 1, 1]}, strategy="dense_only")
    return [(run, check(gates, run["metrics"]["overall"])) for run in (first, second)]


def test_gates_are_junit_cases_and_those_not_met_are_failures(checks: list[Any]) -> None:
    tree = etree.fromstring(junit(checks))
    SHAPE.assertValid(tree)
    assert (tree.get("tests"), tree.get("failures"), tree.get("time")) == ("6", "1", "5.000")
    (failure,) = tree.iter("failure")
    assert failure.getparent().get("name") == "hit@1>=0.9"
    assert failure.get("message") == "hit@1>=0.9 is not met: 0.75"
    assert "4 questions" in failure.text
    assert [suite.get("failures") for suite in tree] == ["1", "0"]


def test_a_report_holds_texts_as_texts_and_its_figures(checks: list[Any]) -> None:
    made = plots(checks, 200)
    assert set(made) == {"metrics", "groups"}
    text = report(checks, resamples=200, images={name: f"r-{name}.svg" for name in made})
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert "<script>" not in html
    assert html.count("<img") == 2
    assert html.count("<h1>") == 1
    assert "1 of 6 gates are not met" in html
    rows = [line for line in text.splitlines() if line.startswith("| q")]
    assert rows
    tree = ET.fromstring(f"<body>{html}</body>")
    for table in tree.iter("table"):
        assert len({len(list(row)) for row in table.iter("tr")}) == 1
    assert "dense\\_only against default" in text


def test_plots_are_whole_svg_that_loads_nothing(checks: list[Any]) -> None:
    for svg in plots(checks, 200).values():
        tree = etree.fromstring(svg.encode())
        assert tree.tag == "{http://www.w3.org/2000/svg}svg"
        assert not list(tree.iter("{*}script", "{*}image", "{*}use"))
        assert "href" not in svg
    bound = [
        line for line in etree.fromstring(plots(checks, 200)["metrics"].encode()).iter("{*}line") if line.get("class") == "bound"
    ]
    assert len(bound) == 2  # of the metrics; a time has no place on this axis


def test_a_summary_is_a_table_of_gates_or_of_main_figures(checks: list[Any]) -> None:
    assert "| ❌ | hit@1\\>=0.9 | 0.75 | default |" in summary(checks)
    assert "All gates are met" in summary(checks[1:])
    without = summary([(run, []) for run, _ in checks])
    assert "| strategy | ndcg@10 | p95 ms |" in without


def test_an_interval_holds_the_mean_repeats_and_narrows_with_more_questions() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 200
    low, high = interval(few, 2000)
    assert low < 0.5 < high
    assert interval(few, 2000) == (low, high)
    assert interval(many, 2000)[1] - interval(many, 2000)[0] < (high - low) / 3
    # The textbook's normal approximation, for so many questions.
    assert (interval(many, 2000)[1] - interval(many, 2000)[0]) / 2 == pytest.approx(1.96 * 0.5 / 20, rel=0.1)
    assert interval([0.25], 100) == (0.25, 0.25)
    with pytest.raises(ValueError, match="at least one"):
        interval([], 100)


def test_gates_of_a_file_are_read_strictly(tmp_path: Path, project_root: Path) -> None:
    assert [str(gate) for gate in read_gates(project_root / "config" / "gates.yaml", 20)] == [
        "hit@5>=0.9",
        "mrr@10>=0.8",
        "ndcg@10>=0.85",
    ]
    for text in ("", "ndcg: 0.5", "- 1", "- ndcg@10>=x", "- {a: [", "- ndcg@50>=0.5"):
        path = tmp_path / "gates.yaml"
        path.write_text(text)
        with pytest.raises(ValidationFailed):
            read_gates(path, 20)
