"""Diagrams whose Mermaid is parsed by Mermaid itself, in the extension's tests.

`python tests/unit/diagrams/corpus.py` writes them (then `npx prettier --write` in extension/); `test_mermaid.py` compares, so
that the two never differ.
"""

from __future__ import annotations

import json
from itertools import cycle
from pathlib import Path
from typing import Any, Final, get_args

from ragd.diagrams.mermaid import to_mermaid
from ragd.diagrams.model import Diagram, DiagramKind, Direction, Edge, EdgeKind, Group, Node, Shape, made

WRITTEN: Final = Path(__file__).resolve().parents[3] / "extension" / "tests" / "unit" / "fixtures" / "mermaid.json"

LABELS: Final = (
    "Approve the request", "end", "subgraph", "承認する", "审批 → 发货", "a;b", 'say "no"', "`code`", "<script>alert(1)</script>",
    "</text><image href=x onerror=alert(1)>", "%%{init: {'theme':'dark'}}%%", "%% comment", "style:#fff;",
    "classDef a fill:#f00;",
    "click n1 href \"javascript:alert(1)\"", "#quot;", "#35;", "[x](y) {z} |w|", "A --> B", "A->>B: hi", "---\ntitle: x\n---",
    "\\n", "ﬂ°°35¶ß", "e\u0301 \u202e right", "1. list", "- item", "**bold** _it_", "$$x^2$$", "accTitle: x", "&lt;b&gt; & co",
    "end note", "[*]", "~T~", "class", "o--o x--x", "loop", "😀", "a\u200bb", "default", "x" * 200, "note right of n1: hi",
)  # fmt: skip


def diagrams() -> list[Diagram]:
    """Every kind with every label, shape, edge and direction."""
    found = []
    directions, shapes, edges = cycle(get_args(Direction)), cycle(get_args(Shape)), cycle(get_args(EdgeKind))
    for kind in get_args(DiagramKind):
        for start in range(0, len(LABELS), 6):
            labels = LABELS[start : start + 6]
            nodes = [Node(f"id {label}", label, next(shapes), members=(label,) if kind == "class" else ()) for label in labels]
            joined = [
                Edge(a.id, b.id, label, next(edges)) for a, b, label in zip(nodes, [*nodes[1:], nodes[0]], labels, strict=True)
            ]
            found.append(made(kind, nodes, joined, direction=next(directions)))
    inner = [Node(str(number), label, group=f"g{number % 4}") for number, label in enumerate(LABELS)]
    groups = [Group(f"g{number}", label, f"g{number - 1}" if number else None) for number, label in enumerate(LABELS[:4])]
    found.append(made("flowchart", inner, [Edge("0", "1"), Edge("1", "1", "again")], groups))
    # Frames in a circle, an empty frame, an edge to nowhere; more than Mermaid draws.
    circle = [Group("a", "A", "b"), Group("b", "B", "a"), Group("c", "C")]
    found.append(
        made("flowchart", [Node("1", "one", group="a"), Node("2", "", group="b")], [Edge("1", "2"), Edge("1", "9")], circle)
    )
    many = [Node(str(number), f"step {number}") for number in range(310)]
    found.append(made("flowchart", many, [Edge(str(a), str(b)) for a in range(21) for b in range(21)]))
    states = [Node("s", "", "start"), Node("a", "Open"), Node("b", "Closed"), Node("e", "", "end")]
    found.append(made("state", states, [Edge("s", "a"), Edge("a", "b", "close"), Edge("b", "e")]))
    return [diagram for diagram in found if diagram]


def emitted() -> list[dict[str, Any]]:
    return [
        {
            "kind": diagram.kind,
            "text": to_mermaid(diagram),
            "labels": [node.label for node in diagram.nodes],
            "edges": len(diagram.edges),
        }
        for diagram in diagrams()
    ]


if __name__ == "__main__":
    WRITTEN.write_text(json.dumps(emitted(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
