"""What is written of a diagram is Mermaid, whatever its labels hold."""

from __future__ import annotations

import json

import pytest
from tests.unit.diagrams.corpus import LABELS, WRITTEN, diagrams, emitted

from ragd.diagrams.mermaid import MAX_CHARACTERS, check_mermaid, to_mermaid
from ragd.diagrams.model import Diagram, Edge, Group, Node, made


def flow() -> Diagram:
    nodes = [Node("a", "Request"), Node("b", "Approved?", "diamond", group="desk"), Node("c", "Ship")]
    diagram = made("flowchart", nodes, [Edge("a", "b"), Edge("b", "c", "yes")], [Group("desk", "Desk")], direction="LR")
    assert diagram
    return diagram


def test_a_flow_chart_is_written_with_its_shapes_groups_and_labels() -> None:
    assert to_mermaid(flow()).split("\n") == [
        "flowchart LR",
        '  subgraph g1["Desk"]',
        '    n2{"Approved?"}',
        "  end",
        '  n1["Request"]',
        '  n3["Ship"]',
        "  n1 --> n2",
        '  n2 -->|"yes"| n3',
    ]


def test_what_mermaid_itself_parses_in_the_extensions_tests_is_what_is_written_here() -> None:
    assert json.loads(WRITTEN.read_text(encoding="utf-8")) == emitted()


@pytest.mark.parametrize("diagram", diagrams(), ids=lambda diagram: f"{diagram.kind} of {len(diagram.nodes)}")
def test_all_that_is_written_is_in_the_grammar_and_short_enough(diagram: Diagram) -> None:
    text = to_mermaid(diagram)
    assert check_mermaid(text), text
    assert len(text) < MAX_CHARACTERS + 500


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pie\n  title x",
        "%%{init: {}}%%\nflowchart TB\n  n1[\"x\"]",
        "flowchart TB\n  n1[\"x\"]\n  click n1 href \"javascript:alert(1)\"",
        "flowchart TB\n  n1[x]",
        'flowchart TB\n  n1["a" onclick "b"]',
        'flowchart TB\n  subgraph g1["open"]\n  n1["x"]',
        'flowchart TB\n  n1["`*x*`"]',
        "sequenceDiagram\n  n1->>n2: a; b",
        "flowchart TB\n  classDef x fill:#f00",
    ],
)  # fmt: skip
def test_what_is_not_written_here_is_not_in_the_grammar(text: str) -> None:
    assert not check_mermaid(text)


def test_what_mermaid_would_not_draw_is_counted() -> None:
    many = made("flowchart", [Node(str(number), f"step {number}") for number in range(500)], [])
    assert many
    assert to_mermaid(many).endswith("%% not drawn: 200")


def test_hostile_labels_add_no_line() -> None:
    for label in LABELS:
        diagram = made("flowchart", [Node("a", label), Node("b", "b")], [Edge("a", "b", label)])
        assert diagram
        assert to_mermaid(diagram).count("\n") == 3


def test_a_long_text_ends_before_mermaid_refuses_it_with_its_frames_closed() -> None:
    nodes = [Node(str(number), f"{number} " + "x" * 118, group="g") for number in range(300)]
    edges = [Edge(str(number), str(number + 1), "y" * 120) for number in range(299)]
    diagram = made("flowchart", nodes, edges, [Group("g", "G")])
    assert diagram
    text = to_mermaid(diagram)
    assert MAX_CHARACTERS - 500 < len(text) < MAX_CHARACTERS + 100
    assert check_mermaid(text)
