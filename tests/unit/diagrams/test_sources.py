"""Diagrams that are written as text."""

from __future__ import annotations

import pytest

from ragd.diagrams.mermaid import check_mermaid, to_mermaid
from ragd.diagrams.sources.languages import read_source


def mermaid_of(language: str, text: str) -> list[str]:
    diagram = read_source(language, text)
    assert diagram
    written = to_mermaid(diagram)
    assert check_mermaid(written)
    # What is written is read as what it was.
    again = read_source("mermaid", written)
    assert again
    assert to_mermaid(again).split("\n")[0] == written.split("\n")[0]
    assert len(again.edges) == len(diagram.edges)
    return [line.strip() for line in written.split("\n")]


def test_a_flow_chart_of_mermaid_has_its_shapes_chains_and_groups() -> None:
    text = """graph LR; A[Request] --> B{"Approved?; ok"}
      B -- yes --> C(["Ship it"]); B -->|no| D[Tell why] & E
      subgraph desk [The desk]
        F((x)) -.-> |maybe| G
      end
      C <--> F:::cls
      click A href "https://example.com"
      H@{ shape: diam, label: "Really?" } ==> A
      I --- J"""
    assert mermaid_of("mermaid", text) == [
        "flowchart LR", 'subgraph g1["The desk"]', 'n6(("x"))', 'n7["G"]', "end", 'n1["Request"]', 'n2{"Approved?#59; ok"}',
        'n3(["Ship it"])', 'n4["Tell why"]', 'n5["E"]', 'n8{"Really?"}', 'n9["I"]', 'n10["J"]', "n1 --> n2", 'n2 -->|"yes"| n3',
        'n2 -->|"no"| n4', 'n2 -->|"no"| n5', 'n6 -.->|"maybe"| n7', "n3 <--> n6", "n8 --> n1", "n9 --- n10",
    ]  # fmt: skip


def test_a_sequence_of_mermaid_has_its_people_and_messages() -> None:
    text = """sequenceDiagram
      participant U as User
      loop every day
        U->>+S: log in
        Note over U: tired
        S-->>-U: token #35;1
      end"""
    assert mermaid_of("mermaid", text)[1:] == [
        "participant n1 as User", "participant n2 as S", "n1->>n2: log in", "n2-->>n1: token #35;1",
    ]  # fmt: skip


def test_classes_states_and_entities_of_mermaid() -> None:
    classes = 'classDiagram\nclass Animal {\n +int age\n +run()\n}\nAnimal <|-- Cat : is a\nCat "1" *-- "4" Leg\nCat : +purr()'
    assert mermaid_of("mermaid", classes)[2:] == [
        'class n1["Animal"]', "n1 : +int age", "n1 : +run()", 'class n2["Cat"]', "n2 : +purr()",
        'class n3["Leg"]', "n2 --|> n1 : is a", "n3 --* n2",
    ]  # fmt: skip
    states = 'stateDiagram-v2\n[*] --> Open\nOpen --> Closed : close it\nstate "All done" as Closed\nClosed --> [*]'
    assert mermaid_of("mermaid", states)[2:] == [
        'state "Open" as n2', 'state "All done" as n3', "[*] --> n2", "n2 --> n3 : close it", "n3 --> [*]",
    ]  # fmt: skip
    entities = "erDiagram\nCUSTOMER ||--o{ ORDER : places\nORDER {\n string id\n}"
    assert mermaid_of("mermaid", entities)[-1] == "n1 -- n2 : places"


def test_dot_has_its_nodes_edges_and_clusters() -> None:
    text = """digraph "G x" { rankdir=LR; node [shape=box]; a [label="Start <here>"]; b [shape=diamond,label="OK?"]
      a -> b -> {c d} [label="go"]; subgraph cluster_0 { label="Desk"; c; e [label=<<b>Bold</b> x>] }
      b:n -> e [style=dashed] // hi
      }"""
    assert mermaid_of("dot", text) == [
        "flowchart LR", 'subgraph g1["Desk"]', 'n5["Bold x"]', "end", 'n1["Start #60;here#62;"]', 'n2{"OK?"}', 'n3["c"]',
        'n4["d"]',
        'n1 -->|"go"| n2', 'n2 -->|"go"| n3', 'n2 -->|"go"| n4', "n2 -.-> n5",
    ]  # fmt: skip
    assert mermaid_of("graphviz", "graph { a -- b }")[-1] == "n1 --- n2"


def test_plantuml_has_sequences_classes_components_states_and_activities() -> None:
    assert mermaid_of("plantuml", "@startuml\nactor Bob\nBob -> Alice : hello\nAlice --> Bob : ok\n@enduml")[3:] == [
        "n1->>n2: hello", "n2-->>n1: ok",
    ]  # fmt: skip
    assert mermaid_of("puml", "class Car {\n +drive()\n}\nVehicle <|-- Car\nCar *-- Wheel : has")[-2:] == [
        "n1 --|> n2", "n3 --* n1 : has",
    ]  # fmt: skip
    parts = 'package "Backend" {\n [API] --> [DB] : sql\n}\n[Web] ..> API : calls'
    assert mermaid_of("plantuml", parts)[-2:] == ['n1 -->|"sql"| n2', 'n3 -.->|"calls"| n1']
    assert mermaid_of("plantuml", "[*] --> Open\nOpen --> Closed : close")[-1] == "n2 --> n3 : close"
    steps = """start
      :Receive order;
      if (In stock?) then (yes)
        :Ship;
      else (no)
        :Order more;
      endif
      fork
        :Invoice;
      fork again
        :Tell the customer;
      end fork
      while (Paid?) is (not yet)
        :Wait;
      endwhile (paid)
      stop"""
    assert mermaid_of("plantuml", steps)[9:] == [
        "n1 --> n2", 'n2 -->|"yes"| n3', 'n2 -->|"no"| n4', "n3 --> n5", "n4 --> n5", "n3 --> n6", "n4 --> n6", "n5 --> n7",
        "n6 --> n7", 'n7 -->|"not yet"| n8', "n8 --> n7",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("mermaid", ""), ("mermaid", "pie\n \"a\" : 3"), ("mermaid", "gantt\n title x"),
        ("python", "graph TD\nA-->B"), ("dot", "a -> b"),
        ("plantuml", "@startuml\n@enduml"), ("mermaid", "graph TD\n" + "x" * 300_000),
    ],
)  # fmt: skip
def test_what_is_no_diagram_of_boxes_is_left_alone(language: str, text: str) -> None:
    assert read_source(language, text) is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("mermaid", "graph TD\n" + "A-->" * 20_000), ("mermaid", "graph TD\nA[" + '"' * 50_000),
        ("mermaid", "graph TD\n" + "subgraph x\n" * 9_000),
        ("mermaid", "graph TD\n" + " & ".join("abcdefgh") + "-- " * 20_000), ("dot", "digraph {" + "{" * 50_000),
        ("dot", "digraph {" + "a [label=" * 20_000), ("dot", 'digraph { a [label=<' + "<" * 100_000),
        ("mermaid", "classDiagram\n" + 'A "' * 30_000),
        ("plantuml", "start\n" + "if (x) then (y)\n" * 10_000), ("plantuml", "A " + "-" * 100_000),
        ("plantuml", '"' * 100_000 + " -> b"),
        ("mermaid", "sequenceDiagram\n" + "a" * 100_000), ("plantuml", "class " + "a " * 90_000),
    ],
)  # fmt: skip
def test_a_hostile_text_ends(language: str, text: str) -> None:
    diagram = read_source(language, text)
    assert diagram is None or check_mermaid(to_mermaid(diagram))
